import { expect } from 'vitest'
import type { TranslationOptions } from '../../src/engine/answer.ts'
import { createTranslation } from '../../src/engine/translation.ts'

/** Maps each byte to one character. Decoding as UTF-8 would turn different invalid bytes into the same character. */
export const toBinary = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

/** Returns the output of each read and the outcome. If `ask` is set, the outcome is also requested after each read. */
function runOne(options: TranslationOptions, reads: readonly Uint8Array[], ask: boolean) {
  const stream = createTranslation(options)
  const written = reads.map((read) => {
    const bytes = toBinary(stream.push(read))
    return { bytes, ...(ask ? { status: stream.outcome().status } : {}) }
  })
  const end = toBinary(stream.push('end'))
  const { chunks, ...outcome } = stream.outcome()
  return { written, end, outcome, received: chunks.received, fast: chunks.fast }
}

/** Checks that both paths write the same bytes at each read. Returns the number of chunks on the fast path. */
export function both(options: TranslationOptions, reads: readonly Uint8Array[], ask = false): number {
  const { template: _, ...slow } = options.wire
  const { fast, ...quickly } = runOne(options, reads, ask)
  const { fast: none, ...slowly } = runOne({ ...options, wire: slow }, reads, ask)
  expect(none).toBe(0)
  // Both are JSON with thousands of texts: to compare them as values takes most of the time of a test.
  if (JSON.stringify(quickly) !== JSON.stringify(slowly)) expect(quickly).toEqual(slowly)
  return fast
}
