import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type EarlierText,
  endsInHalfCharacter,
  extend,
  lengthOf,
  type MeasuredText,
  measure,
  measureEarlier,
  measureMore,
  offsetIn,
  offsetOut,
  splitsCharacter,
  standsAt,
  withEarlierText,
} from '../../src/responses/measured-text.ts'
import * as offsets from '../../src/text/offsets.ts'
import { UNITS } from '../arbitraries/deltas.ts'
import { check } from '../property.ts'

/** Characters of every encoded length, and lone surrogates. */
const word = fc.constantFrom('a', 'b', 'é', '日', '😀', '\ud83d', '\ude00', '\ue000', 'a😀')
/** Some texts are longer than a block, so that surrogate pairs cross block boundaries. */
const piece = fc
  .tuple(fc.array(word, { maxLength: 8 }), fc.constantFrom(1, 1, 1, 130, 700))
  .map(([words, times]) => words.join('').repeat(times))
const ascii = fc.integer({ min: 1, max: 3000 }).map((length) => 'plain text '.repeat(300).slice(0, length))
const pieces = fc.array(fc.oneof(piece, ascii), { maxLength: 6 })

const measured = (list: readonly string[]): MeasuredText => list.reduce(measureMore, measure(''))

test('a text measured piece by piece has the measures of the whole text', () => {
  check(
    fc.property(pieces, (list) => {
      const text = list.join('')
      const own = measured(list)
      expect(lengthOf(own)).toBe(text.length)
      expect(endsInHalfCharacter(own)).toBe(offsets.endsInHalf(text))
      const extent = extend(own.tail.start, own.tail.text)
      for (const unit of UNITS) expect(extent[unit]).toBe(offsets.fromUtf16(text, text.length, unit))
      expect(JSON.parse(JSON.stringify(own))).toEqual(own)
    }),
    300,
  )
})

test('a measured text converts offsets of every unit as the whole text does', () => {
  check(
    fc.property(pieces, fc.nat(), fc.constantFrom(...UNITS), (list, at, unit) => {
      const text = list.join('')
      const own = measured(list)
      const place = at % (text.length + 2)
      expect(offsetIn(own, place, unit)).toBe(offsets.toUtf16(text, place, unit))
      expect(splitsCharacter(own, place)).toBe(offsets.splitsPair(text, place))
      const inside = Math.min(place, text.length)
      expect(offsetOut(own, inside, unit)).toBe(offsets.fromUtf16(text, inside, unit))
    }),
    1000,
  )
})

test('a long text is never split inside a character, and half a character counts by itself', () => {
  const text = 'ab😀'.repeat(600)
  const own = measure(text)
  const split = Array.from({ length: text.length }, (_, at) => at).filter((at) => splitsCharacter(own, at))
  expect(split).toEqual(Array.from({ length: 600 }, (_, at) => 4 * at + 3))
  expect(extend(measure('').tail.start, '\ud83d\ue000')).toEqual({ utf16: 2, 'code-point': 2, utf8: 6 })
})

/** The width of a character in each unit, by its code point. */
const WIDTHS = {
  utf16: (point: number) => (point > 0xffff ? 2 : 1),
  'code-point': () => 1,
  utf8: (point: number) => (point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4),
} as const

test('an offset is converted as the characters before it add up', () => {
  check(
    fc.property(pieces, fc.nat(), fc.constantFrom(...UNITS), (list, at, unit) => {
      const text = list.join('').slice(0, 3000)
      const characters = [...text]
      const length = (end: number): number =>
        characters.slice(0, end).reduce((sum, one) => sum + WIDTHS[unit](one.codePointAt(0) as number), 0)
      const index = at % (characters.length + 1)
      const place = characters.slice(0, index).join('').length
      expect(offsets.fromUtf16(text, place, unit)).toBe(length(index))
      expect(offsets.toUtf16(text, length(index), unit)).toBe(place)
      expect(offsets.toUtf16(text, length(characters.length) + 1, unit)).toBeNull()
    }),
    100,
  )
})

test('a measured text has a quote exactly where the whole text has it', () => {
  check(
    fc.property(pieces, fc.nat(), fc.nat({ max: 1500 }), fc.boolean(), (list, at, length, spoil) => {
      const text = list.join('')
      const start = at % (text.length + 1)
      const end = Math.min(text.length, start + length)
      const words = spoil ? `${text.slice(start, end)}x`.slice(1) : text.slice(start, end)
      expect(standsAt(measured(list), start, end, words)).toBe(text.slice(start, end) === words)
    }),
    500,
  )
})

test('earlier messages have the length of their joined text, with a split character counted once', () => {
  check(
    fc.property(pieces, fc.nat(), (list, at) => {
      const split = at % (list.length + 1)
      const textAt = ({ part }: { readonly part: number }): string => list[part] ?? ''
      let earlier: EarlierText | undefined
      for (const part of list.keys()) {
        earlier = withEarlierText(earlier, 0, part)
        if (part === split) earlier = measureEarlier(earlier, textAt)
      }
      const text = list.join('')
      const { extent } = measureEarlier(withEarlierText(earlier, 0, list.length), textAt)
      for (const unit of UNITS) expect(extent[unit]).toBe(offsets.fromUtf16(text, text.length, unit))
    }),
    300,
  )
})
