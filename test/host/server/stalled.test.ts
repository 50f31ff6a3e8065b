import { describe, expect, it } from 'vitest'
import {
  type Behaviour,
  beginning,
  bodyOf,
  doneFrame,
  roleChunk,
  stopChunk,
  textChunk,
  withBody,
} from '../../mock-upstreams/server.ts'
import { connectRawClient, toBytes } from '../raw-client.ts'
import { lineOf, REQUEST, startTestServer, waitUntil, whenDone, withEnoughTime } from '../test-server.ts'

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

/** Reads up to `bytes` bytes from a socket every `everyMs` milliseconds. Returns the number of these steps so far. */
function readSlowly(client: ReturnType<typeof connectRawClient>, bytes: number, everyMs: number): () => number {
  let steps = 0
  let size = 0
  client.socket.on('data', (chunk) => {
    size += chunk.length
    if (size >= steps * bytes) client.socket.pause()
  })
  const timer = setInterval(() => {
    steps += 1
    if (size < steps * bytes) client.socket.resume()
  }, everyMs)
  whenDone(async () => clearInterval(timer))
  return () => steps
}

describe('a client that reads its answer slowly', () => {
  const STEPS = 8
  const gets = async (body: object, behave: Behaviour): Promise<void> => {
    const line = await withEnoughTime(
      async (stalled_client_seconds) => {
        const server = await startTestServer(behave, { timeouts: { stalled_client_seconds } })
        const client = connectRawClient(server)
        const steps = readSlowly(client, 1.5 * MiB, (stalled_client_seconds * 1000) / STEPS)
        client.socket.write(toBytes({ body, headers: ['connection: close'] }))
        await client.closed
        const found = await lineOf(server.lines)
        // The whole answer takes longer than the timeout.
        if (found.error === undefined) expect(steps()).toBeGreaterThan(STEPS)
        return found
      },
      ({ error }) => error === 'client_stalled',
    )
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
    await waitUntil(() => server.lines.some(({ event }) => event === 'request'), 'the log line')
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
      (response, request) =>
        (request.body.model === 'long' ? aStream : beginning(roleChunk, textChunk('Half')))(response, request),
      { timeouts: { stalled_client_seconds: 0.2 } },
    )
    const client = connectRawClient(server)
    client.socket.write(toBytes({ headers: ['connection: close'] }))
    const { response } = await server.upstream.next()
    await waitUntil(() => client.text().includes('Half'), 'the first half')
    // A later client reads nothing, and is disconnected after the same time.
    const other = connectRawClient(server)
    other.socket.pause()
    other.socket.write(toBytes({ body: { ...REQUEST, model: 'acme/long' } }))
    expect(await lineOf(server.lines)).toMatchObject({ error: 'client_stalled', model: 'long' })
    response.end(textChunk(' and half') + stopChunk + doneFrame)
    await client.closed
    expect(client.text()).toContain('[DONE]')
    const own = () => server.lines.find(({ model }) => model === 'mock-1')
    await waitUntil(() => own() !== undefined, 'the log line')
    expect(own()).toMatchObject({ outcome: 'completed' })
  })
})
