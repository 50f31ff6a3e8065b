import { describe, expect, it } from 'vitest'
import { type Behaviour, type MockUpstream, startMockUpstream } from '../../mock-upstreams/server.ts'
import { eventsOf, json, post, startGateway, whenDone } from '../test-server.ts'

const line = (content: string, rest: object = { done: false }): string =>
  `${JSON.stringify({ model: 'm:1b', message: { role: 'assistant', content }, ...rest })}\n`

const DONE = { done: true, done_reason: 'stop', prompt_eval_count: 3, eval_count: 5 }
const STREAM = [...['Grüße', ' aus', ' der', ' Mühle', ' 👋'].map((word) => line(word)), line('', DONE)].join('')
const BODY = line('Grüße aus der Mühle 👋', DONE).trim()
const REQUEST = { model: 'local/m:1b', input: 'Hello', stream: true }

const answering =
  (text: string, type: string, size: number): Behaviour =>
  async (response) => {
    response.writeHead(200, { 'content-type': type })
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += size) {
      response.write(bytes.subarray(at, at + size))
      await new Promise((resolve) => setImmediate(resolve))
    }
    response.end()
  }

async function openLocal(behave: Behaviour): Promise<{ readonly url: string; readonly upstream: MockUpstream }> {
  const upstream = await startMockUpstream(behave)
  whenDone(upstream.close)
  const { url } = await startGateway({
    vendors: { local: { vendor: 'ollama', base_url: new URL(upstream.url).origin } },
  })
  return { url, upstream }
}

describe('an upstream that answers with NDJSON', () => {
  it.each([
    ['application/x-ndjson', 1],
    ['application/x-ndjson', 100_000],
    ['application/stream+json; charset=utf-8', 7],
    ['application/json', 5],
    ['text/plain', 100_000],
  ])('is translated to a stream if labelled %s, in pieces of %i bytes', async (type, size) => {
    const { url, upstream } = await openLocal(answering(STREAM, type, size))
    const events = eventsOf(await (await post(url, REQUEST)).text())
    const closing = events.find((event) => event.type === 'response.completed')
    expect(closing.response.output[0].content[0].text).toBe('Grüße aus der Mühle 👋')
    expect(closing.response.usage.total_tokens).toBe(8)
    const [request] = upstream.received
    expect(request?.url).toBe('/api/chat')
    expect(request?.headers.accept).toBe('application/x-ndjson')
    expect(request?.headers).not.toHaveProperty('authorization')
    expect(request?.body).toMatchObject({ model: 'm:1b', stream: true })
  })

  it.each([
    ['a body', BODY, 'application/json; charset=utf-8'],
    ['a body over many lines', JSON.stringify(JSON.parse(BODY), null, 2), 'application/json'],
    ['a stream that was not requested', STREAM, 'application/x-ndjson'],
  ])('with %s produces one body for a client that does not stream', async (_, text, type) => {
    const { url, upstream } = await openLocal(answering(text, type, 64))
    const response = await post(url, { ...REQUEST, stream: false })
    expect(response.status).toBe(200)
    expect((await json(response)).output[0].content[0].text).toBe('Grüße aus der Mühle 👋')
    expect(upstream.received[0]?.body).toMatchObject({ stream: false })
  })

  it('with an error line causes a 502 with its message', async () => {
    const { url } = await openLocal(answering('{"error":"out of memory"}', 'application/json', 64))
    const response = await post(url, { ...REQUEST, stream: false })
    expect(response.status).toBe(502)
    expect(JSON.stringify(await json(response))).toContain('out of memory')
  })
})
