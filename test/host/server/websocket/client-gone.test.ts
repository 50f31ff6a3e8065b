import { describe, expect, it } from 'vitest'
import { beginning, textChunk } from '../../../mock-upstreams/server.ts'
import { startTestServer, waitUntil } from '../../test-server.ts'
import { connectWebSocket, type WebSocketClient } from '../../websocket-client.ts'

const LEAVING: Readonly<Record<string, (client: WebSocketClient) => void>> = {
  'has closed the connection': (client) => void client.close(),
  'has ended its side of the connection': ({ socket }) => void socket.end(),
  'is lost': ({ socket }) => void socket.resetAndDestroy(),
}

/** Nothing is written into the silent answers: only the end of the connection shows that the client has left. */
const SILENT = { keep_alive_seconds: 0, timeouts: { first_byte_seconds: 3600, idle_seconds: 3600 } }

describe('a client with two running responses that', () => {
  it.each(Object.keys(LEAVING))('%s has its upstreams aborted, and its queued request is never sent', async (how) => {
    const { url, upstream, lines } = await startTestServer(beginning(textChunk('Half')), SILENT)
    const client = await connectWebSocket(url)
    const create = { type: 'response.create', model: 'acme/mock-1', input: 'Hello', store: false }
    for (const stream_id of ['a', 'b', 'b']) client.send({ ...create, stream_id })
    await waitUntil(
      () => client.events.filter(({ type }) => type === 'response.output_text.delta').length === 2,
      'text of both lanes',
    )
    LEAVING[how]?.(client)
    await Promise.all(upstream.received.map(({ closed }) => closed))
    const gone = () => lines.filter(({ event, error }) => event === 'request' && error === 'client_gone')
    await waitUntil(() => gone().length >= 2, 'the lines of both requests')
    expect(upstream.received).toHaveLength(2)
  })
})
