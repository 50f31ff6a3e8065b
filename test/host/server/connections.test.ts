import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { REFUSALS } from '../../../src/protocol/limits.ts'
import {
  type Behaviour,
  beginning,
  bodyOf,
  drained,
  roleChunk,
  streamOf,
  textChunk,
  withBody,
} from '../../mock-upstreams/server.ts'
import { IS_WHOLE } from '../../property.ts'
import { runProgram } from '../program.ts'
import { connectRawClient, dripInto, toBytes } from '../raw-client.ts'
import {
  KEY,
  REQUEST,
  sha256,
  startTestServer,
  type TestServer,
  waitUntil,
  waitUntilStill,
  whenDone,
} from '../test-server.ts'

const MiB = 1024 * 1024
const whole = { ...REQUEST, stream: false }
const silent: Behaviour = () => {}
const requestLines = ({ lines }: Pick<TestServer, 'lines'>) => lines.filter(({ event }) => event === 'request')

async function openStreams({ url }: TestServer): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^millrace_streams_open (\d+)$/m.exec(text)?.[1])
}

/** Collects the responses to requests on one path that the server has read so far, in order. */
function startedAnswers(server: TestServer, path: string): readonly ServerResponse[] {
  const STARTED = 'http.server.request.start'
  const own = new URL(server.url).port
  const answers: ServerResponse[] = []
  const onStart = (message: unknown): void => {
    if (typeof message !== 'object' || message === null || !('response' in message && 'socket' in message)) return
    const { response, socket } = message
    if (!(response instanceof ServerResponse) || response.req.url !== path) return
    if (!(socket instanceof Socket) || String(socket.localPort) === own) answers.push(response)
  }
  subscribe(STARTED, onStart)
  whenDone(async () => void unsubscribe(STARTED, onStart))
  return answers
}

const RESPONSES = '/api/v1/responses'

describe('requests pipelined on one connection', () => {
  it('reach the upstream one at a time, and are answered in order', async () => {
    const COUNT = IS_WHOLE ? 500 : 100
    let open = 0
    let most = 0
    const server = await startTestServer(async (response, { body }) => {
      open += 1
      most = Math.max(most, open)
      await new Promise((resolve) => setImmediate(resolve))
      open -= 1
      const [{ content }] = body.messages as { content: string }[] as [{ content: string }]
      await withBody(bodyOf(`<${content}>`))(response, {} as never)
    })
    const client = connectRawClient(server)
    const last = { headers: ['connection: close'] }
    const requests = Array.from({ length: COUNT }, (_, i) =>
      toBytes({ body: { ...whole, input: `n${i}` }, ...(i === COUNT - 1 ? last : {}) }),
    )
    client.socket.write(requests.join(''))
    await client.closed
    expect(most).toBe(1)
    expect(client.statuses()).toEqual(Array(COUNT).fill(200))
    const texts = [...client.text().matchAll(/<n(\d+)>/g)].map(([, n]) => Number(n))
    expect([...new Set(texts)]).toEqual(Array.from({ length: COUNT }, (_, i) => i))
    expect(requestLines(server)).toHaveLength(COUNT)
  })

  it('end with their connection: one upstream request is aborted, each has a log line', async () => {
    // No more are read while the first one is answered.
    const COUNT = 8
    const server = await startTestServer(beginning(roleChunk, textChunk('Half')))
    const started = startedAnswers(server, RESPONSES)
    const client = connectRawClient(server)
    client.socket.write(toBytes().repeat(COUNT))
    await waitUntil(() => client.text().includes('Half'), 'the first half of the first answer')
    await waitUntil(() => started.length === COUNT, 'all requests to be read')
    client.socket.resetAndDestroy()
    await waitUntil(() => requestLines(server).length === COUNT, 'a log line for each')
    await Promise.all(server.upstream.received.map(({ closed }) => closed))
    expect(server.upstream.received).toHaveLength(1)
    expect(requestLines(server).every((line) => line.client_gone === true)).toBe(true)
    expect(await openStreams(server)).toBe(0)
  })

  it('end with their connection even if most of their bytes are still unread', async () => {
    const server = await startTestServer(beginning(roleChunk, textChunk('Half')))
    const started = startedAnswers(server, RESPONSES)
    const client = connectRawClient(server)
    const long = toBytes({ body: { ...REQUEST, input: 'x'.repeat(200_000) } })
    client.socket.write(toBytes() + long.repeat(50))
    await waitUntil(() => client.text().includes('Half'), 'the first half of the first answer')
    await waitUntil(() => started.length >= 2, 'a second request to be read')
    client.socket.resetAndDestroy()
    await (await server.upstream.next()).closed
    await waitUntil(() => requestLines(server).length >= 2, 'log lines')
    expect(server.upstream.received).toHaveLength(1)
    expect(await openStreams(server)).toBe(0)
  })

  it('are all answered if the client ends its sending side after them', async () => {
    const server = await startTestServer(withBody(bodyOf('Hi')))
    const client = connectRawClient(server)
    client.socket.end(toBytes({ body: whole }).repeat(20))
    await client.closed
    expect(client.statuses()).toEqual(Array(20).fill(200))
  })

  it('that are all refused close it after a while, and are no log lines then', async () => {
    const server = await startTestServer(withBody(bodyOf('Hi')))
    const client = connectRawClient(server)
    client.socket.write('GET /unknown HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(3000))
    await client.closed
    const statuses = client.statuses()
    expect(new Set(statuses)).toEqual(new Set([404]))
    expect(statuses.length).toBeGreaterThanOrEqual(REFUSALS.burst)
    expect(statuses.length).toBeLessThan(1000)
    expect(client.text().split('HTTP/1.1 ').at(-1)).toMatch(/connection: close/i)
    await waitUntil(() => requestLines(server).length === statuses.length, 'a log line for each answer')
    expect(server.lines.filter(({ event }) => event === 'connections_cut')).toEqual([
      expect.objectContaining({ count: 1 }),
    ])
  })

  it('do not prevent the server from stopping', async () => {
    const server = await startTestServer(beginning(roleChunk, textChunk('Half')), { drain: { limit_seconds: 0.2 } })
    const client = connectRawClient(server)
    client.socket.write(toBytes().repeat(8))
    await waitUntil(() => client.text().includes('Half'), 'the first half of the first answer')
    await server.running.drain()
    await waitUntil(() => requestLines(server).length === 8, 'a log line for each')
    expect(server.upstream.received).toHaveLength(1)
  })
})

const drainedOrClosed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const settle = (): void => {
      socket.off('drain', settle).off('close', settle)
      resolve()
    }
    socket.on('drain', settle).on('close', settle)
  })

describe('a request body after a refusal', () => {
  const endless = (server: TestServer, head: string, piece = Buffer.alloc(65_536, 'x')) => {
    const client = connectRawClient(server)
    let sent = 0
    const pour = (): void => {
      while (!client.socket.destroyed && client.socket.writable) {
        sent += piece.length
        if (!client.socket.write(piece)) return void client.socket.once('drain', pour)
      }
    }
    client.socket.write(head)
    pour()
    return { ...client, sent: () => sent }
  }
  const chunk = Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`)
  const chunked = { body: '', length: null, headers: ['transfer-encoding: chunked'] }

  it.each([
    ['without a key, of a length', 401, toBytes({ key: 'wrong', body: '', length: 1e10 }), undefined],
    ['without a key, in chunks', 401, toBytes({ ...chunked, key: 'wrong' }), chunk],
    ['too large, of a length', 413, toBytes({ body: '', length: 1e10 }), undefined],
    ['too large, in chunks', 413, toBytes(chunked), chunk],
    ['at no path', 404, toBytes({ path: '/nothing', body: '', length: 1e10 }), undefined],
    [
      'with a method that has no body',
      200,
      toBytes({ method: 'GET', path: '/healthz', body: '', length: 1e10 }),
      undefined,
    ],
    ['of another type', 415, toBytes({ body: '', length: 1e10, headers: ['content-encoding: compress'] }), undefined],
  ])('is read only briefly: a body %s', async (_, status, head, piece) => {
    const server = await startTestServer(silent, { limits: { request_body_bytes: MiB } })
    const client = endless(server, head, piece)
    await client.closed
    expect(client.statuses()).toEqual([status])
    // Bytes in the buffers of the operating system count as sent.
    expect(client.sent()).toBeLessThan(64 * MiB)
    expect(requestLines(server)).toHaveLength(1)
  })

  it.each([
    ['passed through', '/openai/v1/chat/completions'],
    ['translated', '/openai/v1/responses'],
  ])('does not hide the answer: a body over the limit that would be %s is answered with 413', async (_, path) => {
    const server = await startTestServer(silent, { limits: { request_body_bytes: MiB } })
    const client = connectRawClient(server)
    client.socket.pause()
    const size = 40 * MiB
    client.socket.write(toBytes({ path, body: '', length: size }))
    for (let sent = 0; sent < size && !client.socket.destroyed; sent += MiB)
      if (!client.socket.write(Buffer.alloc(MiB, ' '))) await drainedOrClosed(client.socket)
    client.socket.resume()
    await client.closed
    expect(client.statuses()).toEqual([413])
    expect(client.text()).toContain('request_too_large')
  })

  it('is cut off after a time if it arrives in drips', async () => {
    const server = await startTestServer(silent)
    const client = connectRawClient(server)
    client.socket.write(toBytes({ key: 'wrong', body: 'x', length: 1000 }))
    dripInto(client, 'x')
    await client.closed
    expect(client.statuses()).toEqual([401])
  })

  it('is read to its end if it is short, so that the connection stays open', async () => {
    const server = await startTestServer(withBody(bodyOf('Hi')))
    const client = connectRawClient(server)
    client.socket.write(toBytes({ key: 'wrong' }))
    await waitUntil(() => client.statuses().length === 1, 'the refusal')
    client.socket.write(toBytes({ body: whole }))
    await waitUntil(() => client.statuses().length === 2, 'the answer')
    expect(client.statuses()).toEqual([401, 200])
  })

  it('does not hide the answer: a header of 10 MB is answered with 431', async () => {
    const server = await startTestServer(silent)
    const client = connectRawClient(server)
    client.socket.write(`GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'x'.repeat(10_000_000)}\r\n\r\n`)
    await client.closed
    expect(client.statuses()).toEqual([431])
    expect(requestLines(server)).toHaveLength(1)
  })

  it('does not keep the connection open if it is an endless header', async () => {
    const server = await startTestServer(silent)
    const client = endless(server, 'GET / HTTP/1.1\r\nhost: localhost\r\nx: ')
    await client.closed
    expect(client.sent()).toBeLessThan(128 * MiB)
    expect(client.statuses()).toEqual([431])
    expect(requestLines(server)).toHaveLength(1)
  })

  it('does not keep the connection open if it follows a malformed chunk', async () => {
    const server = await startTestServer(silent)
    const client = endless(server, toBytes({ ...chunked, body: 'zz\r\n' }))
    await client.closed
    expect(client.statuses()).toEqual([400])
    expect(requestLines(server)).toHaveLength(1)
  })
})

describe('a connection between two requests', () => {
  const health = 'GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'

  it.each([
    ['75 seconds by default', {}, 'timeout=75'],
    ['as long as connections.idle_seconds', { connections: { idle_seconds: 650 } }, 'timeout=650'],
  ])('stays open for %s, and says so', async (_, config, said) => {
    const client = connectRawClient(await startTestServer(silent, config))
    client.socket.write(health)
    await waitUntil(() => client.statuses().length === 1, 'an answer')
    expect(client.text()).toContain(said)
    client.socket.write(health)
    await waitUntil(() => client.statuses().length === 2, 'a second answer')
    expect(client.statuses()).toEqual([200, 200])
    client.socket.destroy()
  })

  it('is closed after connections.idle_seconds without a request, and not while it is answered', async () => {
    const server = await startTestServer(silent, { connections: { idle_seconds: 0.05 } })
    const [idle, busy] = [connectRawClient(server), connectRawClient(server)]
    busy.socket.write(toBytes({ body: whole }))
    const request = await server.upstream.next()
    idle.socket.write(health)
    await idle.closed
    expect(idle.statuses()).toEqual([200])
    request.response.writeHead(200, { 'content-type': 'application/json' }).end(bodyOf('Late'))
    await waitUntil(() => busy.statuses().length === 1, 'an answer')
    await busy.closed
    expect(busy.statuses()).toEqual([200])
  })
})

/** Only the end of the connection itself ends the upstream: nothing is written into a silent stream. */
const SILENT = { keep_alive_seconds: 0, timeouts: { first_byte_seconds: 3600, idle_seconds: 3600 } }

describe('a client of HTTP/1.0', () => {
  it.each([
    ['resets', 'before the head of a stream', REQUEST, silent],
    ['resets', 'before the head of a body', whole, silent],
    ['resets', 'in a silent stream', REQUEST, beginning(roleChunk, textChunk('Half'))],
    ['leaves with FIN', 'before the head of a stream', REQUEST, silent],
    ['leaves with FIN', 'before the head of a body', whole, silent],
    ['leaves with FIN', 'in a silent stream', REQUEST, beginning(roleChunk, textChunk('Half'))],
  ] as const)('that %s %s: its upstream connection is closed with it', async (how, where, body, behave) => {
    const server = await startTestServer(behave, SILENT)
    const client = connectRawClient(server)
    client.socket.write(toBytes({ version: '1.0', body }))
    const request = await server.upstream.next()
    if (where === 'in a silent stream') await waitUntil(() => client.text().includes('Half'), 'the first half')
    if (how === 'resets') client.socket.resetAndDestroy()
    else client.socket.destroy()
    await request.closed
    await waitUntil(() => requestLines(server).length === 1, 'the log line')
    expect(requestLines(server)[0]).toMatchObject({ error: 'client_gone', client_gone: true })
  })

  it('is answered, streamed and unstreamed, and can keep its connection alive', async () => {
    const server = await startTestServer(withBody(bodyOf('Hi')))
    const client = connectRawClient(server)
    client.socket.write(toBytes({ version: '1.0', body: whole, headers: ['connection: keep-alive'] }))
    await waitUntil(() => client.statuses().length === 1, 'the first answer')
    client.socket.write(toBytes({ version: '1.0', body: REQUEST }))
    await client.closed
    expect(client.statuses()).toEqual([200, 200])
    expect(client.text()).toContain('[DONE]')
    expect(client.text()).not.toMatch(/transfer-encoding/i)
  })

  it('is still answered at once after it ends its sending side', async () => {
    const server = await startTestServer(silent)
    const client = connectRawClient(server)
    client.socket.end('GET /healthz HTTP/1.0\r\n\r\n')
    await client.closed
    expect(client.statuses()).toEqual([200])
  })

  it('causes no further retries after it has disconnected', async () => {
    const server = await startTestServer(withBody('{}', 503), {
      retry: { attempts: 5, first_delay_ms: 60_000, longest_delay_ms: 60_000 },
    })
    const client = connectRawClient(server)
    client.socket.end(toBytes({ version: '1.0', body: whole }))
    await waitUntil(() => requestLines(server).length === 1, 'the log line')
    expect(server.upstream.received).toHaveLength(1)
    expect(requestLines(server)[0]).toMatchObject({ error: 'client_gone' })
  })
})

describe('a client that leaves with FIN', () => {
  const GEMINI = '/api/v1/models/acme/mock-1:streamGenerateContent'
  const contents = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }
  const ollama = { model: 'acme/mock-1', messages: [{ role: 'user', content: 'Hello' }], stream: true }

  it.each([
    ['lines', '/api/v1/api/chat', ollama, '1.1'],
    ['an array', GEMINI, contents, '1.1'],
    ['events', `${GEMINI}?alt=sse`, contents, '1.1'],
    ['lines over HTTP/1.0', '/api/v1/api/chat', ollama, '1.0'],
    ['an array over HTTP/1.0', GEMINI, contents, '1.0'],
  ] as const)('in a silent stream of %s: its upstream connection is closed with it', async (_, path, body, version) => {
    const server = await startTestServer(beginning(roleChunk, textChunk('Half')), SILENT)
    const client = connectRawClient(server)
    client.socket.write(toBytes({ path, body, version }))
    const request = await server.upstream.next()
    await waitUntil(() => client.text().includes('Half'), 'the first half')
    client.socket.destroy()
    await request.closed
    await waitUntil(() => requestLines(server).length === 1, 'the log line')
    expect(requestLines(server)[0]).toMatchObject({ error: 'client_gone' })
  })

  it.each([
    ['lines', '/api/v1/api/chat', ollama],
    ['an array', GEMINI, contents],
  ] as const)(
    'but only ends its sending side receives all of a stream of %s, and only valid JSON in it',
    async (_, path, body) => {
      const server = await startTestServer(beginning(roleChunk, textChunk('Half')))
      const client = connectRawClient(server)
      client.socket.end(toBytes({ path, body }))
      const { response } = await server.upstream.next()
      await waitUntil(() => client.text().includes('Half'), 'the first half')
      // The server writes white space as a probe for a client that has disconnected.
      await waitUntil(() => client.text().split('\r\n1\r\n \r\n').length > 3, 'three probes of the server')
      response.end(streamOf(' done').split('\n\n').slice(1).join('\n\n'))
      await client.closed
      const [, answer = ''] = client.text().split('HTTP/1.1 200 OK')
      const chunks = answer.split('\r\n\r\n').slice(1).join('\r\n\r\n')
      const text = chunks.replace(/(^|\r\n)[0-9a-f]+\r\n/g, '$1').replaceAll('\r\n', '')
      const values =
        path === GEMINI
          ? JSON.parse(text)
          : text
              .trim()
              .split('\n')
              .map((line) => JSON.parse(line))
      expect(values.length).toBeGreaterThanOrEqual(2)
      expect(JSON.stringify(values)).toContain(' done')
    },
  )
})

describe('the limits of connections', () => {
  it('close a connection beyond the maximum at once, and count it', async () => {
    const server = await startTestServer(silent, { connections: { most: 2 } })
    const [first, second] = [connectRawClient(server), connectRawClient(server)]
    await Promise.all([first, second].map(({ socket }) => once(socket, 'connect')))
    const third = connectRawClient(server)
    await third.closed
    first.socket.destroy()
    second.socket.write('GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n')
    const refused = (): string | undefined => /^millrace_connections_refused_total (\d+)\n/m.exec(second.text())?.[1]
    await waitUntil(() => refused() !== undefined, 'the metrics')
    expect(refused()).toBe('1')
  })

  it('answer a header block that is too large with 431', async () => {
    const server = await startTestServer(silent, { connections: { header_bytes: 2048 } })
    const client = connectRawClient(server)
    client.socket.write(`GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: ${'x'.repeat(3000)}\r\n\r\n`)
    await client.closed
    expect(client.statuses()).toEqual([431])
  })

  it('allow 3000 headers within header_bytes and drop none of them', async () => {
    const server = await startTestServer(withBody(bodyOf('Hi')), { connections: { header_bytes: 65_536 } })
    const client = connectRawClient(server)
    const many = Array.from({ length: 3000 }, (_, i) => `x${i}: y`)
    const [head = '', body] = toBytes({ body: whole }).split('\r\n\r\n')
    const [line, ...own] = head.split('\r\n')
    client.socket.write(`${[line, ...many, ...own].join('\r\n')}\r\n\r\n${body}`)
    await waitUntil(() => client.statuses().length === 1, 'an answer')
    expect(client.statuses()).toEqual([200])
  })

  it('answer a header block that takes too long with 408', async () => {
    const server = await startTestServer(silent, { connections: { header_seconds: 0.2 } })
    const client = connectRawClient(server)
    client.socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n')
    await client.closed
    expect(client.statuses()).toEqual([408])
  })

  it('answer a body that takes too long with 408', async () => {
    const server = await startTestServer(silent, { connections: { header_seconds: 1, body_seconds: 0.2 } })
    const client = connectRawClient(server)
    client.socket.write(toBytes({ body: '{', length: 100 }))
    dripInto(client, ' ')
    await client.closed
    expect(client.statuses()).toEqual([408])
    expect(requestLines(server)[0]).toMatchObject({ status: 408, error: 'request_timeout' })
  })
})

describe('a client that does not read', () => {
  it.each([
    ['short events', '/openai/v1/responses', 1],
    ['long events', '/api/v1/responses', 100_000],
    ['lines', '/api/v1/chat/completions', 10],
  ])('pauses its upstream: at most 256 KiB and one event are buffered for it, with %s', async (_, path, size) => {
    const piece = textChunk('x'.repeat(size)).repeat(Math.ceil(100_000 / (size + 100)))
    const server = await startTestServer(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(roleChunk)
      while (!response.destroyed) {
        if (!response.write(piece)) await drained(response)
      }
    })
    const started = startedAnswers(server, path)
    const client = connectRawClient(server)
    client.socket.pause()
    const messages = [{ role: 'user', content: 'Hello' }]
    client.socket.write(toBytes({ path, body: path.endsWith('completions') ? { ...REQUEST, messages } : REQUEST }))
    await server.upstream.next()
    await waitUntil(() => (started[0]?.writableLength ?? 0) > 0, 'the server to wait for its client')
    let most = 0
    const written = (): number => {
      most = Math.max(most, started[0]?.writableLength ?? 0)
      return started[0]?.socket?.bytesWritten ?? 0
    }
    await waitUntilStill(server.url, written, 'what the server writes')
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(256 * 1024 + size + 1000)
  })
})

describe('a server that drains', () => {
  it.each([
    ['an upstream that is silent', silent, false],
    ['an upstream that is silent in the middle', beginning(roleChunk, textChunk('Half')), false],
    ['a client that does not read', beginning(roleChunk, textChunk('x'.repeat(20_000_000))), true],
  ] as const)('is stopped after its drain limit in spite of %s', async (_, behave, paused) => {
    const server = await startTestServer(behave, { drain: { limit_seconds: 0.2 } })
    const client = connectRawClient(server)
    if (paused) client.socket.pause()
    client.socket.write(toBytes())
    const { response } = await server.upstream.next()
    const state = (): string => `${response.writableLength} ${client.text().length}`
    await waitUntilStill(server.url, state, 'what is on its way')
    await server.running.drain()
    expect(server.lines.at(-1)).toMatchObject({ event: 'stopped' })
    expect(requestLines(server).filter(({ path }) => path === RESPONSES)).toHaveLength(1)
  })

  it('exits its process while clients with pipelined requests are connected', async () => {
    const server = await startTestServer(beginning(roleChunk, textChunk('Half')))
    const { writeFile, mkdtemp } = await import('node:fs/promises')
    const folder = await mkdtemp('/tmp/millrace-')
    const config = {
      listen: { port: 0 },
      keys: [{ name: 'tester', sha256: sha256(KEY) }],
      vendors: { acme: { wire: 'openai-chat', base_url: server.upstream.url } },
      drain: { limit_seconds: 0.3 },
    }
    await writeFile(`${folder}/config.json`, JSON.stringify(config))
    const run = runProgram(['serve', '--config', `${folder}/config.json`])
    await waitUntil(() => run.output().includes('"listening"'), 'the start')
    const url = /"url":"([^"]+)"/.exec(run.output())?.[1] ?? ''
    const clients = [connectRawClient({ url }), connectRawClient({ url })]
    for (const { socket } of clients) socket.write(toBytes().repeat(50))
    await waitUntil(() => clients.every(({ text }) => text().includes('Half')), 'the first halves')
    clients[0]?.socket.resetAndDestroy()
    run.child.kill('SIGTERM')
    expect(await run.exited).toBe(0)
  })
})
