import { type Machine, NOTHING } from '../machine/machine.ts'
import type { Frame } from './frame.ts'

/** How frames are put into text, for clients. */
export type FormatName = 'sse' | 'ndjson' | 'array'

export interface Format {
  readonly mediaType: string
  /** Frames → the text of a stream, one string a frame. */
  readonly write: Machine<number, Frame, string>
  /** Says nothing, and keeps a connection alive; null where nothing may stand between two frames. */
  readonly comment: string | null
}

/** A line break inside the data begins another data line. */
const formatSse = ({ event, data }: Frame): string => {
  const name = event === '' ? '' : `event: ${event}\n`
  return `${name}data: ${data.includes('\n') ? data.replaceAll('\n', '\ndata: ') : data}\n\n`
}

const each = (format: (frame: Frame) => string): Format['write'] => ({
  initial: 0,
  step: (state, frame) => ({ state, events: [format(frame)] }),
  end: () => NOTHING,
})

/** One JSON array, whose state is the number of elements so far. A stream without a frame is an empty array. */
const array: Format['write'] = {
  initial: 0,
  step: (count, { data }) => ({ state: count + 1, events: [`${count === 0 ? '[' : ',\r\n'}${data}`] }),
  end: (count) => [count === 0 ? '[]' : '\r\n]'],
}

export const FORMATS = {
  sse: { mediaType: 'text/event-stream; charset=utf-8', write: each(formatSse), comment: ': keep-alive\n\n' },
  ndjson: { mediaType: 'application/x-ndjson', write: each(({ data }) => `${data}\n`), comment: null },
  array: { mediaType: 'application/json; charset=utf-8', write: array, comment: null },
} satisfies Record<FormatName, Format>
