import { describe, expect, it } from 'vitest'
import { inPieces, streamOf, withBody } from '../../mock-upstreams/server.ts'
import { json, KEY, lineOf, post, REQUEST, sha256, startTestServer, UPSTREAM_KEY, waitUntil } from '../test-server.ts'

const answering = inPieces(streamOf('Hello', ' there'), 200)
const failing = withBody('{"error":{"message":"No."}}', 500)

async function refusal(response: Response): Promise<[number, string]> {
  const body = await json(response)
  expect(body).toMatchObject({ error: { code: expect.any(String), message: expect.any(String) }, metadata: null })
  return [response.status, body.error.code]
}

describe('a key', () => {
  const keys = [
    { name: 'first', sha256: sha256('one') },
    { name: 'second', sha256: sha256(KEY).toUpperCase() },
    { name: 'boss', sha256: sha256('manage'), kind: 'management' },
  ]
  const bearing = (authorization: string) => ({ headers: { authorization } })

  it('is required, and a request without one receives 401', async () => {
    const { url, upstream } = await startTestServer(answering, { keys })
    const bare = await fetch(`${url}/api/v1/responses`, { method: 'POST', body: JSON.stringify(REQUEST) })
    expect(bare.headers.get('www-authenticate')).toBe('Bearer')
    expect(await refusal(bare)).toEqual([401, 'missing_authentication'])
    for (const header of ['', 'Bearer', 'Bearer ', `Basic ${KEY}`, KEY]) {
      expect(await refusal(await post(url, REQUEST, bearing(header)))).toEqual([401, 'missing_authentication'])
    }
    expect(upstream.received).toHaveLength(0)
  })

  it('is rejected if it is unknown or of the wrong kind', async () => {
    const { url } = await startTestServer(answering, { keys })
    expect(await refusal(await post(url, REQUEST, bearing(`Bearer ${KEY}x`)))).toEqual([401, 'invalid_api_key'])
    expect(await refusal(await post(url, REQUEST, bearing('Bearer manage')))).toEqual([403, 'wrong_key_kind'])
    for (const good of [`Bearer ${KEY}`, `bearer ${KEY}`, 'Bearer one']) {
      expect((await post(url, REQUEST, bearing(good))).status).toBe(200)
    }
  })
})

describe('a request', () => {
  it('needs a known path and the right method', async () => {
    const { url } = await startTestServer(answering)
    for (const path of ['/api/v1', '/api/v1/response', '/api/v2/responses']) {
      expect(await refusal(await post(url, REQUEST, { path }))).toEqual([404, 'not_found'])
    }
    const lost = await json(await post(url, REQUEST, { path: '/v2/responses' }))
    expect(lost.error.message).toMatch(/Base paths: (?:\/[\w/]+, )*\/api\/v1\b/)
    const response = await fetch(`${url}/api/v1/responses`)
    expect(response.headers.get('allow')).toBe('POST')
    expect(await refusal(response)).toEqual([405, 'method_not_allowed'])
    const health = await fetch(`${url}/healthz`, { method: 'DELETE' })
    expect(health.headers.get('allow')).toBe('GET, HEAD')
    await health.text()
    expect((await post(url, REQUEST, { path: '/api/v1/responses?x=1' })).status).toBe(200)
  })

  it('must be JSON in UTF-8', async () => {
    const { url } = await startTestServer(answering)
    const status = async (headers: Record<string, string>) => (await post(url, REQUEST, { headers })).status
    expect(await status({ 'content-type': 'application/json; charset=UTF-8' })).toBe(200)
    expect(await status({ 'content-type': 'Application/JSON' })).toBe(200)
    expect(await status({ 'content-type': 'text/plain' })).toBe(415)
    expect(await status({ 'content-type': 'application/json; charset=latin1' })).toBe(415)
    expect(await status({ 'content-encoding': 'compress' })).toBe(415)
    expect(await refusal(await post(url, '{"model":'))).toEqual([400, 'invalid_json'])
    expect(await refusal(await post(url, ''))).toEqual([400, 'invalid_json'])
    expect(await refusal(await post(url, { input: 'x' }))).toEqual([400, 'invalid_prompt'])
  })

  it('is rejected with 415 if it has no content type', async () => {
    const { url } = await startTestServer(answering)
    const body = Buffer.from(JSON.stringify(REQUEST))
    const response = await fetch(`${url}/api/v1/responses`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${KEY}` },
    })
    expect(await refusal(response)).toEqual([415, 'unsupported_media_type'])
  })

  it('has a maximum size, whether its length is declared or not', async () => {
    const { url, upstream } = await startTestServer(answering, { limits: { request_body_bytes: 1000 } })
    const large = { ...REQUEST, input: 'x'.repeat(300_000) }
    expect(await refusal(await post(url, large))).toEqual([413, 'request_too_large'])
    const stream = new Blob([JSON.stringify(large)]).stream()
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
    const init = { method: 'POST', body: stream, duplex: 'half', headers }
    expect(await refusal(await fetch(`${url}/api/v1/responses`, init as RequestInit))).toEqual([
      413,
      'request_too_large',
    ])
    expect((await post(url)).status).toBe(200)
    expect(upstream.received).toHaveLength(1)
  })

  it('is rejected with 404 if no configured vendor has its model', async () => {
    const vendor = { wire: 'openai-chat', base_url: 'http://127.0.0.1:1/v1' }
    const { url } = await startTestServer(answering, { vendors: { acme: vendor, other: vendor } })
    for (const model of [
      'mock-1',
      '/mock-1',
      'acme/',
      'nobody/mock-1',
      'constructor/x',
      'openai/gpt-5',
      'replay/none',
    ]) {
      const response = await post(url, { ...REQUEST, model })
      const body = await json(response)
      expect([response.status, body.error.code, body.error.param]).toEqual([404, 'model_not_found', 'model'])
      if (model === 'openai/gpt-5') expect(body.error.message).toContain('OPENAI_API_KEY')
    }
  })

  it('keeps everything after the first slash as the model’s name', async () => {
    const { url, upstream } = await startTestServer(answering)
    await (await post(url, { ...REQUEST, model: 'acme/some/model:free' })).text()
    expect(upstream.received[0]?.body).toMatchObject({ model: 'some/model:free' })
  })
})

describe('a request id', () => {
  it('is in every answer and in its log line', async () => {
    const { url, lines } = await startTestServer(failing)
    const answers = await Promise.all([
      post(url),
      post(url, REQUEST, { path: '/nowhere' }),
      post(url, REQUEST, { headers: { authorization: 'Bearer wrong' } }),
      fetch(`${url}/healthz`),
    ])
    const ids = answers.map(({ headers }) => headers.get('x-request-id'))
    expect(new Set(ids).size).toBe(4)
    await waitUntil(() => lines.filter(({ event }) => event === 'request').length === 4, 'four lines')
    expect(lines.flatMap(({ request_id }) => request_id ?? []).sort()).toEqual([...ids].sort())
  })

  it('is the client’s own if its characters and its length are valid', async () => {
    const { url } = await startTestServer(answering)
    const idOf = async (given: string) => {
      const response = await post(url, REQUEST, { headers: { 'x-request-id': given } })
      return response.headers.get('x-request-id')
    }
    expect(await idOf('trace-1234.abc_D')).toBe('trace-1234.abc_D')
    for (const odd of ['short', 'with space here', 'x'.repeat(65), '{"json":"value"}']) {
      expect(await idOf(odd)).toMatch(/^req_/)
    }
  })
})

describe('a log line', () => {
  const prompt = 'the prompt that nobody may log'
  const request = { ...REQUEST, input: prompt, instructions: 'private', metadata: { a: 'b' } }

  it("contains the request's path, model, usage and times", async () => {
    const { url, lines } = await startTestServer(answering)
    await (await post(url, request)).text()
    expect(await lineOf(lines)).toMatchObject({
      method: 'POST',
      path: '/api/v1/responses',
      status: 200,
      key: 'tester',
      model: 'mock-1',
      vendor: 'acme',
      dialect: 'beta',
      stream: true,
      outcome: 'completed',
      usage: { input_tokens: 3, output_tokens: 5 },
      duration_ms: expect.any(Number),
      first_byte_ms: expect.any(Number),
      upstream_ms: expect.any(Number),
    })
  })

  it('never contains a prompt, a header or a secret', async () => {
    for (const behave of [answering, failing]) {
      const { url, lines } = await startTestServer(behave)
      const odd = { 'x-request-id': '{"secret":"header-value"}', 'user-agent': 'header-value' }
      await (await post(url, request, { headers: odd })).text()
      await (await post(url, request, { path: `/${prompt}?key=${KEY}` })).text()
      await (await post(url, request, { headers: { authorization: 'Bearer header-value' } })).text()
      await (await post(url, `{"model": "${prompt}"`)).text()
      await (await post(url, { ...request, model: `groq/${prompt}` })).text()
      await waitUntil(() => lines.filter(({ event }) => event === 'request').length === 5, 'five lines')
      const log = JSON.stringify(lines)
      for (const word of [prompt, 'Hello there', 'private', KEY, UPSTREAM_KEY, 'header-value', 'No.']) {
        expect(log).not.toContain(word)
      }
    }
  })
})

it('a healthy server reports ok on /healthz', async () => {
  const { url } = await startTestServer(answering)
  const response = await fetch(`${url}/healthz`)
  expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }])
  const head = await fetch(`${url}/healthz`, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
})
