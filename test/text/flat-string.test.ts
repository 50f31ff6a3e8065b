import fc from 'fast-check'
import { expect, it } from 'vitest'
import { appendFlat } from '../../src/text/flat-string.ts'
import { anyCodePoints } from '../arbitraries/strings.ts'
import { check } from '../property.ts'

it('appending gives the same text as + for any sequence of pieces', () => {
  check(
    fc.property(fc.array(anyCodePoints({ maxLength: 900 }), { maxLength: 60 }), (pieces) => {
      expect(pieces.reduce(appendFlat, '')).toBe(pieces.join(''))
    }),
    200,
  )
})

it('appending gives the same text as + for pieces of any length', () => {
  const piece = fc
    .tuple(anyCodePoints({ minLength: 1, maxLength: 5 }), fc.constantFrom(1, 300, 2_000, 9_000, 20_000))
    .map(([unit, times]) => unit.repeat(times))
  check(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      expect(pieces.reduce(appendFlat, '') === pieces.join('')).toBe(true)
    }),
    50,
  )
})
