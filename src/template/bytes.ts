import type { Hole, Shape } from './shape.ts'

/** A literal, as bytes and as the 32-bit words that it is compared by. */
interface Literal {
  readonly bytes: Uint8Array
  readonly words: Uint32Array
}

/** A shape, ready to be compared with bytes. */
export interface ByteShape {
  readonly literals: readonly Literal[]
  readonly holes: readonly Hole[]
}

/** What was found: where the leaf stands, and what kind of text it is. Written anew by each `matchBytes`. */
export interface Found {
  start: number
  end: number
  /** It has characters beyond ASCII: whether they are whole is not known. */
  wide: boolean
  /** It has escapes. */
  escaped: boolean
  /** It has escapes that JSON.stringify would not write so, or that may not be JSON at all. */
  odd: boolean
}

export const newFound = (): Found => ({ start: 0, end: 0, wide: false, escaped: false, odd: false })

/** The bytes are no instance; or they end before it is known whether they are one. */
export const NO_MATCH = -1
export const TOO_SHORT = -2

const encoder = new TextEncoder()

export const toByteShape = ({ literals, holes }: Shape): ByteShape => ({
  literals: literals.map((literal) => toLiteral(encoder.encode(literal))),
  holes,
})

function toLiteral(bytes: Uint8Array): Literal {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const words = new Uint32Array(bytes.length >> 2)
  for (let i = 0; i < words.length; i += 1) words[i] = view.getUint32(i * 4)
  return { bytes, words }
}

function equals({ bytes, words }: Literal, view: DataView, at: number): boolean {
  const { length } = words
  for (let i = 0, from = at; i < length; i += 1, from += 4) if (view.getUint32(from) !== words[i]) return false
  for (let i = length * 4; i < bytes.length; i += 1) if (view.getUint8(at + i) !== bytes[i]) return false
  return true
}

/** Of a literal that the bytes end in: do they agree so far? */
function begins({ bytes }: Literal, chunk: Uint8Array, at: number): boolean {
  for (let i = at; i < chunk.length; i += 1) if (chunk[i] !== bytes[i - at]) return false
  return true
}

/** The end of the instance that begins at `at`, and the leaf in `found`; or NO_MATCH, or TOO_SHORT. `view` is of `chunk`. */
export function matchBytes(
  { literals, holes }: ByteShape,
  chunk: Uint8Array,
  view: DataView,
  at: number,
  found: Found,
): number {
  let from = at
  for (let i = 0; i < literals.length; i += 1) {
    const literal = literals[i] as Literal
    const end = from + literal.bytes.length
    if (end > chunk.length) return begins(literal, chunk, from) ? TOO_SHORT : NO_MATCH
    if (!equals(literal, view, from)) return NO_MATCH
    from = end
    const hole = holes[i]
    if (hole === undefined) return from
    const next =
      hole === 'leaf' ? leafEnd(chunk, from, found) : hole === 'text' ? textEnd(chunk, from) : numberEnd(chunk, from)
    if (next < 0) return next
    from = next
  }
  return NO_MATCH
}

const QUOTE = 34
const BACKSLASH = 92
const FIRST_PLAIN = 32
const FIRST_WIDE = 128

/** `"`, `\`, b, f, n, r, t: what JSON.stringify writes behind a backslash, but for `u`. */
const isUsual = (code: number | undefined): boolean =>
  code === 110 || code === QUOTE || code === BACKSLASH || code === 116 || code === 114 || code === 98 || code === 102

function leafEnd(chunk: Uint8Array, start: number, found: Found): number {
  let wide = false
  let escaped = false
  let odd = false
  let at = start
  for (; at < chunk.length; at += 1) {
    const code = chunk[at] as number
    if (code === QUOTE) break
    if (code < FIRST_PLAIN) return NO_MATCH
    if (code >= FIRST_WIDE) wide = true
    else if (code === BACKSLASH) {
      at += 1
      escaped = true
      if (!isUsual(chunk[at])) odd = true
    }
  }
  if (at >= chunk.length) return TOO_SHORT
  if (at === start) return NO_MATCH
  found.start = start
  found.end = at
  found.wide = wide
  found.escaped = escaped
  found.odd = odd
  return at
}

/** Padding with escapes is left to who can read them. */
function textEnd(chunk: Uint8Array, start: number): number {
  for (let at = start; at < chunk.length; at += 1) {
    const code = chunk[at] as number
    if (code === QUOTE) return at
    if (code < FIRST_PLAIN || code === BACKSLASH) return NO_MATCH
  }
  return TOO_SHORT
}

function numberEnd(chunk: Uint8Array, start: number): number {
  let at = start
  while (at < chunk.length && (chunk[at] as number) >= 48 && (chunk[at] as number) <= 57) at += 1
  if (at >= chunk.length) return TOO_SHORT
  return at === start || (chunk[start] === 48 && at > start + 1) ? NO_MATCH : at
}
