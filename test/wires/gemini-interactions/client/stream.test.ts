import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Delta } from '../../../../src/protocol/delta.ts'
import { upstreamError } from '../../../../src/protocol/error.ts'
import type { HostedItem } from '../../../../src/protocol/item.ts'
import { unwrapEnvelope } from '../../../../src/responses/encrypted-content.ts'
import { deltas as anyDeltas } from '../../../arbitraries/deltas.ts'
import { check, checkAsync } from '../../../property.ts'
import type { Loose } from '../../../reference-readers/read-stream.ts'
import { bodyFor, encodeContext, eventsFor, itemsOf, sealForeign, sealOwn } from '../clients.ts'
import { collectSteps } from '../collect-steps.ts'

const text = (words: string, key = 'm'): Delta => ({ kind: 'text', key, part: '', text: words, logprobs: null })
const summary = (words: string, part = '', key = 't'): Delta => ({
  kind: 'summary',
  key,
  part,
  text: words,
  logprobs: null,
})
const opaque = (payload: Loose, key = 't'): Delta => ({ kind: 'opaque', key, payload })
const call = (key: string, args: string): Delta => ({
  kind: 'call',
  key,
  type: 'function_call',
  callId: `id-${key}`,
  name: 'f',
  arguments: args,
})
const hosted = (item: Omit<HostedItem, 'id'>, key = 'h'): Delta => ({
  kind: 'hosted',
  key,
  item: { id: '', ...item },
  done: true,
})
const FINISH: Delta = { kind: 'finish', reason: 'stop' }

const namesOf = (events: readonly Loose[]): readonly string[] =>
  events.map((event) => (event === '[DONE]' ? event : `${event.event_type}${event.step ? ` ${event.step.type}` : ''}`))
const stepsFor = (deltas: readonly Delta[], seal = sealOwn): readonly Loose[] => bodyFor(deltas, seal).steps
const lastOf = (events: readonly Loose[]): Loose => events.at(-2).interaction

describe('a stream for clients of gemini-interactions', () => {
  it('has a start, an end and no content in its start', () => {
    const events = eventsFor([{ kind: 'start', model: 'gemini-x' }, text('Hel'), text('lo'), FINISH])
    expect(namesOf(events)).toEqual([
      'interaction.created',
      'interaction.status_update',
      'step.start model_output',
      'step.delta',
      'step.delta',
      'step.stop',
      'interaction.completed',
      '[DONE]',
    ])
    expect(events[0].interaction).toMatchObject({ id: 'v1_abc123', status: 'in_progress', model: 'gemini-x' })
    expect(lastOf(events)).toMatchObject({ status: 'completed', created: '2023-11-14T22:13:20Z', usage: {} })
  })

  it('separates the parts of a summary by a blank line, and ends a thought with its signature', () => {
    const own = { on: 'thought', signature: 'c2ln' }
    const deltas = [summary('A', '0'), summary('B', '1'), opaque(own), text('Hi'), FINISH]
    expect(stepsFor(deltas)[0]).toEqual({
      type: 'thought',
      signature: 'c2ln',
      summary: [{ type: 'text', text: 'A\n\nB' }],
    })
    expect(
      eventsFor(deltas)
        .filter(({ index }) => index === 0)
        .at(-2).delta,
    ).toEqual({
      type: 'thought_signature',
      signature: 'c2ln',
    })
  })

  it('writes the encrypted reasoning of another vendor as an envelope, which comes back', () => {
    const steps = stepsFor([opaque({ secret: 1 }), text('Hi'), FINISH], sealForeign)
    expect(unwrapEnvelope(steps[0].signature)).toBe(sealForeign({ secret: 1 }))
    expect(itemsOf([...steps, { type: 'user_input', content: 'And?' }])[0].encrypted_content).toBe(
      sealForeign({ secret: 1 }),
    )
  })

  it('has the id, the name and the arguments of each call, and the status that results are awaited', () => {
    const deltas = [call('a', '{"n":1}'), { kind: 'stop', key: 'a' } as const, call('b', ''), FINISH]
    const events = eventsFor(deltas)
    const [start, ...rest] = events.filter(({ index }) => index === 1)
    expect(start.step).toEqual({ type: 'function_call', id: 'id-b', name: 'f', arguments: {} })
    expect(rest[0].delta).toEqual({ type: 'arguments_delta', arguments: '{}' })
    expect(lastOf(events).status).toBe('requires_action')
    expect(stepsFor(deltas)[0].arguments).toEqual({ n: 1 })
  })

  it('writes steps of Google as they came, and items of others as steps of their kind', () => {
    const item = {
      type: 'web_search_call',
      status: 'completed',
      fields: {
        action: { type: 'search', query: 'q', queries: ['q'], sources: [{ type: 'url', url: 'https://a.example/' }] },
      },
    } as const
    const own = [
      { type: 'google_search_call', id: 's', arguments: { queries: ['q'] }, signature: 'c2ln' },
      { type: 'google_search_result', call_id: 's', result: [{ search_suggestions: '<p>' }], signature: 'ZA==' },
    ]
    expect(stepsFor([hosted(item), opaque({ on: 'steps', steps: own }), text('Hi'), FINISH]).slice(0, 2)).toEqual(own)
    expect(stepsFor([hosted(item), text('Hi'), FINISH])).toEqual([
      { type: 'google_search_call', id: 'tool_0', arguments: { queries: ['q'] } },
      { type: 'google_search_result', call_id: 'tool_0', result: [{ url: 'https://a.example/' }] },
      { type: 'model_output', content: [{ type: 'text', text: 'Hi' }] },
    ])
    const image = {
      type: 'image_generation_call',
      status: 'completed',
      fields: { result: 'AA==', output_format: 'jpeg' },
    } as const
    expect(stepsFor([hosted(image), FINISH])).toEqual([
      { type: 'model_output', content: [{ type: 'image', data: 'AA==', mime_type: 'image/jpeg' }] },
    ])
  })

  it('counts citations in bytes of the step, in one delta after the text', () => {
    const words = 'Grüße 😀 aus Köln.'
    const span = { start: 0, end: 8, unit: 'utf16' } as const
    const citation = { url: 'https://a.example/', title: 'A', content: null, span, marker: null }
    const deltas: Delta[] = [text(words), { kind: 'citation', key: 'm', part: '', citation }, FINISH]
    expect(stepsFor(deltas)[0].content[0].annotations).toEqual([
      { type: 'url_citation', url: 'https://a.example/', title: 'A', start_index: 0, end_index: 12 },
    ])
    const [annotated, stopped] = eventsFor(deltas).slice(-4)
    expect([annotated.delta.type, stopped.event_type]).toEqual(['text_annotation_delta', 'step.stop'])
  })

  it('ends a failure with the usage, after the failure itself', () => {
    const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7, cached_tokens: null, reasoning_tokens: 1 }
    const error = upstreamError('upstream_timeout', 'Too late.')
    const events = eventsFor([text('Hi'), { kind: 'usage', usage }, { kind: 'error', error }])
    expect(namesOf(events).slice(-4)).toEqual(['step.stop', 'error', 'interaction.completed', '[DONE]'])
    expect(events.at(-3).error).toEqual({ code: 'gateway_timeout', message: 'Too late.' })
    expect(lastOf(events)).toMatchObject({
      status: 'failed',
      usage: { total_input_tokens: 3, total_output_tokens: 3, total_thought_tokens: 1, total_tokens: 7 },
    })
  })

  it('names the verdict of a filter, also as a failure if there is no output', () => {
    const filtered: Delta = { kind: 'finish', reason: 'content_filter' }
    const some = eventsFor([text('Hi'), filtered])
    expect([namesOf(some).includes('error'), lastOf(some).status]).toEqual([false, 'incomplete'])
    expect(lastOf(some).errors).toMatchObject([{ code: 'content_blocked' }])
    expect(namesOf(eventsFor([filtered])).slice(-3)).toEqual(['error', 'interaction.completed', '[DONE]'])
  })

  it('has an empty id, and a body has none, if nothing is stored', () => {
    const to = { ...encodeContext, settings: { store: false } }
    expect(lastOf(eventsFor([text('Hi'), FINISH], sealOwn, to)).id).toBe('')
    expect(bodyFor([text('Hi'), FINISH], sealOwn, to)).not.toHaveProperty('id')
    expect(bodyFor([text('Hi'), FINISH]).id).toBe('v1_abc123')
  })

  it('drops summaries that the client declined, and keeps signatures', () => {
    const to = { ...encodeContext, settings: { reasoning: false } }
    const { steps } = bodyFor(
      [summary('Hm'), opaque({ on: 'thought', signature: 'c2ln' }), text('Hi'), FINISH],
      sealOwn,
      to,
    )
    expect(steps[0]).toEqual({ type: 'thought', signature: 'c2ln' })
  })
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
