import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { runSteps } from '../../../../src/text/steps.ts'
import { encodeRequest } from '../../../../src/wires/openai-responses/upstream/request.ts'
import type { Quirks } from '../../../../src/wires/quirks.ts'
import { sealed, targetOf } from '../../../engine/target.ts'
import { requestOf } from '../../../request-bodies.ts'
import type { AnswerCase } from '../../answer-cases.ts'
import { added, answers, at, completed, done, ev, message, textDelta } from '../answers.ts'

const summary = (...texts: readonly string[]) => texts.map((it) => ({ type: 'summary_text', text: it }))
const reasoning = (more: object = {}) => ({ type: 'reasoning', id: 'rs_1', summary: [], ...more })
const raw = (text: string, type = 'reasoning_text') => ({ type, text })
const ended = (items: AnswerCase['items'], ...stream: readonly object[]): AnswerCase => ({
  stream: [...stream, completed()],
  items,
})
const begin = added(0, reasoning())
/** The events of one part of a summary. */
const part = (summary_index: number, text: string) => {
  const place = { output_index: 0, summary_index }
  return [
    ev('reasoning_summary_part.added', { ...place, part: { type: 'summary_text', text: '' } }),
    ev('reasoning_summary_text.delta', { ...place, delta: text }),
    ev('reasoning_summary_text.done', { ...place, text }),
    ev('reasoning_summary_part.done', { ...place, part: { type: 'summary_text', text } }),
  ]
}
const HM = ['reasoning: hm']

// biome-ignore format: a row a case
answers('reasoning over openai-responses', '', {
  'is decoded as a summary of several parts': ended([{ type: 'reasoning', summary: summary('A', 'B') }],
    begin, ...part(0, 'A'), ...part(1, 'B'), done(0, reasoning({ summary: summary('A', 'B') }))),
  'is decoded as raw text from response.reasoning_text and response.reasoning': ['reasoning_text', 'reasoning'].map((name) => ({
    ...ended([{ summary: summary('hm') }], begin, at(0, 'reasoning_part.added', { part: raw('') }), at(0, `${name}.delta`, { delta: 'hm' }),
      at(0, `${name}.done`, { text: 'hm' }), at(0, 'reasoning_part.done', { part: raw('hm') }),
      done(0, reasoning({ content: [raw('hm')] }))),
    deltas: ['reasoning', 'stop', 'finish'].map((kind) => expect.objectContaining({ kind })),
    emits: [{ kind: 'reasoning', text: 'hm' }] })),
  'has a part for each index behind the whole text of another, without an announcement': ended([{ summary: summary('AA', 'B') }],
    begin, at(0, 'reasoning_text.delta', { content_index: 0, delta: 'A' }), at(0, 'reasoning_text.delta', { content_index: 0, delta: 'A' }),
    at(0, 'reasoning_text.done', { content_index: 0, text: 'AA' }), at(0, 'reasoning_text.delta', { content_index: 1, delta: 'B' }),
    at(0, 'reasoning_text.done', { content_index: 1, text: 'B' }), done(0, reasoning({ content: [raw('AA'), raw('B')] }))),
  'leaves no item if it is empty': ended(['A'], begin, done(0, reasoning()), added(1, message('')), textDelta('A', 1)),
})

// biome-ignore format: a row a case
answers('reasoning over openai-responses', 'is decoded to one text: ', {
  'whole, in reasoning_text.done': ended(HM, begin, at(0, 'reasoning_text.done', { text: 'hm' })),
  'whole, in the finished item': ended(HM, done(0, reasoning({ content: [raw('hm', 'text')] }))),
  'as strings (the service’s description)': ended(HM, done(0, reasoning({ summary: ['hm'] }))),
  'with text only (the service’s description)': ended(HM, ev('reasoning.delta', { delta: 'hm' })),
})

const X = reasoning({ encrypted_content: 'x' })
const item = reasoning({ encrypted_content: 'last', status: 'completed', summary: summary('A') })
const opaque = (payload: object) => ({ kind: 'opaque', payload })
const given = {
  ...{ id: 'rs_1', summary: summary('A', 'B'), content: [raw('C')] },
  ...{ encrypted_content: 'x', format: 'odd-v1' },
}

// biome-ignore format: a row a case
answers('encrypted reasoning over openai-responses', '', {
  'is taken from the finished item before the item ends': { body: null,
    stream: [added(0, reasoning({ encrypted_content: 'first' })), done(0, item), completed([{ ...item, encrypted_content: 'made anew' }])],
    deltas: ['summary', 'opaque', 'stop', 'finish'].map((kind) => expect.objectContaining({ kind })),
    emits: [opaque({ id: 'rs_1', summary: summary('A'), encrypted_content: 'last' })], items: ['sealed reasoning: A'] },
  'is decoded once if given at the beginning only, at the end only, or of an item that was not streamed': [
    [added(0, X), done(0, reasoning())], [begin], [],
  ].map((events) => ({ stream: [...events, completed([X])],
    deltas: [expect.objectContaining(opaque({ id: 'rs_1', summary: [], encrypted_content: 'x' })),
      ...['stop', 'finish'].map((kind) => expect.objectContaining({ kind }))] })),
  'is the item as it came': { ...ended(['sealed reasoning: A|B|C'], done(0, { type: 'reasoning', status: 'completed', ...given })),
    emits: [opaque(given)] },
})

describe('encrypted reasoning over openai-responses', () => {
  const inputOf = (input: unknown, quirks: Quirks = {}) => {
    const result = runSteps(encodeRequest(requestOf({ input }), targetOf('openai-responses', quirks)))
    if (!result.ok) throw new Error(result.error.message)
    return { input: result.body.input as readonly JsonObject[], losses: result.losses }
  }

  it('returns exactly as it came, whatever a dialect made of its item', () => {
    for (const shown of [summary('A', 'B', 'C'), ['A', 'B', 'C'], []]) {
      const item = {
        type: 'reasoning',
        id: 'rs_x_0',
        summary: shown,
        encrypted_content: sealed('openai-responses', given),
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
