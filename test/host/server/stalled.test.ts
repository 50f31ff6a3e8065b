import { describe, expect, it } from 'vitest'
import {
  type Behaviour,
  bodyOf,
  doneFrame,
  roleChunk,
  stopChunk,
  textChunk,
  withBody,
} from '../../mock-upstreams/server.ts'
import { connectRawClient, toBytes } from '../raw-client.ts'
import { REQUEST, startTestServer, waitUntil, whenDone } from '../test-server.ts'

const MiB = 1024 * 1024
const SIZE = 24 * MiB
const TIMES = { timeouts: { stalled_client_seconds: 1 } }
const whole = { ...REQUEST, stream: false }
const text = 'w'.repeat(SIZE)
const aStream = withBody(
  roleChunk + textChunk(text.slice(0, 12 * MiB)) + textChunk(text.slice(12 * MiB)) + stopChunk + doneFrame,
  200,
  {
    'content-type': 'text/event-stream',
  },
)

/**
 * Reads up to `bytes` bytes from a socket every `everyMs` milliseconds. Returns a function that gives the size so far.
 */
function readSlowly(client: ReturnType<typeof connectRawClient>, bytes: number, everyMs: number): () => number {
  let size = 0
  let allowed = 0
  client.socket.on('data', (chunk) => {
    size += chunk.length
    if (size >= allowed) client.socket.pause()
  })
  const timer = setInterval(() => {
    allowed += bytes
    if (size < allowed) client.socket.resume()
  }, everyMs)
  whenDone(async () => clearInterval(timer))
  return () => size
}

describe('a client that reads its answer slowly', () => {
  const gets = async (body: object, behave: Behaviour): Promise<void> => {
    // The timeout is several times as long as the pauses, because a busy machine may make them longer.
    const server = await startTestServer(behave, { timeouts: { stalled_client_seconds: 2 } })
    const client = connectRawClient(server)
    const startedAt = performance.now()
    readSlowly(client, 1.5 * MiB, 250)
    client.socket.write(toBytes({ body, headers: ['connection: close'] }))
    await client.closed
    expect(performance.now() - startedAt).toBeGreaterThan(2000)
    const line = server.lines.find(({ event }) => event === 'request')
    expect(line).toMatchObject({ status: 200, outcome: 'completed' })
    expect(line).not.toHaveProperty('client_gone')
  }

  it('receives all of it, streamed or not, even if that takes longer than the stall timeout', async () => {
    await Promise.all([gets(whole, withBody(bodyOf(text))), gets(REQUEST, aStream)])
  })
})

describe('a client that reads nothing', () => {
  const isCut = async (body: object, behave: Behaviour): Promise<void> => {
    const server = await startTestServer(behave, TIMES)
    const client = connectRawClient(server)
    client.socket.pause()
    client.socket.write(toBytes({ body }))
    await waitUntil(() => server.lines.some(({ event }) => event === 'request'), 'the log line', 20_000)
    const line = server.lines.find(({ event }) => event === 'request')
    expect(line).toMatchObject({ status: 200, error: 'client_stalled', party: 'client' })
  }

  it('of a body or of a completed stream is disconnected, and the log has the reason', async () => {
    await Promise.all([isCut(whole, withBody(bodyOf(text))), isCut(REQUEST, aStream)])
  })
})

describe('a silent upstream', () => {
  it('does not make its client count as stalled', async () => {
    const server = await startTestServer(
      async (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(roleChunk + textChunk('Half'))
        await new Promise((resolve) => setTimeout(resolve, 700))
        response.end(textChunk(' and half') + stopChunk + doneFrame)
      },
      { timeouts: { stalled_client_seconds: 0.2 } },
    )
    const client = connectRawClient(server)
    client.socket.write(toBytes({ headers: ['connection: close'] }))
    await client.closed
    expect(client.text()).toContain('[DONE]')
    expect(server.lines.find(({ event }) => event === 'request')).toMatchObject({ outcome: 'completed' })
  })
})
