import type { OffsetUnit } from '../protocol/delta.ts'

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** The bytes of UTF-8 of a character, by its first unit; three for half a pair. */
const bytesOf = (unit: number, isPair: boolean): number => (unit < 0x80 ? 1 : unit < 0x800 ? 2 : isPair ? 4 : 3)

/** True if a UTF-16 offset is between the two halves of a surrogate pair. */
export const splitsPair = (text: string, offset: number): boolean =>
  offset > 0 && offset < text.length && isHigh(text.charCodeAt(offset - 1)) && isLow(text.charCodeAt(offset))

/** True if the text ends with the first half of a surrogate pair. */
export const endsInHalf = (text: string): boolean => text.length > 0 && isHigh(text.charCodeAt(text.length - 1))

/** Leaves out the first half of a surrogate pair at the end of a text. */
export const withoutHalf = (text: string): string => (endsInHalf(text) ? text.slice(0, -1) : text)

/**
 * Converts an offset to UTF-16 code units, the unit of JavaScript strings. An offset inside a character moves to the
 * start of that character. null if the text is shorter.
 */
export function toUtf16(text: string, offset: number, unit: OffsetUnit): number | null {
  if (unit === 'utf16') return offset > text.length ? null : splitsPair(text, offset) ? offset - 1 : offset
  const inBytes = unit === 'utf8'
  let passed = 0
  for (let at = 0; ; ) {
    if (passed === offset) return at
    if (at >= text.length) return null
    const first = text.charCodeAt(at)
    const isPair = isHigh(first) && isLow(text.charCodeAt(at + 1))
    passed += inBytes ? bytesOf(first, isPair) : 1
    if (passed > offset) return at
    at += isPair ? 2 : 1
  }
}

/** Converts a UTF-16 offset to another unit. Half a character before the offset counts as a character. */
export function fromUtf16(text: string, offset: number, unit: OffsetUnit): number {
  if (unit === 'utf16') return offset
  const before = text.slice(0, offset)
  const inBytes = unit === 'utf8'
  let passed = 0
  for (let at = 0; at < before.length; at += 1) {
    const first = before.charCodeAt(at)
    const isPair = isHigh(first) && isLow(before.charCodeAt(at + 1))
    passed += inBytes ? bytesOf(first, isPair) : 1
    if (isPair) at += 1
  }
  return passed
}

/**
 * The number of code points of a text. A character that is split between two texts counts once, with its first half.
 */
export function codePoints(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length; at += 1) if (isLow(text.charCodeAt(at))) count -= 1
  return count
}
