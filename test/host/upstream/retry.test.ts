import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSigner, toWorkspaces } from '../../../src/gateway/auth/workspaces.ts'
import { retryDelay } from '../../../src/gateway/upstream/retry.ts'
import { NODE_HASHES } from '../../../src/host/node-hashes.ts'
import { clientError, upstreamError } from '../../../src/protocol/error.ts'
import { sealReasoning } from '../../../src/responses/encrypted-content.ts'
import { type Behaviour, streamOf } from '../../mock-upstreams/server.ts'
import { check } from '../../property.ts'
import { eventsOf, json, lineOf, post, startTestServer, typesOf } from '../test-server.ts'

const POLICY = { attempts: 3, first_delay_ms: 100, longest_delay_ms: 1000 }
const QUICK = { retry: { attempts: 3, first_delay_ms: 1, longest_delay_ms: 2000 } }

/** Fails in this way `times` times, and then answers. */
const failing =
  (times: number, fail: Behaviour): Behaviour =>
  (response, request) => {
    failures += 1
    if (failures <= times) return fail(response, request)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(streamOf('Hi'))
  }
let failures = 0

const status =
  (code: number, headers: Record<string, string> = {}): Behaviour =>
  (response) => {
    response.writeHead(code, headers).end('{"error":{"message":"Not now."}}')
  }
const stream =
  (text: string): Behaviour =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text)
  }
const OVERLOADED = 'data: {"error":{"message":"Overloaded.","type":"overloaded_error"}}\n\n'

const startFailing = (times: number, fail: Behaviour, config: object = QUICK) => {
  failures = 0
  return startTestServer(failing(times, fail), config)
}

describe('the delay before a retry', () => {
  const overloaded = upstreamError('server_is_overloaded', 'x', 503)

  it('doubles with each attempt, with jitter, until the attempts are used up', () => {
    check(
      fc.property(fc.integer({ min: 1, max: 2 }), fc.double({ min: 0, max: 1, noNaN: true }), (tries, jitter) => {
        const delay = retryDelay(overloaded, tries, jitter, POLICY) as number
        const whole = POLICY.first_delay_ms * 2 ** (tries - 1)
        expect(delay).toBeGreaterThanOrEqual(whole / 2)
        expect(delay).toBeLessThanOrEqual(whole)
      }),
    )
    expect(retryDelay(overloaded, 3, 0, POLICY)).toBeNull()
  })

  it('equals the Retry-After of the upstream, or is null if that is too long', () => {
    const asking = (seconds: number) => upstreamError('rate_limit_exceeded', 'x', 429, seconds)
    expect(retryDelay(asking(1), 1, 0, POLICY)).toBe(1000)
    expect(retryDelay(asking(2), 1, 0, POLICY)).toBeNull()
  })

  it('is null for permanent failures', () => {
    for (const code of ['invalid_prompt', 'model_not_found', 'upstream_authentication', 'content_filter']) {
      expect(retryDelay(upstreamError(code, 'x', 400), 1, 0, POLICY)).toBeNull()
    }
    expect(retryDelay(clientError('server_error', 'x'), 1, 0, POLICY)).toBeNull()
  })
})

describe('before the first byte of an answer', () => {
  it.each([
    ['a rate limit', status(429)],
    ['a fault', status(500)],
    ['a bad gateway', status(502)],
    ['an outage', status(503)],
    ['an overload', status(529)],
    ['a connection that breaks', (response) => void response.destroy()],
    ['an overload hidden in a stream', stream(OVERLOADED)],
    ['an overload hidden in a body', (response) => void response.end('{"error":{"message":"x","code":503}}')],
  ] as [string, Behaviour][])('the request is retried twice after %s', async (_, fail) => {
    const { url, upstream, lines } = await startFailing(2, fail)
    const text = await (await post(url)).text()
    expect(typesOf(text)).toContain('response.completed')
    expect(upstream.received).toHaveLength(3)
    expect(lines.at(-1)).toMatchObject({ retries: 2, status: 200, outcome: 'completed' })
    expect(lines.at(-1)).not.toHaveProperty('error')
    expect(lines.at(-1)).not.toHaveProperty('party')
  })

  it('an answer that fails without output is logged as failed', async () => {
    const { url, lines } = await startFailing(9, stream(OVERLOADED), { retry: { attempts: 1 } })
    expect((await post(url)).status).toBe(503)
    expect(await lineOf(lines)).toMatchObject({ outcome: 'failed', error: 'server_is_overloaded' })
  })

  it('an unstreamed request is retried as well', async () => {
    const { url } = await startFailing(1, status(503))
    const response = await post(url, { model: 'acme/mock-1', input: 'Hello' })
    expect([response.status, (await json(response)).status]).toEqual([200, 'completed'])
  })

  it('the last failure is reported after all attempts have failed', async () => {
    const { url, upstream } = await startFailing(9, status(429, { 'retry-after': '1' }), {
      retry: { ...QUICK.retry, attempts: 2 },
    })
    const response = await post(url)
    expect([response.status, response.headers.get('retry-after'), upstream.received.length]).toEqual([429, '1', 2])
  })

  it('a permanent failure is reported without a retry', async () => {
    const { url, upstream } = await startFailing(9, status(400))
    expect((await post(url)).status).toBe(400)
    expect(upstream.received).toHaveLength(1)
  })

  it('a client that disconnects ends the retries', async () => {
    const { url, upstream, lines } = await startFailing(9, status(503), {
      retry: { ...QUICK.retry, first_delay_ms: 60_000, longest_delay_ms: 60_000 },
    })
    const client = new AbortController()
    const answer = post(url, undefined, { signal: client.signal }).catch(() => null)
    await upstream.next()
    client.abort()
    await answer
    // The log line is written after the last attempt.
    expect(await lineOf(lines)).toMatchObject({ client_gone: true })
    expect(upstream.received).toHaveLength(1)
  })
})

it('a stream that has begun is not retried', async () => {
  const { url, upstream } = await startFailing(
    9,
    stream(`${streamOf('Hi').split('\n\n').slice(0, 2).join('\n\n')}\n\n${OVERLOADED}`),
  )
  const text = await (await post(url)).text()
  expect(eventsOf(text).at(-3)).toMatchObject({ type: 'response.failed' })
  expect(upstream.received).toHaveLength(1)
})

const SECRET = 'of this house'
const SIGN = createSigner(SECRET, NODE_HASHES)(toWorkspaces([], NODE_HASHES).idOf(null))
const ORIGIN = { wire: 'openai-chat', vendor: 'acme', model: 'mock-1' }

describe('encrypted reasoning that the upstream cannot read', () => {
  const refusing =
    (error: object): Behaviour =>
    (response, { body }) => {
      const isSealed = JSON.stringify(body).includes('reasoning.encrypted')
      if (!isSealed) return stream(streamOf('Hi'))(response, { body } as never)
      response.writeHead(400).end(JSON.stringify({ error }))
    }
  const input = [
    { role: 'user', content: 'Hello' },
    {
      type: 'reasoning',
      summary: [],
      encrypted_content: sealReasoning(ORIGIN, [{ type: 'reasoning.encrypted', data: 'x' }], SIGN),
    },
    { role: 'assistant', content: 'Hi' },
    { role: 'user', content: 'More' },
  ]

  it.each([
    { code: 'invalid_encrypted_content', message: 'Cannot be verified.' },
    { code: null, message: 'The requested item was created under a different Azure OpenAI resource.' },
  ])('is left out of one further attempt, and reported as a loss: $message', async (error) => {
    const { url, upstream } = await startTestServer(
      refusing(error),
      { ...QUICK, retry: { ...QUICK.retry, attempts: 1 }, encrypted_content_secret: SECRET },
      {},
      {
        reasoningHistory: 'reasoning_details',
      },
    )
    const response = await post(url, { model: 'acme/mock-1', input, stream: true })
    expect(typesOf(await response.text())).toContain('response.completed')
    expect(upstream.received).toHaveLength(2)
    expect(response.headers.get('x-responses-losses')).toBe('input[1].encrypted_content dropped')
  })
})

it('losses of a request are listed in a response header', async () => {
  const { url } = await startFailing(0, status(500))
  const response = await post(url, { model: 'acme/mock-1', input: 'x', metadata: { a: 'b' }, stream: true })
  expect(response.headers.get('x-responses-losses')).toBe('metadata dropped')
})

describe('unknown fields whose names do not fit into a header', () => {
  const lengthy = 'x'.repeat(10_000)
  const odd = { 'a\r\nset-cookie: b': 1, [lengthy]: 1, 'é\u2028\u009b': { secret: 'a secret' }, plain: 1 }

  it('are listed in one line of printable ASCII', async () => {
    const { url } = await startFailing(0, status(500))
    const response = await post(url, { model: 'acme/mock-1', input: 'x', stream: true, ...odd })
    expect(response.headers.get('set-cookie')).toBeNull()
    expect(response.headers.get('x-responses-losses')).toBe(
      '["a\\r\\nset-cookie: b"] dropped, [a string of 10000 characters] dropped, ["?\\u{2028}\\u{9b}"] dropped, plain dropped',
    )
  })

  it('are listed by whole names, followed by the number of the others', async () => {
    const { url } = await startFailing(0, status(500))
    const sixty = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`temperature_${i}`, 1]))
    const response = await post(url, { model: 'acme/mock-1', input: 'x', stream: true, ...sixty })
    expect(response.headers.get('x-responses-losses')).toMatch(/^temperature_0 .*temperature_40 dropped, and 19 more$/)
  })

  it('are listed up to 1000 characters, even if there are thousands', async () => {
    const { url } = await startFailing(0, status(500))
    const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`zzz${i}`, 1]))
    const response = await post(url, { model: 'acme/mock-1', input: 'x', stream: true, ...many })
    const text = response.headers.get('x-responses-losses') ?? ''
    expect(text).toMatch(/^(?:zzz\d+ dropped, )+and more$/)
    expect(text.length).toBeLessThanOrEqual(1000)
  })
})
