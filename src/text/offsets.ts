import type { OffsetUnit } from '../protocol/delta.ts'

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

const utf8Length = (point: number): number => (point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4)

const WIDTH: Readonly<Record<OffsetUnit, (point: number) => number>> = {
  utf16: (point) => (point > 0xffff ? 2 : 1),
  'code-point': () => 1,
  utf8: utf8Length,
}

/** True if a UTF-16 offset is between the two halves of a surrogate pair. */
export const splitsPair = (text: string, offset: number): boolean =>
  offset > 0 && offset < text.length && isHigh(text.charCodeAt(offset - 1)) && isLow(text.charCodeAt(offset))

/** True if the text ends with the first half of a surrogate pair. */
export const endsInHalf = (text: string): boolean => text.length > 0 && isHigh(text.charCodeAt(text.length - 1))

/**
 * Converts an offset to UTF-16 code units, the unit of JavaScript strings. An offset inside a character moves to the
 * start of that character. null if the text is shorter.
 */
export function toUtf16(text: string, offset: number, unit: OffsetUnit): number | null {
  if (unit === 'utf16') return offset > text.length ? null : splitsPair(text, offset) ? offset - 1 : offset
  const width = WIDTH[unit]
  let passed = 0
  for (let at = 0; ; ) {
    if (passed === offset) return at
    if (at >= text.length) return null
    const point = text.codePointAt(at) ?? 0
    passed += width(point)
    if (passed > offset) return at
    at += point > 0xffff ? 2 : 1
  }
}

/** Converts a UTF-16 offset to another unit. */
export function fromUtf16(text: string, offset: number, unit: OffsetUnit): number {
  if (unit === 'utf16') return offset
  const width = WIDTH[unit]
  let passed = 0
  for (const character of text.slice(0, offset)) passed += width(character.codePointAt(0) ?? 0)
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
