import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import {
  type Behaviour,
  beginning,
  bodyOf,
  doneFrame,
  nextTurn,
  roleChunk,
  stopChunk,
  streamOf,
  textChunk,
  withBody,
} from '../../mock-upstreams/server.ts'
import { IS_WHOLE } from '../../property.ts'
import {
  eventsOf,
  KEY,
  lineOf,
  post,
  REQUEST,
  readSlowly,
  startTestServer,
  waitUntil,
  waitUntilStill,
  whenDone,
} from '../test-server.ts'

const whole = { ...REQUEST, stream: false }

/** Opens a client that decides when it reads. */
async function rawPost(url: string, body: object = REQUEST): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  whenDone(async () => void socket.destroy())
  await once(socket, 'connect')
  const text = JSON.stringify(body)
  socket.pause()
  socket.write(
    `POST /api/v1/responses HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${KEY}\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
  return socket
}

describe('a client that disconnects', () => {
  const halfBody: Behaviour = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"id":')
  }

  /** Nothing else closes the upstream, or shows within the time of a test that the client has left. */
  const ONLY_THE_CLIENT = { keep_alive_seconds: 0, timeouts: { first_byte_seconds: 3600, idle_seconds: 3600 } }

  const hasHalf = (text: string): boolean => text.includes('Half')
  const silent: Behaviour = () => {}
  const half = beginning(roleChunk, textChunk('Half'))

  it.each([
    ['before the first byte of a stream', REQUEST, silent],
    ['before the first byte of a body', whole, silent],
    ['in the middle of a stream', REQUEST, half],
    ['in the middle of a body', whole, halfBody],
    ['in the middle of a stream that it did not request', whole, half],
  ] as const)('%s has its upstream connection closed', async (_, body, behave) => {
    const { url, upstream, lines } = await startTestServer(behave, ONLY_THE_CLIENT)
    const client = new AbortController()
    const answer = post(url, body, { signal: client.signal }).catch(() => null)
    const request = await upstream.next()
    // The first half of a stream has reached the client; anything else has only reached the server.
    if (body === REQUEST && behave === half) await readSlowly((await answer) as Response).until(hasHalf)
    await waitUntil(() => request.response.writableLength === 0, 'the upstream to have sent it')
    for (let turns = 0; turns < 20; turns += 1) await nextTurn()
    client.abort()
    await request.closed
    await answer
    expect(await lineOf(lines)).toMatchObject({ client_gone: true, error: 'client_gone' })
  })

  it('is logged as incomplete_body if it disconnects while it sends its request', async () => {
    const { url, upstream, lines } = await startTestServer(() => {})
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.write(
      `POST /api/v1/responses HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${KEY}\r\n` +
        'content-type: application/json\r\ncontent-length: 99\r\nexpect: 100-continue\r\n\r\n{',
    )
    const [interim] = await once(socket, 'data')
    expect(String(interim)).toContain(' 100 ')
    socket.destroy()
    expect(await lineOf(lines)).toMatchObject({ status: 400, error: 'incomplete_body' })
    expect(upstream.received).toHaveLength(0)
  })
})

describe('a client that does not read', () => {
  const CHUNK = textChunk('z'.repeat(64_000))
  const MiB = 1024 * 1024

  /** An upstream that sends up to 50 MB as fast as the connection accepts them, and counts the bytes. */
  const pour = () => {
    const mock = {
      sent: 0,
      wanted: 50_000_000,
      behave: async (response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(roleChunk)
        while (mock.sent < mock.wanted && !response.destroyed) {
          mock.sent += CHUNK.length
          if (!response.write(CHUNK)) await new Promise<void>((resolve) => response.once('drain', resolve))
        }
        response.end(stopChunk + doneFrame)
      },
    }
    return mock
  }

  it('pauses the upstream, and receives everything when it reads again', async () => {
    const mock = pour()
    const { url, lines } = await startTestServer(mock.behave)
    const socket = await rawPost(url)
    const sent = (): number => mock.sent
    await waitUntil(() => mock.sent > 0, 'the first chunk')
    const before = await waitUntilStill(url, sent, 'the upstream')
    expect(before).toBeLessThan(15 * MiB)
    const memory = process.memoryUsage().rss
    expect(await waitUntilStill(url, sent, 'the upstream')).toBe(before)
    expect(process.memoryUsage().rss - memory).toBeLessThan(10 * MiB)

    mock.wanted = before + 2 * MiB
    let received = 0
    socket.on('data', (bytes) => {
      received += bytes.length
    })
    socket.resume()
    await waitUntil(() => lines.some(({ outcome }) => outcome === 'completed'), 'the whole answer')
    expect(received).toBeGreaterThan(mock.wanted)
  })

  it('receives its own text intact after other clients were answered meanwhile', async () => {
    const chunksOf = (name: string): readonly string[] =>
      Array.from({ length: IS_WHOLE ? 10_000 : 3000 }, (_, i) => `${name}${i} `.repeat(1 + (i % 200)))
    const textsFor = (request: { readonly body: object }): readonly string[] =>
      chunksOf((request.body as { messages: { content: string }[] }).messages[0]?.content ?? '')
    const { url } = await startTestServer(async (response, request) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const one of [roleChunk, ...textsFor(request).map(textChunk), stopChunk, doneFrame]) {
        if (!response.write(one)) await new Promise<void>((resolve) => response.once('drain', resolve))
      }
      response.end()
    })
    const names = ['a', 'b']
    const waiting = await Promise.all(names.map((input) => post(url, { ...REQUEST, input })))
    for (const _ of names) await (await post(url, { ...REQUEST, input: 'x' })).text()
    for (const [i, response] of waiting.entries()) {
      const deltas = eventsOf(await response.text()).map(({ delta }) => (typeof delta === 'string' ? delta : ''))
      expect(deltas.join('') === chunksOf(names[i] as string).join('')).toBe(true)
    }
  })

  it('is disconnected after the stall timeout, together with its upstream', async () => {
    const mock = pour()
    const timeouts = { stalled_client_seconds: 0.3 }
    const { url, lines, upstream } = await startTestServer(mock.behave, { timeouts })
    await rawPost(url)
    await (await upstream.next()).closed
    expect(await lineOf(lines)).toMatchObject({ error: 'client_stalled', outcome: 'failed' })
  })
})

describe('a silence of the upstream', () => {
  const thinking = beginning(roleChunk, textChunk('Hm'))
  const countIn = (text: string): number => text.split(': keep-alive').length - 1
  const hasTwo = (text: string): boolean => countIn(text) >= 2

  /** Waits as long as another server with the same interval needs for two keep-alive comments. */
  async function silence(): Promise<void> {
    const { url } = await startTestServer(thinking, { keep_alive_seconds: 0.1 })
    await readSlowly(await post(url)).until(hasTwo)
  }

  it('is filled with keep-alive comments, between frames and never after the end', async () => {
    const { url, upstream } = await startTestServer(thinking, { keep_alive_seconds: 0.1 })
    const answer = readSlowly(await post(url))
    await answer.until(hasTwo)
    upstream.received[0]?.response.end(streamOf(' yes'))
    const stream = await answer.rest()
    const blocks = stream.split('\n\n')
    expect(blocks.every((block) => /^(data: .*|: keep-alive|)$/.test(block))).toBe(true)
    expect(stream.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  const CODEX = { 'user-agent': 'codex_cli_rs/0.169.0 (Debian 13; x86_64) xterm' }
  const eventsIn = (text: string): readonly string[] => text.match(/event: keepalive\ndata: .*\n\n/g) ?? []

  it.each(['/openai/v1/responses', '/api/v1/responses'])(
    'is filled with events for Codex at %s, which repeat the number of the last one',
    async (path) => {
      const { url, upstream } = await startTestServer(thinking, { keep_alive_seconds: 0.1 })
      const answer = readSlowly(await post(url, REQUEST, { path, headers: CODEX }))
      const begun = await answer.until((text) => eventsIn(text).length >= 2)
      const last = [...begun.matchAll(/"sequence_number":(\d+)/g)].at(-1)?.[1]
      expect(eventsIn(begun).at(-1)).toBe(`event: keepalive\ndata: {"type":"keepalive","sequence_number":${last}}\n\n`)
      // Events of the other dialect have no numbers.
      if (path.startsWith('/openai')) expect(Number(last)).toBeGreaterThan(0)
      upstream.received[0]?.response.end(streamOf(' yes'))
      const stream = await answer.rest()
      expect(countIn(begun + stream)).toBe(0)
      expect(stream).toContain('response.completed')
    },
  )

  it('has comments for Codex as a client of another family', async () => {
    const { url } = await startTestServer(thinking, { keep_alive_seconds: 0.1 })
    const body = { model: 'acme/mock-1', stream: true, messages: [{ role: 'user', content: 'x' }] }
    const options = { path: '/openai/v1/chat/completions', headers: CODEX }
    const begun = await readSlowly(await post(url, body, options)).until(hasTwo)
    expect(eventsIn(begun)).toEqual([])
  })

  it('has no comments if keep_alive_seconds is 0', async () => {
    const { url, upstream } = await startTestServer(thinking, { keep_alive_seconds: 0 })
    const answer = await post(url)
    await silence()
    upstream.received[0]?.response.end(streamOf(' yes'))
    expect(countIn(await answer.text())).toBe(0)
  })

  it('adds nothing to an answer that is not streamed', async () => {
    const { url, upstream } = await startTestServer(() => {}, { keep_alive_seconds: 0.05 })
    const answer = post(url, whole)
    const request = await upstream.next()
    await silence()
    await withBody(bodyOf('Hi'))(request.response, request)
    expect(await (await answer).text()).toMatch(/^\{.*"status":"completed".*\}$/s)
  })
})
