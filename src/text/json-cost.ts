const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const SPACE = 0x20

/** Bounds on the contents of a JSON text. */
export interface JsonLimits {
  /** Lists and objects inside each other. */
  readonly depth: number
  /** Lists, objects, strings, numbers, literals; member names are not counted. */
  readonly values: number
  /** Members of one object. */
  readonly members: number
}

/** A limit that a text exceeds. */
export interface Excess {
  readonly of: keyof JsonLimits
  readonly most: number
}

/** The name of a member whose value is incomplete, with its quotes: `[from, to)` in bytes. */
type OpenName = readonly [from: number, to: number]

/**
 * The member name under which a piece continues an open member. A text that has a member of this name, in its only
 * written form, is not split.
 */
export const CONTINUED = '\u0001'
export const WRITTEN = '\\u0001'
const CONTINUED_NAME = /* @__PURE__ */ Uint8Array.from(`"${WRITTEN}"`, (char) => char.charCodeAt(0))

/** A place at which a text can be split: a comma, or a long string, which belongs to neither piece. */
export interface Cut {
  /** The end of the piece before it, and the start of the next one, in bytes. */
  readonly end: number
  readonly next: number
  /** The lists and objects that are open there, outermost first. */
  readonly kinds: readonly ('list' | 'object')[]
  /** For each of them, at a comma without the last: the name of its open member; null in a list. */
  readonly names: readonly (OpenName | null)[]
}

/** True if the cut is at a string instead of a comma. */
export const isAtString = ({ end, next }: Cut): boolean => next > end + 1

/** The approximate number of bytes between two cuts. */
const PIECE = 64 * 1024

/** A string is long from this many times the bytes between two cuts. */
const LONG = 4

/** The largest number of bytes of open member names that a cut may repeat. */
const LONGEST_NAMES = 4096

/** Strings up to this length are searched byte by byte, because a native search costs as much. */
const SHORT = 32

/**
 * The cost of a JSON text, counted while its bytes arrive. O(bytes) in all; memory only for the cuts. It counts the
 * values that `JSON.parse` would build, so that a text that is too expensive is rejected before it is parsed. If a text
 * is not JSON, its counts are meaningless but harmless.
 */
export class JsonCost {
  /** The first limit that was exceeded. Nothing is counted after it. */
  excess: Excess | null = null
  /** True if brackets do not match, so that the text cannot be JSON. */
  malformed = false
  /** True until the first byte that is not white space. */
  empty = true
  readonly cuts: Cut[] = []

  private readonly limits: JsonLimits
  private readonly piece: number
  private offset = 0
  private depth = 0
  private counted = 1
  private inString = false
  private stringFrom = 0
  private escaped = false
  /** True if only white space has followed the start of the innermost list or object. */
  private fresh = false
  /** True if the next string is the name of a member. */
  private named = false
  private lastCut = 0
  private isWhole = false
  /** Indexed by depth, from 1: whether it is an object, its commas, and the offsets of its last name. */
  private readonly objects: boolean[] = [false]
  private readonly commas: number[] = [0]
  private readonly nameFrom: number[] = [0]
  private readonly nameTo: number[] = [0]

  /** `piece`: the smallest number of bytes between two cuts. */
  constructor(limits: JsonLimits, piece = PIECE) {
    this.limits = limits
    this.piece = piece
  }

  /** Values found so far. */
  get values(): number {
    return this.empty ? 0 : this.counted
  }

  add(bytes: Uint8Array): void {
    let at = 0
    while (at < bytes.length && this.excess === null && !this.malformed) {
      at = this.inString ? this.skipString(bytes, at) : this.readOutside(bytes, at)
    }
    this.offset += bytes.length
    if (this.values > this.limits.values) this.exceed('values')
  }

  /** Skips from inside a string to the byte after it, or to the end. */
  private skipString(bytes: Uint8Array, from: number): number {
    let at = from
    if (this.escaped) {
      this.escaped = false
      at += 1
    }
    const end = endOfString(bytes, at)
    if (end < 0) {
      this.escaped = isEscaped(bytes, at, bytes.length)
      return bytes.length
    }
    this.inString = false
    if (this.named) {
      this.endName(bytes, end)
    } else if (this.offset + end - this.stringFrom >= LONG * this.piece) {
      this.cut(this.stringFrom, this.offset + end)
    }
    return end
  }

  private endName(bytes: Uint8Array, end: number): void {
    const to = this.offset + end
    this.nameTo[this.depth] = to
    this.named = false
    if (to - (this.nameFrom[this.depth] as number) !== CONTINUED_NAME.length || !endsWithName(bytes, end)) return
    this.isWhole = true
    this.cuts.length = 0
  }

  /** Reads from outside of strings to the inside of the next one, or to the end. */
  private readOutside(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at] as number
      if (byte <= SPACE) continue
      if (this.fresh && byte !== CLOSE_LIST && byte !== CLOSE_OBJECT) this.counted += 1
      this.fresh = false
      this.empty = false
      switch (byte) {
        case QUOTE:
          this.stringFrom = this.offset + at
          if (this.named) this.nameFrom[this.depth] = this.stringFrom
          this.inString = true
          return at + 1
        case COMMA:
          this.separate(this.offset + at)
          break
        case COLON:
          this.named = false
          break
        case OPEN_LIST:
        case OPEN_OBJECT:
          this.open(byte === OPEN_OBJECT)
          break
        case CLOSE_LIST:
        case CLOSE_OBJECT:
          this.close(byte === CLOSE_OBJECT)
          break
      }
      if (this.excess !== null || this.malformed) return bytes.length
    }
    return bytes.length
  }

  private open(isObject: boolean): void {
    if (this.depth >= this.limits.depth) {
      this.exceed('depth')
      return
    }
    this.depth += 1
    this.objects[this.depth] = isObject
    this.commas[this.depth] = 0
    this.nameFrom[this.depth] = 0
    this.nameTo[this.depth] = 0
    this.fresh = true
    this.named = isObject
  }

  private close(isObject: boolean): void {
    if (this.depth === 0 || this.objects[this.depth] !== isObject) {
      this.malformed = true
      return
    }
    this.depth -= 1
    this.named = false
    if (this.counted > this.limits.values) this.exceed('values')
  }

  private separate(at: number): void {
    const { depth, limits } = this
    const isObject = this.objects[depth] === true
    const commas = (this.commas[depth] as number) + 1
    this.counted += 1
    this.commas[depth] = commas
    this.named = isObject
    if (this.counted > limits.values) this.exceed('values')
    if (isObject && commas >= limits.members) this.exceed('members')
    if (at - this.lastCut >= this.piece) this.cut(at, at + 1)
  }

  private cut(end: number, next: number): void {
    if (this.depth === 0 || this.isWhole) return
    const kinds: Cut['kinds'][number][] = []
    const names: (OpenName | null)[] = []
    let length = 0
    for (let depth = 1; depth <= this.depth; depth += 1) {
      const isObject = this.objects[depth] === true
      kinds.push(isObject ? 'object' : 'list')
      if (depth === this.depth && next === end + 1) break
      const [from, to] = [this.nameFrom[depth] as number, this.nameTo[depth] as number]
      names.push(isObject ? [from, to] : null)
      if (isObject) length += to - from
    }
    if (length > LONGEST_NAMES) return
    this.cuts.push({ end, next, kinds, names })
    this.lastCut = next
  }

  private exceed(of: keyof JsonLimits): void {
    this.excess ??= { of, most: this.limits[of] }
  }
}

/** The offset after the quote that ends the string; -1 if the string does not end in these bytes. */
function endOfString(bytes: Uint8Array, from: number): number {
  let at = from
  for (;;) {
    const near = Math.min(at + SHORT, bytes.length)
    while (at < near) {
      const byte = bytes[at]
      if (byte === QUOTE) return at + 1
      at += byte === BACKSLASH ? 2 : 1
    }
    const quote = bytes.indexOf(QUOTE, at)
    if (quote < 0) return -1
    if (!isEscaped(bytes, at, quote)) return quote + 1
    at = quote + 1
  }
}

/** True if the reserved name ends at `end`. Of a name that began in an earlier chunk, the bytes of this one decide. */
function endsWithName(bytes: Uint8Array, end: number): boolean {
  const { length } = CONTINUED_NAME
  for (let back = 1; back <= length && back <= end; back += 1)
    if (bytes[end - back] !== CONTINUED_NAME[length - back]) return false
  return true
}

/** True if an odd number of backslashes, none before `from`, precedes `at`. */
function isEscaped(bytes: Uint8Array, from: number, at: number): boolean {
  let start = at
  while (start > from && bytes[start - 1] === BACKSLASH) start -= 1
  return (at - start) % 2 === 1
}
