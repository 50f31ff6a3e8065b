import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../../src/protocol/json.ts'
import { runSteps } from '../../../../src/text/steps.ts'
import { encodeRequest } from '../../../../src/wires/openai-responses/upstream/request.ts'
import type { Quirks } from '../../../../src/wires/quirks.ts'
import { sealed, targetOf } from '../../../engine/target.ts'
import { requestOf } from '../../../request-bodies.ts'
import { added, completed, deltasOf, done, ev, type LooseRecord, message, outputOf, textDelta } from '../streams.ts'

const summary = (...texts: readonly string[]) => texts.map((it) => ({ type: 'summary_text', text: it }))
const reasoning = (more: LooseRecord = {}): LooseRecord => ({ type: 'reasoning', id: 'rs_1', summary: [], ...more })

describe('reasoning over openai-responses', () => {
  it('is decoded as a summary of several parts', () => {
    const part = (edge: string, summary_index: number, content: string): LooseRecord =>
      ev(`reasoning_summary_part.${edge}`, {
        output_index: 0,
        summary_index,
        part: { type: 'summary_text', text: content },
      })
    const delta = (summary_index: number, content: string): LooseRecord =>
      ev('reasoning_summary_text.delta', { output_index: 0, summary_index, delta: content })
    const whole = (summary_index: number, content: string): LooseRecord =>
      ev('reasoning_summary_text.done', { output_index: 0, summary_index, text: content })
    const events = [
      added(0, reasoning()),
      part('added', 0, ''),
      delta(0, 'A'),
      whole(0, 'A'),
      part('done', 0, 'A'),
      part('added', 1, ''),
      delta(1, 'B'),
      whole(1, 'B'),
      part('done', 1, 'B'),
      done(0, reasoning({ summary: summary('A', 'B') })),
      completed(),
    ]
    expect(outputOf(events)).toMatchObject([{ type: 'reasoning', summary: summary('A', 'B') }])
  })

  it.each(['reasoning_text', 'reasoning'])('is decoded as raw text from response.%s', (name) => {
    const events = [
      added(0, reasoning()),
      ev('reasoning_part.added', { output_index: 0, content_index: 0, part: { type: 'reasoning_text', text: '' } }),
      ev(`${name}.delta`, { output_index: 0, content_index: 0, delta: 'hm' }),
      ev(`${name}.done`, { output_index: 0, content_index: 0, text: 'hm' }),
      ev('reasoning_part.done', { output_index: 0, content_index: 0, part: { type: 'reasoning_text', text: 'hm' } }),
      done(0, reasoning({ content: [{ type: 'reasoning_text', text: 'hm' }] })),
      completed(),
    ]
    expect(deltasOf(events).filter(({ kind }) => kind === 'reasoning')).toMatchObject([{ text: 'hm' }])
    expect(outputOf(events)).toMatchObject([{ summary: summary('hm') }])
  })

  it.each([
    [
      'whole, in reasoning_text.done',
      [added(0, reasoning()), ev('reasoning_text.done', { output_index: 0, content_index: 0, text: 'hm' })],
    ],
    ['whole, in the finished item', [done(0, reasoning({ content: [{ type: 'text', text: 'hm' }] }))]],
    ['as strings (the service’s description)', [done(0, reasoning({ summary: ['hm'] }))]],
    ['with text only (the service’s description)', [ev('reasoning.delta', { delta: 'hm' })]],
  ] as [string, readonly LooseRecord[]][])('is decoded to one text: %s', (_, events) => {
    expect(outputOf([...events, completed()])).toMatchObject([{ type: 'reasoning', summary: summary('hm') }])
  })

  it('leaves no item if it is empty', () => {
    expect(
      outputOf([added(0, reasoning()), done(0, reasoning()), added(1, message('')), textDelta('A', 1), completed()]),
    ).toMatchObject([{ type: 'message' }])
  })
})

describe('encrypted reasoning over openai-responses', () => {
  const payloadsOf = (events: readonly LooseRecord[]): readonly Json[] =>
    deltasOf(events).flatMap((delta) => (delta.kind === 'opaque' ? [delta.payload] : []))

  it('is taken from the finished item before the item ends', () => {
    const item = reasoning({ encrypted_content: 'last', status: 'completed', summary: summary('A') })
    const events = [
      added(0, reasoning({ encrypted_content: 'first' })),
      done(0, item),
      completed([{ ...item, encrypted_content: 'made anew' }]),
    ]
    expect(payloadsOf(events)).toEqual([{ id: 'rs_1', summary: summary('A'), encrypted_content: 'last' }])
    expect(deltasOf(events).map(({ kind }) => kind)).toEqual(['summary', 'opaque', 'stop', 'finish'])
  })

  it.each([
    ['given at the beginning only', [added(0, reasoning({ encrypted_content: 'x' })), done(0, reasoning())]],
    ['given at the end only', [added(0, reasoning())]],
    ['of an item that was not streamed', []],
  ] as [string, readonly LooseRecord[]][])('is decoded once if %s', (_, events) => {
    expect(payloadsOf([...events, completed([reasoning({ encrypted_content: 'x' })])])).toEqual([
      { id: 'rs_1', summary: [], encrypted_content: 'x' },
    ])
  })

  const inputOf = (input: unknown, quirks: Quirks = {}) => {
    const result = runSteps(encodeRequest(requestOf({ input }), targetOf('openai-responses', quirks)))
    if (!result.ok) throw new Error(result.error.message)
    return { input: result.body.input as readonly JsonObject[], losses: result.losses }
  }

  it('returns exactly as it came, whatever a dialect made of its item', () => {
    const given = {
      id: 'rs_1',
      summary: summary('A', 'B'),
      content: [{ type: 'reasoning_text', text: 'C' }],
      encrypted_content: 'x',
      format: 'odd-v1',
    }
    const [payload] = payloadsOf([done(0, { type: 'reasoning', status: 'completed', ...given }), completed()])
    for (const shown of [summary('A', 'B', 'C'), ['A', 'B', 'C'], []]) {
      const item = {
        type: 'reasoning',
        id: 'rs_x_0',
        summary: shown,
        encrypted_content: sealed('openai-responses', payload ?? null),
      }
      expect(inputOf([item, { role: 'user', content: 'Go on' }])).toEqual({
        input: [
          { type: 'reasoning', ...given },
          { type: 'message', role: 'user', content: 'Go on' },
        ],
        losses: [],
      })
    }
  })

  it('returns with a summary, which the API requires, if its own item had none', () => {
    const item = {
      type: 'reasoning',
      summary: summary('A'),
      encrypted_content: sealed('openai-responses', { encrypted_content: 'x' }),
    }
    expect(inputOf([item]).input).toEqual([{ type: 'reasoning', summary: summary('A'), encrypted_content: 'x' }])
  })

  it.each([
    ['another wire', sealed('openai-chat', { encrypted_content: 'x' })],
    ['another family of models', sealed('openai-responses', { encrypted_content: 'x' }, 'claude-x')],
    ['nobody', 'gAAAA-not-ours'],
  ])('is dropped with a loss if it is sealed by %s', (_, encrypted_content) => {
    const item = { type: 'reasoning', summary: summary('A'), encrypted_content }
    expect(inputOf([item])).toMatchObject({ input: [], losses: [{ path: 'input[0]', action: 'dropped' }] })
    // A vendor that accepts reasoning as text may receive the text.
    expect(inputOf([item], { reasoningHistory: 'reasoning' })).toMatchObject({
      input: [{ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'A' }] }],
      losses: [{ path: 'input[0]' }],
    })
  })

  it('is not made from readable reasoning', () => {
    const item = { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'hm' }] }
    expect(inputOf([item])).toMatchObject({ input: [], losses: [{ path: 'input[0]' }] })
    expect(inputOf([item], { reasoningHistory: 'reasoning_content' })).toEqual({
      input: [{ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'hm' }] }],
      losses: [],
    })
    expect(inputOf([{ type: 'reasoning', summary: [] }])).toEqual({ input: [], losses: [] })
  })
})
