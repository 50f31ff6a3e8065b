import type { AlignedSource } from '../../../alignment/align.ts'
import { EMPTY_ECHO } from '../../../responses/echo.ts'
import { findVendor } from '../../../vendors/registry.ts'
import { quirksOn } from '../../../vendors/vendor.ts'
import { findStreamWire } from '../../../wires/find-stream-wire.ts'
import { packBytes, UnpackError, unpackBytes } from '../../packed-bytes.ts'

export interface ChosenRecording {
  readonly name: string
  readonly bytes: Uint8Array
}

/** Returns the recording as it is aligned; null if there is none, or no wire of this name. */
export function alignedSourceOf(
  recording: ChosenRecording | null,
  wireName: string,
  vendorName: string,
): AlignedSource | null {
  const wire = findStreamWire(wireName)
  if (recording === null || wire === undefined) return null
  const vendor = findVendor(vendorName)
  const { bytes, name } = recording
  const begin = new TextDecoder('latin1').decode(bytes.subarray(0, 256)).replace(/^ï»¿/, '')
  return {
    wire,
    quirks: vendor === undefined ? {} : quirksOn(vendor, wire.name),
    // As `millrace translate` does, so that the outputs are the same.
    head: { id: `resp_${idOf(name)}`, created_at: 0, model: 'unknown', echo: EMPTY_ECHO },
    bytes,
    isBody: /^\s*[[{]/.test(begin) && !wire.framing.looksLike.test(begin),
  }
}

const idOf = (name: string): string =>
  name
    .replace(/^.*\//, '')
    .replace(/\.[^.]*$/, '')
    .replace(/[^A-Za-z0-9_-]/g, '_')

/** The largest recording that a link carries, in characters of the link: some programs cut longer addresses. */
export const LONGEST_LINK = 64 * 1024

/** The largest recording that a link may contain, in bytes: a few bytes of a link can stand for any number. */
export const LARGEST_RECORDING = 16 * 1024 * 1024

const MESSAGES = {
  damaged: 'The recording in this link is damaged: the link may have been cut. Copy it again.',
  'too large': `The recording in this link has more than ${LARGEST_RECORDING >> 20} MiB. Drop its file here instead.`,
}

/** Returns the recording as the link carries it, also if that is longer than `LONGEST_LINK`. */
export const writeRecordingLink: (recording: Uint8Array) => Promise<string> = packBytes

/** Rejects with an Error that has a message for the user if the text is damaged or stands for too many bytes. */
export async function readRecordingLink(text: string): Promise<Uint8Array> {
  try {
    return await unpackBytes(text, LARGEST_RECORDING)
  } catch (error) {
    throw error instanceof UnpackError ? new Error(MESSAGES[error.reason]) : error
  }
}
