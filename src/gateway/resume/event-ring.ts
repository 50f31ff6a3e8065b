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

/** The first event that begins in a block: its place, and its number. */
interface FirstInBlock {
  readonly at: number
  readonly number: number | null
}

/** Why a stream cannot be continued: its events after that one were dropped, or it has none of that number yet. */
export type Unheld = 'dropped' | 'ahead'

/** The last bytes of one stream of numbered events, in blocks. The oldest block is dropped where room is needed. */
export class EventRing {
  private blocks: Uint8Array[] = []
  /** The bytes of the last block that are in use. */
  private used = 0
  private held = 0
  private readonly firsts = new WeakMap<Uint8Array, FirstInBlock>()
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

  /**
   * Returns the bytes after the event of this number; null: from the first event on. Reads the beginning of each block,
   * once, and the frames of the block that has the event.
   */
  after(number: number | null): Uint8Array | Unheld {
    const whole = this.hasDropped ? this.firstIn(0) : { at: 0, number: null }
    if (whole === null) return 'dropped'
    if (number === null) return this.hasDropped ? 'dropped' : this.from(0)
    const place = this.blockOf(number)
    const start = place === 0 ? whole.at : (this.firstIn(place)?.at ?? 0)
    const bytes = this.from(place)
    let first: number | null = null
    let isAhead = true
    let at = start
    for (const frame of framesIn(bytes, start)) {
      if (frame.number === null) continue
      first ??= frame.number
      isAhead = frame.number < number
      if (frame.number > number) break
      at = frame.end
    }
    if (place === 0 && this.hasDropped && (first === null || number < first - 1)) return 'dropped'
    return isAhead ? 'ahead' : bytes.subarray(at)
  }

  /** The last block whose first event has at most this number; 0 if there is none. */
  private blockOf(number: number): number {
    for (let at = this.blocks.length - 1; at > 0; at -= 1) {
      const first = this.firstIn(at)?.number ?? null
      if (first !== null && first <= number) return at
    }
    return 0
  }

  /** The first event that begins in a block; null if none does. What stands before it belongs to the block before. */
  private firstIn(index: number): FirstInBlock | null {
    const block = this.blocks[index]
    if (block === undefined) return null
    const known = this.firsts.get(block)
    if (known !== undefined) return known
    const bytes = index === this.blocks.length - 1 ? block.subarray(0, this.used) : block
    const begin = endOfFrame(bytes, 0)
    let found: FirstInBlock | null = null
    if (begin >= 0)
      for (const { start, number } of framesIn(bytes, begin)) {
        if (number === null) continue
        found = { at: start, number }
        break
      }
    if (found !== null) this.firsts.set(block, found)
    return found
  }

  private from(index: number): Uint8Array {
    const last = this.blocks.length - 1
    return concatenated(
      this.blocks.slice(index).map((block, i) => (index + i === last ? block.subarray(0, this.used) : block)),
    )
  }

  private all(): Uint8Array {
    return this.from(0)
  }
}
