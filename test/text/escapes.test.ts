import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readEscapedText, readEscapes } from '../../src/text/escapes.ts'
import { check } from '../property.ts'

const piece = fc.constantFrom(
  ...['\\', '\\\\', '"', '/', "'", '\\u00e9', '\\U0041', '\\ud83d\\ude00', '\\u12', '\\x41', '\\x4', '%41', '%zz', '%'],
  ...['&amp;', '&LT;', '&#x1f600;', '&#65;', '&#1234567;', '&', 'é', '😀', 'ab ', '\n', '\ufeff', 'g', '@'],
)
const texts = fc.oneof(
  fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'grapheme' }),
)

describe('the text without its escapes', () => {
  it('is the same with and without the origins of its characters', () => {
    check(
      fc.property(texts, (text) => {
        const read = readEscapes(text)?.text ?? null
        // A single surrogate is no character of a secret.
        expect(readEscapedText(text)).toBe(read?.replaceAll(/\p{Surrogate}/gu, '\ufffd') ?? null)
      }),
      5000,
    )
  })
})
