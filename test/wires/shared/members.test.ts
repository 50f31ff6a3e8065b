import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../../src/dialects/registry.ts'
import { translateWholeBody } from '../../../src/engine/body-collector.ts'
import { wireTarget } from '../../../src/engine/client-target.ts'
import type { Frame } from '../../../src/framing/frame.ts'
import { run } from '../../../src/machine/run.ts'
import type { Delta } from '../../../src/protocol/delta.ts'
import type { JsonRecord } from '../../../src/protocol/json.ts'
import { isObject } from '../../../src/text/json.ts'
import { MEMBERS as MESSAGES } from '../../../src/wires/anthropic-messages/upstream/members.ts'
import { MEMBERS as CONVERSE } from '../../../src/wires/bedrock-converse/upstream/members.ts'
import { MEMBERS as COHERE } from '../../../src/wires/cohere-chat/upstream/members.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import { MEMBERS as GEMINI } from '../../../src/wires/gemini-generate/upstream/members.ts'
import { MEMBERS as OLLAMA } from '../../../src/wires/ollama-chat/upstream/members.ts'
import { MEMBERS as CHAT } from '../../../src/wires/openai-chat/upstream/members.ts'
import { MEMBERS as RESPONSES } from '../../../src/wires/openai-responses/upstream/members.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import {
  type AnswerMembers,
  lostMembers,
  type Members,
  toMemberTable,
} from '../../../src/wires/shared/upstream/answers/members.ts'
import { optionsOf } from '../../engine/run-engine.ts'
import { check } from '../../property.ts'
import { withKits } from '../with-kits.ts'

/** An answer of each wire with every kind of object that its table has inside another. */
// biome-ignore format: a row a case
const ANSWERS: Readonly<Record<WireName, { readonly frames: readonly Sent[]; readonly body: JsonRecord }>> = withKits(
  {
  'openai-chat': { frames: [{ model: 'm',
        choices: [{ index: 0, delta: { content: 'Hi',
              tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{}' } }],
              annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.test' } }] },
            logprobs: { content: [{ token: 'Hi', logprob: 0 }] } }], search_results: [{ url: 'https://a.test' }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage: { prompt_tokens: 1, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 1 } } }],
    body: { choices: [{ index: 0, finish_reason: 'stop', message: { content: [{ type: 'text', text: 'Hi' }] } }],
      usage: { prompt_tokens: 1, completion_tokens: 2 } } },
  'openai-responses': { frames: [{ type: 'response.created', response: { id: 'r', model: 'm' } },
      { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'i', content: [] } },
      { type: 'response.content_part.added', output_index: 0, content_index: 0, part: { type: 'output_text', text: '' } },
      { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Hi' },
      { type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'Hi' },
      { type: 'response.completed', response: { id: 'r', model: 'm', status: 'completed',
          usage: { input_tokens: 1, output_tokens: 2 } } }],
    body: { status: 'completed', output: [{ type: 'message',
          content: [{ type: 'output_text', text: 'Hi', annotations: [{ type: 'url_citation', url: 'https://a.test' }] }] }],
      usage: { input_tokens: 1, output_tokens: 2, input_tokens_details: { cached_tokens: 1 } } } },
  'anthropic-messages': { frames: [{ type: 'message_start',
        message: { id: 'm', model: 'm', content: [], usage: { input_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } }, { type: 'message_stop' }],
    body: { content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 2, output_tokens_details: { thinking_tokens: 1 } } } },
  'gemini-generate': { frames: [{ candidates: [{ content: { parts: [{ text: 'Hi' }] } }], modelVersion: 'm' },
      { candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: {} } }] }, finishReason: 'STOP' }] },
      { usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 } }],
    body: { candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 1, promptTokensDetails: [{ modality: 'TEXT', tokenCount: 1 }] } } },
  'bedrock-converse': { frames: [{ event: 'messageStart', role: 'assistant' },
      { event: 'contentBlockStart', contentBlockIndex: 0, start: { toolUse: { toolUseId: 'c', name: 'f' } } },
      { event: 'contentBlockDelta', contentBlockIndex: 0, delta: { toolUse: { input: '{}' } } },
      { event: 'contentBlockStop', contentBlockIndex: 0 },
      { event: 'contentBlockDelta', contentBlockIndex: 1, delta: { text: 'Hi' } },
      { event: 'messageStop', stopReason: 'end_turn' }, { event: 'metadata', usage: { inputTokens: 1, outputTokens: 2 } }],
    body: { output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } }, stopReason: 'end_turn',
      usage: { inputTokens: 1, outputTokens: 2 } } },
  'cohere-chat': { frames: [{ type: 'message-start', id: 'i', delta: { message: { role: 'assistant' } } },
      { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
      { type: 'content-delta', index: 0, delta: { message: { content: { text: 'Hi' } } } },
      { type: 'tool-call-start', index: 0, delta: { message: { tool_calls: { id: 'c',
              function: { name: 'f', arguments: '{}' } } } } },
      { type: 'message-end', delta: { finish_reason: 'COMPLETE', usage: { tokens: { input_tokens: 1 } } } }],
    body: { message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] }, finish_reason: 'COMPLETE',
      usage: { tokens: { input_tokens: 1, output_tokens: 2 } } } },
  'ollama-chat': { frames: [{ model: 'm', message: { role: 'assistant', content: 'Hi' }, done: false },
      { model: 'm', message: { tool_calls: [{ function: { name: 'f', arguments: { a: 1 } } }] }, done: false },
      { model: 'm', message: { content: '' }, done: true, done_reason: 'stop', eval_count: 2 }],
    body: { model: 'm', message: { content: 'Hi', tool_calls: [{ function: { name: 'f', arguments: { a: 1 } } }] }, done: true,
      done_reason: 'stop' } },
},
  ({ fullAnswer }) => fullAnswer,
)

/** A frame. Where the framing names the events, `event` is its name. */
type Sent = JsonRecord

const TABLES: Readonly<Record<WireName, AnswerMembers>> = withKits(
  {
    'openai-chat': CHAT,
    'openai-responses': RESPONSES,
    'anthropic-messages': MESSAGES,
    'gemini-generate': GEMINI,
    'bedrock-converse': CONVERSE,
    'cohere-chat': COHERE,
    'ollama-chat': OLLAMA,
  },
  ({ members }) => members,
)

const toFrame = ({ event = '', ...value }: Sent): Frame => ({ event: event as string, data: JSON.stringify(value) })

const lossesOf = (deltas: readonly Delta[]): readonly string[] =>
  deltas.flatMap((delta) => (delta.kind === 'loss' ? [delta.feature] : []))

const streamed = (name: WireName, frames: readonly Sent[]): readonly string[] =>
  lossesOf(run(WIRES[name].decodeStream({}), frames.map(toFrame)))

const whole = (name: WireName, body: JsonRecord): readonly string[] => lossesOf(WIRES[name].decodeBody(body, {}))

/** The name of a member that no vendor has. */
const INVENTED = 'zq_invented'

/** Yields the value with the member in each object that its table lists the members of, one after another. */
function* extended(value: unknown, members: Members, event = ''): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const [at, entry] of value.entries())
      for (const changed of extended(entry, members)) yield value.map((old, i) => (i === at ? changed : old))
    return
  }
  if (!isObject(value)) return
  const type = typeof value.type === 'string' ? value.type : event
  const { byType } = members
  if (byType !== undefined && byType[type] === undefined) return
  yield { ...value, [INVENTED]: { a: 1 } }
  const inside = { ...members.inside, ...byType?.[type]?.inside }
  for (const [name, nested] of Object.entries(inside))
    for (const changed of extended(value[name], nested)) yield { ...value, [name]: changed }
}

const NAMES = Object.keys(WIRES) as WireName[]

describe.each(NAMES)('members of an answer of %s', (name) => {
  const { frames, body } = ANSWERS[name]
  const table = TABLES[name]

  it('are no losses if the decoder reads or ignores them', () => {
    expect(streamed(name, frames)).toEqual([])
    expect(whole(name, body)).toEqual([])
  })

  it('are one loss each in every object of a stream if no table has them', () => {
    const all = frames.flatMap((sent, at) => {
      const event = typeof sent.event === 'string' ? sent.event : ''
      const { event: _, ...payload } = sent
      return [...extended(payload, table.frame, event)].map((changed) =>
        frames.map((old, i) => (i === at ? { ...(changed as Sent), ...(event === '' ? {} : { event }) } : old)),
      )
    })
    expect(all.length).toBeGreaterThan(frames.length)
    for (const changed of all) {
      const losses = streamed(name, changed)
      expect(losses, JSON.stringify(changed)).toEqual([expect.stringMatching(new RegExp(`(?:^|\\.)${INVENTED}$`))])
    }
  })

  it('are one loss each in every object of a whole answer if no table has them', () => {
    const all = [...extended(body, table.body)]
    expect(all.length).toBeGreaterThan(2)
    for (const changed of all)
      expect(whole(name, changed as JsonRecord), JSON.stringify(changed)).toEqual([
        expect.stringMatching(new RegExp(`(?:^|\\.)${INVENTED}$`)),
      ])
  })
})

describe('the table of members', () => {
  const table = toMemberTable({
    read: ['a'],
    ignored: { time: ['b'] },
    inside: { list: { read: ['c'] }, one: { path: 'other.', byType: { x: { read: ['d'] } } } },
  })

  it('gives paths without indices, each once', () => {
    const value = { list: [{ c: 1, e: 1 }, { e: 2 }], one: { type: 'x', d: 1, f: 1 }, b: 1, g: [0, { h: 'h' }] }
    expect(lostMembers(table, value)).toEqual(['list[].e', 'other.type', 'other.f', 'g'])
  })

  it('does not examine an object of an unknown type', () => {
    expect(lostMembers(table, { one: { type: 'y', f: 1 } })).toEqual([])
  })

  it('reports no member without a value', () => {
    expect(lostMembers(table, { e: null, f: '', g: [], h: {}, i: 0, j: false, k: { l: [{ m: null }] } })).toEqual([])
  })

  it('reads any JSON value', () => {
    check(fc.property(fc.jsonValue(), (value) => void lostMembers(table, value)))
  })
})

describe('the price of an answer', () => {
  const costs = (deltas: readonly Delta[]): readonly unknown[] =>
    deltas.flatMap((delta) => (delta.kind === 'usage' ? [delta.usage.cost] : []))

  const COUNTS: Readonly<Partial<Record<WireName, JsonRecord>>> = {
    'openai-chat': { prompt_tokens: 1, completion_tokens: 2 },
    'openai-responses': { input_tokens: 1, output_tokens: 2 },
    'anthropic-messages': { input_tokens: 1, output_tokens: 2 },
  }

  it.each([
    [{ cost: 0.5 }, 0.5],
    [{ cost: { input_tokens_cost: 0.2, output_tokens_cost: 0.3, total_cost: 0.5 } }, 0.5],
    [{ cost_in_usd_ticks: 5_000_000_000 }, 0.5],
    [{ estimated_cost: 0.5 }, 0.5],
    [{ cost: 0, estimated_cost: 0.5 }, 0.5],
    [{ cost: 'free' }, undefined],
    [{}, undefined],
  ])('%j is %j dollars', (price, cost) => {
    for (const [name, counts] of Object.entries(COUNTS) as [WireName, JsonRecord][]) {
      const deltas = WIRES[name].decodeBody({ ...ANSWERS[name].body, usage: { ...counts, ...price } }, {})
      expect(costs(deltas), name).toEqual([cost])
      expect(lossesOf(deltas), name).toEqual([])
    }
  })

  it('may be beside the usage', () => {
    const body = { ...ANSWERS['openai-chat'].body, cost: { usd: 0.5, diem: 0.25 } }
    expect(costs(WIRES['openai-chat'].decodeBody(body, {}))).toEqual([0.5])
  })
})

describe('the losses of an answer', () => {
  it.each([
    ['openai-chat', { error: { message: 'Bad call.', failed_generation: '{"a":' } }, ['error.failed_generation']],
    [
      'openai-chat',
      { choices: [{ message: { content: 'Hi' }, finish_reason: 'stop', stop_reason: 128_009 }] },
      ['choices[].stop_reason'],
    ],
    [
      'openai-responses',
      { status: 'completed', output: [{ type: 'message', content: 'Hi', metadata: { turn_id: 't' } }] },
      ['output[].metadata'],
    ],
  ] as const)('of %s for %j are %j', (name, body, losses) => {
    expect(whole(name, body)).toEqual(losses)
  })

  it.each([
    ['openai-responses', { type: 'response.some_new.event', delta: 'x' }, ['event response.some_new.event']],
    ['openai-responses', { type: 'keepalive' }, []],
    ['openai-responses', { type: 'response.web_search_call.searching', output_index: 0 }, []],
    ['bedrock-converse', { event: 'someNewEvent', a: 1 }, ['event someNewEvent']],
    ['bedrock-converse', { event: 'messageStart', role: 'assistant' }, []],
  ] as const)('of %s for the event %j are %j', (name, sent, losses) => {
    expect(streamed(name, [sent])).toEqual(losses)
  })

  it('name a search of X, which clients receive as a search of the web', () => {
    const item = { type: 'custom_tool_call', call_id: 'xs_call_1', name: 'x_keyword_search', input: '{"query":"q"}' }
    expect(whole('openai-responses', { status: 'completed', output: [item] })).toEqual(['the tool x_keyword_search'])
    const search = { ...item, name: 'web_search' }
    expect(whole('openai-responses', { status: 'completed', output: [search] })).toEqual([])
  })
})

describe('the credit of a refusal of Anthropic', () => {
  const stop_details = {
    type: 'refusal',
    category: 'cyber',
    explanation: 'No.',
    fallback_credit_token: 'credit_1',
    fallback_has_prefill_claim: false,
  }
  const body = { model: 'm', content: [], stop_reason: 'refusal', stop_details }

  it('reaches Anthropic clients', () => {
    const deltas = WIRES['anthropic-messages'].decodeBody(body, {})
    expect(deltas).toContainEqual({
      kind: 'served',
      served: { refusal_category: 'cyber', fallback_credit_token: 'credit_1', fallback_has_prefill_claim: 'false' },
    })
    const wire = WIRES['anthropic-messages']
    const options = { ...optionsOf(DIALECTS.openai, {}, 'x', wire), target: wireTarget(wire) }
    const answer = translateWholeBody(options, JSON.stringify(body))
    expect(answer.body).toMatchObject({ stop_reason: 'refusal', stop_details })
    expect(answer.outcome.losses).toEqual([])
  })
})
