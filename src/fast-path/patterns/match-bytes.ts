import { encodeAll } from '../../output/encode-all.ts'
import { type FoundText, foundText, outputBuffer, readMemory } from '../../output/scratch.ts'
import { putBytes } from '../../text/bytes.ts'
import { type Names, toNames } from './extra-fields.ts'
import type { Pattern } from './pattern.ts'
import { NO_MATCH, QUOTE, TOO_SHORT, textEnd } from './scan-bytes.ts'
import { type Slot, slotEnd } from './slot.ts'

/**
 * A literal: where it begins in the memory of its pattern, and how many doubles of it are compared, eight bytes a step.
 * No eight bytes of UTF-8 are a NaN, so that doubles are equal exactly if their bytes are. The exception is zero, which
 * has two signs: a literal with a zero is compared byte by byte.
 */
interface Literal {
  readonly start: number
  readonly length: number
  readonly doubles: number
  /** The last eight bytes as a double, if the other doubles leave some bytes over. */
  readonly last: number | null
}

/** A pattern, ready to be compared with bytes. Its literals are in one piece of memory, each aligned to a double. */
export interface BytePattern {
  readonly bytes: Uint8Array
  readonly doubles: Float64Array
  readonly literals: readonly Literal[]
  readonly slots: readonly Slot[]
  readonly known: Names
}

export function toBytePattern({ literals, slots, known }: Pattern): BytePattern {
  const texts = encodeAll(literals)
  const starts: number[] = []
  let size = 0
  for (const { length } of texts) {
    starts.push(size)
    size += Math.ceil(length / 8) * 8
  }
  const bytes = new Uint8Array(size)
  texts.forEach((text, i) => putBytes(bytes, text, starts[i] as number))
  const doubles = new Float64Array(bytes.buffer)
  const view = new DataView(bytes.buffer)
  const aligned = texts.map(({ length }, i) => toLiteral(view, starts[i] as number, length))
  return { bytes, doubles, literals: aligned, slots, known: toNames(known) }
}

function toLiteral(view: DataView, start: number, length: number): Literal {
  const doubles = Math.floor(length / 8)
  const last = length > 8 && length % 8 > 0 ? view.getFloat64(start + length - 8, true) : null
  let hasZero = last === 0
  for (let i = 0; i < doubles; i += 1) hasZero ||= view.getFloat64(start + i * 8, true) === 0
  return hasZero ? { start, length, doubles: 0, last: null } : { start, length, doubles, last }
}

/** Loads a read of fewer than `READ_MEMORY` bytes. */
export function load(bytes: Uint8Array): void {
  const { length } = bytes
  putBytes(readMemory.bytes, bytes, 0)
  // A quote ends every text, so that the search for the end of a text needs no other bound.
  readMemory.bytes[length] = QUOTE
  readMemory.length = length
}

/**
 * Returns the end of the instance that begins at `at`, and writes to `found` where its text is; or returns `NO_MATCH`
 * or `TOO_SHORT`.
 */
export function match(pattern: BytePattern, at: number, found: FoundText): number {
  const { literals, slots, known } = pattern
  const { bytes, view, length } = readMemory
  let from = at
  found.loose = 0
  for (let i = 0; i < literals.length; i += 1) {
    const literal = literals[i] as Literal
    const end = from + literal.length
    if (end > length) return begins(pattern, literal, bytes, length, from) ? TOO_SHORT : NO_MATCH
    if (!equals(pattern, literal, view, from)) return NO_MATCH
    if (i === slots.length) return end
    const slot = slots[i] as Slot
    if (slot === 'leaf') from = textEnd(bytes, length, end, found)
    else {
      from = slotEnd(slot, bytes, length, end, found, known)
      if (from - end > found.loose) found.loose = from - end
    }
    if (from < 0) return from
  }
  return NO_MATCH
}

/** Writes the text that was found last, or the text that replaces it. */
export function writeFound(instead: string): void {
  if (instead === '') outputBuffer.copy(readMemory.view, foundText.start, foundText.end)
  else outputBuffer.text(instead)
}

function equals(pattern: BytePattern, { start, length, doubles, last }: Literal, view: DataView, at: number): boolean {
  const known = pattern.doubles
  const first = start >> 3
  for (let i = 0, from = at; i < doubles; i += 1, from += 8) {
    if (view.getFloat64(from, true) !== known[first + i]) return false
  }
  if (last !== null) return view.getFloat64(at + length - 8, true) === last
  for (let i = doubles * 8; i < length; i += 1) if (view.getUint8(at + i) !== pattern.bytes[start + i]) return false
  return true
}

/** Returns whether the bytes, which end inside this literal, agree with it so far. */
function begins(pattern: BytePattern, { start }: Literal, bytes: Uint8Array, length: number, at: number): boolean {
  for (let i = at; i < length; i += 1) if (bytes[i] !== pattern.bytes[start + i - at]) return false
  return true
}
