import OpenAI from 'openai'
import type { Response, ResponseInput, ResponseOutputItem, Tool } from 'openai/resources/responses/responses'
import { describe, expect, it } from 'vitest'
import type { WireName } from '../../src/wires/wire.ts'
import { KEY, openGateway, UPSTREAM_KEY, whenDone } from './harness.ts'
import { openMockUpstream } from './mock-upstream.ts'
import type { Speaker, Turn } from './speaker.ts'
import { SPEAKERS } from './speakers.ts'

/** The official client, through the host, to upstreams of every wire: what it hears, and what they hear the second time. */

const WEATHER: Tool = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather in a city, now.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  strict: false,
}

const THOUGHT = 'Two cities, two calls.'
const SEAL = 'c2VhbA=='
const QUESTION = 'Where is it warmer?'
const WORDS = 'I look it up ☂.'
const [NORTH, SOUTH] = [{ city: 'Tromsø' }, { city: 'São Paulo' }]

const ASKING: Turn = {
  thought: { text: THOUGHT, seal: SEAL },
  text: ['I look ', 'it up ☂.'],
  calls: [
    { id: 'call_a', name: 'get_weather', args: NORTH },
    { id: 'call_b', name: 'get_weather', args: SOUTH },
  ],
}
const TELLING: Turn = { text: ['Snow ', '🌨 and ', 'sun.'], calls: [] }

/** An upstream that says these turns, one a request, in pieces of so many bytes; and a client that asks it. */
async function openTalk(speaker: Speaker, turns: readonly Turn[], size = 23) {
  const waiting = [...turns]
  const upstream = await openMockUpstream(async (response) => {
    const bytes = speaker.say(waiting.shift() ?? TELLING)
    response.writeHead(200, { 'content-type': speaker.contentType })
    for (let at = 0; at < bytes.length; at += size) {
      response.write(bytes.subarray(at, at + size))
      await new Promise((resolve) => setImmediate(resolve))
    }
    response.end()
  })
  whenDone(upstream.close)
  const { wire, quirks } = speaker
  const acme = { wire, base_url: upstream.url, key: { env: 'ACME_KEY' }, quirks }
  const { url } = await openGateway({ vendors: { acme } })
  const client = new OpenAI({ baseURL: `${url}/openai/v1`, apiKey: KEY, maxRetries: 0 })
  const model = `acme/${speaker.model}`
  const ask = (input: ResponseInput) =>
    client.responses.stream({ model, input, tools: [WEATHER], reasoning: { effort: 'low' } })
  return { upstream, ask, begin: () => ask([{ role: 'user', content: QUESTION }]) }
}

const itemsOf = <T extends ResponseOutputItem['type']>({ output }: Response, type: T) =>
  output.filter((item): item is Extract<ResponseOutputItem, { type: T }> => item.type === type)

// ---------------------------------------------------------------- what is heard the second time

const json = (args: object): string => JSON.stringify(args)
const chatCall = (id: string, args: unknown) => ({
  id,
  type: 'function',
  function: { name: 'get_weather', arguments: args },
})
const named = (name: string, fields: object) => ({ [name]: { name: 'get_weather', ...fields } })

/** The conversation as each wire has it: the field it stands in, and all of it. */
const HISTORY: Readonly<Record<WireName, readonly [field: string, history: readonly unknown[]]>> = {
  'openai-chat': [
    'messages',
    [
      { role: 'user', content: QUESTION },
      {
        role: 'assistant',
        content: WORDS,
        reasoning_details: [{ type: 'reasoning.text', format: 'acme-v1', index: 0, text: THOUGHT, signature: SEAL }],
        tool_calls: [chatCall('call_a', json(NORTH)), chatCall('call_b', json(SOUTH))],
      },
      { role: 'tool', tool_call_id: 'call_a', content: '-3 °C' },
      { role: 'tool', tool_call_id: 'call_b', content: '24 °C' },
    ],
  ],
  'openai-responses': [
    'input',
    [
      { type: 'message', role: 'user', content: QUESTION },
      {
        type: 'reasoning',
        id: 'rs_up',
        summary: [{ type: 'summary_text', text: THOUGHT }],
        encrypted_content: SEAL,
      },
      { type: 'message', role: 'assistant', content: WORDS },
      { type: 'function_call', call_id: 'call_a', name: 'get_weather', arguments: json(NORTH) },
      { type: 'function_call', call_id: 'call_b', name: 'get_weather', arguments: json(SOUTH) },
      { type: 'function_call_output', call_id: 'call_a', output: '-3 °C' },
      { type: 'function_call_output', call_id: 'call_b', output: '24 °C' },
    ],
  ],
  'anthropic-messages': [
    'messages',
    [
      { role: 'user', content: [{ type: 'text', text: QUESTION }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: THOUGHT, signature: SEAL },
          { type: 'text', text: WORDS },
          { type: 'tool_use', id: 'call_a', name: 'get_weather', input: NORTH },
          { type: 'tool_use', id: 'call_b', name: 'get_weather', input: SOUTH },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_a', content: '-3 °C' },
          { type: 'tool_result', tool_use_id: 'call_b', content: '24 °C' },
        ],
      },
    ],
  ],
  'gemini-generate': [
    'contents',
    [
      { role: 'user', parts: [{ text: QUESTION }] },
      {
        role: 'model',
        parts: [
          { text: WORDS },
          { ...named('functionCall', { id: 'call_a', args: NORTH }), thoughtSignature: SEAL },
          named('functionCall', { id: 'call_b', args: SOUTH }),
        ],
      },
      {
        role: 'user',
        parts: [
          named('functionResponse', { id: 'call_a', response: { output: '-3 °C' } }),
          named('functionResponse', { id: 'call_b', response: { output: '24 °C' } }),
        ],
      },
    ],
  ],
  'bedrock-converse': [
    'messages',
    [
      { role: 'user', content: [{ text: QUESTION }] },
      {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: THOUGHT, signature: SEAL } } },
          { text: WORDS },
          named('toolUse', { toolUseId: 'call_a', input: NORTH }),
          named('toolUse', { toolUseId: 'call_b', input: SOUTH }),
        ],
      },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'call_a', content: [{ text: '-3 °C' }] } },
          { toolResult: { toolUseId: 'call_b', content: [{ text: '24 °C' }] } },
        ],
      },
    ],
  ],
  'cohere-chat': [
    'messages',
    [
      { role: 'user', content: QUESTION },
      {
        role: 'assistant',
        content: [{ type: 'thinking', thinking: THOUGHT }],
        tool_plan: WORDS,
        tool_calls: [chatCall('call_a', json(NORTH)), chatCall('call_b', json(SOUTH))],
      },
      { role: 'tool', tool_call_id: 'call_a', content: '-3 °C' },
      { role: 'tool', tool_call_id: 'call_b', content: '24 °C' },
    ],
  ],
  'ollama-chat': [
    'messages',
    [
      { role: 'user', content: QUESTION },
      {
        role: 'assistant',
        content: WORDS,
        thinking: THOUGHT,
        tool_calls: [chatCall('call_a', NORTH), chatCall('call_b', SOUTH)],
      },
      { role: 'tool', tool_name: 'get_weather', tool_call_id: 'call_a', content: '-3 °C' },
      { role: 'tool', tool_name: 'get_weather', tool_call_id: 'call_b', content: '24 °C' },
    ],
  ],
}

/** Wires whose upstreams sign their thoughts. */
const SEALS: readonly WireName[] = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini-generate',
  'bedrock-converse',
]

describe.each(Object.values(SPEAKERS))('the openai client and an upstream of $wire', (speaker) => {
  it.each([1, 23, 5000])('text, in pieces of %i bytes', async (size) => {
    const { begin, upstream } = await openTalk(speaker, [TELLING], size)
    const stream = begin()
    const deltas: string[] = []
    stream.on('response.output_text.delta', ({ delta }) => deltas.push(delta))
    const response = await stream.finalResponse()
    expect(deltas.join('')).toBe('Snow 🌨 and sun.')
    expect(response).toMatchObject({
      status: 'completed',
      output_text: 'Snow 🌨 and sun.',
      usage: { input_tokens: 11, output_tokens: 7, total_tokens: 18 },
    })
    expect(upstream.heard[0]?.url).toBe(`/v1${speaker.path}`)
    expect(upstream.heard[0]?.headers[speaker.keyHeader]).toContain(UPSTREAM_KEY)
  })

  it('reasoning, sealed where its upstream signs it', async () => {
    const { begin } = await openTalk(speaker, [{ ...ASKING, calls: ASKING.calls.slice(0, 1) }])
    const stream = begin()
    const thoughts: string[] = []
    stream.on('response.reasoning_summary_text.delta', ({ delta }) => thoughts.push(delta))
    const response = await stream.finalResponse()
    expect(thoughts.join('')).toBe(THOUGHT)
    const items = itemsOf(response, 'reasoning')
    expect(items.flatMap(({ summary }) => summary.map(({ text }) => text)).join('')).toBe(THOUGHT)
    expect(items.some(({ encrypted_content: sealed }) => typeof sealed === 'string')).toBe(SEALS.includes(speaker.wire))
    expect(response.output[0]?.type).toBe('reasoning')
  })

  it('two calls at once', async () => {
    const { begin } = await openTalk(speaker, [ASKING])
    const response = await begin().finalResponse()
    expect(response).toMatchObject({ status: 'completed', output_text: WORDS })
    const calls = itemsOf(response, 'function_call')
    expect(calls.map(({ call_id, name, status }) => [call_id, name, status])).toEqual([
      ['call_a', 'get_weather', 'completed'],
      ['call_b', 'get_weather', 'completed'],
    ])
    expect(calls.map((call) => JSON.parse(call.arguments))).toEqual([NORTH, SOUTH])
  })

  it('a loop of tools: thoughts, calls and results are back where they belong', async () => {
    const { ask, begin, upstream } = await openTalk(speaker, [ASKING, TELLING])
    const asking = await begin().finalResponse()
    const outputs = itemsOf(asking, 'function_call').map(({ call_id }, i) => ({
      type: 'function_call_output' as const,
      call_id,
      output: ['-3 °C', '24 °C'][i] ?? '',
    }))
    const said = asking.output as ResponseInput
    const told = await ask([{ role: 'user', content: QUESTION }, ...said, ...outputs]).finalResponse()
    expect(told.output_text).toBe('Snow 🌨 and sun.')
    const [field, history] = HISTORY[speaker.wire]
    expect(upstream.heard).toHaveLength(2)
    expect(upstream.heard[1]?.body[field]).toEqual(history)
  })
})
