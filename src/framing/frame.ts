import { isObject } from '../text/json.ts'
import { parseLenientJson } from '../text/lenient-json.ts'

/** One SSE message, NDJSON line or event-stream message. */
export interface Frame {
  /** The name of the event; empty if the framing or the vendor has none. `eventstream.ts` uses it for failures, too. */
  readonly event: string
  /** The payload, as text. */
  readonly data: string
  /** The parsed payload, if it was long and has been parsed in slices; null if it is not JSON. */
  readonly value?: unknown
  /**
   * The text in which it came, with its comments and its line ends, of readers that keep it. Left out where a frame has
   * no text of its own, such as an element of a list.
   */
  readonly text?: string
  /** Whether the text has no frame: comments, fields without data, blank lines. Only readers that keep texts have them. */
  readonly isBlank?: true
}

/** Text between two frames. */
export const blankFrame = (text: string): Frame => ({ event: '', data: '', text, isBlank: true })

/** The name of the field as a part of the data: some servers write it twice (sse-starlette, of frames that are text). */
export const FIELD = /^data: ?/

/** True for the terminator of many vendors. A payload that was parsed is none. */
export const isDone = (frame: Frame): boolean =>
  frame.value === undefined && frame.data.length < 16 && frame.data.trim().replace(FIELD, '') === '[DONE]'

/** The parsed payload; undefined or null if it is not JSON. */
export const jsonOf = (frame: Frame): unknown => {
  if (frame.value !== undefined) return frame.value
  return isDone(frame) ? undefined : unwrapped(frame.data, parseLenientJson(frame.data))
}

/** The object behind a field that was written twice, or in a JSON text of JSON; the value itself if there is none. */
function unwrapped(data: string, value: unknown): unknown {
  if (value === undefined && FIELD.test(data)) return parseLenientJson(data.replace(FIELD, ''))
  if (typeof value !== 'string' || !value.startsWith('{')) return value
  const inner = parseLenientJson(value)
  return isObject(inner) ? inner : value
}

/** Upstream bytes in, frames out. Keeps incomplete frames; never throws. */
export interface FrameReader {
  /** The frames that these bytes complete. After a frame that exceeds the size limit, nothing more is read. */
  push(bytes: Uint8Array): readonly Frame[]
  /** A last frame that the vendor did not terminate. */
  end(): readonly Frame[]
  /** True once an event was larger than the declared limit. */
  overflowed(): boolean
}
