import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { bodyOf, inPieces, streamOf, withBody } from '../../mock-upstreams/server.ts'
import { eventsOf, KEY, lineOf, post, REQUEST, startTestServer, typesOf, UPSTREAM_KEY } from '../test-server.ts'

const WORDS = ['Grüße', ' aus', ' der', ' Mühle', ' 👋']
const ANSWER = WORDS.join('')

describe('a stream', () => {
  it("is written in the dialect of its mount, wherever the upstream's bytes are split", async () => {
    for (const size of [1, 7, 100_000]) {
      const { url } = await startTestServer(inPieces(streamOf(...WORDS), size))
      const beta = await (await post(url)).text()
      const openai = await (await post(url, REQUEST, { path: '/openai/v1/responses' })).text()

      expect(beta).not.toContain('event:')
      expect(typesOf(beta).slice(-3)).toEqual(['response.completed', 'response.done', '[DONE]'])
      expect(eventsOf(beta).at(-3).response.output[0].content[0].text).toBe(ANSWER)
      expect(openai).toContain('event: response.output_text.delta\n')
      const completed = eventsOf(openai).find(({ type }) => type === 'response.completed')
      expect(completed.response.output[0].content[0].text).toBe(ANSWER)
      expect(completed.response.usage.total_tokens).toBe(8)
    }
  })

  it('has the headers that prevent proxies from buffering it', async () => {
    const { url } = await startTestServer(inPieces(streamOf('Hi'), 50))
    const response = await post(url)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{24}$/)
    await response.text()
  })

  it("is requested from the upstream with the vendor's key, and never with the client’s", async () => {
    const { url, upstream } = await startTestServer(inPieces(streamOf('Hi'), 50))
    await (await post(url)).text()
    const [request] = upstream.received
    expect(request?.url).toBe('/v1/chat/completions')
    expect(request?.headers.authorization).toBe(`Bearer ${UPSTREAM_KEY}`)
    expect(request?.headers.accept).toBe('text/event-stream')
    expect(request?.body).toMatchObject({ model: 'mock-1', stream: true })
    expect(JSON.stringify([request?.headers, request?.body])).not.toContain(KEY)
  })

  it('uses another dialect if a header of the request names one', async () => {
    const { url } = await startTestServer(inPieces(streamOf('Hi'), 50))
    const asked = await post(url, REQUEST, { headers: { 'x-responses-dialect': 'openai' } })
    expect(typesOf(await asked.text())).toContain('response.output_text.delta')
    const unknown = await post(url, REQUEST, { headers: { 'x-responses-dialect': 'constructor' } })
    expect(unknown.status).toBe(400)
    expect(await unknown.json()).toMatchObject({ error: { code: 'unknown_dialect' }, metadata: null })
  })

  it('contains raw reasoning in the form that its mount configures', async () => {
    const reasoning = 'data: {"choices":[{"index":0,"delta":{"reasoning_content":"Hm."}}]}\n\n'
    const mounts = [
      { path: '/raw', dialect: 'openai', reasoning: 'text' },
      { path: '/', dialect: 'openai' },
    ]
    const { url } = await startTestServer(inPieces(reasoning + streamOf('Hi'), 50), { mounts })
    const raw = typesOf(await (await post(url, REQUEST, { path: '/raw/responses' })).text())
    const summary = typesOf(await (await post(url, REQUEST, { path: '/responses' })).text())
    expect(raw).toContain('response.reasoning_text.delta')
    expect(summary).toContain('response.reasoning_summary_text.delta')
  })

  it('has one event for each delta, or one for each read with coalesce', async () => {
    const deltas = async (settings: object): Promise<number> => {
      const { url } = await startTestServer(inPieces(streamOf(...WORDS), 100_000), settings)
      const types = typesOf(await (await post(url)).text())
      return types.filter((type) => type === 'response.content_part.delta').length
    }
    expect(await deltas({})).toBe(WORDS.length)
    expect(await deltas({ coalesce: true })).toBe(1)
  })

  it('is still a stream if the upstream answers with one body', async () => {
    const { url, lines } = await startTestServer(withBody(bodyOf(ANSWER)))
    const stream = await (await post(url)).text()
    expect(typesOf(stream).at(-1)).toBe('[DONE]')
    expect(eventsOf(stream).at(-3).response.output[0].content[0].text).toBe(ANSWER)
    expect(await lineOf(lines)).toMatchObject({ status: 200, outcome: 'completed', stream: true })
  })

  it('is recognised by its bytes if the upstream labels it wrongly', async () => {
    for (const type of ['application/json', 'text/plain', 'application/octet-stream']) {
      const { url } = await startTestServer(
        withBody(`: hello\n\n${streamOf('Hi', ' there')}`, 200, { 'content-type': type }),
      )
      const stream = await (await post(url)).text()
      expect(eventsOf(stream).at(-3).response.output[0].content[0].text).toBe('Hi there')
    }
  })

  it('is not begun for a body that contains an error or no answer', async () => {
    for (const body of [
      '<html>502 Bad Gateway</html>',
      '',
      '{"error":{"message":"no capacity","code":"overloaded"}}',
    ]) {
      const { url } = await startTestServer(withBody(body, 200, { 'content-type': 'text/html' }))
      const response = await post(url)
      expect(response.status).toBeGreaterThanOrEqual(400)
      expect(await response.json()).toMatchObject({ error: { code: expect.any(String) }, metadata: null })
    }
  })
})

describe('an answer that is not streamed', () => {
  const whole = { ...REQUEST, stream: false }

  it('is requested without a stream, and returned as one object', async () => {
    const { url, upstream, lines } = await startTestServer(withBody(bodyOf(ANSWER)))
    const response = await post(url, whole)
    expect(response.headers.get('content-type')).toBe('application/json')
    const body = await response.json()
    expect(body).toMatchObject({ object: 'response', status: 'completed', model: 'acme/mock-1' })
    expect(body).toMatchObject({ id: expect.stringMatching(/^resp_[0-9a-f]{48}$/) })
    expect(upstream.received[0]?.body.stream ?? false).toBe(false)
    expect(await lineOf(lines)).toMatchObject({ stream: false, outcome: 'completed', usage: { total_tokens: 8 } })
  })

  it('is collected from a stream that the upstream sends unrequested', async () => {
    const { url } = await startTestServer(inPieces(streamOf(...WORDS), 11))
    const body = await (await post(url, whole, { path: '/openai/v1/responses' })).json()
    expect(body).toMatchObject({ status: 'completed', output: [{ content: [{ text: ANSWER }] }] })
  })

  it('is an error if the upstream sent an error with status 200', async () => {
    const { url } = await startTestServer(withBody('{"error":{"message":"out of capacity","code":"overloaded"}}'))
    const response = await post(url, whole)
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('out of capacity') } })
  })

  it("is an error if the upstream's unrequested stream breaks off", async () => {
    const { url } = await startTestServer(inPieces(streamOf('Hi').slice(0, 300), 50))
    expect((await post(url, whole)).status).toBe(502)
  })
})

describe('the bytes of an answer', () => {
  const body = JSON.stringify(REQUEST)

  /** Returns everything that the server sends on one connection: head and body, undecoded. */
  async function ask(version: '1.0' | '1.1'): Promise<readonly [head: string, body: string]> {
    const { url } = await startTestServer(inPieces(streamOf(...WORDS), 40))
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.write(
      `POST /api/v1/responses HTTP/${version}\r\nhost: localhost\r\nconnection: close\r\nauthorization: Bearer ${KEY}\r\n` +
        `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
    const [head = '', ...rest] = (await text(socket)).split('\r\n\r\n')
    return [head, rest.join('\r\n\r\n')]
  }

  it('are chunks of whole frames for a client of HTTP/1.1', async () => {
    const [head, text] = await ask('1.1')
    expect(head).toMatch(/transfer-encoding: chunked/i)
    let rest = Buffer.from(text)
    const chunks: string[] = []
    for (;;) {
      const line = rest.indexOf('\r\n')
      const size = Number.parseInt(rest.toString('latin1', 0, line), 16)
      expect(rest.toString('latin1', line + 2 + size, line + 4 + size)).toBe('\r\n')
      if (size === 0) break
      chunks.push(rest.toString('utf8', line + 2, line + 2 + size))
      rest = rest.subarray(line + 4 + size)
    }
    expect(rest.toString()).toBe('0\r\n\r\n')
    expect(chunks.length).toBeGreaterThan(WORDS.length)
    expect(chunks.filter((chunk) => !chunk.endsWith('\n\n'))).toEqual([])
    expect(eventsOf(chunks.join('')).at(-3).response.output[0].content[0].text).toBe(ANSWER)
  })

  it('are not chunked for a client of HTTP/1.0', async () => {
    const [head, text] = await ask('1.0')
    expect(head).not.toMatch(/transfer-encoding/i)
    expect(text).toMatch(/^data: \{/)
    expect(typesOf(text).at(-1)).toBe('[DONE]')
    expect(eventsOf(text).at(-3).response.output[0].content[0].text).toBe(ANSWER)
  })
})
