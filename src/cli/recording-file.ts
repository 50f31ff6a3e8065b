import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Outcome } from '../engine/outcome.ts'
import type { ErrorCode } from '../protocol/error-codes.ts'
import type { Wire } from '../wires/contract.ts'
import type { WireChoice } from './files/wire-choice.ts'
import { STDIN, type Streams } from './streams.ts'

export interface RecordingFile {
  readonly name: string
  readonly bytes: Uint8Array
  readonly wire: Wire
  /** The file holds a whole body instead of a stream. */
  readonly isBody: boolean
}

/**
 * Reads a recording. Throws an Error that names the command, the file and the reason if it cannot be read, or if its
 * wire is not certain.
 */
export async function readRecordingFile(
  command: string,
  file: string,
  choose: WireChoice,
  { stdin }: Streams,
): Promise<RecordingFile> {
  const bytes = await (file === STDIN ? buffer(stdin) : readFile(file)).catch((error: unknown) => {
    const reason = reasonOf(error)
    throw new Error(`${command}: "${file}" cannot be read: ${reason}. Name a recording, or - for the standard input.`)
  })
  const wire = choose(file, bytes)
  if (file === STDIN) return { name: 'stdin', bytes, wire, isBody: isBodyText(wire, bytes) }
  const { name, ext } = path.parse(file)
  return { name, bytes, wire, isBody: ext === '.json' }
}

/** The standard input has no extension: among streams, only NDJSON starts with an object. */
const isBodyText = ({ framing }: Wire, bytes: Buffer): boolean =>
  framing !== 'ndjson' && /^\s*\{/.test(bytes.subarray(0, 1000).toString('utf8'))

/** Error codes of the gateway for a defect of the recording, as opposed to an error in the answer. */
const BROKEN: ReadonlySet<string> = new Set<ErrorCode>(['upstream_truncated', 'upstream_invalid', 'upstream_too_large'])

/** Why a recording is not a whole answer; null if it is one. */
export function recordingFault({ error, hasOutput }: Outcome, file: RecordingFile): string | null {
  if (error === null || !BROKEN.has(error.code)) return null
  if (hasOutput) return error.message
  const { wire } = file
  const reason = isTextOfEvents(file)
    ? 'expected the bytes of an AWS event stream (as in NAME.stream.bin), got their text.'
    : `${error.message} Check --from.`
  return `no answer of the wire ${wire.name} found: ${reason}`
}

const OBJECT = 0x7b

/** The fixtures have the events of an AWS event stream as lines of JSON as well, for readers. */
const isTextOfEvents = ({ wire, isBody, bytes }: RecordingFile): boolean =>
  wire.framing === 'eventstream' && !isBody && bytes[0] === OBJECT

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
