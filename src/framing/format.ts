import { type Machine, NOTHING } from '../machine/machine.ts'
import type { Frame } from './frame.ts'

export type Frames = readonly Frame[]

/** Names of the formats in which frames are written for clients. */
export type FormatName = 'sse' | 'ndjson' | 'array'

/** Names of the formats in which each frame is complete by itself. */
export type LiveFormat = Exclude<FormatName, 'array'>

export interface Format {
  readonly mediaType: string
  /** Frames → the text of a stream, one string for each frame. The state: whether it has begun, if that matters. */
  readonly write: Machine<boolean, Frame, string>
  /** Text without content that keeps a connection alive; null if nothing may be written between two frames. */
  readonly comment: string | null
}

const LINE_BREAK = /\r\n?|\n/

/** Writes a line break inside the data as another data line. */
const formatSse = ({ event, data }: Frame): string => {
  const name = event === '' ? '' : `event: ${event}\n`
  return `${name}data: ${data.includes('\n') || data.includes('\r') ? data.split(LINE_BREAK).join('\ndata: ') : data}\n\n`
}

const each = (format: (frame: Frame) => string): Format['write'] => ({
  initial: false,
  step: (state, frame) => ({ state, events: [format(frame)] }),
  end: () => NOTHING,
})

/** One JSON array. A stream without frames is an empty array. */
const array: Format['write'] = {
  initial: false,
  step: (started, { data }) => ({ state: true, events: [`${started ? ',\r\n' : '['}${data}`] }),
  end: (started) => [started ? '\r\n]' : '[]'],
}

/** An event stream's text without content that keeps a connection alive. */
export const KEEP_ALIVE = ': keep-alive\n\n'

export const FORMATS = {
  sse: { mediaType: 'text/event-stream; charset=utf-8', write: /* @__PURE__ */ each(formatSse), comment: KEEP_ALIVE },
  ndjson: { mediaType: 'application/x-ndjson', write: /* @__PURE__ */ each(({ data }) => `${data}\n`), comment: null },
  array: { mediaType: 'application/json; charset=utf-8', write: array, comment: null },
} satisfies Record<FormatName, Format>
