import { describe, expect, it } from 'vitest'
import { beginning, roleChunk, textChunk } from '../../../mock-upstreams/server.ts'
import { lineOf, startTestServer, waitUntil, waitUntilStill } from '../../test-server.ts'
import { openSocket } from './socket-client.ts'

const CREATE = { type: 'response.create', model: 'acme/mock-1', input: 'Hello' }
const half = beginning(roleChunk, textChunk('Half'))

const SIZE = 64 * 1024
/** 28 MiB, which is more than the buffers of both connections and less than the limit of an answer. */
const FRAMES = Array.from({ length: 448 }, () => textChunk('x'.repeat(SIZE)))

describe('a client of a socket that reads slowly', () => {
  it('holds back its upstream, and receives everything once it reads again', async () => {
    const { url, upstream } = await startTestServer(half)
    const client = await openSocket(url)
    client.send(CREATE)
    await client.until(({ type }) => type.endsWith('text.delta'))
    client.socket.pause()
    const { response } = await upstream.next()
    for (const frame of FRAMES) response.write(frame)
    await waitUntilStill(url, () => response.writableLength, 'the upstream')
    expect(response.writableLength).toBeGreaterThan(1024 * 1024)
    client.socket.resume()
    const received = (): number => client.messages.reduce((sum, { delta = '' }) => sum + delta.length, 0)
    await waitUntil(() => received() === 'Half'.length + FRAMES.length * SIZE, 'all deltas')
  })

  it('is cut when it reads nothing for the time of a stalled client', async () => {
    const { url, upstream, lines } = await startTestServer(half, { timeouts: { stalled_client_seconds: 0.2 } })
    const client = await openSocket(url)
    client.send(CREATE)
    await client.until(({ type }) => type.endsWith('text.delta'))
    client.socket.pause()
    const { response, closed } = await upstream.next()
    for (const frame of FRAMES) response.write(frame)
    await closed
    expect(await lineOf(lines)).toMatchObject({ method: 'WS', client_gone: true, error: 'client_stalled' })
  })
})
