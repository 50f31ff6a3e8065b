import { SLACK } from '../text/copy.ts'
import { type Found, holeEnd, NO_MATCH, QUOTE, TOO_SHORT } from './ends.ts'
import type { Hole, Shape } from './shape.ts'

/**
 * A literal, as bytes and as the doubles that it is compared by, eight bytes a step. In UTF-8 no eight bytes are a NaN, so
 * that doubles are equal where their bytes are. But for zero, which has two signs: who has one is compared by its bytes.
 */
interface Literal {
  readonly bytes: Uint8Array
  readonly doubles: Float64Array
  /** The last eight bytes, where the doubles leave some over. */
  readonly last: number | null
}

/** A shape, ready to be compared with bytes. */
export interface ByteShape {
  readonly literals: readonly Literal[]
  readonly holes: readonly Hole[]
}

const encoder = new TextEncoder()

export const toByteShape = ({ literals, holes }: Shape): ByteShape => ({
  literals: literals.map((literal) => toLiteral(encoder.encode(literal))),
  holes,
})

function toLiteral(bytes: Uint8Array): Literal {
  const { length } = bytes
  const view = new DataView(bytes.buffer, bytes.byteOffset, length)
  const doubles = new Float64Array(length >> 3)
  for (let i = 0; i < doubles.length; i += 1) doubles[i] = view.getFloat64(i * 8, true)
  const last = length > 8 && length % 8 > 0 ? view.getFloat64(length - 8, true) : null
  return doubles.includes(0) || last === 0 ? { bytes, doubles: NO_DOUBLES, last: null } : { bytes, doubles, last }
}

const NO_DOUBLES = new Float64Array(0)

/**
 * Where reads are compared with shapes. The copy costs less than what it saves: a view of each read, and code for every
 * kind of array that a read may be. All streams share it, so whoever has laid his bytes there must be done with them
 * before anybody else lays his.
 */
interface Desk {
  bytes: Uint8Array
  /** Of the same bytes. */
  view: DataView
  /** How many are laid there. */
  length: number
}

export const DESK_SIZE = 64 * 1024

const openDesk = (): Desk => {
  const bytes = new Uint8Array(DESK_SIZE + SLACK)
  return { bytes, view: new DataView(bytes.buffer), length: 0 }
}

export const DESK: Desk = openDesk()

/** Fewer than `DESK_SIZE`. */
export function lay(bytes: Uint8Array): void {
  const { length } = bytes
  DESK.bytes.set(bytes)
  // Every text ends there, so that the search for its end needs no other bound.
  DESK.bytes[length] = QUOTE
  DESK.length = length
}

/** The end of the instance that begins at `at` on the desk, and the leaf in `found`; or NO_MATCH, or TOO_SHORT. */
export function match({ literals, holes }: ByteShape, at: number, found: Found): number {
  const { bytes, view, length } = DESK
  let from = at
  for (let i = 0; i < literals.length; i += 1) {
    const literal = literals[i] as Literal
    const end = from + literal.bytes.length
    if (end > length) return begins(literal.bytes, bytes, length, from) ? TOO_SHORT : NO_MATCH
    if (!equals(literal, view, from)) return NO_MATCH
    if (i === holes.length) return end
    from = holeEnd(holes[i] as Hole, bytes, length, end, found)
    if (from < 0) return from
  }
  return NO_MATCH
}

function equals({ bytes, doubles, last }: Literal, view: DataView, at: number): boolean {
  const { length } = doubles
  for (let i = 0, from = at; i < length; i += 1, from += 8) if (view.getFloat64(from, true) !== doubles[i]) return false
  if (last !== null) return view.getFloat64(at + bytes.length - 8, true) === last
  for (let i = length * 8; i < bytes.length; i += 1) if (view.getUint8(at + i) !== bytes[i]) return false
  return true
}

/** Of a literal that the bytes end in: do they agree so far? */
function begins(literal: Uint8Array, bytes: Uint8Array, length: number, at: number): boolean {
  for (let i = at; i < length; i += 1) if (bytes[i] !== literal[i - at]) return false
  return true
}
