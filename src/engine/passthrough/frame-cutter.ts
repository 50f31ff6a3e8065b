import type { Framing } from '../../framing/framing.ts'
import { outputBuffer } from '../../output/scratch.ts'
import { copied, joined } from '../../text/bytes.ts'

const NO_BYTES: Uint8Array = new Uint8Array(0)
const LF = 10
const CR = 13

/** A frame end has at most four bytes, so that three of them may have arrived before. */
const LONGEST_END = 4

/** The index after the last blank line, in either of the two line endings that vendors use; 0 if there is none. */
function lastBlankLine(bytes: Uint8Array): number {
  for (let at = bytes.lastIndexOf(LF); at > 0; at = bytes.lastIndexOf(LF, at - 1)) {
    if (bytes[at - 1] === LF || (at > 1 && bytes[at - 1] === CR && bytes[at - 2] === LF)) return at + 1
  }
  return 0
}

const lastLine = (bytes: Uint8Array): number => bytes.lastIndexOf(LF) + 1

/** Finds the index after the last frame end; 0 if there is none. */
const lastEndIn = (framing: Framing): ((bytes: Uint8Array) => number) =>
  framing.format === 'ndjson' ? lastLine : lastBlankLine

/** Splits the bytes of a stream into whole frames and the beginning of the next one, which it keeps. */
export class FrameCutter {
  private readonly lastEnd: (bytes: Uint8Array) => number
  private pieces: Uint8Array[] = []
  /** The last bytes of the pieces. */
  private before = NO_BYTES

  constructor(framing: Framing) {
    this.lastEnd = lastEndIn(framing)
  }

  /**
   * Returns the frames that these bytes complete. They are a view of the bytes, or lent as by `OutputBuffer.take`, and
   * valid only until the next call.
   */
  add(bytes: Uint8Array): Uint8Array {
    const { pieces } = this
    const end = this.endIn(bytes)
    if (end <= 0) {
      this.keep(bytes)
      return NO_BYTES
    }
    const complete = end === bytes.length ? bytes : bytes.subarray(0, end)
    this.pieces = []
    this.before = NO_BYTES
    if (end < bytes.length) this.keep(bytes.subarray(end))
    if (pieces.length === 0) return complete
    outputBuffer.reset()
    for (const piece of pieces) outputBuffer.put(piece)
    outputBuffer.put(complete)
    return outputBuffer.take(true)
  }

  /** The index after the last frame end; not positive if there is none. */
  private endIn(bytes: Uint8Array): number {
    const { before } = this
    const end = this.lastEnd(bytes)
    if (end > 0 || before.length === 0) return end
    return this.lastEnd(joined(before, bytes.subarray(0, LONGEST_END))) - before.length
  }

  /** Returns the incomplete frame. */
  rest(): Uint8Array {
    const rest = concat(this.pieces)
    this.pieces = []
    this.before = NO_BYTES
    return rest
  }

  isEmpty(): boolean {
    return this.pieces.length === 0
  }

  private keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.pieces.push(copied(bytes))
    const known = bytes.length < LONGEST_END ? joined(this.before, bytes) : bytes
    this.before = copied(known, Math.max(0, known.length - LONGEST_END + 1))
  }
}

export function concat(pieces: readonly Uint8Array[]): Uint8Array {
  const [first = NO_BYTES] = pieces
  if (pieces.length < 2) return first
  const all = new Uint8Array(pieces.reduce((size, { length }) => size + length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}

/** Splits whole frames. */
export function* eachFrame(framing: Framing, frames: Uint8Array): Iterable<Uint8Array> {
  const { boundary } = framing
  for (let at = 0; at < frames.length; ) {
    const end = boundary.end(frames, at)
    yield frames.subarray(at, end)
    at = end
  }
}
