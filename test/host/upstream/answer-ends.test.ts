import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { WireName } from '../../../src/wires/contract.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import {
  type Behaviour,
  doneFrame,
  drip,
  type ReceivedRequest,
  roleChunk,
  startMockUpstream,
  stopChunk,
  streamOf,
  textChunk,
  usageChunk,
  writePaced,
} from '../../mock-upstreams/server.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import {
  json,
  lineOf,
  post,
  REQUEST,
  startGateway,
  startTestServer,
  waitUntil,
  whenDone,
  withEnoughTime,
} from '../test-server.ts'
import { connectWebSocket } from '../websocket-client.ts'

/** Upstreams that end their answer and keep their connection open, with heartbeats. */

const SSE = 'text/event-stream'

/** Milliseconds between two frames. */
const PAUSE_MS = 50

/** Sends these bytes, then heartbeats until the connection is closed. */
function staysOpen(
  response: ServerResponse,
  bytes: string | Uint8Array,
  heartbeat = ': heartbeat\n\n',
  type = SSE,
): void {
  response.writeHead(200, { 'content-type': type })
  response.write(bytes)
  if (heartbeat !== '') void drip(response, heartbeat)
}

const open =
  (bytes: string | Uint8Array): Behaviour =>
  (response) =>
    staysOpen(response, bytes)

/** Long enough that a test ends before it only if the answer does. */
const NEVER = { timeouts: { after_finish_seconds: 3600 } }
const SOON = { timeouts: { after_finish_seconds: 0.3 } }

const TURN = { text: ['Hello', ' there'], calls: [] }

const HEARTBEATS: Readonly<Record<string, string>> = {
  sse: ': heartbeat\n\n',
  ndjson: '\n',
  // Bedrock sends none.
  bin: '',
}

interface Client {
  readonly path: string | ((stream: boolean, model: string) => string)
  readonly body: object
  readonly last: RegExp
}

const CLIENTS: Readonly<Record<string, Client>> = {
  responses: { path: '/openai/v1/responses', body: { input: 'Hi' }, last: /"type":"response\.completed"/ },
  beta: { path: '/api/v1/responses', body: { input: 'Hi' }, last: /"type":"response\.completed"/ },
  chat: {
    path: '/openai/v1/chat/completions',
    body: { messages: [{ role: 'user', content: 'Hi' }] },
    last: /data: \[DONE\]\n\n$/,
  },
  messages: {
    path: '/api/v1/messages',
    body: { max_tokens: 99, messages: [{ role: 'user', content: 'Hi' }] },
    last: /"type":"message_stop"/,
  },
  ollama: { path: '/api/v1/api/chat', body: { messages: [{ role: 'user', content: 'Hi' }] }, last: /"done":true/ },
  gemini: {
    path: (stream, model) =>
      `/api/v1/models/acme/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    last: /"finishReason":"STOP"/,
  },
}

async function serverOf(wire: WireName, behave: Behaviour, config: object) {
  const upstream = await startMockUpstream(behave)
  whenDone(upstream.close)
  const { quirks } = WIRE_UPSTREAMS[wire]
  const acme = { wire, base_url: upstream.url, key: { env: 'ACME_KEY' }, quirks }
  return { ...(await startGateway({ vendors: { acme }, ...config })), upstream }
}

describe('an answer whose upstream stays open', () => {
  /** The answer of an upstream that stays open, to one request of the client. */
  async function expectEnd(wire: WireName, client: string, stream: boolean): Promise<void> {
    const name = `${client}, streamed: ${stream}`
    const { encodeTurn, contentType, model } = WIRE_UPSTREAMS[wire]
    const heartbeat = HEARTBEATS[WIRES[wire].framing.extension] as string
    const config = wire === 'gemini-generate' ? SOON : NEVER
    const { url, upstream, lines } = await serverOf(
      wire,
      (response) => staysOpen(response, encodeTurn(TURN), heartbeat, contentType),
      config,
    )
    const { path, body, last } = CLIENTS[client] as Client
    const named = typeof path === 'string' ? { model: `acme/${model}`, stream } : {}
    const answer = await post(
      url,
      { ...named, ...body },
      { path: typeof path === 'string' ? path : path(stream, model) },
    )
    const text = await answer.text()
    expect(answer.status, name).toBe(200)
    expect(text, name).toContain('Hello')
    if (stream) expect(text, name).toMatch(last)
    // Gemini has no terminal event, so that its stream is passed on until the time is over.
    if (wire !== 'gemini-generate') expect(text, name).not.toContain('heartbeat')
    await upstream.received[0]?.closed
    expect(await lineOf(lines), name).toMatchObject({
      status: 200,
      outcome: 'completed',
      usage: { input_tokens: 11, output_tokens: 7 },
    })
  }

  // At once, because each waits for the end of a connection.
  it.each(Object.values(WIRE_UPSTREAMS))(
    'ends for each client at the end of $wire, streamed or not',
    async ({ wire }) => {
      const ends = Object.keys(CLIENTS).flatMap((client) =>
        [true, false].map((stream) => expectEnd(wire, client, stream)),
      )
      await Promise.all(ends)
    },
  )

  it.each([true, false])('ends after a finish reason without a terminal event, streamed: %s', async (stream) => {
    const { url, upstream } = await startTestServer(open(roleChunk + textChunk('Hi') + stopChunk), SOON)
    for (const path of ['/openai/v1/responses', '/openai/v1/chat/completions']) {
      const body = path.endsWith('responses')
        ? REQUEST
        : { model: 'acme/mock-1', messages: [{ role: 'user', content: 'x' }] }
      const text = await (await post(url, { ...body, stream }, { path })).text()
      expect(text).toContain('Hi')
      if (stream) expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
    }
    for (const { closed } of upstream.received) await closed
  })

  it('has what follows the finish reason in time: text, usage, and a second finish reason', async () => {
    const frames = [roleChunk, textChunk('Hel'), stopChunk, textChunk('lo'), usageChunk, stopChunk]
    const answer = await withEnoughTime(
      async (after_finish_seconds) => {
        const { url } = await startTestServer(
          async (response) => {
            response.writeHead(200, { 'content-type': SSE })
            await writePaced(response, frames, PAUSE_MS)
            await drip(response, ': heartbeat\n\n')
          },
          { timeouts: { after_finish_seconds } },
        )
        return json(await post(url, { ...REQUEST, stream: false }))
      },
      ({ usage }) => usage === null,
    )
    expect(answer).toMatchObject({
      status: 'completed',
      output: [{ content: [{ text: 'Hello' }] }],
      usage: { input_tokens: 3, output_tokens: 5 },
    })
  })

  it.each(['/openai/v1/responses', '/api/v1/messages', '/openai/v1/chat/completions'])(
    'ends after a failure in its middle, for %s',
    async (path) => {
      const error = 'data: {"error":{"message":"The engine broke.","type":"server_error"}}\n\n'
      const { url, upstream, lines } = await startTestServer(open(roleChunk + textChunk('Hel') + error), NEVER)
      const body = { ...REQUEST, max_tokens: 9, messages: [{ role: 'user', content: 'x' }] }
      const { input: _, ...rest } = body
      const text = await (await post(url, path.endsWith('responses') ? REQUEST : rest, { path })).text()
      expect(text).toContain('The engine broke.')
      await upstream.received[0]?.closed
      expect(await lineOf(lines)).toMatchObject({ outcome: 'failed' })
    },
  )

  it('is retried if it fails at once', async () => {
    let calls = 0
    const error = 'data: {"error":{"message":"Overloaded.","type":"overloaded_error","code":529}}\n\n'
    const { url, upstream } = await startTestServer(
      (response) => {
        calls += 1
        staysOpen(response, calls === 1 ? error : streamOf('Hello'))
      },
      { ...NEVER, retry: { attempts: 2, first_delay_ms: 1 } },
    )
    expect(await (await post(url)).text()).toContain('Hello')
    expect(upstream.received).toHaveLength(2)
  })

  it('is passed up to its terminal event, and nothing after it', async () => {
    const stream = streamOf('Hello', ' there')
    const { url } = await startTestServer(open(`${stream}${textChunk('late')}: late\n\n${doneFrame}`), NEVER)
    const body = {
      model: 'acme/mock-1',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: 'x' }],
    }
    const text = await (await post(url, body, { path: '/openai/v1/chat/completions' })).text()
    expect(text).toBe(stream)
  })
})

const socketOf = ({ response }: ReceivedRequest) => response.req.socket

describe('the connection to an upstream', () => {
  async function twoRequests(behave: Behaviour, between: (first: ReceivedRequest) => Promise<unknown>) {
    const { url, upstream } = await startTestServer(behave, NEVER)
    for (let i = 0; i < 2; i += 1) {
      expect(await (await post(url)).text()).toContain('response.completed')
      const received = upstream.received[i]
      if (received === undefined) return expect.unreachable()
      await between(received)
      // Further requests let the gateway read what has arrived.
      for (let k = 0; k < 20; k += 1) await (await fetch(`${url}/healthz`)).text()
    }
    const [first, second] = upstream.received.map(socketOf)
    return first === second
  }

  it('is kept if its body ends after the terminal event, in the same read or later', async () => {
    const ending: readonly ((response: ServerResponse) => void)[] = [
      (response) => void response.end(),
      (response) => void writePaced(response, [': bye\n\n', ': bye\n\n'], PAUSE_MS).then(() => response.end()),
    ]
    for (const end of ending) {
      const behave: Behaviour = (response) => {
        response.writeHead(200, { 'content-type': SSE })
        response.write(streamOf('Hello'))
        end(response)
      }
      expect(await twoRequests(behave, ({ closed }) => closed)).toBe(true)
    }
  })

  it('is closed if its body stays open or goes on', async () => {
    for (const rest of [': heartbeat\n\n', `: ${'x'.repeat(5000)}\n\n`]) {
      const behave: Behaviour = (response) => staysOpen(response, streamOf('Hello'), rest)
      const isSame = await twoRequests(behave, (received) => {
        const { socket } = received.response.req
        return waitUntil(() => socket.destroyed, 'the end of the connection')
      })
      expect(isSame).toBe(false)
    }
  })
})

describe('a WebSocket whose upstream stays open', () => {
  it('answers one turn after the other', async () => {
    const { url, upstream } = await startTestServer(open(streamOf('Hello')), NEVER)
    const client = await connectWebSocket(url)
    for (let i = 0; i < 3; i += 1) {
      const events = await client.turn({
        type: 'response.create',
        model: 'acme/mock-1',
        input: [{ type: 'message', role: 'user', content: 'Hi' }],
      })
      expect(events.at(-1)).toMatchObject({ type: 'response.completed' })
    }
    expect(upstream.received).toHaveLength(3)
  })
})
