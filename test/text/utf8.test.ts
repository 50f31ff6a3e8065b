import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { outputBuffer } from '../../src/output/scratch.ts'
import { createStandardUtf8Reader, createUtf8Reader, decodeUtf8, type Utf8Reader } from '../../src/text/utf8.ts'
import { check } from '../property.ts'

const readAll = (reader: Utf8Reader, pieces: readonly Uint8Array[]): string =>
  [...pieces.map((piece) => reader.push(piece)), reader.end()].join('')

// Many of these bytes start or continue characters, so that broken sequences of every kind occur.
const byte = fc.oneof(
  fc.integer({ min: 0, max: 255 }),
  fc.constantFrom(0x41, 0x80, 0xbf, 0xc2, 0xe0, 0xa0, 0xed, 0x9f, 0xef, 0xbb, 0xbf, 0xf0, 0x90, 0xf4, 0x8f, 0xf5),
)
const pieces = fc.array(fc.array(byte, { maxLength: 6 }).map((bytes) => Uint8Array.from(bytes)))

function encodeUtf8(texts: readonly string[]): Uint8Array {
  outputBuffer.reset()
  for (const text of texts) outputBuffer.text(text)
  return outputBuffer.take()
}

describe('UTF-8 on the native and on the standard path', () => {
  it('is decoded the same by both readers, valid or not, wherever it is cut', () => {
    check(
      fc.property(pieces, (cuts) => {
        expect(readAll(createUtf8Reader(), cuts)).toBe(readAll(createStandardUtf8Reader(), cuts))
      }),
      5_000,
    )
  })

  it('is decoded in one call as by the standard decoder', () => {
    const standard = new TextDecoder('utf-8', { ignoreBOM: true })
    check(
      fc.property(fc.array(byte), (bytes) => {
        expect(decodeUtf8(Uint8Array.from(bytes))).toBe(standard.decode(Uint8Array.from(bytes)))
      }),
      5_000,
    )
  })

  it('is encoded from several texts as by the standard encoder from the joined text', () => {
    const texts = fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 5 })
    check(
      fc.property(texts, (list) => {
        expect([...encodeUtf8(list)]).toEqual([...new TextEncoder().encode(list.join(''))])
      }),
    )
    const long = 'ä'.repeat(200_000)
    expect(new TextDecoder().decode(encodeUtf8([long, long]))).toBe(long + long)
  })

  it('uses the native reader in runtimes with a Buffer', () => {
    expect(createUtf8Reader).not.toBe(createStandardUtf8Reader)
  })
})
