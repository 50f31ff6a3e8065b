import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../../src/dialects/registry.ts'
import { wireTarget } from '../../../src/engine/client-target.ts'
import { createTranslation, streamWholeBody } from '../../../src/engine/translation.ts'
import { anthropicMessages } from '../../../src/wires/anthropic-messages/index.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { headOf, optionsOf, toBytes, translated } from '../../engine/run-engine.ts'
import { clientStreamOf, type Loose } from '../client-stream.ts'

/** Tokens that an upstream counts before its first text appear in the `message_start` of Anthropic clients. */

const to = {
  name: anthropicMessages.name,
  client: anthropicMessages.client as NonNullable<typeof anthropicMessages.client>,
}

const sse = (...events: readonly object[]): string => events.map((it) => `data: ${JSON.stringify(it)}\n\n`).join('')
const eventsOf = (text: string): readonly Loose[] =>
  text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []))

const COUNTS = { input_tokens: 25, cache_read_input_tokens: 40, cache_creation_input_tokens: 10, output_tokens: 1 }
const start = (usage?: object): object => ({
  type: 'message_start',
  message: {
    id: 'msg_1',
    model: 'claude-x',
    role: 'assistant',
    content: [],
    ...(usage === undefined ? {} : { usage }),
  },
})
const REST = [
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } },
  { type: 'message_stop' },
]
const choice = (delta: object, finish: string | null = null) => [{ index: 0, delta, finish_reason: finish }]
const part = (text: string, usageMetadata: object, more: object = {}): object => ({
  candidates: [{ content: { parts: [{ text }] }, index: 0, ...more }],
  usageMetadata,
  modelVersion: 'gemini-x',
})

// biome-ignore format: a row a case
const STREAMS: readonly (readonly [what: string, wire: WireName, stream: string, usage: object])[] = [
  ['all kinds of input', 'anthropic-messages', sse(start(COUNTS), ...REST), COUNTS],
  ['input alone', 'anthropic-messages', sse(start({ input_tokens: 25, output_tokens: 1 }), ...REST),
    { input_tokens: 25, output_tokens: 1 }],
  ['nothing', 'anthropic-messages', sse(start(), ...REST), { input_tokens: 0, output_tokens: 0 }],
  ['in the first chunk', 'gemini-generate',
    sse(part('H', { promptTokenCount: 25, cachedContentTokenCount: 5 }),
      part('i', { promptTokenCount: 25, candidatesTokenCount: 7, totalTokenCount: 32 }, { finishReason: 'STOP' })),
    { input_tokens: 20, cache_read_input_tokens: 5, output_tokens: 0 }],
  ['in the first chunk', 'openai-chat', sse({ model: 'sonar', choices: choice({ content: 'H' }),
        usage: { prompt_tokens: 25, completion_tokens: 1 } },
      { model: 'sonar', choices: choice({ content: 'i' }, 'stop'), usage: { prompt_tokens: 25, completion_tokens: 7 } }),
    { input_tokens: 25, output_tokens: 1 }],
  ['only at the end', 'openai-chat', sse({ model: 'm', choices: choice({ content: 'Hi' }) },
      { model: 'm', choices: choice({}, 'stop'), usage: { prompt_tokens: 25, completion_tokens: 7 } }),
    { input_tokens: 0, output_tokens: 0 }],
]

describe('the message_start of an Anthropic client', () => {
  it.each(STREAMS)('has the counts that arrive with the first chunk: %s, over %s', (_, name, stream, usage) => {
    const translation = createTranslation({ wire: WIRES[name], target: wireTarget(to), head: headOf('x') })
    const text = new TextDecoder().decode(translation.push(toBytes(stream)))
    const [first, ...others] = eventsOf(text + new TextDecoder().decode(translation.push('end')))
    expect(first).toMatchObject({ type: 'message_start', message: { model: expect.stringMatching(/./), usage } })
    expect(others.filter(({ type }) => type === 'message_start')).toEqual([])
    expect(others.find(({ type }) => type === 'message_delta').usage.output_tokens).toBe(7)
  })

  it('is written with the first bytes of the answer, with or without counts', () => {
    for (const first of [start(COUNTS), start()]) {
      const translation = createTranslation({
        wire: WIRES['anthropic-messages'],
        target: wireTarget(to),
        head: headOf('x'),
      })
      const [start] = eventsOf(new TextDecoder().decode(translation.push(toBytes(sse(first)))))
      expect(start?.type).toBe('message_start')
    }
  })

  it('has the counts of a whole answer', () => {
    const body = JSON.stringify({ content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn', usage: COUNTS })
    const { bytes } = streamWholeBody(
      { wire: WIRES['anthropic-messages'], target: wireTarget(to), head: headOf('x') },
      body,
    )
    expect(eventsOf(new TextDecoder().decode(bytes))[0].message.usage).toMatchObject(COUNTS)
  })
})

it('writes no usage in response.created of a dialect, as OpenAI does, although counts arrived early', () => {
  const { responseOfStream } = clientStreamOf(WIRES['anthropic-messages'])
  expect(responseOfStream(sse(start(COUNTS), ...REST)).usage).toMatchObject({ input_tokens: 75, output_tokens: 7 })
  const text = translated(optionsOf(DIALECTS.openai, {}, 'x', anthropicMessages), [
    toBytes(sse(start(COUNTS), ...REST)),
  ])
  expect(eventsOf(text)[0]).toMatchObject({ type: 'response.created', response: { usage: null } })
})
