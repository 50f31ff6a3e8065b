import { once } from 'node:events'
import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { REFUSALS } from '../../../../src/protocol/limits.ts'
import { beginning, doneFrame, roleChunk, stopChunk, textChunk } from '../../../mock-upstreams/server.ts'
import { KEY, type Loose, lineOf, startGateway, startTestServer, waitUntil, withEnoughTime } from '../../test-server.ts'
import { connectWebSocket, encodeFrame, PING, TEXT } from '../../websocket-client.ts'
import { openSocket } from './socket-client.ts'

const ASK = { model: 'acme/mock-1', input: 'Hello' }
const CREATE = { type: 'response.create', ...ASK }

const half = beginning(roleChunk, textChunk('Half'))

const HANDSHAKE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  authorization: `Bearer ${KEY}`,
}

/** The answer to a handshake that is refused. */
async function refusal(url: string, headers: object = {}, path = '/openai/v1/responses'): Promise<Loose> {
  const asking = request(url + path, { headers: { ...HANDSHAKE, ...headers } })
  asking.end()
  const [answer] = await once(asking, 'response')
  return { status: answer.statusCode, body: await json(answer) }
}

describe('a handshake', () => {
  it('is refused before the upgrade, with an answer of HTTP', async () => {
    const mounts = [
      { path: '/openai/v1', dialect: 'openai' },
      { path: '/plain/v1', dialect: 'openai', websocket: false },
    ]
    const { url, lines } = await startGateway({ mounts, websocket: { connections_per_key: 1 } })
    const codes = async (headers: object, path?: string): Promise<unknown[]> => {
      const { status, body } = await refusal(url, headers, path)
      return [status, body.error.code]
    }
    expect(await codes({ authorization: '' })).toEqual([401, 'missing_authentication'])
    expect(await codes({ authorization: 'Bearer x' })).toEqual([401, 'invalid_api_key'])
    expect(await codes({ origin: 'https://evil.example' })).toEqual([403, 'origin_not_allowed'])
    expect(await codes({ 'sec-websocket-version': '7' })).toEqual([400, 'malformed_request'])
    expect(await codes({ 'sec-websocket-key': 'short' })).toEqual([400, 'malformed_request'])
    expect(await codes({}, '/plain/v1/responses')).toEqual([426, 'upgrade_required'])
    expect(await lineOf(lines)).toMatchObject({ method: 'GET', status: 401, error: 'missing_authentication' })
    const first = await openSocket(url)
    expect(await codes({})).toEqual([429, 'too_many_websockets'])
    first.socket.close()
    await waitUntil(() => lines.some(({ event }) => event === 'websocket_closed'), 'the close')
    await openSocket(url)
  })
})

describe('a connection', () => {
  it('aborts its upstreams when the client has left', async () => {
    const { url, upstream, lines } = await startTestServer(half)
    const client = await openSocket(url)
    client.send({ ...CREATE, stream_id: 'a' })
    client.send({ ...CREATE, stream_id: 'b' })
    await waitUntil(() => client.messages.filter(({ type }) => type.endsWith('text.delta')).length === 2, 'deltas')
    client.socket.terminate()
    await Promise.all(upstream.received.map(({ closed }) => closed))
    await waitUntil(() => lines.filter(({ client_gone }) => client_gone === true).length === 2, 'log lines')
  })

  it('is closed when most of its messages are refused, each of which takes a request of the rate limit', async () => {
    const limited = { default: { requests: 5, seconds: 3600 } }
    const { url, lines } = await startTestServer(half, { rate_limit: limited })
    const client = await openSocket(url)
    const closed = new Promise((resolve) => client.socket.once('close', resolve))
    const earlier = lines.length
    for (let sent = 0; sent < 500; sent += 1) client.socket.send('{}')
    expect(await closed).toBe(1008)
    const codes = client.messages.map(({ error }) => error.code)
    expect(codes.slice(0, 6)).toEqual([...Array(5).fill('unknown_event_type'), 'rate_limit_exceeded'])
    expect(codes.length).toBeGreaterThanOrEqual(REFUSALS.burst)
    expect(codes.length).toBeLessThan(200)
    await waitUntil(() => lines.some(({ event }) => event === 'websocket_closed'), 'the close')
    // All refusals of a connection are one line.
    expect(lines.slice(earlier)).toMatchObject([{ event: 'websocket_closed', code: 1008, refused: codes.length - 1 }])
  })

  it('is closed after its age: a running answer ends first, and no other begins', async () => {
    const startAnswer = async (age_seconds: number) => {
      const server = await startTestServer(half, { websocket: { age_seconds } })
      const client = await openSocket(server.url)
      client.send(CREATE)
      const messages = await client.until(({ type }) => type === 'error' || type.endsWith('text.delta'))
      return { ...server, client, isTooOld: messages.some(({ type }) => type === 'error') }
    }
    const { url, client, upstream } = await withEnoughTime(startAnswer, ({ isTooOld }) => isTooOld)
    const limit = (message: Loose): boolean => message.error?.code === 'websocket_connection_limit_reached'
    // A younger connection is closed after the same age.
    await (await openSocket(url)).closed
    ;(await upstream.next()).response.end(stopChunk + doneFrame)
    const { code, reason } = await client.closed
    expect([code, reason]).toEqual([1001, 'websocket_connection_limit_reached'])
    expect(client.messages.map(({ type }) => type).slice(-2)).toEqual(['response.completed', 'error'])
    expect(client.messages.at(-1)).toMatchObject({ status: 400, error: { type: 'invalid_request_error' } })
    expect(limit(client.messages.at(-1))).toBe(true)
  })

  it('is closed when it is idle, when a message is too long and when a message is no UTF-8', async () => {
    const { url: impatient } = await startGateway({ websocket: { idle_seconds: 0.1 } })
    const idle = await openSocket(impatient)
    expect(await idle.closed).toEqual({ code: 1001, reason: 'idle' })
    const { url } = await startGateway({ websocket: { message_bytes: 100 } })
    const long = await openSocket(url)
    long.send('x'.repeat(101))
    expect((await long.closed).code).toBe(1009)
    const broken = await openSocket(url)
    broken.socket.send(Buffer.of(0xff), { binary: false })
    expect((await broken.closed).code).toBe(1007)
  })

  it('answers every ping of a read before the message behind them', async () => {
    const { url } = await startTestServer(half)
    const client = await connectWebSocket(url)
    let received = Buffer.alloc(0)
    client.socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes])
    })
    const ping = encodeFrame({ opcode: PING, payload: 'here?' })
    const unknown = encodeFrame({ opcode: TEXT, payload: '{"type":"later"}' })
    client.socket.write(Buffer.concat([...Array<Buffer>(1000).fill(ping), unknown]))
    expect((await client.next()).error.code).toBe('unknown_event_type')
    expect(received.toString('latin1').split('here?')).toHaveLength(1001)
    expect(await client.close()).toBe(1000)
  })

  it('bounds the requests that wait, and receives pings while an answer is silent', async () => {
    const { url, upstream } = await startTestServer(half, {
      websocket: { waiting_requests: 1 },
      keep_alive_seconds: 0.05,
    })
    const client = await openSocket(url)
    client.send(CREATE)
    await once(client.socket, 'ping')
    client.send(CREATE)
    client.send({ ...CREATE, stream_id: 'b' })
    const [full] = (await client.until(({ type }) => type === 'error')).slice(-1)
    expect(full).toMatchObject({ status: 429, stream_id: 'b', error: { code: 'websocket_queue_full' } })
    await waitUntil(() => upstream.received.length === 1, 'a request')
  })
})

describe('a server that stops', () => {
  it('closes idle connections, lets running answers end, and accepts no further request', async () => {
    const { url, running, upstream } = await startTestServer(half)
    const [idle, busy] = [await openSocket(url), await openSocket(url)]
    busy.send(CREATE)
    await busy.until(({ type }) => type.endsWith('text.delta'))
    const stopped = running.drain()
    expect((await idle.closed).code).toBe(1001)
    busy.send(CREATE)
    busy.send({ ...CREATE, stream_id: 'late' })
    await busy.until(({ type }) => type === 'error')
    ;(await upstream.next()).response.end(stopChunk + doneFrame)
    expect((await busy.closed).code).toBe(1001)
    await stopped
    const ends = busy.messages.filter(({ type }) => type === 'response.completed' || type === 'error')
    expect(ends.map(({ type, stream_id, error }) => [type, stream_id, error?.code])).toEqual([
      ['error', 'late', 'server_stopping'],
      ['response.completed', undefined, undefined],
      // A client takes an error for the end of the answer that its lane receives.
      ['error', undefined, 'server_stopping'],
    ])
  })

  it('fails an answer that takes longer than the limit', async () => {
    const { url, running } = await startTestServer(half, { drain: { limit_seconds: 0.1 } })
    const client = await openSocket(url)
    client.send(CREATE)
    await client.until(({ type }) => type.endsWith('text.delta'))
    await running.drain()
    expect((await client.closed).code).toBe(1001)
    expect(client.messages.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { error: { code: 'server_stopping' } },
    })
  })
})
