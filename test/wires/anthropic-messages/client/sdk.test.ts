import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { describe, expect, it } from 'vitest'
import type { Delta } from '../../../../src/protocol/delta.ts'
import { upstreamError } from '../../../../src/protocol/error.ts'
import type { Json, JsonObject } from '../../../../src/protocol/json.ts'
import { messagesClient } from '../../../../src/wires/anthropic-messages/client/index.ts'
import {
  called,
  cited,
  encrypted,
  FINISH,
  failedWith,
  HOME,
  reasoning,
  sealOf,
  stopped,
  text,
  usageOf,
} from '../../deltas.ts'
import { serve as serveAny } from '../../served-requests.ts'

/** The official client reads answers of the encoder over HTTP, cut into small pieces. */

/** Starts a server that sends these answers, one after the other. */
async function serve(...answers: readonly (readonly Delta[])[]) {
  const { url, received } = await serveAny(messagesClient, (_, turn) => answers[turn] ?? [])
  return { client: new Anthropic({ baseURL: url, apiKey: 'k', maxRetries: 0 }), received }
}

const weather = (id: string, ...pieces: readonly string[]): readonly Delta[] => [
  ...pieces.map((piece) => called('weather', piece, id)),
  stopped(id),
]
const SEALED = { id: 'rs_1', encrypted_content: 'x' }
const SIGNATURE = sealOf(HOME)(SEALED)

const ASK = { model: 'acme/x', max_tokens: 1000, messages: [{ role: 'user' as const, content: 'Rain in Bern?' }] }
const WEATHER = {
  name: 'weather',
  description: 'The weather in a city, now.',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' } } },
}

const THINKS: readonly Delta[] = [
  reasoning('A city'),
  reasoning(' in Switzerland.'),
  encrypted(SEALED),
  text('Let me look. 🌧'),
  ...weather('call_1', '{"city":', '"Bern"}'),
  ...weather('call_2', '{}'),
  usageOf({ input_tokens: 20, output_tokens: 8, total_tokens: 28, cached_tokens: 5, reasoning_tokens: 3 }),
  FINISH,
]
const BUSY = failedWith(upstreamError('server_is_overloaded', 'Busy', 503))

describe('the official Anthropic client', () => {
  it.each([true, false])('assembles an answer with reasoning, text and calls (stream: %s)', async (stream) => {
    const { client } = await serve(THINKS)
    const message = stream
      ? await client.messages.stream(ASK).finalMessage()
      : await client.messages.create({ ...ASK, stream })
    expect(message).toMatchObject({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: {
        input_tokens: 15,
        cache_read_input_tokens: 5,
        output_tokens: 8,
        output_tokens_details: { thinking_tokens: 3 },
      },
    })
    expect(message.content).toEqual([
      { type: 'thinking', thinking: 'A city in Switzerland.', signature: SIGNATURE },
      { type: 'text', text: 'Let me look. 🌧' },
      { type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Bern' } },
      { type: 'tool_use', id: 'call_2', name: 'weather', input: {} },
    ])
  })

  it('receives text, reasoning, signatures and arguments as they arrive', async () => {
    const { client } = await serve(THINKS)
    const received: Record<string, string> = { text: '', thinking: '', signature: '', json: '' }
    const stream = client.messages.stream(ASK)
    stream.on('text', (piece) => (received.text += piece))
    stream.on('thinking', (piece) => (received.thinking += piece))
    stream.on('signature', (piece) => (received.signature += piece))
    stream.on('inputJson', (piece) => (received.json += piece))
    await stream.done()
    expect(received).toEqual({
      text: 'Let me look. 🌧',
      thinking: 'A city in Switzerland.',
      signature: SIGNATURE,
      json: '{"city":"Bern"}{}',
    })
  })

  it('receives citations with their text', async () => {
    const { client } = await serve([text('Wet.'), cited(0, 4), text(' Dry.'), FINISH])
    const { content } = await client.messages.stream(ASK).finalMessage()
    expect(content).toMatchObject([
      {
        text: 'Wet.',
        citations: [{ type: 'web_search_result_location', url: 'https://example.org/a', cited_text: 'Wet.' }],
      },
      { text: ' Dry.' },
    ])
  })

  it('returns all blocks of an answer with the results of its tools', async () => {
    const { client, received } = await serve(THINKS, [text('It rains.'), FINISH])
    const first = await client.messages.stream({ ...ASK, tools: [WEATHER] }).finalMessage()
    const results = first.content.flatMap((block) =>
      block.type === 'tool_use'
        ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: `of ${block.id}` }]
        : [],
    )
    const messages = [
      ...ASK.messages,
      { role: first.role, content: first.content },
      { role: 'user' as const, content: results },
    ]
    const last = await client.messages.stream({ ...ASK, tools: [WEATHER], messages }).finalText()
    expect(last).toBe('It rains.')
    expect(received[1]?.read.input).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Rain in Bern?' }] },
      {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'A city in Switzerland.' }],
        encrypted_content: SIGNATURE,
      },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Let me look. 🌧' }] },
      { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Bern"}' },
      { type: 'function_call', call_id: 'call_2', name: 'weather', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'of call_1' },
      { type: 'function_call_output', call_id: 'call_2', output: 'of call_2' },
    ])
  })

  it.each([true, false])('runs its tools by itself (stream: %s)', async (stream) => {
    const { client, received } = await serve(THINKS, [text('It rains.'), FINISH])
    const asked: unknown[] = []
    const tool = betaTool({
      name: 'weather',
      description: WEATHER.description,
      inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
      run: (input) => {
        asked.push(input)
        return 'rain'
      },
    })
    const last = await client.beta.messages.toolRunner({ ...ASK, tools: [tool], stream })
    expect(asked).toEqual([{ city: 'Bern' }, {}])
    expect(last.content).toMatchObject([{ text: 'It rains.' }])
    expect(received).toHaveLength(2)
    const input = (received.at(-1)?.read.input ?? []) as readonly JsonObject[]
    expect(input.map(({ type }) => type)).toEqual([
      'message',
      'reasoning',
      'message',
      'function_call',
      'function_call',
      'function_call_output',
      'function_call_output',
    ])
  })

  it('sends the whole conversation again because threads are not stored', async () => {
    const words = ['One', 'Two', 'Three']
    const { client, received } = await serve(...words.map((word) => [text(word), FINISH]))
    const thread = client.beta.messages.thread({ model: 'acme/x', max_tokens: 1000 })
    for (const word of words) {
      const { content } = await thread.send({ role: 'user', content: `Say ${word}` })
      expect(content).toMatchObject([{ text: word }])
    }
    expect(received.map(({ read }) => (read.input as readonly Json[]).length)).toEqual([1, 3, 5])
  })

  it('reads a failure before the first byte', async () => {
    const { client } = await serve([BUSY])
    const failed = await client.messages.create(ASK).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(Anthropic.APIError)
    expect(failed).toMatchObject({ status: 529, type: 'overloaded_error', error: { error: { message: 'Busy' } } })
  })

  it('reads a failure in the middle of a stream', async () => {
    const { client } = await serve([text('It'), BUSY])
    let written = ''
    const stream = client.messages.stream(ASK).on('text', (piece) => (written += piece))
    const failed = await stream.finalMessage().catch((error: unknown) => error)
    expect(failed).toMatchObject({ error: { type: 'error', error: { message: 'Busy' } } })
    expect(written).toBe('It')
  })
})
