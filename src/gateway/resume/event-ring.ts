import { concatenated } from '../../text/bytes.ts'
import { isObject, parseJson } from '../../text/json.ts'

const LF = 10
const CR = 13

/** The size of a block, in bytes. */
const BLOCK = 16 * 1024

/** One frame of a stream: its end, and the number of its event; null if it has none. */
interface NumberedFrame {
  readonly start: number
  readonly end: number
  readonly number: number | null
}

export interface FirstEvent {
  readonly responseId: string
}

const decoder = new TextDecoder()

/** Returns the index after the empty line that ends the frame; -1 if it has not arrived. */
function endOfFrame(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(LF, from); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3
  }
  return -1
}

/** Most events have their number behind their type, where it needs no parsing. */
const HEAD = /^\{"type":"[\w.]+","sequence_number":(\d+)[,}]/
const HEAD_BYTES = 256

const dataOf = (frame: Uint8Array): string =>
  decoder
    .decode(frame)
    .split(/\r?\n/)
    .flatMap((line) => (line.startsWith('data:') ? [line.slice('data:'.length).trimStart()] : []))
    .join('\n')

function numberOf(frame: Uint8Array): number | null {
  const [, head = ''] = /(?:^|\n)data: ?(\{.*)/.exec(decoder.decode(frame.subarray(0, HEAD_BYTES))) ?? []
  const found = HEAD.exec(head)
  if (found !== null) return Number(found[1])
  const event = parseJson(dataOf(frame))
  return isObject(event) && typeof event.sequence_number === 'number' ? event.sequence_number : null
}

function* framesIn(bytes: Uint8Array, from: number): Iterable<NumberedFrame> {
  for (let start = from, end = endOfFrame(bytes, from); end >= 0; start = end, end = endOfFrame(bytes, start))
    yield { start, end, number: numberOf(bytes.subarray(start, end)) }
}

/** Why a stream cannot be continued: its events after that one were dropped, or it has none of that number yet. */
export type Unheld = 'dropped' | 'ahead'

/** The last bytes of one stream of numbered events, in blocks. The oldest block is dropped where room is needed. */
export class EventRing {
  private blocks: Uint8Array[] = []
  /** The bytes of the last block that are in use. */
  private used = 0
  private held = 0
  private hasDropped = false

  /** The memory of all blocks. */
  bytes(): number {
    return this.held
  }

  /** Copies the bytes. */
  add(bytes: Uint8Array): void {
    const last = this.blocks.at(-1)
    if (last !== undefined && last.length - this.used >= bytes.length) {
      last.set(bytes, this.used)
      this.used += bytes.length
      return
    }
    if (last !== undefined) this.blocks[this.blocks.length - 1] = last.subarray(0, this.used)
    const block = new Uint8Array(Math.max(BLOCK, bytes.length))
    block.set(bytes)
    this.used = bytes.length
    this.blocks.push(block)
    this.held += block.length
  }

  /** Drops the oldest block. Returns false if there is only one. */
  dropOldest(): boolean {
    const [oldest] = this.blocks
    if (oldest === undefined || this.blocks.length === 1) return false
    this.blocks.shift()
    this.held -= oldest.buffer.byteLength
    this.hasDropped = true
    return true
  }

  /**
   * The first event; null if it is not the beginning of a response with numbered events, or was dropped; undefined if
   * the whole of it has not arrived.
   */
  first(): FirstEvent | null | undefined {
    if (this.hasDropped) return null
    const bytes = this.all()
    const end = endOfFrame(bytes, 0)
    if (end < 0) return undefined
    const event = parseJson(dataOf(bytes.subarray(0, end)))
    if (!isObject(event) || typeof event.sequence_number !== 'number' || !isObject(event.response)) return null
    return typeof event.response.id === 'string' ? { responseId: event.response.id } : null
  }

  /** Returns the bytes after the event of this number; null: from the first event on. */
  after(number: number | null): Uint8Array | Unheld {
    const bytes = this.all()
    const begin = this.hasDropped ? endOfFrame(bytes, 0) : 0
    if (begin < 0) return 'dropped'
    let first: number | null = null
    let last: number | null = null
    let at = begin
    for (const frame of framesIn(bytes, begin)) {
      first ??= frame.number
      if (frame.number === null) continue
      last = frame.number
      if (number !== null && frame.number <= number) at = frame.end
    }
    if (this.hasDropped && (number === null || first === null || number < first - 1)) return 'dropped'
    if (number !== null && (last === null || number > last)) return 'ahead'
    return bytes.subarray(at)
  }

  private all(): Uint8Array {
    const last = this.blocks.length - 1
    return concatenated(this.blocks.map((block, i) => (i === last ? block.subarray(0, this.used) : block)))
  }
}
