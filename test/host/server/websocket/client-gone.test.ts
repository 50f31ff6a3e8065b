import { describe, expect, it } from 'vitest'
import { beginning, textChunk } from '../../../mock-upstreams/server.ts'
import { startTestServer, waitUntil } from '../../test-server.ts'
import { connectWebSocket, type WebSocketClient } from '../../websocket-client.ts'

const LEAVING: Readonly<Record<string, (client: WebSocketClient) => void>> = {
  'has closed the connection': (client) => void client.close(),
  'has ended its side of the connection': ({ socket }) => void socket.end(),
  'is lost': ({ socket }) => void socket.resetAndDestroy(),
}

/** Far above the time that the abort takes; `npm run bench:host sockets` measures that. */
const LONGEST_MS = 2_000

describe('a client with two running responses that', () => {
  it.each(Object.keys(LEAVING))('%s has its upstreams aborted, and its queued request is never sent', async (how) => {
    const { url, upstream, lines } = await startTestServer(beginning(textChunk('Half')))
    const client = await connectWebSocket(url)
    const create = { type: 'response.create', model: 'acme/mock-1', input: 'Hello', store: false }
    for (const stream_id of ['a', 'b', 'b']) client.send({ ...create, stream_id })
    await waitUntil(
      () => client.events.filter(({ type }) => type === 'response.output_text.delta').length === 2,
      'text of both lanes',
    )
    const leftAt = performance.now()
    LEAVING[how]?.(client)
    const closed = await Promise.all(upstream.received.map((one) => one.closed))
    for (const at of closed) expect(at - leftAt).toBeLessThan(LONGEST_MS)
    const gone = () => lines.filter(({ event, error }) => event === 'request' && error === 'client_gone')
    await waitUntil(() => gone().length >= 2, 'the lines of both requests')
    expect(upstream.received).toHaveLength(2)
  })
})
