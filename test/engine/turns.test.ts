import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import type { TranslationOptions } from '../../src/engine/answer.ts'
import { createTurnCollector } from '../../src/engine/body-collector.ts'
import { wireTarget } from '../../src/engine/client-target.ts'
import { dialectTarget } from '../../src/engine/target.ts'
import { createTranslation, createTurnTranslation } from '../../src/engine/translation.ts'
import { upstreamError } from '../../src/protocol/error.ts'
import { LIMITS } from '../../src/protocol/limits.ts'
import { CLIENT_WIRES } from '../cross-translate.ts'
import { check, someOf } from '../property.ts'
import { ALL_FIXTURES, collected, optionsOf, PASSING, toBytes, translated } from './run-engine.ts'

/** An answer of one turn, whose machine changes nothing, equals an answer without turns. */

const decoder = new TextDecoder()

const TARGETS = [
  ...Object.values(DIALECTS).map((dialect) => dialectTarget(dialect)),
  ...CLIENT_WIRES.map((to) => wireTarget(to, { settings: { usage: true } })),
]

const targets = fc.constantFrom(...TARGETS)
const fixtures = fc.constantFrom(...ALL_FIXTURES)

function inOneTurn(options: TranslationOptions, pieces: readonly Uint8Array[]): string {
  const stream = createTurnTranslation(options, PASSING)
  const bytes: Uint8Array[] = []
  const take = (first: Uint8Array): void => {
    bytes.push(first)
    while (stream.busy()) bytes.push(stream.resume())
  }
  for (const piece of pieces) take(stream.push(piece))
  take(stream.push('end'))
  take(stream.close())
  return decoder.decode(Buffer.concat(bytes))
}

describe('an answer of one turn', () => {
  it.each(ALL_FIXTURES)('has the bytes of an answer without turns: $wire.name $name', (fixture) => {
    const { stream, quirks, wire } = fixture
    const at = stream.length >> 1
    const pieces = [stream.subarray(0, at), stream.subarray(at)]
    for (const target of someOf(TARGETS, TARGETS.length, ALL_FIXTURES.indexOf(fixture))) {
      const options = { ...optionsOf(DIALECTS.openai, quirks, 'x', wire), target }
      expect(inOneTurn(options, [stream])).toBe(translated(options, [stream]))
      expect(inOneTurn({ ...options, slice: 1 }, pieces)).toBe(translated(options, [stream]))
    }
  })

  it.each(ALL_FIXTURES)('has the body of an answer without turns: $wire.name $name', (fixture) => {
    const { stream, quirks, wire } = fixture
    for (const target of someOf(TARGETS, TARGETS.length, ALL_FIXTURES.indexOf(fixture))) {
      const options = { ...optionsOf(DIALECTS.openai, quirks, 'x', wire), target }
      for (const slice of [{}, { slice: 1 }]) {
        const collector = createTurnCollector({ ...options, ...slice }, PASSING)
        const drain = (): void => {
          while (collector.busy()) collector.resume()
        }
        collector.push(stream)
        drain()
        collector.push('end')
        drain()
        collector.close()
        drain()
        expect(collector.body()).toEqual(collected(options, [stream]))
      }
    }
  })

  it('has the same bytes and the same outcome wherever the upstream is cut or breaks', () => {
    const lost = upstreamError('upstream_disconnected', 'Lost.')
    check(
      fc.property(fixtures, targets, fc.nat(), fc.nat(), fc.boolean(), (fixture, target, at, to, broken) => {
        const { stream, quirks, wire } = fixture
        const options = { ...optionsOf(DIALECTS.openai, quirks, 'x', wire), target }
        const [first = 0, second = 0] = [at % stream.length, to % stream.length].sort((a, b) => a - b)
        const plain = createTranslation(options)
        const turns = createTurnTranslation(options, PASSING)
        let [expected, actual] = ['', '']
        for (const piece of [stream.subarray(0, first), stream.subarray(first, second)]) {
          expected += decoder.decode(plain.push(piece))
          actual += decoder.decode(turns.push(piece))
        }
        expected += decoder.decode(broken ? plain.push({ error: lost }) : plain.push('end'))
        actual +=
          decoder.decode(broken ? turns.push({ error: lost }) : turns.push('end')) + decoder.decode(turns.close())
        expect(actual).toBe(expected)
        // Only an answer without turns uses the shapes of earlier streams.
        const { chunks, ...outcome } = turns.outcome()
        const { chunks: plainChunks, ...plainOutcome } = plain.outcome()
        expect({ ...outcome, received: chunks.received }).toEqual({ ...plainOutcome, received: plainChunks.received })
      }),
      300,
    )
  })

  it('has the same limits', () => {
    const [{ stream, quirks, wire }] = ALL_FIXTURES as [(typeof ALL_FIXTURES)[number]]
    for (const limits of [
      { ...LIMITS, upstreamEvent: 40, upstreamTotal: 1e6, requestBody: 1 },
      { ...LIMITS, upstreamEvent: 1e6, upstreamTotal: 300, requestBody: 1 },
    ]) {
      const options = { ...optionsOf(DIALECTS.openai, quirks, 'x', wire), limits }
      const text = inOneTurn(options, [stream])
      expect(text).toBe(translated(options, [stream]))
      expect(text).toContain('upstream_too_large')
    }
  })
})

describe('an answer of several turns', () => {
  const chunk = (delta: object, finish: string | null = null): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
  const words = Array.from({ length: 50 }, (_, i) => chunk({ content: ` word${i}` }))
  const end = `${chunk({}, 'stop')}data: [DONE]\n\n`

  it.each(TARGETS)('decodes each upstream answer anew, on the fast path, for $name', (target) => {
    const stream = createTurnTranslation({ ...optionsOf(DIALECTS.openai), target }, PASSING)
    const text: string[] = []
    for (const turn of [words, words]) {
      for (const word of turn) text.push(decoder.decode(stream.push(toBytes(word))))
      stream.push('end')
      expect([stream.progress.remainder(), stream.progress.over()]).toEqual(['nothing', false])
      expect(stream.push(toBytes(end))).toHaveLength(0)
      stream.openTurn()
      expect(stream.progress.remainder()).toBe('more')
    }
    stream.push(toBytes(end))
    stream.push('end')
    stream.close()
    expect(stream.progress.over()).toBe(true)
    expect(text.join('')).toContain('word49')
    expect(stream.outcome().chunks.fast).toBeGreaterThan(80)
  })

  it('emits nothing after its end', () => {
    const stream = createTurnTranslation(optionsOf(DIALECTS.openai), PASSING)
    stream.close()
    expect(stream.apply([{ kind: 'finish', reason: 'stop' }]).piece).toHaveLength(0)
    expect(stream.close()).toHaveLength(0)
    stream.openTurn()
    expect(stream.push(toBytes(end))).toHaveLength(0)
  })
})
