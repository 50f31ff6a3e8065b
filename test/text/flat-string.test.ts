import fc from 'fast-check'
import { expect, it } from 'vitest'
import { appendFlat } from '../../src/text/flat-string.ts'
import { check } from '../property.ts'

it('appending gives the same text as + for any sequence of pieces', () => {
  check(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 900 }), { maxLength: 60 }), (pieces) => {
      expect(pieces.reduce(appendFlat, '')).toBe(pieces.join(''))
    }),
    200,
  )
})
