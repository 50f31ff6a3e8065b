import { expect } from 'vitest'
import { type TranslateOptions, translate } from '../../src/engine.ts'

/** A character for each byte: what is no UTF-8 would become one and the same. */
export const toBinary = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

/** What is said read by read, and what becomes of it; `ask`: somebody asks for the outcome after each read. */
function told(options: TranslateOptions, reads: readonly Uint8Array[], ask: boolean) {
  const stream = translate(options)
  const said = reads.map((read) => {
    const bytes = toBinary(stream.receive(read))
    return { bytes, ...(ask ? { status: stream.outcome().status } : {}) }
  })
  const end = toBinary(stream.end())
  const { chunks, ...outcome } = stream.outcome()
  return { said, end, outcome, heard: chunks.heard, fast: chunks.fast }
}

/** Both paths say the same with each read; returns how many chunks took the fast one. */
export function both(options: TranslateOptions, reads: readonly Uint8Array[], ask = false): number {
  const { template: _, ...slow } = options.wire
  const { fast, ...quickly } = told(options, reads, ask)
  const { fast: none, ...slowly } = told({ ...options, wire: slow }, reads, ask)
  expect(none).toBe(0)
  expect(quickly).toEqual(slowly)
  return fast
}
