import fc from 'fast-check'
import { DIALECTS } from '../../src/dialects/registry.ts'
import type { TranslationOptions } from '../../src/engine/answer.ts'
import type { KnownWire } from '../../src/wires/contract.ts'
import { optionsOf } from '../engine/run-engine.ts'
import { cutBytes, cuts } from './bytes.ts'
import { ANSWERS } from './wires.ts'

/** A random stream of a wire, cut into reads, with random options of its translation. */
export const reads = (wire: KnownWire): fc.Arbitrary<[options: TranslationOptions, pieces: readonly Uint8Array[]]> => {
  const { stream, quirks } = ANSWERS[wire.name]
  const dialect = fc.constantFrom(DIALECTS.beta, DIALECTS.openai)
  return fc
    .tuple(stream, cuts, dialect, quirks)
    .map(([bytes, at, to, its]) => [optionsOf(to, its, 'x', wire), cutBytes(bytes, at)])
}
