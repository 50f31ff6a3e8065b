import { describe, expect, it } from 'vitest'
import { beta } from '../../../src/dialects/beta.ts'
import { checkStream } from '../../../src/dialects/check-stream.ts'
import { openai } from '../../../src/dialects/openai.ts'
import { startMockUpstream } from '../../mock-upstreams/server.ts'
import { eventsOf, json, type Loose, post, startGateway, whenDone } from '../test-server.ts'
import { answerJson, startMockEngine } from './mock-engine.ts'

/** The search loop of the server tool over wires with very different formats. */

const EIGER = { url: 'https://eiger.example/height', title: 'The Eiger', text: 'The Eiger is 3,967 m high.' }
const TEXT = 'Der Eiger 🏔 ist hoch [1].'

interface WireCase {
  /** The streams of the first and the second turn. */
  readonly turns: readonly [string, string]
  readonly type: string
  /** Texts of the first turn that the second request must contain. */
  readonly history: readonly string[]
}

const sse = (events: readonly object[], named: boolean): string =>
  events
    .map((event) => `${named ? `event: ${(event as { type: string }).type}\n` : ''}data: ${JSON.stringify(event)}\n\n`)
    .join('')

const block = (index: number, start: object, ...deltas: readonly object[]): object[] => [
  { type: 'content_block_start', index, content_block: start },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
]
const anthropicTurn = (stop_reason: string, ...blocks: readonly object[][]): string =>
  sse(
    [
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [],
          usage: { input_tokens: 3, output_tokens: 1 },
        },
      },
      ...blocks.flat(),
      { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ],
    true,
  )
const toolUse = (index: number, name: string, args: string): object[] =>
  block(
    index,
    { type: 'tool_use', id: `toolu_${name}`, name, input: {} },
    { type: 'input_json_delta', partial_json: args.slice(0, 5) },
    { type: 'input_json_delta', partial_json: args.slice(5) },
  )

const geminiTurn = (...parts: readonly object[]): string =>
  sse(
    parts.map((part, i) => ({
      candidates: [
        {
          index: 0,
          content: { role: 'model', parts: [part] },
          ...(i === parts.length - 1 ? { finishReason: 'STOP' } : {}),
        },
      ],
      modelVersion: 'm',
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 5, totalTokenCount: 8 },
    })),
    false,
  )

const ollamaTurn = (...messages: readonly object[]): string =>
  [
    ...messages.map((message) => ({
      model: 'm',
      message: { role: 'assistant', content: '', ...message },
      done: false,
    })),
    {
      model: 'm',
      message: { role: 'assistant', content: '' },
      done: true,
      done_reason: 'stop',
      prompt_eval_count: 3,
      eval_count: 5,
    },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('')

const WIRE_CASES: Readonly<Record<string, WireCase>> = {
  'anthropic-messages': {
    type: 'text/event-stream',
    turns: [
      anthropicTurn(
        'tool_use',
        block(
          0,
          { type: 'thinking', thinking: '' },
          { type: 'thinking_delta', thinking: 'I must look.' },
          { type: 'signature_delta', signature: 'c2lnbmVk' },
        ),
        block(1, { type: 'text', text: '' }, { type: 'text_delta', text: 'Let me look.' }),
        toolUse(2, 'web_search', '{"query":"height of the Eiger"}'),
      ),
      anthropicTurn(
        'tool_use',
        block(
          0,
          { type: 'text', text: '' },
          { type: 'text_delta', text: 'Der Eiger 🏔 ist hoch [' },
          { type: 'text_delta', text: '1].' },
        ),
        toolUse(1, 'get_weather', '{"city":"Bern"}'),
      ),
    ],
    history: [
      '"signature":"c2lnbmVk"',
      '"tool_use_id":"toolu_web_search"',
      'Let me look.',
      'The Eiger is 3,967 m high.',
    ],
  },
  'gemini-generate': {
    type: 'text/event-stream',
    turns: [
      geminiTurn(
        { text: 'I must look.', thought: true },
        { text: 'Let me look.' },
        { functionCall: { name: 'web_search', args: { query: 'height of the Eiger' } }, thoughtSignature: 'c2lnbmVk' },
      ),
      geminiTurn(
        { text: 'Der Eiger 🏔 ist hoch [' },
        { text: '1].' },
        { functionCall: { name: 'get_weather', args: { city: 'Bern' } } },
      ),
    ],
    history: ['"thoughtSignature":"c2lnbmVk"', '"functionResponse"', 'Let me look.', 'The Eiger is 3,967 m high.'],
  },
  'ollama-chat': {
    type: 'application/x-ndjson',
    turns: [
      ollamaTurn(
        { thinking: 'I must look.' },
        { content: 'Let me look.' },
        { tool_calls: [{ function: { name: 'web_search', arguments: { query: 'height of the Eiger' } } }] },
      ),
      ollamaTurn(
        { content: 'Der Eiger 🏔 ist hoch [' },
        { content: '1].' },
        { tool_calls: [{ function: { name: 'get_weather', arguments: { city: 'Bern' } } }] },
      ),
    ],
    history: ['"tool_name":"web_search"', 'Let me look.', 'The Eiger is 3,967 m high.'],
  },
}

const ASKS = {
  model: 'acme/claude-sonnet-4-5',
  input: 'How high is the Eiger?',
  stream: true,
  reasoning: { effort: 'low' },
  tools: [
    { type: 'function', name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
    { type: 'service:web_search', parameters: { engine: 'exa', max_results: 1 } },
  ],
}

describe.each(Object.entries(WIRE_CASES))('a search over %s', (wire, { turns, type, history }) => {
  const openSearching = async () => {
    let next = 0
    const upstream = await startMockUpstream(async (response) => {
      response.writeHead(200, { 'content-type': type })
      const bytes = Buffer.from(turns[next++ % 2] ?? '')
      for (let at = 0; at < bytes.length; at += 37) {
        response.write(bytes.subarray(at, at + 37))
        await new Promise((resolve) => setImmediate(resolve))
      }
      response.end()
    })
    whenDone(upstream.close)
    const engine = await startMockEngine((response) => answerJson(response, { results: [EIGER] }))
    const vendors = { acme: { wire, base_url: upstream.url } }
    const server = await startGateway({ vendors, search: { engine: 'exa', base_url: engine.url } })
    return { ...server, upstream, engine }
  }

  it('is one stream in both dialects, with citations, the client’s call and the total usage', async () => {
    const { url, upstream, engine } = await openSearching()
    const described = await (await post(url, ASKS)).text()
    expect(checkStream(described, beta)).toEqual([])
    const stream = await (await post(url, ASKS, { path: '/openai/v1/responses' })).text()
    expect(checkStream(stream, openai)).toEqual([])

    const { response } = eventsOf(stream).find((event) => event.type === 'response.completed')
    // Gemini's signature of a call becomes a separate reasoning item.
    const [first, ...others] = response.output.map((item: Loose) => item.type)
    expect(first).toBe('reasoning')
    expect(others.filter((name: string) => name !== 'reasoning')).toEqual([
      'message',
      'web_search_call',
      'message',
      'function_call',
    ])
    const [part] = response.output.at(-2).content
    expect(part.text).toBe(TEXT)
    expect(part.annotations.map((it: Loose) => [it.url, part.text.slice(it.start_index, it.end_index)])).toEqual([
      [EIGER.url, '[1]'],
    ])
    expect(JSON.parse(response.output.at(-1).arguments)).toEqual({ city: 'Bern' })
    expect(response.usage).toMatchObject({ input_tokens: 6, output_tokens: 10, total_tokens: 16 })
    expect(engine.asked).toHaveLength(2)
    expect(upstream.received).toHaveLength(4)
  })

  it('returns the first turn to the upstream with its signatures', async () => {
    const { url, upstream } = await openSearching()
    await (await post(url, ASKS)).text()
    const text = JSON.stringify(upstream.received[1]?.body)
    for (const piece of history) expect(text).toContain(piece)
  })

  it('has the same content as one body', async () => {
    const { url } = await openSearching()
    const body = await json(await post(url, { ...ASKS, stream: false }, { path: '/openai/v1/responses' }))
    expect(body.output.map((item: Loose) => item.type)).toContain('web_search_call')
    expect(body.usage.total_tokens).toBe(16)
  })
})
