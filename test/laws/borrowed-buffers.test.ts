import fc from 'fast-check'
import { describe, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import type { TranslationOptions } from '../../src/engine/answer.ts'
import { createBodyCollector } from '../../src/engine/body-collector.ts'
import { wireTarget } from '../../src/engine/client-target.ts'
import { createTranslation } from '../../src/engine/translation.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { slices } from '../arbitraries/bytes.ts'
import { reads } from '../arbitraries/reads.ts'
import { CLIENT_WIRES } from '../cross-translate.ts'
import { ALL_FIXTURES, collected, endOf, optionsOf, translated } from '../engine/run-engine.ts'
import { check, expectSame, someOf } from '../property.ts'

/**
 * A caller may overwrite its input buffers as soon as the call returns, and returned buffers may be views of shared
 * memory.
 */

const { beta, openai } = DIALECTS

/** Passes each piece in one reused buffer, which is overwritten after every read. */
function* inOnePlace(pieces: readonly Uint8Array[]): Iterable<Uint8Array> {
  const desk = Buffer.alloc(Math.max(0, ...pieces.map(({ length }) => length)))
  for (const piece of pieces) {
    desk.set(piece)
    yield desk.subarray(0, piece.length)
    desk.fill('"}\n\n{')
  }
}

interface Lending {
  push(input: Uint8Array | 'end'): Uint8Array
}

/** Copies each borrowed output at once, while a second stream writes to the same shared buffer. */
function lent(stream: Lending, other: Lending, pieces: readonly Uint8Array[]): string {
  const copies: Uint8Array[] = []
  for (const piece of inOnePlace(pieces)) {
    copies.push(Uint8Array.from(stream.push(piece)))
    other.push(piece)
  }
  copies.push(Uint8Array.from(stream.push('end')))
  other.push('end')
  return new TextDecoder().decode(Buffer.concat(copies))
}

/** Keeps each owned output and reads all of them only at the end. */
function kept(stream: Lending, other: Lending, pieces: readonly Uint8Array[]): string {
  const copies = pieces.flatMap((piece) => [stream.push(piece), other.push(piece).subarray(0, 0)])
  return new TextDecoder().decode(Buffer.concat([...copies, stream.push('end'), other.push('end').subarray(0, 0)]))
}

function collectedInOnePlace(options: TranslationOptions, pieces: readonly Uint8Array[]): unknown {
  const collection = createBodyCollector(options)
  for (const piece of inOnePlace(pieces)) collection.push(piece)
  return endOf(collection)
}

function same(options: TranslationOptions, pieces: readonly Uint8Array[]): void {
  const lending = () => createTranslation({ ...options, lend: true })
  const text = translated(options, pieces)
  expectSame(lent(lending(), lending(), pieces), text)
  expectSame(kept(createTranslation(options), createTranslation(options), pieces), text)
  expectSame(JSON.stringify(collectedInOnePlace(options, pieces)), JSON.stringify(collected(options, pieces)))
}

describe('memory borrowed between calls', () => {
  it.each(ALL_FIXTURES)('does not change the output of $wire.name $name', ({ stream, quirks, wire, name }) => {
    for (const dialect of someOf([beta, openai], 2)) {
      for (const size of someOf([700, 64, 1 << 20, 3], 2))
        same(optionsOf(dialect, quirks, name, wire), slices(stream, size))
    }
  })

  it.each(Object.values(WIRES))('does not change the output of random streams of $name', (wire) => {
    check(
      fc.property(reads(wire), (read) => same(...read)),
      200,
    )
  })

  it('does not change the output for clients of other wires', () => {
    for (const { stream, quirks, wire, name } of someOf(ALL_FIXTURES, 3)) {
      const options = optionsOf(openai, quirks, name, wire)
      for (const to of CLIENT_WIRES) {
        const open = (lend: boolean) => createTranslation({ ...options, target: wireTarget(to), lend })
        const pieces = slices(stream, 700)
        expectSame(lent(open(true), open(true), pieces), kept(open(false), open(false), pieces))
      }
    }
  })
})
