import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { findVendor } from '../../../src/vendors/registry.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import type { Quirks } from '../../../src/wires/quirks.ts'
import { type Behaviour, type ReceivedRequest, startMockUpstream } from '../../mock-upstreams/server.ts'
import type { WireUpstream } from '../../mock-upstreams/wire-upstream.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { ASSISTANT_ANSWERS } from '../conversation.ts'
import { hasServer } from '../doors.ts'
import { json, KEY, type Loose, lineOf, post, startGateway, waitUntil, whenDone } from '../test-server.ts'

/** Counts of tokens for the clients of three client APIs, at upstreams of every wire. */

const SECRET_TEXT = 'Where did Ada hide the marmalade?'
const SCHEMA = { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] }
const PIXEL = Buffer.from(`\x89PNG\r\n\x1a\n${'pixels'.repeat(100)}`, 'latin1').toString('base64')

/** What Claude Code counts: a system prompt, tools, a loop of tools with reasoning, an image, a document, settings. */
const MESSAGES = (model: string): Anthropic.MessageCountTokensParams & Loose => ({
  model,
  system: [{ type: 'text', text: 'You edit code.', cache_control: { type: 'ephemeral' } }],
  tools: [{ name: 'get_weather', description: 'The weather in a city.', input_schema: SCHEMA }],
  thinking: { type: 'enabled', budget_tokens: 2000 },
  messages: [
    { role: 'user', content: SECRET_TEXT },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'I look it up.', signature: 'c2lnbmVk' },
        { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Oslo' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: '-3 °C' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Snow is frozen water.' } },
        { type: 'text', text: 'And now?' },
      ],
    },
  ],
})

const RESPONSES = (model: string) => ({
  model,
  instructions: 'You edit code.',
  tools: [{ type: 'function' as const, name: 'get_weather', parameters: SCHEMA, strict: false }],
  input: [
    { role: 'user' as const, content: SECRET_TEXT },
    { type: 'function_call' as const, call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Oslo"}' },
    { type: 'function_call_output' as const, call_id: 'call_1', output: '-3 °C' },
  ],
})

const CONTENTS = {
  systemInstruction: { parts: [{ text: 'You edit code.' }] },
  tools: [{ functionDeclarations: [{ name: 'get_weather', parametersJsonSchema: SCHEMA }] }],
  contents: [
    { role: 'user', parts: [{ text: SECRET_TEXT }, { inlineData: { mimeType: 'image/png', data: PIXEL } }] },
    { role: 'model', parts: [{ text: 'I do not see any.' }] },
    { role: 'user', parts: [{ text: 'And now?' }] },
  ],
}

/** How a client of each client API counts the same request, and reads the answer. */
const FAMILIES: Readonly<Record<string, (url: string, model: string) => Promise<number>>> = {
  'Anthropic Messages': async (url, model) => {
    const client = new Anthropic({ apiKey: KEY, baseURL: `${url}/api`, maxRetries: 0 })
    return (await client.messages.countTokens(MESSAGES(model))).input_tokens
  },
  Responses: async (url, model) => {
    const client = new OpenAI({ apiKey: KEY, baseURL: `${url}/openai/v1`, maxRetries: 0 })
    const counted = await client.responses.inputTokens.count(RESPONSES(model))
    expect(counted.object).toBe('response.input_tokens')
    return counted.input_tokens
  },
  Gemini: async (url, model) =>
    (await json(await post(url, { generateContentRequest: CONTENTS }, { path: `/api/v1/models/${model}:countTokens` })))
      .totalTokens,
}

/** The path at which each wire counts below the base URL, and the members of the body there. */
const COUNTED: Readonly<Partial<Record<WireName, readonly [path: string, members: readonly string[]]>>> = {
  'openai-responses': ['/responses/input_tokens', ['model', 'input', 'instructions', 'tools']],
  'anthropic-messages': ['/messages/count_tokens', ['model', 'messages', 'system', 'tools']],
  'gemini-generate': ['/models/gemini-3-pro:countTokens', ['contents', 'systemInstruction', 'tools', 'model']],
  'bedrock-converse': [
    '/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/count-tokens',
    ['messages', 'system', 'toolConfig'],
  ],
}

const isCount = ({ url }: ReceivedRequest): boolean => /count|input_tokens/i.test(url)
const counting = (tokens: number): string =>
  JSON.stringify({ input_tokens: tokens, inputTokens: tokens, totalTokens: tokens, object: 'response.input_tokens' })

const answer =
  (body: string, status = 200): Behaviour =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(body)
  }

/** A gateway with an upstream of this wire, which counts as given and answers any other request. */
async function open(wireUpstream: WireUpstream, count: Behaviour, quirks: Quirks = {}, config: object = {}) {
  const upstream = await startMockUpstream((response, request) => {
    if (isCount(request)) return count(response, request)
    response.writeHead(200, { 'content-type': wireUpstream.contentType })
    response.end(wireUpstream.encodeTurn(ASSISTANT_ANSWERS))
  })
  whenDone(upstream.close)
  const { wire, model, quirks: own } = wireUpstream
  const vendors = { acme: { wire, base_url: upstream.url, key: { env: 'ACME_KEY' }, quirks: { ...own, ...quirks } } }
  const { url, lines } = await startGateway({ vendors, ...config })
  const counts = (): readonly ReceivedRequest[] => upstream.received.filter(isCount)
  const requests = () => lines.filter(({ event }) => event === 'request')
  return { url, lines, requests, model: `acme/${model}`, upstream, counts }
}

const askFor = (url: string, model: string): Promise<Response> =>
  post(url, MESSAGES(model), { path: '/api/v1/messages/count_tokens' })
const estimateOf = ({ headers }: Response): string | null => headers.get('x-responses-estimate')

const bodyIn = ({ body }: ReceivedRequest): object =>
  (body.generateContentRequest as object) ?? (body.input as Loose)?.converse ?? body

describe.each(Object.values(WIRE_UPSTREAMS))('an upstream of $wire', (wireUpstream) => {
  const { wire } = wireUpstream
  const counted = COUNTED[wire]

  it.each(Object.entries(FAMILIES))('counts the tokens of a request of %s, or they are estimated', async (_, count) => {
    const quirks: Quirks = wire === 'openai-responses' ? { countsTokens: true } : {}
    const { url, model, lines, upstream } = await open(wireUpstream, answer(counting(4321)), quirks)
    const tokens = await count(url, model)
    const line = await lineOf(lines)
    expect(JSON.stringify(lines)).not.toContain('marmalade')
    if (counted === undefined) {
      expect(upstream.received).toHaveLength(0)
      expect(line).toMatchObject({ status: 200, counted: 'default', vendor: 'acme' })
      // A body of the Interactions API has fewer names around the same words.
      expect(tokens).toBeGreaterThan(wire === 'gemini-interactions' ? 40 : 50)
      return
    }
    expect(tokens).toBe(4321)
    expect(line).toMatchObject({ status: 200, counted: 'upstream', vendor: 'acme' })
    expect(line.usage).toBeUndefined()
    const [path, members] = counted
    const [received, ...others] = upstream.received
    expect(others).toEqual([])
    expect(received?.url).toBe(`/v1${path}`)
    expect(received?.headers[wireUpstream.keyHeader]).toBeDefined()
    expect(received?.headers.accept).toBe('application/json')
    const body = bodyIn(received as ReceivedRequest)
    for (const member of members) expect(body).toHaveProperty(member)
    for (const member of ['max_tokens', 'stream', 'store', 'include', 'inferenceConfig', 'metadata', 'temperature'])
      expect(body).not.toHaveProperty(member)
    expect(JSON.stringify(body)).toContain('marmalade')
  })
})

describe('a body in the protocol of its upstream', () => {
  it('of Anthropic goes there as it is, without members that have no tokens', async () => {
    const { url, model, counts } = await open(WIRE_UPSTREAMS['anthropic-messages'], answer(counting(7)))
    const sent = { ...MESSAGES(model), max_tokens: 5, metadata: { user_id: 'ada' }, temperature: 1 }
    const headers = { 'anthropic-beta': 'token-counting-2024-11-01' }
    const counted = await post(url, sent, { path: '/api/v1/messages/count_tokens', headers })
    expect([counted.status, await json(counted), estimateOf(counted)]).toEqual([200, { input_tokens: 7 }, null])
    expect(counted.headers.get('x-responses-losses')).toBeNull()
    expect(counts()[0]?.body).toEqual({ ...MESSAGES(model), model: 'claude-sonnet-4-5' })
    expect(counts()[0]?.headers['anthropic-beta']).toContain('token-counting-2024-11-01')
  })

  it('of OpenAI goes there as it is', async () => {
    const { url, model, counts } = await open(
      WIRE_UPSTREAMS['openai-responses'],
      answer(counting(7)),
      findVendor('openai')?.quirks,
    )
    const sent = { ...RESPONSES(model), reasoning: { effort: 'low' }, max_output_tokens: 50 }
    expect((await post(url, sent, { path: '/openai/v1/responses/input_tokens' })).status).toBe(200)
    const { max_output_tokens: _, ...kept } = sent
    expect(counts()[0]?.body).toEqual({ ...kept, model: model.slice('acme/'.length) })
  })

  it.each([
    ['contents alone', CONTENTS],
    ['a whole request', { generateContentRequest: { ...CONTENTS, model: 'models/acme/gemini-3-pro' } }],
  ])('of Gemini with %s goes there as a whole request', async (_, body) => {
    const { url, model, counts } = await open(WIRE_UPSTREAMS['gemini-generate'], answer(counting(7)))
    const counted = await post(url, body, { path: `/api/v1beta/models/${model}:countTokens` })
    expect(await json(counted)).toEqual({ totalTokens: 7 })
    expect(counts()[0]?.body).toEqual({ generateContentRequest: { ...CONTENTS, model: 'models/gemini-3-pro' } })
  })

  it('of Gemini goes to Vertex in its own form', async () => {
    const { url, model, counts } = await open(WIRE_UPSTREAMS['gemini-generate'], answer(counting(7)), {
      countsTokens: 'plain',
    })
    const client = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: `${url}/api`, apiVersion: 'v1' } })
    expect(await client.models.countTokens({ model, contents: SECRET_TEXT })).toMatchObject({ totalTokens: 7 })
    expect(counts()[0]?.body).toEqual({ contents: [{ role: 'user', parts: [{ text: SECRET_TEXT }] }] })
  })

  it('of Anthropic goes to Vertex with the method in place of the model', async () => {
    const { url, model, counts } = await open(WIRE_UPSTREAMS['anthropic-messages'], answer(counting(7)), {
      rawPredict: true,
    })
    expect((await askFor(url, model)).status).toBe(200)
    const { url: path, body } = counts()[0] as ReceivedRequest
    expect(path).toBe('/v1/count-tokens:rawPredict')
    expect(body).toMatchObject({ model: 'claude-sonnet-4-5', anthropic_version: 'vertex-2023-10-16' })
  })
})

describe('an upstream that does not count', () => {
  const anthropic = WIRE_UPSTREAMS['anthropic-messages']

  it.each([404, 405, 501])('with status %i is requested once, and estimates follow', async (status) => {
    const { url, model, counts } = await open(anthropic, answer('{"error":{"message":"no such path"}}', status))
    const [first, second] = [await askFor(url, model), await askFor(url, model)]
    expect([first.status, second.status]).toEqual([200, 200])
    expect(estimateOf(first)).toBe(`default; answers=0; reason=${status}`)
    expect(estimateOf(second)).toBe('default; answers=0; reason=unsupported')
    expect(counts()).toHaveLength(1)
  })

  it.each([
    ['403', answer('{}', 403)],
    ['429', answer('{}', 429)],
    ['529', answer('{}', 529)],
    ['invalid', answer('{"tokens":1}')],
    ['invalid', answer('<html>')],
    ['invalid', answer('x'.repeat(100_000))],
    ['unreachable', (response) => void response.destroy()],
  ] satisfies readonly (readonly [string, Behaviour])[])(
    'for the reason %s is requested again for the next count',
    async (reason, count) => {
      const { url, model, counts } = await open(anthropic, count)
      for (const times of [1, 2]) {
        const counted = await askFor(url, model)
        expect([counted.status, estimateOf(counted)]).toEqual([200, `default; answers=0; reason=${reason}`])
        expect(counts()).toHaveLength(times)
      }
    },
  )

  it('in time is not waited for again', async () => {
    const config = { timeouts: { count_seconds: 0.05 } }
    const { url, model, counts } = await open(anthropic, () => undefined, {}, config)
    expect(estimateOf(await askFor(url, model))).toBe('default; answers=0; reason=timeout')
    await counts()[0]?.closed
    expect(estimateOf(await askFor(url, model))).toBe('default; answers=0; reason=unsupported')
  })

  it('of Bedrock for this model leads to an estimate', async () => {
    const message = '{"message":"The provided model doesn\'t support counting tokens."}'
    const { url, model } = await open(WIRE_UPSTREAMS['bedrock-converse'], answer(message, 400))
    const counted = await askFor(url, model)
    expect([counted.status, estimateOf(counted)]).toEqual([200, 'default; answers=0; reason=unsupported'])
  })

  it.each([
    [400, 400],
    [413, 413],
    [401, 502],
  ])('with status %i because it refuses the request is an error with status %i', async (status, shown) => {
    const { url, model, lines } = await open(
      anthropic,
      answer('{"type":"error","error":{"type":"x","message":"a fault of messages.0"}}', status),
    )
    const refused = await askFor(url, model)
    expect([refused.status, estimateOf(refused)]).toEqual([shown, null])
    expect(await json(refused)).toMatchObject({ type: 'error', error: { message: expect.stringContaining('fault') } })
    expect((await lineOf(lines)).counted).toBeUndefined()
  })
})

/** Parts of conversations, which no vendor would answer: Gemini CLI counts the response of a tool alone. */
const IMAGE = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } }
const FRAGMENTS: readonly (readonly [what: string, path: (model: string) => string, body: object])[] = [
  [
    'the response of a tool and a picture for Gemini',
    (model) => `/openai/v1beta/models/${model}:countTokens`,
    {
      contents: [
        {
          role: 'user',
          parts: [
            { functionResponse: { name: 'read_file', response: { output: SECRET_TEXT } } },
            { inlineData: { mimeType: 'image/png', data: PIXEL } },
          ],
        },
      ],
    },
  ],
  [
    'a call for Gemini',
    (model) => `/openai/v1beta/models/${model}:countTokens`,
    { contents: [{ role: 'model', parts: [{ functionCall: { name: 'read_file', args: { path: 'a' } } }] }] },
  ],
  [
    'instructions without contents for Gemini',
    (model) => `/openai/v1beta/models/${model}:countTokens`,
    { generateContentRequest: { systemInstruction: { parts: [{ text: SECRET_TEXT }] } } },
  ],
  [
    'the result of a tool with a picture for Anthropic',
    () => '/openai/v1/messages/count_tokens',
    { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_9', content: [IMAGE] }] }] },
  ],
  [
    'an answer with a call for Anthropic',
    () => '/openai/v1/messages/count_tokens',
    { messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_9', name: 'a', input: {} }] }] },
  ],
  [
    'the output of a call for OpenAI',
    () => '/openai/v1/responses/input_tokens',
    { input: [{ type: 'function_call_output', call_id: 'call_9', output: SECRET_TEXT }] },
  ],
  ['instructions without input for OpenAI', () => '/openai/v1/responses/input_tokens', { instructions: SECRET_TEXT }],
]

const FRAGMENT_QUIRKS: Quirks = { countsTokens: true }

describe.each(Object.values(WIRE_UPSTREAMS))('a fragment of a conversation at an upstream of $wire', (wireUpstream) => {
  const quirks = wireUpstream.wire === 'openai-responses' ? FRAGMENT_QUIRKS : {}

  it.each(FRAGMENTS)('is counted or estimated: %s', async (_, path, body) => {
    const { url, model } = await open(wireUpstream, answer(counting(4321)), quirks)
    const counted = await post(url, { model, ...body }, { path: path(model) })
    const { input_tokens, totalTokens } = await json(counted)
    const isCounted = COUNTED[wireUpstream.wire] !== undefined
    const tokens = isCounted ? 4321 : expect.any(Number)
    expect([counted.status, input_tokens ?? totalTokens]).toEqual([200, tokens])
    expect(estimateOf(counted) === null).toBe(isCounted)
  })

  it.each(FRAGMENTS)('is estimated if the upstream refuses it: %s', async (_, path, body) => {
    const { url, model } = await open(wireUpstream, answer('{"error":{"message":"no call"}}', 400), quirks)
    const counted = await post(url, { model, ...body }, { path: path(model) })
    expect(counted.status).toBe(200)
    expect(estimateOf(counted)).toMatch(/reason=(400|unsupported)$/)
  })
})

describe('a fragment of a conversation in the protocol of its upstream', () => {
  it('goes to Google as it is', async () => {
    const { url, model, counts } = await open(WIRE_UPSTREAMS['gemini-generate'], answer(counting(7)))
    const [, path, body] = FRAGMENTS[0] ?? expect.unreachable()
    expect(await json(await post(url, body, { path: path(model) }))).toEqual({ totalTokens: 7 })
    expect(bodyIn(counts()[0] ?? expect.unreachable())).toMatchObject(body)
  })
})

describe('a request for a count', () => {
  it('that is invalid is refused, with the path of the client', async () => {
    const { url, model, upstream } = await open(WIRE_UPSTREAMS['openai-chat'], answer(counting(7)))
    const wrong = { contents: [{ role: 'user', parts: 5 }] }
    for (const [body, start] of [
      [wrong, 'contents[0].parts'],
      [{ generateContentRequest: wrong }, 'generateContentRequest.contents[0].parts'],
    ] as const) {
      const refused = await post(url, body, { path: `/api/v1/models/${model}:countTokens` })
      expect(refused.status).toBe(400)
      expect((await json(refused)).error.message.startsWith(`${start}: `)).toBe(true)
    }
    expect(upstream.received).toHaveLength(0)
  })

  it('names its losses with the path of the client', async () => {
    const { url, model } = await open(WIRE_UPSTREAMS['openai-chat'], answer(counting(7)))
    const body = { generateContentRequest: { ...CONTENTS, labels: { team: 'a' }, safetySettings: [{ category: 'x' }] } }
    const counted = await post(url, body, { path: `/api/v1/models/${model}:countTokens` })
    expect(counted.headers.get('x-responses-losses')).toContain('generateContentRequest.safetySettings dropped')
  })
})

describe('an estimate', () => {
  it('is calibrated by the usage of answers, and its basis is in the header, the log and the metrics', async () => {
    const { url, model, requests } = await open(WIRE_UPSTREAMS['ollama-chat'], answer('{}'))
    const ask = async () => {
      const counted = await post(
        url,
        { model, input: 'Hello there, and goodbye.' },
        { path: '/api/v1/responses/input_tokens' },
      )
      return { tokens: (await json(counted)).input_tokens as number, estimate: estimateOf(counted) }
    }
    const before = await ask()
    expect(before.estimate).toBe('default; answers=0; reason=unsupported')
    for (const stream of [true, false, true, false, true]) {
      const answered = await post(url, { model, input: 'Hello there, and goodbye.', stream })
      expect(await answered.text()).toContain('Snow')
    }
    await waitUntil(() => requests().length === 6, 'six log lines')
    const after = await ask()
    expect(after.estimate).toBe('model; answers=5; reason=unsupported')
    // The upstream reports 11 tokens for this very request.
    expect(Math.abs(after.tokens - 11)).toBeLessThanOrEqual(1)
    expect(Math.abs(before.tokens - 11)).toBeGreaterThan(1)
    const other = await post(url, { model: `${model}-2`, input: 'Hi' }, { path: '/api/v1/responses/input_tokens' })
    expect(estimateOf(other)).toBe('vendor; answers=5; reason=unsupported')
    await waitUntil(() => requests().length === 8, 'eight log lines')
    expect(requests().map(({ counted = null }) => counted)).toEqual([
      'default',
      ...[null, null, null, null, null],
      'model',
      'vendor',
    ])
    if (!hasServer()) return
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toContain('millrace_token_counts_total{vendor="acme",basis="model"} 1')
  })
})
