import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createPortableRandom } from '../../src/fetch/fetch-platform.ts'
import { PORTABLE_HASHES } from '../../src/fetch/portable-hashes.ts'
import { NODE_HASHES } from '../../src/host/node-hashes.ts'
import { toHex } from '../../src/text/bytes.ts'
import { check } from '../property.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 200 })
const bytes = fc.uint8Array({ maxLength: 200 })

it('the portable hashes return what those of Node return', () =>
  check(
    fc.property(text, bytes, fc.array(text, { maxLength: 3 }), (one, raw, texts) => {
      for (const name of ['sha1', 'sha256'] as const)
        expect(toHex(PORTABLE_HASHES[name](raw))).toBe(toHex(NODE_HASHES[name](raw)))
      expect(toHex(PORTABLE_HASHES.sha256(one))).toBe(toHex(NODE_HASHES.sha256(one)))
      expect(PORTABLE_HASHES.hmac(one, ...texts)).toBe(NODE_HASHES.hmac(one, ...texts))
      expect(PORTABLE_HASHES.hmac(raw, one)).toBe(NODE_HASHES.hmac(raw, one))
    }),
  ))

it.each([undefined, 'a secret'])('the hash for signatures equals that of Node with the secret %s', async (secret) => {
  const digests = await Promise.all(
    [PORTABLE_HASHES, NODE_HASHES].map(({ Sha256 }) => {
      const hash = new Sha256(secret)
      hash.update('text ')
      hash.update(new TextEncoder().encode('bytes').buffer)
      return hash.digest()
    }),
  )
  expect(toHex(digests[0] ?? new Uint8Array())).toBe(toHex(digests[1] ?? new Uint8Array()))
})

it('the portable random texts never repeat', () => {
  const random = createPortableRandom()
  const words = Array.from({ length: 500 }, random)
  expect(new Set(words).size).toBe(words.length)
  for (const word of words) expect(word).toMatch(/^[0-9a-f]{48}$/)
})
