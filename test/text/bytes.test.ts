import fc from 'fast-check'
import { expect, it } from 'vitest'
import { addBytes, addEscaped, bufferText, emptyEscapedBuffer } from '../../src/output/escaped-buffer.ts'
import { copyText, SLACK } from '../../src/text/bytes.ts'
import { anyCodePoints } from '../arbitraries/strings.ts'
import { check } from '../property.ts'

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
const viewOf = ({ buffer }: Uint8Array<ArrayBuffer>): DataView => new DataView(buffer)
const text = anyCodePoints({ maxLength: 40 })

it('a copy of any text to any offset keeps the bytes before it', () => {
  check(
    fc.property(text, fc.nat({ max: 9 }), fc.nat({ max: 9 }), (value, from, to) => {
      const bytes = bytesOf(value)
      const source = new Uint8Array(from + bytes.length + SLACK)
      source.set(bytes, from)
      const into = new Uint8Array(to + bytes.length + SLACK)
      copyText(viewOf(source), from, from + bytes.length, viewOf(into), to)
      expect([...into.subarray(to, to + bytes.length)]).toEqual([...bytes])
      expect([...into.subarray(0, to)]).toEqual(Array(to).fill(0))
    }),
  )
})

it('a long text is returned as it was accumulated, with and without escapes', () => {
  // The text is stored in blocks of 16 KiB, so that a piece can end at a block boundary.
  for (const [piece, whole] of [
    ['0123456789abcde', '0123456789abcde'],
    ['caf\u00e9 \u{1f4a7}', 'caf\u00e9 \u{1f4a7}'],
    ['\\n \\"x\\" \\u00e9', '\n "x" \u00e9'],
    ['\\ud83d\\udca7', '\u{1f4a7}'],
    ['\\\\', '\\'],
  ] as const) {
    for (const shift of ['', 'a', 'ab', 'abc', 'abcd', 'abcde']) {
      const words = emptyEscapedBuffer()
      const bytes = bytesOf(`${piece}${'\0'.repeat(SLACK)}`)
      addEscaped(words, shift)
      for (let i = 0; i < 4_000; i += 1) addBytes(words, viewOf(bytes), 0, bytes.length - SLACK)
      expect(bufferText(words, 0, words.length, true) === shift + whole.repeat(4_000)).toBe(true)
    }
  }
})
