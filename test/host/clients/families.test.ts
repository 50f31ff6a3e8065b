import type { ServerResponse } from 'node:http'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import type { KnownWire } from '../../../src/wires/contract.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { bodyOf, inPieces, streamOf, withBody } from '../../mock-upstreams/server.ts'
import {
  json,
  KEY,
  type Loose,
  lineOf,
  readSlowly,
  sha256,
  startGateway,
  startTestServer,
  UPSTREAM_KEY,
} from '../test-server.ts'

/** Clients of every client API against the running server, with an upstream of another wire. */

const {
  'openai-chat': chat,
  'anthropic-messages': messages,
  'gemini-generate': gemini,
} = WIRES satisfies Record<string, KnownWire> as Record<string, KnownWire>
const has = (wire: KnownWire | undefined): boolean => wire?.client !== undefined

const send = (url: string, path: string, body: unknown, headers: Record<string, string>): Promise<Response> =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

const ASK = [{ role: 'user' as const, content: 'Hello' }]
const bearer = { authorization: `Bearer ${KEY}` }

describe('GET models', () => {
  it('lists the available models to a client with a valid key', async () => {
    const { url } = await startTestServer(withBody(bodyOf('Hi')))
    const list = await json(await fetch(`${url}/api/v1/models`, { headers: bearer }))
    expect(list.object).toBe('list')
    const ids = list.data.map(({ id }: { id: string }) => id)
    expect(ids).toContain('acme/*')
    expect(ids).toContain('replay/hello')
    for (const headers of [{ 'x-api-key': KEY }, { 'x-goog-api-key': KEY }] as Record<string, string>[]) {
      expect((await fetch(`${url}/openai/v1/models`, { headers })).status).toBe(200)
    }
    expect((await fetch(`${url}/api/v1/models`)).status).toBe(401)
    expect((await fetch(`${url}/api/v1/models`, { headers: { 'x-api-key': 'nonsense' } })).status).toBe(401)
    expect((await fetch(`${url}/api/v1/models`, { method: 'POST', headers: bearer })).status).toBe(405)
  })
})

describe.runIf(has(chat))('clients of chat completions', () => {
  const open = (url: string) => new OpenAI({ apiKey: KEY, baseURL: `${url}/api/v1`, maxRetries: 0 })

  it("receive a stream through the SDK's stream helper", async () => {
    const { url } = await startGateway({})
    const stream = open(url).chat.completions.stream({
      model: 'replay/anthropic-messages/parallel-tools',
      messages: ASK,
      stream_options: { include_usage: true },
      tools: [
        { type: 'function', function: { name: 'get_tide', parameters: { type: 'object' } } },
        { type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } },
      ],
    })
    const done = await stream.finalChatCompletion()
    expect(done.choices[0]?.finish_reason).toBe('tool_calls')
    expect(done.choices[0]?.message.tool_calls?.length).toBeGreaterThan(1)
    expect(done.usage?.total_tokens).toBeGreaterThan(0)
  })

  it('receive a body, and errors in their own format', async () => {
    const { url, lines, upstream } = await startTestServer(withBody(bodyOf('Hi there')))
    const client = open(url)
    const done = await client.chat.completions.create({ model: 'acme/mock-1', messages: ASK, stop: ['x'], seed: 3 })
    expect(done.choices[0]?.message.content).toBe('Hi there')
    expect(upstream.received[0]?.headers.authorization).toBe(`Bearer ${UPSTREAM_KEY}`)
    expect(upstream.received[0]?.body).toMatchObject({ stop: ['x'], seed: 3 })
    expect(await lineOf(lines)).toMatchObject({ dialect: 'openai-chat', path: '/api/v1/chat/completions', status: 200 })
    await expect(client.chat.completions.create({ model: 'groq/x', messages: ASK })).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    })
    const wrong = new OpenAI({ apiKey: 'nonsense', baseURL: `${url}/api/v1`, maxRetries: 0 })
    await expect(wrong.chat.completions.create({ model: 'acme/x', messages: ASK })).rejects.toMatchObject({
      status: 401,
    })
  })
})

describe.runIf(has(messages))('clients of messages', () => {
  const open = (url: string) => new Anthropic({ apiKey: KEY, baseURL: `${url}/api`, maxRetries: 0 })
  const asked = { model: 'acme/mock-1', max_tokens: 100, messages: ASK }

  it('receive a stream of a chat upstream, split at any byte', async () => {
    for (const size of [1, 50, 5000]) {
      const { url } = await startTestServer(inPieces(streamOf('Hel', 'lo ', '😀'), size))
      const message = await open(url).messages.stream(asked).finalMessage()
      expect(message.content).toMatchObject([{ type: 'text', text: 'Hello 😀' }])
      expect(message.stop_reason).toBe('end_turn')
      expect(message.usage).toMatchObject({ input_tokens: 3, output_tokens: 5 })
    }
  })

  it('receive calls from a recording of another wire', async () => {
    const { url } = await startGateway({})
    const message = await open(url)
      .messages.stream({ ...asked, model: 'replay/gemini-generate/weather-tool' })
      .finalMessage()
    expect(message.stop_reason).toBe('tool_use')
    expect(message.content.map(({ type }) => type)).toContain('tool_use')
  })

  it('receive errors in the format of Anthropic with a request-id', async () => {
    const { url } = await startTestServer(withBody('{"error":{"message":"slow down"}}', 429), {
      retry: { attempts: 1 },
    })
    await expect(open(url).messages.create(asked)).rejects.toMatchObject({
      status: 429,
      error: { type: 'error', error: { type: 'rate_limit_error' } },
    })
    const bare = await send(url, '/api/v1/messages', asked, {})
    expect(bare.status).toBe(401)
    expect(await json(bare)).toMatchObject({ type: 'error', error: { type: 'authentication_error' } })
    expect(bare.headers.get('request-id')).toBe(bare.headers.get('x-request-id'))
    const bad = await send(url, '/api/v1/messages', '{"model":', { 'x-api-key': KEY })
    expect(bad.status).toBe(400)
    expect(await json(bad)).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } })
    expect(bad.headers.get('request-id')).toBe(bad.headers.get('x-request-id'))
    const get = await fetch(`${url}/api/v1/messages`)
    expect(get.status).toBe(405)
    expect((await json(get)).type).toBe('error')
  })

  it('receive pings while the upstream is silent', async () => {
    const silent = (response: ServerResponse): void => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.flushHeaders()
    }
    const { url, upstream } = await startTestServer(silent, { keep_alive_seconds: 0.1 })
    const asking = send(url, '/api/v1/messages', { ...asked, stream: true }, { 'x-api-key': KEY })
    const { response } = await upstream.next()
    const answer = readSlowly(await asking)
    await answer.until((text) => text.includes('event: ping\n'))
    response.end(streamOf('Hi'))
    expect(await answer.rest()).toContain('event: message_stop\n')
  })

  it('receive losses in the header and see nothing of a retry', async () => {
    let tries = 0
    const { url, upstream } = await startTestServer(
      (response, request) => {
        tries += 1
        const behave = tries === 1 ? withBody('{"error":{"message":"busy"}}', 503) : inPieces(streamOf('Hi'), 1000)
        return behave(response, request)
      },
      { retry: { first_delay_ms: 1 } },
    )
    const response = await send(url, '/api/v1/messages', { ...asked, stream: true, top_k: 5 }, { 'x-api-key': KEY })
    expect(response.headers.get('x-responses-losses')).toContain('top_k')
    expect(await response.text()).toContain('event: message_stop\n')
    expect(upstream.received).toHaveLength(2)
  })
})

describe.runIf(has(gemini))('clients of generateContent', () => {
  const open = (url: string) =>
    new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: `${url}/api`, apiVersion: 'v1' } })

  it('receive a stream through the official SDK', async () => {
    const { url } = await startTestServer(inPieces(streamOf('Hel', 'lo'), 10))
    const stream = await open(url).models.generateContentStream({ model: 'acme/mock-1', contents: 'Hello' })
    const texts: string[] = []
    for await (const chunk of stream) texts.push(chunk.text ?? '')
    expect(texts.join('')).toBe('Hello')
  })

  it('receive a body with its usage', async () => {
    const { url, lines } = await startTestServer(withBody(bodyOf('Hi there')))
    const answer = await open(url).models.generateContent({ model: 'acme/mock-1', contents: 'Hello' })
    expect(answer.text).toBe('Hi there')
    expect(answer.usageMetadata?.totalTokenCount).toBe(8)
    expect((await lineOf(lines)).path).toBe('/api/v1/models/*:generateContent')
  })

  it('receive a JSON array unless they request SSE, and may send their key in the URL', async () => {
    const { url } = await startTestServer(inPieces(streamOf('Hel', 'lo'), 10))
    const path = `/api/v1/models/acme%2Fmock-1:streamGenerateContent?key=${KEY}`
    const response = await send(url, path, { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }, {})
    expect(response.headers.get('content-type')).toContain('application/json')
    const chunks = await json(response)
    const texts = chunks.map((chunk: { candidates: { content?: { parts?: { text?: string }[] } }[] }) =>
      (chunk.candidates[0]?.content?.parts ?? []).map(({ text }) => text ?? '').join(''),
    )
    expect(texts.join('')).toBe('Hello')
  })

  it('receive errors in the format of Google', async () => {
    const { url } = await startTestServer(withBody(bodyOf('Hi')))
    const response = await send(
      url,
      '/api/v1/models/groq/x:generateContent',
      { contents: 'Hello' },
      { 'x-goog-api-key': KEY },
    )
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect((await json(response)).error.status).toBeTypeOf('string')
    expect((await send(url, '/api/v1/models/acme/x:generateContent', {}, {})).status).toBe(401)
  })
})

/** The error format of each client API; `ours` holds the internal code, type and status. */
const REFUSED: readonly (readonly [path: string, keyHeader: string, formatOf: (ours: Loose) => object])[] = [
  ['/responses', 'authorization', (it) => ({ error: { code: it.code, type: it.type, request_id: it.id } })],
  ['/responses/compact', 'authorization', (it) => ({ error: { code: it.code, type: it.type, request_id: it.id } })],
  [
    '/responses/input_tokens',
    'authorization',
    (it) => ({ error: { code: it.code, type: it.type, request_id: it.id } }),
  ],
  ['/chat/completions', 'authorization', (it) => ({ error: { code: it.code, type: it.type, param: null } })],
  ['/messages', 'x-api-key', (it) => ({ type: 'error', error: { type: it.type }, request_id: it.id })],
  ['/messages/count_tokens', 'x-api-key', (it) => ({ type: 'error', error: { type: it.type }, request_id: it.id })],
  ['/models/a/b:generateContent', 'x-goog-api-key', (it) => ({ error: { code: it.status, status: it.google } })],
  ['/models/a/b:streamGenerateContent', 'x-goog-api-key', (it) => ({ error: { code: it.status, status: it.google } })],
  ['/models/a/b:countTokens', 'x-goog-api-key', (it) => ({ error: { code: it.status, status: it.google } })],
  ['/api/chat', 'authorization', () => ({ error: expect.any(String) })],
]

describe.each(REFUSED)('a client without permission at %s', (path, keyHeader, formatOf) => {
  const MANAGEMENT = 'a-key-that-cannot-spend'
  const SLOW = 'a-key-of-one-request'
  const keys = [
    { name: 'manager', sha256: sha256(MANAGEMENT), kind: 'management' },
    { name: 'slow', sha256: sha256(SLOW), rate_limit: { requests: 1, seconds: 600, burst: 1 } },
  ]
  const sent = (key: string) => ({ [keyHeader]: keyHeader === 'authorization' ? `Bearer ${key}` : key })

  it.each([
    [401, 'missing_authentication', 'authentication_error', 'UNAUTHENTICATED', {}],
    [401, 'invalid_api_key', 'authentication_error', 'UNAUTHENTICATED', sent('nonsense')],
    [403, 'wrong_key_kind', 'permission_error', 'PERMISSION_DENIED', sent(MANAGEMENT)],
  ] as const)('receives %i %s in the format of its client API', async (status, code, type, google, headers) => {
    const { url } = await startGateway({ keys })
    const answer = await send(url, `/api/v1${path}`, {}, { ...headers, 'x-request-id': 'req_of_mine' })
    expect(answer.status).toBe(status)
    const id = answer.headers.get('x-request-id')
    expect(id).toBe('req_of_mine')
    expect(answer.headers.get('request-id')).toBe(path.startsWith('/messages') ? id : null)
    expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null)
    const body = await json(answer)
    expect(body).toMatchObject(formatOf({ status, code, type, google, id }))
    const message = typeof body.error === 'string' ? body.error : body.error.message
    expect(message).toMatch(/\w.*\.$/)
    if (code === 'missing_authentication') expect(message.toLowerCase()).toContain(keyHeader)
  })

  it('receives 429 with Retry-After if it exceeds its rate limit', async () => {
    const { url } = await startGateway({ keys })
    await (await send(url, `/api/v1${path}`, {}, sent(SLOW))).text()
    const answer = await send(url, `/api/v1${path}`, {}, sent(SLOW))
    expect(answer.status).toBe(429)
    const id = answer.headers.get('x-request-id')
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(await json(answer)).toMatchObject(
      formatOf({
        status: 429,
        code: 'rate_limit_exceeded',
        type: 'rate_limit_error',
        google: 'RESOURCE_EXHAUSTED',
        id,
      }),
    )
  })
})
