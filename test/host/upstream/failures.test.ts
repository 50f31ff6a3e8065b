import { describe, expect, it } from 'vitest'
import {
  type Behaviour,
  beginning,
  doneFrame,
  drip,
  nextTurn,
  roleChunk,
  startMockUpstream,
  stopChunk,
  textChunk,
  withBody,
} from '../../mock-upstreams/server.ts'
import {
  eventsOf,
  json,
  lineOf,
  post,
  REQUEST,
  readSlowly,
  startGateway,
  startTestServer,
  typesOf,
  whenDone,
  withEnoughTime,
} from '../test-server.ts'

const whole = { ...REQUEST, stream: false }
const endings = [
  ['/api/v1/responses', ['response.failed', 'response.done', '[DONE]']],
  ['/openai/v1/responses', ['error', 'response.failed', '[DONE]']],
] as const

const half = beginning(roleChunk, textChunk('Half'))

describe('an upstream that refuses a request', () => {
  const refusing = (status: number, body: string, headers: Record<string, string> = {}) =>
    startTestServer(withBody(body, status, { 'content-type': 'application/json', ...headers }), {
      retry: { attempts: 1 },
    })

  it.each([400, 401, 404, 429, 500, 503, 529])("with %i is reported in the client's error format", async (status) => {
    const { url } = await refusing(status, JSON.stringify({ error: { message: 'No, thank you.', code: 'no_thanks' } }))
    for (const body of [REQUEST, whole]) {
      const response = await post(url, body)
      expect(response.status).toBeGreaterThanOrEqual(400)
      expect(response.headers.get('content-type')).toBe('application/json')
      expect(await response.json()).toMatchObject({ error: { code: expect.any(String) }, metadata: null })
    }
  })

  it.each([
    [400, 400, null],
    [413, 413, null],
    [422, 400, null],
    [401, 502, null],
    [403, 200, 'default; answers=0; reason=403'],
    [429, 200, 'default; answers=0; reason=429'],
  ])('of a count with %i is answered with %i', async (status, shown, estimate) => {
    const upstream = await startMockUpstream(withBody('{"type":"error","error":{"type":"x","message":"No."}}', status))
    whenDone(upstream.close)
    const acme = { wire: 'anthropic-messages', base_url: upstream.url, key: { env: 'ACME_KEY' } }
    const { url } = await startGateway({ vendors: { acme } })
    const asked = { model: 'acme/claude-sonnet-4-5', messages: [{ role: 'user', content: 'Hi' }] }
    const counted = await post(url, asked, { path: '/api/v1/messages/count_tokens' })
    expect([counted.status, counted.headers.get('x-responses-estimate')]).toEqual([shown, estimate])
  })

  it('has its Retry-After header forwarded to the client', async () => {
    const { url, lines } = await refusing(429, '{"error":{"message":"Slow down."}}', { 'retry-after': '7' })
    const response = await post(url)
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toBe('7')
    expect(await lineOf(lines)).toMatchObject({ status: 429, error: expect.any(String) })
  })

  it('may send an HTML page or an empty body: the client receives 502', async () => {
    for (const body of ['<html>nginx</html>', '']) {
      const { url } = await refusing(502, body, { 'content-type': 'text/html' })
      expect((await post(url)).status).toBe(502)
    }
  })

  it('with a redirect is not followed, and the client receives 502', async () => {
    const { url, upstream } = await refusing(302, '', { location: 'http://127.0.0.1:1/' })
    const response = await post(url)
    expect(response.status).toBe(502)
    expect(await response.json()).toMatchObject({ error: { code: 'upstream_invalid' } })
    expect(upstream.received).toHaveLength(1)
  })

  it('has its error body read only up to a bound', async () => {
    const { url } = await refusing(500, 'x'.repeat(4 * 1024 * 1024))
    expect((await post(url)).status).toBeGreaterThanOrEqual(500)
  })

  it('is reported with 502 if its response has an unknown content coding, or is damaged', async () => {
    for (const coding of ['compress', 'gzip', 'gzip, br']) {
      const { url } = await startTestServer(withBody('zzz', 200, { 'content-encoding': coding }))
      expect((await post(url)).status).toBe(502)
    }
  })
})

describe('an upstream that disconnects', () => {
  it.each(endings)("in the middle of a stream ends the client's stream as failed on %s", async (path, ending) => {
    const { url, lines, upstream } = await startTestServer(half)
    const answer = readSlowly(await post(url, REQUEST, { path }))
    await answer.until((text) => text.includes('Half'))
    upstream.received[0]?.response.socket?.resetAndDestroy()
    const stream = await answer.rest()
    expect(typesOf(stream).slice(-3)).toEqual(ending)
    const { response } = eventsOf(stream).find(({ type }) => type === 'response.failed')
    expect(response).toMatchObject({ status: 'failed', error: { code: 'upstream_disconnected' } })
    expect(response.output[0].content[0].text).toBe('Half')
    expect(await lineOf(lines)).toMatchObject({ outcome: 'failed', error: 'upstream_disconnected' })
  })

  it('in the middle of a stream causes a 502 if the client requested no stream', async () => {
    const { url } = await startTestServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(roleChunk + textChunk('Half'), () => response.socket?.resetAndDestroy())
    })
    expect((await post(url, whole)).status).toBe(502)
  })

  it('before its first byte causes a 502', async () => {
    const { url } = await startTestServer((response) => void response.socket?.resetAndDestroy())
    for (const body of [REQUEST, whole]) {
      const response = await post(url, body)
      expect(response.status).toBe(502)
      expect(await response.json()).toMatchObject({ error: { code: 'upstream_disconnected' } })
    }
  })

  it('or refuses the connection causes a 502', async () => {
    const acme = { wire: 'openai-chat', base_url: 'http://127.0.0.1:1/v1' }
    const { url } = await startGateway({ vendors: { acme } })
    const response = await post(url)
    expect(response.status).toBe(502)
    expect(await response.json()).toMatchObject({ error: { code: 'upstream_unreachable' } })
  })
})

describe('an upstream that becomes silent', () => {
  const timeouts = { first_byte_seconds: 60, idle_seconds: 0.15 }

  it('before the first byte causes a 504', async () => {
    const { url, upstream } = await startTestServer(() => {}, {
      timeouts: { first_byte_seconds: 0.15, idle_seconds: 60 },
    })
    for (const body of [REQUEST, whole]) {
      const response = await post(url, body)
      expect(response.status).toBe(504)
      expect(await response.json()).toMatchObject({ error: { code: 'upstream_timeout' } })
    }
    await upstream.received[0]?.closed
  })

  it.each(endings)('in the middle of a stream ends it as failed on %s', async (path, ending) => {
    const { url, upstream } = await startTestServer(beginning(roleChunk, textChunk('Half')), { timeouts })
    const stream = await (await post(url, REQUEST, { path })).text()
    expect(typesOf(stream).slice(-3)).toEqual(ending)
    expect(eventsOf(stream).find(({ type }) => type === 'response.failed').response.error.code).toBe('upstream_timeout')
    await upstream.received[0]?.closed
  })

  it('in the middle of a body causes a 504', async () => {
    const begin: Behaviour = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"id":')
    }
    const { url } = await startTestServer(begin, { timeouts })
    expect((await post(url, whole)).status).toBe(504)
  })

  it('is not timed out while it keeps sending', async () => {
    const stream = await withEnoughTime(
      async (idle_seconds) => {
        let isOver = false
        const behave: Behaviour = async (response, request) => {
          beginning(roleChunk)(response, request)
          if (request.body.model === 'silent') return
          await drip(response, textChunk('a'), () => isOver)
          response.end(stopChunk + doneFrame)
        }
        const { url } = await startTestServer(behave, { timeouts: { ...timeouts, idle_seconds } })
        const answer = await post(url)
        // A later answer of the same server is silent, and is timed out.
        await (await post(url, { ...REQUEST, model: 'acme/silent' })).text()
        isOver = true
        return await answer.text()
      },
      (text) => text.includes('upstream_timeout'),
    )
    expect(typesOf(stream).at(-3)).toBe('response.completed')
  })
})

describe('an upstream that exceeds the limits', () => {
  const limits = { upstream_event_bytes: 20_000, upstream_total_bytes: 100_000 }
  const flood =
    (frame: string): Behaviour =>
    async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      while (!response.destroyed) {
        response.write(frame)
        await nextTurn()
      }
    }

  it('in one event before any output causes a 502', async () => {
    const { url, upstream } = await startTestServer(flood('data: "'.padEnd(5000, 'x')), { limits })
    const response = await post(url)
    expect([response.status, (await json(response)).error.code]).toEqual([502, 'upstream_too_large'])
    await upstream.received[0]?.closed
  })

  it('in the course of a stream is cut off, and the stream ends as failed', async () => {
    const { url, upstream } = await startTestServer(flood(textChunk('y'.repeat(5000))), { limits })
    const stream = await (await post(url)).text()
    expect(typesOf(stream).slice(-3)).toEqual(['response.failed', 'response.done', '[DONE]'])
    expect(eventsOf(stream).at(-3).response.error.code).toBe('upstream_too_large')
    await upstream.received[0]?.closed
  })

  it('in a body, or in a stream that was not requested, causes a 502', async () => {
    for (const behave of [withBody(' '.repeat(200_000)), flood(textChunk('y'.repeat(5000)))]) {
      const { url, upstream } = await startTestServer(behave, { limits })
      const response = await post(url, whole)
      expect(response.status).toBe(502)
      expect(await response.json()).toMatchObject({ error: { code: 'upstream_too_large' } })
      await upstream.received[0]?.closed
    }
  })

  it.each([
    ['nested too deep', `{"choices":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, '256 levels'],
    ['with too many values', `{"choices":[${'{},'.repeat(2000)}{}]}`, '1000 values'],
    ['with too many members', `{${Array.from({ length: 100_001 }, (_, at) => `"k${at}":0`).join(',')}}`, 'members'],
  ])('in a body %s causes a 502', async (what, body, expected) => {
    const values = what === 'with too many values' ? { upstream_values: 1000 } : {}
    const { url } = await startTestServer(withBody(body), { limits: values, retry: { attempts: 1 } })
    const { error } = await json(await post(url, whole))
    expect(error.code).toBe('upstream_too_large')
    expect(error.message).toContain(expected)
  })

  it('in the body of an error response keeps the status of that error', async () => {
    const { url } = await startTestServer(withBody('['.repeat(100_000), 400), { retry: { attempts: 1 } })
    expect((await post(url, whole)).status).toBe(400)
  })
})
