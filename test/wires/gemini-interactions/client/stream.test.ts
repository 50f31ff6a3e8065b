import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { upstreamError } from '../../../../src/protocol/error.ts'
import { wrapEnvelope } from '../../../../src/responses/encrypted-content.ts'
import { geminiInteractionsClient as client } from '../../../../src/wires/gemini-interactions/client/index.ts'
import { deltas as anyDeltas } from '../../../arbitraries/deltas.ts'
import { check, checkAsync } from '../../../property.ts'
import type { Loose } from '../../../reference-readers/read-stream.ts'
import { clientAnswersOf } from '../../client-answer-cases.ts'
import {
  called,
  cited,
  encrypted,
  FINISH,
  failedWith,
  finished,
  hosted,
  START,
  stopped,
  summary,
  text,
  usageOf,
} from '../../deltas.ts'
import { bodyFor, encodeContext, eventsFor, itemsOf, sealForeign, sealOwn } from '../clients.ts'
import { collectSteps } from '../collect-steps.ts'

const namesOf = (events: readonly Loose[]): readonly string[] =>
  events.map((event) => (event === '[DONE]' ? event : `${event.event_type}${event.step ? ` ${event.step.type}` : ''}`))
const answers = clientAnswersOf({
  client,
  context: encodeContext,
  seal: sealOwn,
  eventOf: (payload) => (payload === '[DONE]' ? 'done' : payload.event_type),
  views: {
    names: ({ frames }) => namesOf(frames),
    first: ({ frames }) => frames[0].interaction,
    /** The interaction that ends the stream. */
    end: ({ frames }) => frames.at(-2).interaction,
    error: ({ frames }) => frames.find((event) => event.event_type === 'error')?.error,
    /** The start and the deltas of the steps. */
    deltas: ({ frames }) => frames.flatMap(({ step, delta }) => [step, delta]).filter((found) => found !== undefined),
    steps: ({ body }) => body.steps,
    id: ({ frames, body }) => [frames.at(-2).interaction.id, body.id],
  },
})

const matching = (fields: object) => expect.objectContaining(fields)
const around = (...names: readonly string[]) => [
  'interaction.created',
  'interaction.status_update',
  ...names,
  'interaction.completed',
  '[DONE]',
]
const OPENED = 'step.start model_output'
const output = (text: string, more: object = {}) => ({
  type: 'model_output',
  content: [{ type: 'text', text, ...more }],
})
const SIGNED = { on: 'thought', signature: 'c2ln' }
const thought = (signature: string, text?: string) => ({
  type: 'thought',
  signature,
  ...(text === undefined ? {} : { summary: [{ type: 'text', text }] }),
})
const callOf = (id: string, args: object) => ({ type: 'function_call', id, name: 'f', arguments: args })
const action = { type: 'search', query: 'q', queries: ['q'], sources: [{ type: 'url', url: 'https://a.example/' }] }
const SEARCH = hosted('web_search_call', { action })
const STEPS = [
  { type: 'google_search_call', id: 's', arguments: { queries: ['q'] }, signature: 'c2ln' },
  { type: 'google_search_result', call_id: 's', result: [{ search_suggestions: '<p>' }], signature: 'ZA==' },
]
const annotation = { type: 'url_citation', url: 'https://example.org/a', title: 'A', start_index: 0, end_index: 12 }
const counts = usageOf({ input_tokens: 3, output_tokens: 4, total_tokens: 7, reasoning_tokens: 1 })
const written = { total_input_tokens: 3, total_output_tokens: 3, total_thought_tokens: 1, total_tokens: 7 }

// biome-ignore format: a row a case
answers('a stream for clients of gemini-interactions', '', {
  'has a start, an end and no content in its start': {
    answer: [START, text('Hel'), text('lo'), FINISH],
    names: around(OPENED, 'step.delta', 'step.delta', 'step.stop'),
    first: matching({ id: 'v1_1', status: 'in_progress', model: 'm-1' }),
    end: matching({ id: 'v1_1', status: 'completed', model: 'm-1', created: '2027-01-15T08:00:00Z', usage: {} }) },
  'separates the parts of a summary by a blank line, and ends a thought with its signature': {
    answer: [summary('A', 't', '0'), summary('B', 't', '1'), encrypted(SIGNED, 't'), text('Hi'), FINISH],
    steps: [thought('c2ln', 'A\n\nB'), output('Hi')],
    deltas: expect.arrayContaining([{ type: 'thought_signature', signature: 'c2ln' }]) },
  'writes the encrypted reasoning of another vendor as an envelope': {
    answer: [encrypted({ secret: 1 }), text('Hi'), FINISH], seal: sealForeign,
    steps: [thought(wrapEnvelope(sealForeign({ secret: 1 }))), output('Hi')] },
  'has the id, the name and the arguments of each call, and the status that results are awaited': {
    answer: [called('f', '{"n":1}', 'a'), stopped('a'), called('f', '', 'b'), FINISH],
    deltas: [callOf('a', {}), { type: 'arguments_delta', arguments: '{"n":1}' }, callOf('b', {}),
      { type: 'arguments_delta', arguments: '{}' }],
    steps: [callOf('a', { n: 1 }), callOf('b', {})], end: matching({ status: 'requires_action' }) },
  'writes steps of Google as they came': {
    answer: [SEARCH, encrypted({ on: 'steps', steps: STEPS }), text('Hi'), FINISH], steps: [...STEPS, output('Hi')] },
  'writes items of others as steps of their kind': [
    { answer: [SEARCH, text('Hi'), FINISH], steps: [
      { type: 'google_search_call', id: 'tool_0', arguments: { queries: ['q'] } },
      { type: 'google_search_result', call_id: 'tool_0', result: [{ url: 'https://a.example/' }] }, output('Hi'),
    ] },
    { answer: [hosted('image_generation_call', { result: 'AA==', output_format: 'jpeg' }), FINISH],
      steps: [{ type: 'model_output', content: [{ type: 'image', data: 'AA==', mime_type: 'image/jpeg' }] }] },
  ],
  'counts citations in bytes of the step, in one delta after the text': {
    answer: [text('Grüße 😀 aus Köln.'), cited(0, 8), FINISH],
    steps: [output('Grüße 😀 aus Köln.', { annotations: [annotation] })],
    names: around(OPENED, 'step.delta', 'step.delta', 'step.stop'),
    deltas: [{ type: 'model_output' }, { type: 'text', text: 'Grüße 😀 aus Köln.' },
      { type: 'text_annotation_delta', annotations: [annotation] }] },
  'ends a failure with the usage, after the failure itself': {
    answer: [text('Hi'), counts, failedWith(upstreamError('upstream_timeout', 'Too late.'))],
    names: around(OPENED, 'step.delta', 'step.stop', 'error'), error: { code: 'gateway_timeout', message: 'Too late.' },
    end: matching({ status: 'failed', usage: matching(written) }) },
  'names the verdict of a filter, also as a failure if there is no output': [
    { answer: [text('Hi'), finished('content_filter')], names: around(OPENED, 'step.delta', 'step.stop'),
      end: matching({ status: 'incomplete', errors: [matching({ code: 'content_blocked' })] }) },
    { answer: [finished('content_filter')], names: around('error') },
  ],
  'has an empty id, and a body has none, if nothing is stored': [
    { answer: [text('Hi'), FINISH], settings: { store: false }, id: ['', undefined] },
    { answer: [text('Hi'), FINISH], id: ['v1_1', 'v1_1'] },
  ],
  'drops summaries that the client declined, and keeps signatures': {
    answer: [summary('Hm', 't'), encrypted(SIGNED, 't'), text('Hi'), FINISH], settings: { reasoning: false },
    steps: [thought('c2ln'), output('Hi')] },
})

it('an envelope comes back from a client of gemini-interactions', () => {
  const { steps } = bodyFor([encrypted({ secret: 1 }), text('Hi'), FINISH], sealForeign)
  const [item] = itemsOf([...steps, { type: 'user_input', content: 'And?' }])
  expect(item.encrypted_content).toBe(sealForeign({ secret: 1 }))
})

describe('any answer for clients of gemini-interactions', () => {
  it('has one open step at a time, indices from 0, each begun and stopped once', () => {
    check(
      fc.property(anyDeltas, (deltas) => {
        const events = eventsFor(deltas)
        let open: number | null = null
        let count = 0
        for (const { event_type: type, index } of events.filter((event) => event !== '[DONE]')) {
          if (type === 'step.start') {
            expect([open, index]).toEqual([null, count])
            open = index
          } else if (type === 'step.delta') expect(index).toBe(open)
          else if (type === 'step.stop') {
            expect(index).toBe(open)
            open = null
            count += 1
          } else expect(open).toBeNull()
        }
        expect(namesOf(events).slice(-2)).toEqual(['interaction.completed', '[DONE]'])
        expect(events.filter((event) => event.event_type === 'interaction.created')).toHaveLength(1)
      }),
      500,
    )
  })

  it('has the same steps streamed and whole, but for calls that cannot be run', async () => {
    const usable = (steps: readonly Loose[]) => steps.filter(({ type }) => type !== 'function_call')
    await checkAsync(
      fc.asyncProperty(anyDeltas, async (deltas) => {
        const frames = eventsFor(deltas).filter((event) => event !== '[DONE]')
        const failed = frames.some(({ event_type: type }) => type === 'error')
        if (failed || frames.some(({ step }) => step?.type === 'function_call')) return
        const { steps } = await collectSteps(
          (async function* () {
            yield* frames
          })(),
        )
        expect(usable(bodyFor(deltas).steps)).toEqual(usable(steps))
      }),
      200,
    )
  })
})
