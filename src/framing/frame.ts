import { parseJson } from '../text/json.ts'

/** One SSE message, NDJSON line or event-stream message. */
export interface Frame {
  /** The name of the event; empty where the framing or the vendor gives none. `eventstream.ts` names failures, too. */
  readonly event: string
  /** The payload, as text. */
  readonly data: string
  /** The same as a value, where it was long and has been parsed in slices; null where it is no JSON. */
  readonly value?: unknown
}

/** The payload as a value; undefined, or null, where it is no JSON. */
export const jsonOf = ({ data, value }: Frame): unknown => (value === undefined ? parseJson(data) : value)

/** Upstream bytes in, frames out. Holds what is not yet complete; throws nothing. */
export interface FrameReader {
  /** The frames that these bytes complete. A frame over the size limit is told once, and then nothing more is read. */
  push(bytes: Uint8Array): readonly Frame[]
  /** A last frame that its vendor did not finish. */
  end(): readonly Frame[]
  /** True once an event was larger than the declared limit. */
  overflowed(): boolean
}
