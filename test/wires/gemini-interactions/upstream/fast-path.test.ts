import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../../../src/dialects/registry.ts'
import { wireTarget } from '../../../../src/engine/client-target.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { geminiInteractions } from '../../../../src/wires/gemini-interactions/index.ts'
import { cutBytes, cuts, slices } from '../../../arbitraries/bytes.ts'
import { hostile } from '../../../arbitraries/strings.ts'
import { optionsOf, toBytes } from '../../../engine/run-engine.ts'
import { both } from '../../../fast-path/both.ts'
import { check } from '../../../property.ts'
import { completed, created, DONE, delta, eventText, type SentEvent, start, stop, usageOf } from '../events.ts'

/**
 * Most recorded streams have one or two deltas a step. A template is learned from the first ones of a step, so that only
 * the rest can be taken, and starts, stops, signatures and the last event never are. These streams have the recorded
 * shapes and many deltas.
 */

const TARGETS = [
  optionsOf(DIALECTS.openai, {}, 'x', geminiInteractions),
  optionsOf(DIALECTS.beta, {}, 'x', geminiInteractions),
  { ...optionsOf(DIALECTS.openai, {}, 'x', geminiInteractions), target: wireTarget(geminiInteractions) },
]

/** The deltas of a step that can be taken, in the forms that Google sends. */
const KINDS: Readonly<Record<string, { readonly step: JsonObject; of(text: string): JsonObject }>> = {
  text: { step: { type: 'model_output' }, of: (text) => ({ text, type: 'text' }) },
  'thought summary': {
    step: { type: 'thought' },
    of: (text) => ({ content: { text, type: 'text' }, type: 'thought_summary' }),
  },
  arguments: {
    step: { id: '61nzpsv4', signature: '', type: 'function_call', name: 'getWeather', arguments: {} },
    of: (text) => ({ arguments: text, type: 'arguments_delta' }),
  },
}

/** The order of the members in the recordings: that of `@google/genai`’s backend, and sorted. */
const ORDERS: Readonly<Record<string, (event: SentEvent) => SentEvent>> = {
  'index first': ({ event_type, index, ...rest }) => ({ index, ...rest, event_type }) as SentEvent,
  sorted: (event) =>
    Object.fromEntries(Object.entries(event).toSorted(([a], [b]) => (a < b ? -1 : 1))) as unknown as SentEvent,
}

const STATUS: SentEvent = { event_type: 'interaction.status_update', interaction_id: 'v1_up', status: 'in_progress' }
const END = completed('completed', { usage: usageOf(9, 300), service_tier: 'standard' })

const bytesOf = (events: readonly SentEvent[], order: (event: SentEvent) => SentEvent): Uint8Array =>
  toBytes(eventText([created(), STATUS, ...events, END].map(order)) + DONE)

/** One event in each read. */
const eventsOf = (bytes: Uint8Array): readonly Uint8Array[] =>
  new TextDecoder()
    .decode(bytes)
    .split(/(?<=\n\n)/)
    .map(toBytes)

const DELTAS = 300
const words = Array.from({ length: DELTAS }, (_, i) => (i % 7 === 6 ? ` "w${i}"\n` : ` word${i}`))

describe.each(Object.entries(ORDERS))('a long stream of gemini-interactions, %s', (_, order) => {
  it.each(Object.entries(KINDS))('takes the fast path for at least 90 of 100 chunks of %s', (name, { step, of }) => {
    const pieces =
      name === 'arguments' ? ['{"q":"', ...words.map((word) => JSON.stringify(word).slice(1, -1)), '"}'] : words
    const bytes = bytesOf([start(0, step), ...pieces.map((piece) => delta(0, of(piece))), stop(0)], order)
    for (const options of TARGETS)
      for (const reads of [eventsOf(bytes), slices(bytes, 1400), [bytes]])
        expect(both(options, reads) / (pieces.length + 5)).toBeGreaterThanOrEqual(0.9)
  })
})

describe('streams of gemini-interactions with any texts', () => {
  const piece = fc.record({
    kind: fc.constantFrom(...Object.keys(KINDS)),
    texts: fc.array(hostile, { maxLength: 12 }),
    signature: fc.boolean(),
  })

  it('are written alike on both paths, cut anywhere', () => {
    check(
      fc.property(
        fc.array(piece, { maxLength: 5 }),
        fc.constantFrom(...Object.values(ORDERS)),
        fc.constantFrom(...TARGETS),
        cuts,
        (steps, order, options, at) => {
          const events = steps.flatMap(({ kind, texts, signature }, index) => {
            const { step, of } = KINDS[kind] as (typeof KINDS)[string]
            return [
              start(index, step),
              ...texts.map((text) => delta(index, of(text))),
              ...(signature && kind !== 'text' ? [delta(index, { signature: 'c2ln', type: 'thought_signature' })] : []),
              stop(index),
            ]
          })
          both(options, cutBytes(bytesOf(events, order), at))
        },
      ),
      600,
    )
  })
})
