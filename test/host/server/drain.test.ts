import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import {
  beginning,
  bodyOf,
  doneFrame,
  nextTurn,
  roleChunk,
  stopChunk,
  textChunk,
  withBody,
} from '../../mock-upstreams/server.ts'
import {
  eventsOf,
  KEY,
  lineOf,
  post,
  REQUEST,
  startTestServer,
  typesOf,
  waitUntil,
  whenDone,
  withEnoughTime,
} from '../test-server.ts'

const half = beginning(roleChunk, textChunk('Half'))

describe('a server that drains', () => {
  it('lets a stream finish, refuses new connections, and then stops', async () => {
    // It would wait longer than any test for its limit; an idle connection is closed with the last stream.
    const { url, upstream, running } = await startTestServer(half, { drain: { limit_seconds: 3600 } })
    const answer = await post(url)
    const drained = running.drain()
    const isRefused = (): Promise<boolean> =>
      fetch(`${url}/healthz`).then(
        () => false,
        () => true,
      )
    await waitUntil(isRefused, 'the end of new connections')
    ;(await upstream.next()).response.end(textChunk(' done') + stopChunk + doneFrame)
    expect(typesOf(await answer.text()).at(-3)).toBe('response.completed')
    await drained
  })

  it('ends a stream beyond the drain limit with a proper failure event', async () => {
    const { url, running, lines } = await startTestServer(half, { drain: { limit_seconds: 0.1 } })
    const answer = await post(url, REQUEST, { path: '/openai/v1/responses' })
    const drained = running.drain()
    const stream = await answer.text()
    await drained
    expect(typesOf(stream).slice(-2)).toEqual(['response.failed', '[DONE]'])
    expect(eventsOf(stream).at(-2).response.error.code).toBe('server_stopping')
    const line = await lineOf(lines)
    expect(line).toMatchObject({ error: 'server_stopping', outcome: 'failed' })
    expect(line).not.toHaveProperty('client_gone')
  })

  it('answers 503 to a client that waits too long for the first byte', async () => {
    const { url, upstream, running } = await startTestServer(() => {}, { drain: { limit_seconds: 0.1 } })
    const answer = post(url)
    const request = await upstream.next()
    const drained = running.drain()
    expect((await answer).status).toBe(503)
    await drained
    await request.closed
  })

  it('reports 503 on /healthz for notice_seconds before it closes its port', async () => {
    const drainWith = async (notice_seconds: number) => {
      const { url, running } = await startTestServer(withBody('{}'), { drain: { notice_seconds } })
      const drained = running.drain()
      const health = await fetch(`${url}/healthz`).catch(() => null)
      await health?.text()
      await drained
      await expect(fetch(`${url}/healthz`)).rejects.toThrow()
      return health
    }
    const health = await withEnoughTime(drainWith, (answer) => answer === null)
    expect([health?.status, health?.headers.get('connection')]).toEqual([503, 'close'])
  })

  it('answers the requests of connections that the system has not passed to it yet', async () => {
    const { url, running } = await startTestServer(withBody('{}'))
    const { port } = new URL(url)
    const request = `GET /api/v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${KEY}\r\n\r\n`
    const statuses = Array.from({ length: 20 }, async () => {
      const socket = connect(Number(port), '127.0.0.1')
      socket.write(request)
      return (await text(socket)).slice(0, 12)
    })
    // The connections are made in this turn, of which the server accepts one in each turn.
    await nextTurn()
    const drained = running.drain()
    expect(await Promise.all(statuses)).toEqual(Array.from({ length: 20 }, () => 'HTTP/1.1 200'))
    await drained
  })

  it('stops at once if it is closed while it drains', async () => {
    const { url, running } = await startTestServer(half)
    const answer = await post(url)
    const drained = running.drain()
    await running.close()
    await drained
    expect(typesOf(await answer.text()).at(-3)).toBe('response.failed')
  })

  it('delivers streamed bytes that are written but not yet read by the client', async () => {
    const large = roleChunk + textChunk('w'.repeat(8_000_000)) + stopChunk + doneFrame
    const server = await startTestServer(withBody(large, 200, { 'content-type': 'text/event-stream' }))
    const { url, upstream, running, lines } = server
    const answer = await post(url)
    // One event, whose text is written in one piece once it is complete.
    await (await upstream.next()).closed
    const drained = running.drain()
    await waitUntil(() => lines.some(({ event }) => event === 'draining'), 'the end of the server')
    const stream = await answer.text()
    await drained
    expect(stream.length).toBeGreaterThan(8_000_000)
    expect(lines.map(({ event }) => event)).toContain('stopped')
  })

  it('delivers an unstreamed answer that its client has not read yet', async () => {
    const { url, upstream, running } = await startTestServer(withBody(bodyOf('w'.repeat(20_000_000))))
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    whenDone(async () => void socket.destroy())
    await once(socket, 'connect')
    socket.pause()
    const body = JSON.stringify({ model: 'acme/m', input: 'Hello' })
    socket.write(
      `POST /api/v1/responses HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${KEY}\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    await (await upstream.next()).closed
    for (let turns = 0; turns < 100; turns += 1) await nextTurn()
    const drained = running.drain()
    let received = 0
    socket.on('data', (bytes) => (received += bytes.length))
    socket.resume()
    await once(socket, 'close')
    await drained
    expect(received).toBeGreaterThan(20_000_000)
  })
})
