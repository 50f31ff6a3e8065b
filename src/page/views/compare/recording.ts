import type { AlignedSource } from '../../../alignment/align.ts'
import { EMPTY_ECHO } from '../../../responses/echo.ts'
import { findVendor } from '../../../vendors/registry.ts'
import { quirksOn } from '../../../vendors/vendor.ts'
import { findStreamWire } from '../../../wires/find-stream-wire.ts'

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
