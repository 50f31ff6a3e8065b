import fc from 'fast-check'
import { expect, test } from 'vitest'
import { appendText, type BlockText, NO_TEXT, sliceText, textLength } from '../../src/collections/block-text.ts'
import { anyCodePoints } from '../arbitraries/strings.ts'
import { check } from '../property.ts'

const piece = fc.oneof(anyCodePoints({ maxLength: 40 }), fc.constantFrom('x'.repeat(1023), 'y'.repeat(2049)))

test('a text in blocks has the length and the slices of the joined text', () => {
  check(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.nat(), fc.nat(), (pieces, one, other) => {
      const text = pieces.join('')
      const blocks: BlockText = JSON.parse(JSON.stringify(pieces.reduce(appendText, NO_TEXT)))
      const [start = 0, end = 0] = [one, other].map((at) => at % (text.length + 1)).sort((a, b) => a - b)
      expect(textLength(blocks)).toBe(text.length)
      expect(sliceText(blocks, start, end)).toBe(text.slice(start, end))
    }),
  )
})
