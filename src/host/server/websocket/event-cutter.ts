import { copied, joined, viewOf } from '../../../text/bytes.ts'

/** One event of a stream: its name, empty if the stream does not name it, and its JSON. */
export interface CutEvent {
  readonly name: string
  readonly json: Uint8Array
}

const LF = 10
const CR = 13
const SPACE = 32
const OPENING = 123

const NO_BYTES: Uint8Array = new Uint8Array(0)
const LINE_END = Uint8Array.of(LF)

const DATA = Buffer.from('data:')
const EVENT = Buffer.from('event:')
/** The lines before the JSON of nearly every event. */
const DELTA = Buffer.from('event: response.output_text.delta\ndata: {')

/** All of it but the brace, in words of eight bytes. None of them is a NaN. */
const WORDS = Float64Array.from({ length: (DELTA.length - 1) / 8 }, (_, i) => DELTA.readDoubleLE(i * 8))

/** Receives the events of a stream in their order. The bytes are valid only during the call. */
export interface EventSink {
  event(event: CutEvent): void
  /** The JSON of a delta of text is these bytes from `start` to `end`. */
  delta(bytes: Uint8Array, start: number, end: number): void
}

/**
 * Cuts the bytes of an SSE stream into its events. Their JSON is not parsed, because each event becomes a message of its
 * own. Comments and payloads that are no object, such as `[DONE]`, are left out: a socket has its own end.
 */
export class EventCutter {
  private held = NO_BYTES
  private name = ''
  private data: Uint8Array | null = null

  /** Passes on the events that these bytes complete. */
  cut(bytes: Uint8Array, sink: EventSink): void {
    const all = this.held.length === 0 ? bytes : joined(this.held, bytes)
    let at = 0
    for (;;) {
      if (this.data === null && this.name === '') at = passDeltas(all, at, sink)
      const end = all.indexOf(LF, at)
      if (end < 0) break
      const event = this.line(all.subarray(at, end > at && all[end - 1] === CR ? end - 1 : end))
      if (event !== null) sink.event(event)
      at = end + 1
    }
    this.held = at === all.length ? NO_BYTES : copied(all, at)
    // An event that continues in the next read outlives these bytes, which may be borrowed.
    if (this.data !== null) this.data = copied(this.data)
  }

  /** Reads one line, and returns the event that it ends. */
  private line(line: Uint8Array): CutEvent | null {
    if (line.length === 0) return this.close()
    if (begins(line, DATA)) {
      const data = valueIn(line, DATA.length)
      this.data = this.data === null ? data : joined(joined(this.data, LINE_END), data)
    } else if (begins(line, EVENT)) this.name = Buffer.from(valueIn(line, EVENT.length)).toString()
    return null
  }

  private close(): CutEvent | null {
    const { name, data } = this
    this.name = ''
    this.data = null
    return data === null || data[0] !== OPENING ? null : { name, json: data }
  }
}

/**
 * Passes on the deltas of text that stand here, one after another, and returns the offset after them. Compares eight
 * bytes at once, and finds the ends of lines with the search of Node, which is faster than that of a Uint8Array.
 */
function passDeltas(bytes: Uint8Array, from: number, sink: EventSink): number {
  if (bytes.length - from < DELTA.length || !begins(bytes.subarray(from), DELTA)) return from
  const view = viewOf(bytes)
  const searched = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let at = from; ; ) {
    if (at + DELTA.length > bytes.length || bytes[at + DELTA.length - 1] !== OPENING) return at
    for (let i = 0; i < WORDS.length; i += 1) if (view.getFloat64(at + i * 8, true) !== WORDS[i]) return at
    const start = at + DELTA.length - 1
    const end = searched.indexOf(LF, start)
    // Further lines of data, and line ends with CR, are left to the lines.
    if (end < 0 || bytes[end + 1] !== LF || bytes[end - 1] === CR) return at
    sink.delta(bytes, start, end)
    at = end + 2
  }
}

function begins(line: Uint8Array, word: Uint8Array): boolean {
  for (let i = 0; i < word.length; i += 1) if (line[i] !== word[i]) return false
  return true
}

const valueIn = (line: Uint8Array, at: number): Uint8Array => line.subarray(line[at] === SPACE ? at + 1 : at)
