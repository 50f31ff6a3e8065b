import { expect } from 'vitest'
import type { TranslationOptions } from '../../src/engine/answer.ts'
import { createTranslation } from '../../src/engine/translation.ts'
import type { StreamWire } from '../../src/wires/contract.ts'
import type { Quirks } from '../../src/wires/quirks.ts'
import { expectSame } from '../property.ts'

/** The wire with a decoder of its own, for which no earlier stream has kept a shape or has shown how long texts are. */
export const fresh = <Wire extends StreamWire>(wire: Wire): Wire => ({
  ...wire,
  decodeStream: (quirks: Quirks) => wire.decodeStream(quirks),
})

/** Maps each byte to one character. Decoding as UTF-8 would turn different invalid bytes into the same character. */
export const toBinary = ({ buffer, byteOffset, length }: Uint8Array): string =>
  length === 0 ? '' : Buffer.from(buffer, byteOffset, length).toString('latin1')

/** Returns the output of each read and the outcome. If `ask` is set, the outcome is also requested after each read. */
function runOne(options: TranslationOptions, reads: readonly Uint8Array[], ask: boolean) {
  const stream = createTranslation(options)
  const written = reads.map((read) => {
    const bytes = toBinary(stream.push(read))
    return ask ? `${stream.outcome().status} ${bytes}` : bytes
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
  expectSame(none, 0)
  // `expect` takes longer for these values than the translation.
  const isSame =
    quickly.end === slowly.end &&
    quickly.received === slowly.received &&
    quickly.written.every((piece, at) => piece === slowly.written[at]) &&
    JSON.stringify(quickly.outcome) === JSON.stringify(slowly.outcome)
  if (!isSame) expect(quickly).toEqual(slowly)
  return fast
}
