import fc from 'fast-check'
import { expect, it } from 'vitest'
import { encodeAll } from '../../src/output/encode-all.ts'
import { utf8Length } from '../../src/text/utf8.ts'
import { hostile } from '../arbitraries/strings.ts'
import { check } from '../property.ts'

const encoder = new TextEncoder()

it('texts are encoded one by one, also if their halves would form a character', () => {
  check(
    fc.property(fc.array(fc.oneof(fc.string(), hostile, fc.constantFrom('', '\ud83d', '\ude42'))), (texts) => {
      const expected = texts.map((text) => encoder.encode(text))
      expect(encodeAll(texts)).toEqual(expected)
      expect(texts.map(utf8Length)).toEqual(expected.map(({ length }) => length))
    }),
    1_000,
  )
})
