import { describe, expect, it } from 'vitest'
import { pickClientHeaders } from '../../../src/engine/call/call-headers.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import {
  bodyOf,
  doneFrame,
  type MockUpstream,
  roleChunk,
  startMockUpstream,
  stopChunk,
  textChunk,
} from '../../mock-upstreams/server.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { hasServer } from '../doors.ts'
import { openSocket } from '../server/websocket/socket-client.ts'
import { post, startGateway, UPSTREAM_KEY, whenDone } from '../test-server.ts'

async function startUpstream(wire: keyof typeof WIRE_UPSTREAMS): Promise<MockUpstream> {
  const { contentType, encodeTurn } = WIRE_UPSTREAMS[wire]
  const upstream = await startMockUpstream((response) => {
    response.writeHead(200, { 'content-type': contentType })
    response.end(encodeTurn({ text: ['Moin.'], calls: [] }))
  })
  whenDone(upstream.close)
  return upstream
}

const MESSAGES = { max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }], stream: true }

/** Headers of one client. `cookie` and the others that have no place in the table must stay at the gateway. */
const SENT = {
  'anthropic-version': '2026-10-21',
  'anthropic-beta': 'context-management-2025-06-27, code-execution-2025-08-25',
  'openai-beta': 'responses=v1',
  'openai-organization': 'org-other',
  'openai-project': 'proj-other',
  cookie: 'session=1',
  'x-forwarded-for': '10.0.0.1',
}

async function receivedBy(
  wire: keyof typeof WIRE_UPSTREAMS & WireName,
  path: string,
  body: object,
  entry: object = {},
): Promise<Readonly<Record<string, unknown>>> {
  const upstream = await startUpstream(wire)
  const acme = { wire, base_url: upstream.url, ...entry }
  const { url } = await startGateway({ vendors: { acme } })
  const answer = await post(url, { ...body, model: 'acme/m' }, { path, headers: SENT })
  expect(answer.status).toBe(200)
  await answer.text()
  const { headers = {} } = upstream.received[0] ?? expect.unreachable()
  for (const name of ['cookie', 'x-forwarded-for', 'openai-organization', 'openai-project'])
    expect(headers[name]).toBeUndefined()
  return headers
}

describe('headers of a client', () => {
  const tool = { type: 'code_execution_20250825', name: 'code_execution' }

  it('reach an upstream of the same wire: the version in place of its own, the betas joined', async () => {
    const headers = await receivedBy('anthropic-messages', '/api/v1/messages', { ...MESSAGES, tools: [tool] })
    expect(headers['anthropic-version']).toBe('2026-10-21')
    expect(headers['anthropic-beta']).toBe('code-execution-2025-08-25,context-management-2025-06-27')
    expect(headers['openai-beta']).toBeUndefined()
  })

  it('are replaced by configured ones in any case of letters, each sent once', async () => {
    const configured = {
      'Anthropic-Beta': 'mine',
      'User-Agent': 'ours',
      'X-Api-Key': 'other',
      'Anthropic-Version': '1',
    }
    const entry = { headers: configured, key: { env: 'ACME_KEY' } }
    const headers = await receivedBy('anthropic-messages', '/api/v1/messages', MESSAGES, entry)
    expect(headers).toMatchObject({
      'anthropic-beta': 'mine',
      'user-agent': 'ours',
      'x-api-key': 'other',
      'anthropic-version': '1',
    })
  })

  it('reach an OpenAI upstream from an OpenAI client', async () => {
    const responses = await receivedBy('openai-responses', '/openai/v1/responses', { input: 'Hi', stream: true })
    expect(responses['openai-beta']).toBe('responses=v1')
    const { messages } = MESSAGES
    const chat = await receivedBy('openai-chat', '/openai/v1/chat/completions', { messages, stream: true })
    expect(chat['openai-beta']).toBe('responses=v1')
    expect(chat['anthropic-beta']).toBeUndefined()
  })

  it('request a transport of the gateway alone', () => {
    const beta = (value: string) => pickClientHeaders(WIRES['openai-responses'], {}, { 'openai-beta': value })
    expect(beta('responses_websockets=2026-02-06')).toEqual({})
    expect(beta('responses_websockets=2026-02-06, responses=v1')).toEqual({ 'openai-beta': 'responses=v1' })
  })

  it('do not reach an upstream of another wire', async () => {
    const headers = await receivedBy('anthropic-messages', '/openai/v1/responses', { input: 'Hi', stream: true })
    expect(headers['anthropic-version']).toBe('2023-06-01')
    expect(headers['anthropic-beta']).toBeUndefined()
  })

  it('name the trace to an upstream of any wire where the vendor is configured so, and in no other form', async () => {
    const trace = { traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`, tracestate: 'acme=1' }
    const received = async (wire: 'openai-chat' | 'anthropic-messages', entry: object, sent: object = trace) => {
      const upstream = await startUpstream(wire)
      const { url } = await startGateway({ vendors: { acme: { wire, base_url: upstream.url, ...entry } } })
      const { messages } = MESSAGES
      const options = { path: '/openai/v1/chat/completions', headers: { ...sent } }
      await (await post(url, { model: 'acme/m', messages, stream: true }, options)).text()
      const { traceparent, tracestate } = upstream.received[0]?.headers ?? {}
      return {
        ...(traceparent === undefined ? {} : { traceparent }),
        ...(tracestate === undefined ? {} : { tracestate }),
      }
    }
    for (const wire of ['openai-chat', 'anthropic-messages'] as const) {
      expect(await received(wire, { traceparent: true })).toEqual(trace)
      expect(await received(wire, { traceparent: true, passthrough: false })).toEqual(trace)
      expect(await received(wire, {})).toEqual({})
      expect(await received(wire, { traceparent: true, headers: { tracestate: 'own=1' } })).toEqual({
        ...trace,
        tracestate: 'own=1',
      })
      expect(await received(wire, { traceparent: true }, { ...trace, traceparent: 'Bearer secret' })).toEqual({})
    }
  })

  it('are narrowed by a quirk of the vendor, and replaced by the configuration', async () => {
    const narrowed = await receivedBy('anthropic-messages', '/api/v1/messages', MESSAGES, {
      quirks: { clientHeaders: ['anthropic-version'] },
    })
    expect(narrowed['anthropic-version']).toBe('2026-10-21')
    expect(narrowed['anthropic-beta']).toBeUndefined()
    const replaced = await receivedBy('anthropic-messages', '/api/v1/messages', MESSAGES, {
      headers: { 'anthropic-version': '2024-01-01' },
    })
    expect(replaced['anthropic-version']).toBe('2024-01-01')
  })
})

describe('headers of an upstream', () => {
  const LIMITS = {
    'request-id': 'req_1',
    'x-ratelimit-remaining-tokens': '149984',
    'anthropic-ratelimit-requests-reset': '2026-11-23T02:00:00Z',
    'ratelimit-policy': '"burst";q=100;w=60',
    // Not in the table, an address, and a secret of the account.
    'set-cookie': 'session=1',
    server: 'upstream.internal',
    'x-served-by': '10.0.0.1',
    'x-ratelimit-help': 'https://upstream.internal/limits',
    'x-ratelimit-account': UPSTREAM_KEY,
  }

  const upstreamHeaders = ({ headers }: Response): object =>
    Object.fromEntries([...headers].filter(([name]) => name.startsWith('x-upstream-')))

  const EXPECTED = {
    'x-upstream-request-id': 'req_1',
    'x-upstream-x-ratelimit-remaining-tokens': '149984',
    'x-upstream-anthropic-ratelimit-requests-reset': '2026-11-23T02:00:00Z',
    'x-upstream-ratelimit-policy': '"burst";q=100;w=60',
    'x-upstream-x-ratelimit-account': '[secret]',
  }

  it.each([
    [200, bodyOf('Moin.')],
    [429, '{"error":{"message":"slow down"}}'],
  ])('reach the client with a prefix, at status %i', async (status, body) => {
    const upstream = await startMockUpstream((response) => {
      response.writeHead(status, { 'content-type': 'application/json', ...LIMITS })
      response.end(body)
    })
    whenDone(upstream.close)
    const acme = { wire: 'openai-chat', base_url: upstream.url, key: { env: 'ACME_KEY' } }
    const { url } = await startGateway({ vendors: { acme }, retry: { attempts: 1 } })
    const answer = await post(url, { model: 'acme/m', input: 'Hi' })
    expect(answer.status).toBe(status)
    expect(upstreamHeaders(answer)).toEqual(EXPECTED)
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect(answer.headers.get('x-request-id')).not.toBe('req_1')
    expect(JSON.stringify([...answer.headers])).not.toContain('upstream.internal')
  })

  it('are those of the last attempt', async () => {
    const upstream = await startMockUpstream((response) => {
      const isFirst = upstream.received.length === 1
      const id = isFirst ? { 'x-ratelimit-remaining-requests': '0' } : { 'x-request-id': 'second' }
      response.writeHead(isFirst ? 429 : 200, { 'content-type': 'application/json', ...id })
      response.end(isFirst ? '{}' : bodyOf('Moin.'))
    })
    whenDone(upstream.close)
    const vendors = { acme: { wire: 'openai-chat', base_url: upstream.url } }
    const { url } = await startGateway({ vendors, retry: { first_delay_ms: 0 } })
    const answer = await post(url, { model: 'acme/m', input: 'Hi' })
    expect(upstreamHeaders(answer)).toEqual({ 'x-upstream-x-request-id': 'second' })
  })

  const PLAN = {
    'x-codex-plan-type': 'plus',
    'x-codex-primary-used-percent': '100',
    'x-codex-primary-reset-after-seconds': '540',
    'x-codex-secondary-used-percent': '31.5',
  }
  const LIMIT = {
    type: 'usage_limit_reached',
    message: 'The usage limit has been reached',
    plan_type: 'plus',
    resets_in_seconds: 540,
  }

  const startLimited = async (status: number, body: string, wire = 'openai-responses') => {
    const upstream = await startMockUpstream((response) => {
      const type = body.startsWith('data:') ? 'text/event-stream' : 'application/json'
      response.writeHead(status, { 'content-type': type, ...PLAN, 'x-codex-account': UPSTREAM_KEY }).end(body)
    })
    whenDone(upstream.close)
    const acme = { wire, base_url: upstream.url, key: { env: 'ACME_KEY' } }
    return startGateway({ vendors: { acme }, retry: { first_delay_ms: 0 } })
  }

  const CODEX = { ...PLAN, 'x-codex-account': '[secret]' }

  it.each(['/openai/v1/responses', '/openai/v1/chat/completions', '/api/v1/messages'])(
    'are those of a plan of ChatGPT under their own names, with its pause and its type, at %s',
    async (path) => {
      const { url } = await startLimited(429, JSON.stringify({ error: LIMIT }))
      for (const stream of [true, false]) {
        const body = {
          model: 'acme/m',
          max_tokens: 9,
          stream,
          input: 'Hi',
          messages: [{ role: 'user', content: 'Hi' }],
        }
        const answer = await post(url, body, { path })
        expect([answer.status, Object.fromEntries(answer.headers)]).toMatchObject([429, CODEX])
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(400)
        // Clients of Messages have a closed list of types, without this one.
        expect(await answer.text()).toContain(path.endsWith('/messages') ? 'rate_limit_error' : 'usage_limit_reached')
      }
    },
  )

  it('are those of a plan of ChatGPT beside an answer, translated or streamed', async () => {
    const stream = `${roleChunk}${textChunk('Moin.')}${stopChunk}${doneFrame}`
    for (const [body, isStreamed] of [[bodyOf('Moin.'), false] as const, [stream, true] as const]) {
      const { url } = await startLimited(200, body, 'openai-chat')
      const answer = await post(url, { model: 'acme/m', input: 'Hi', stream: isStreamed })
      expect([answer.status, Object.fromEntries(answer.headers)]).toMatchObject([200, CODEX])
      expect(await answer.text()).toContain('Moin.')
    }
  })

  it.runIf(hasServer())('are in the error of a WebSocket', async () => {
    const { url } = await startLimited(429, JSON.stringify({ error: LIMIT }))
    const { ask } = await openSocket(url)
    const last = (await ask({ type: 'response.create', model: 'acme/m', input: [{ role: 'user', content: 'Hi' }] })).at(
      -1,
    )
    expect(last).toMatchObject({ type: 'error', status: 429, headers: CODEX, error: { type: 'usage_limit_reached' } })
  })
})
