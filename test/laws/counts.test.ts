import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createStreamTranslator } from '../../src/index.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { check } from '../property.ts'

/**
 * Usage that comes in several events is that of the clients' official libraries, which replace each count by a later one:
 * of a Messages stream `MessageStream` of @anthropic-ai/sdk, member by member; of a chat stream the last usage object.
 * Four rules beyond them: a count may be a text, the counts of an input are one group of which zeros alone say nothing,
 * a single count is not replaced by 0, and a cache in Anthropic's names with more tokens than the input stands beside it.
 */

/** A count as upstreams send it; undefined: the member is left out. */
const sent = fc.oneof(
  fc.constantFrom(undefined, null, 0, '0'),
  fc.integer({ min: 1, max: 5_000 }),
  fc.integer({ min: 1, max: 5_000 }).map(String),
)

type Sent = number | string | null | undefined
type Counts = Readonly<Record<string, Sent>>

const numberOf = (count: Sent): number | null => (count === undefined || count === null ? null : Number(count))

/** The counts after all events. `groups`: the members that replace each other together. */
function model(
  events: readonly Counts[],
  groups: readonly (readonly string[])[],
): Readonly<Record<string, number | null>> {
  const known: Record<string, number | null> = {}
  for (const event of events) {
    for (const group of groups) {
      const counts = group.map((name) => [name, numberOf(event[name])] as const)
      const isReport = counts.some(([, count]) => count !== null && count > 0)
      const isFirst = group.every((name) => (known[name] ?? null) === null)
      if (isReport || isFirst) for (const [name, count] of counts) known[name] = count ?? known[name] ?? null
    }
  }
  return known
}

function usageOf(from: WireName, events: readonly object[]) {
  const translator = createStreamTranslator({ from, to: 'openai' })
  const bytes = new TextEncoder().encode(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
  const text = [translator.push(bytes), translator.end()].map((out) => new TextDecoder().decode(out)).join('')
  const last = text.split('\n\n').findLast((frame) => frame.includes('"type":"response.completed"')) ?? ''
  return JSON.parse(/^data: (.*)$/m.exec(last)?.[1] ?? '{}').response?.usage ?? null
}

const INPUT = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'] as const

describe('counts in several events of a Messages stream', () => {
  /** Anthropic counts all three kinds of input from the start on; vendors that do not are in `usage.test.ts`. */
  const first = fc.record({
    input_tokens: fc.nat(5_000),
    cache_read_input_tokens: fc.nat(5_000),
    cache_creation_input_tokens: fc.nat(5_000),
    output_tokens: fc.nat(9),
  })
  const later = fc.record(
    Object.fromEntries([...INPUT, 'output_tokens'].map((name) => [name, sent])) as Record<string, typeof sent>,
  )

  it('are those of the official library, of which zeros alone say nothing', () => {
    check(
      fc.property(first, fc.array(later, { maxLength: 4 }), (start, deltas) => {
        const usage = usageOf('anthropic-messages', [
          { type: 'message_start', message: { id: 'm', model: 'm', content: [], usage: start } },
          { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } },
          { type: 'content_block_stop', index: 0 },
          ...deltas.map((found, at) => ({
            type: 'message_delta',
            delta: at === deltas.length - 1 ? { stop_reason: 'end_turn' } : {},
            usage: found,
          })),
          ...(deltas.length === 0 ? [{ type: 'message_delta', delta: { stop_reason: 'end_turn' } }] : []),
          { type: 'message_stop' },
        ])
        const known = model([start, ...deltas], [INPUT, ['output_tokens']])
        const input = INPUT.reduce((sum, name) => sum + (known[name] ?? 0), 0)
        expect(usage).toMatchObject({ input_tokens: input, output_tokens: known.output_tokens })
        expect(usage.input_tokens_details.cached_tokens).toBe(known.cache_read_input_tokens)
      }),
      500,
    )
  })
})

describe('counts in several chunks of a chat stream', () => {
  const chunk = fc.record({ prompt_tokens: sent, completion_tokens: sent, cached_tokens: sent })

  it.each<[names: string, cachedIn: (cached: Sent) => object, isBeside: boolean]>([
    ['OpenAI', (cached_tokens) => ({ prompt_tokens_details: { cached_tokens } }), false],
    ['Anthropic', (cache_read_input_tokens) => ({ cache_read_input_tokens }), true],
  ])(
    'are those of the last usage object, of which nulls and zeros say nothing (names of %s)',
    (_, cachedIn, isBeside) => {
      check(
        fc.property(fc.integer({ min: 1, max: 9 }), fc.array(chunk, { minLength: 1, maxLength: 4 }), (text, found) => {
          const begin = { prompt_tokens: text, completion_tokens: text, cached_tokens: null }
          const events = [begin, ...found]
          const usage = usageOf('openai-chat', [
            ...events.map(({ prompt_tokens, completion_tokens, cached_tokens }) => ({
              model: 'm',
              choices: [{ index: 0, delta: { content: 'a' }, finish_reason: null }],
              usage: { prompt_tokens, completion_tokens, ...cachedIn(cached_tokens) },
            })),
            { model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
          ])
          const known = model(events, [['prompt_tokens', 'cached_tokens'], ['completion_tokens']])
          const [input, cached] = [known.prompt_tokens ?? 0, known.cached_tokens ?? 0]
          expect(usage).toMatchObject({
            input_tokens: isBeside && input > 0 && cached > input ? input + cached : input,
            output_tokens: known.completion_tokens,
          })
          expect(usage.input_tokens_details.cached_tokens).toBe(known.cached_tokens ?? 0)
        }),
        500,
      )
    },
  )
})

describe('counts in several chunks of a Gemini stream', () => {
  // Google leaves out a count of 0, so that a report of the prompt without its cache has none.
  const prompt = fc.oneof(
    fc.constant({}),
    fc.record({ promptTokenCount: sent }),
    fc.record({
      promptTokenCount: fc.integer({ min: 5, max: 5_000 }),
      cachedContentTokenCount: fc.constantFrom(undefined, 0, 3, '4'),
    }),
  )
  const chunk = fc.tuple(prompt, sent).map(([counts, candidatesTokenCount]) => ({ ...counts, candidatesTokenCount }))

  it('are the last ones that a chunk has', () => {
    check(
      fc.property(fc.integer({ min: 5, max: 9 }), fc.array(chunk, { minLength: 1, maxLength: 4 }), (count, found) => {
        const events: readonly Counts[] = [{ promptTokenCount: count, candidatesTokenCount: count }, ...found]
        const usage = usageOf(
          'gemini-generate',
          events.map((usageMetadata, at) => ({
            modelVersion: 'g',
            candidates: [
              {
                content: { role: 'model', parts: [{ text: 'a' }] },
                ...(at === events.length - 1 ? { finishReason: 'STOP' } : {}),
              },
            ],
            usageMetadata,
          })),
        )
        const inputs = events.filter(({ promptTokenCount }) => (numberOf(promptTokenCount) ?? 0) > 0)
        const outputs = events.filter(({ candidatesTokenCount }) => (numberOf(candidatesTokenCount) ?? 0) > 0)
        expect(usage).toMatchObject({
          input_tokens: numberOf(inputs.at(-1)?.promptTokenCount),
          output_tokens: numberOf(outputs.at(-1)?.candidatesTokenCount),
        })
      }),
      500,
    )
  })
})

describe('counts in several events of an Interactions stream', () => {
  // Google counts the cache together with the prompt, and leaves out a count of 0.
  const input = fc.oneof(
    fc.constant({}),
    fc.record({ total_input_tokens: fc.constantFrom(undefined, null, 0, '0') }),
    fc.record({
      total_input_tokens: fc.integer({ min: 5, max: 5_000 }),
      total_cached_tokens: fc.constantFrom(undefined, 0, 3, '4'),
    }),
  )
  const counts: fc.Arbitrary<Counts> = fc
    .tuple(input, sent)
    .map(([group, total_output_tokens]) => ({ ...group, total_output_tokens }))
  const step = { type: 'model_output', content: [] }

  it('are the last ones that an event has, with the cache of their input', () => {
    check(
      fc.property(fc.integer({ min: 5, max: 9 }), fc.tuple(counts, counts, counts), (count, [piece, stop, end]) => {
        const first: Counts = { total_input_tokens: count, total_output_tokens: count }
        const usage = usageOf('gemini-interactions', [
          { event_type: 'interaction.created', interaction: { id: 'i', model: 'g', usage: first } },
          { event_type: 'step.start', index: 0, step },
          { event_type: 'step.delta', index: 0, delta: { type: 'text', text: 'a' }, metadata: { total_usage: piece } },
          { event_type: 'step.stop', index: 0, usage: stop },
          { event_type: 'interaction.completed', interaction: { id: 'i', status: 'completed', usage: end } },
        ])
        const events = [first, piece, stop, end]
        const inputs = events.filter(({ total_input_tokens }) => (numberOf(total_input_tokens) ?? 0) > 0)
        const outputs = events.filter(({ total_output_tokens }) => (numberOf(total_output_tokens) ?? 0) > 0)
        expect(usage).toMatchObject({
          input_tokens: numberOf(inputs.at(-1)?.total_input_tokens),
          output_tokens: numberOf(outputs.at(-1)?.total_output_tokens),
        })
        expect(usage.input_tokens_details.cached_tokens).toBe(numberOf(inputs.at(-1)?.total_cached_tokens) ?? 0)
      }),
      500,
    )
  })
})

describe('counts in several events of a Responses stream', () => {
  const counts = fc.record({ input_tokens: sent, output_tokens: sent, cached_tokens: sent })
  const toUsage = ({ cached_tokens, ...usage }: Counts): object => ({
    ...usage,
    input_tokens_details: { cached_tokens },
  })

  it('are those of the terminal response, as the official library returns it', () => {
    check(
      fc.property(counts, counts, (begin, end) => {
        const response = { id: 'r', model: 'm', output: [] }
        const usage = usageOf('openai-responses', [
          { type: 'response.created', response: { ...response, status: 'in_progress', usage: toUsage(begin) } },
          { type: 'response.in_progress', response: { ...response, status: 'in_progress', usage: toUsage(begin) } },
          { type: 'response.output_text.delta', output_index: 0, content_index: 0, item_id: 'm', delta: 'a' },
          { type: 'response.completed', response: { ...response, status: 'completed', usage: toUsage(end) } },
        ])
        expect(usage?.input_tokens ?? 0).toBe(numberOf(end.input_tokens) ?? 0)
        expect(usage?.output_tokens ?? 0).toBe(numberOf(end.output_tokens) ?? 0)
        expect(usage?.input_tokens_details.cached_tokens ?? 0).toBe(numberOf(end.cached_tokens) ?? 0)
      }),
      500,
    )
  })
})
