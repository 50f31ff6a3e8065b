import { expect, it } from 'vitest'
import { createRandom } from '../../../src/host/random.ts'

it('openRandom never returns the same value twice', () => {
  const random = createRandom()
  const words = Array.from({ length: 2000 }, random)
  expect(new Set(words).size).toBe(words.length)
  for (const word of words) expect(word).toMatch(/^[0-9a-f]{48}$/)
})
