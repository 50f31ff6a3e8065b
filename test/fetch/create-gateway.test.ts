import { afterEach, describe, expect, it, vi } from 'vitest'
import { createGateway, type GatewayOptions, type LogLine } from '../../src/fetch.ts'
import { NODE_HASHES } from '../../src/host/node-hashes.ts'
import { startServer } from '../../src/server.ts'
import { toHex } from '../../src/text/bytes.ts'

const KEY = 'test-key-of-nobody'
const SHA256 = toHex(NODE_HASHES.sha256(KEY))
const ACME = { wire: 'openai-chat', base_url: 'https://acme.example/v1', key: 'upstream-key' } as const
const CONFIG = { keys: [{ name: 'app', sha256: SHA256 }], vendors: { acme: ACME } }
const STREAM =
  'data: {"id":"1","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}\n\n' +
  'data: {"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const ask = (path = '/openai/v1/responses', headers: Record<string, string> = {}): Request =>
  new Request(`https://gateway.example${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'acme/m', input: 'Hello', stream: true }),
  })

/** A request whose body the test writes. */
const asking = (body: ReadableStream<Uint8Array>): Request => {
  const { url, headers } = ask()
  return new Request(url, { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
}

const answering: NonNullable<GatewayOptions['fetch']> = async () =>
  new Response(STREAM, { headers: { 'content-type': 'text/event-stream' } })

describe('the value of an option', () => {
  it.each([
    [{ log: 5 }, 'log: expected a function, got 5'],
    [{ clock: 5 }, 'clock: expected a function, got 5'],
    [{ env: 5 }, 'env: expected an object, got 5'],
    [{ machines: 5 }, 'machines: expected a list of functions, got 5'],
    [{ machines: [{}] }, 'machines[0]: expected a function, got an object'],
    [{ requests: [5] }, 'requests[0]: expected a function, got 5'],
    [{ vendors: 5 }, 'vendors: expected a list, got 5'],
    [{ vendors: [null] }, 'vendors[0]: expected an object, got null'],
    [{ lag: 5 }, 'lag: no such option. Did you mean "log"'],
  ])('is checked as for a translator: %j', async (options, message) => {
    const given = options as object
    expect(() => createGateway({}, given)).toThrow(message)
    await expect(startServer({ listen: { port: 0 } }, given)).rejects.toThrow(message)
  })

  it.each(['fetch', 'waitUntil'])('is checked by a gateway without a server: %s', (name) => {
    expect(() => createGateway({}, { [name]: 5 })).toThrow(`${name}: expected a function, got 5`)
  })

  it('is checked by the server: random', async () => {
    const options = { random: 5 } as object
    await expect(startServer({}, options)).rejects.toThrow('random: expected a function, got 5')
  })
})

describe('a gateway without a server', () => {
  it('uses no clock, timer, random number or network before its first request', async () => {
    const used = [
      vi.spyOn(globalThis, 'fetch'),
      vi.spyOn(globalThis, 'setTimeout'),
      vi.spyOn(globalThis, 'setInterval'),
      vi.spyOn(crypto, 'getRandomValues'),
      vi.spyOn(Date, 'now'),
    ]
    const gateway = createGateway(CONFIG, { fetch: answering })
    for (const spy of used) expect(spy, spy.getMockName()).not.toHaveBeenCalled()
    expect(await (await gateway.fetch(ask())).text()).toContain('response.completed')
  })

  it.each([
    [{}, /^keys: expected at least one key/],
    [{ ...CONFIG, rate_limit: { redis: { url: 'redis://x' } } }, /^rate_limit\.redis: .*rateStore/],
    [{ ...CONFIG, listen: { tls: { cert: 'cert.pem', key: 'key.pem' } } }, /^listen\.tls: .* Remove it$/],
    [{ ...CONFIG, listen: { path: '/run/millrace.sock' } }, /^listen\.path: .* Remove it$/],
    [{ ...CONFIG, proxy: 'off' }, /^proxy: .* Remove it, or pass the option fetch$/],
    [{ ...CONFIG, mounts: [{ path: 'x' }] }, /mounts\[0\]\.path: expected a path/],
    [{ ...CONFIG, vendors: { acme: { ...ACME, key: { env: 'MISSING' } } } }, /MISSING is not set/],
  ])('refuses a configuration that it cannot serve: %j', (config, message) => {
    expect(() => createGateway(config as Parameters<typeof createGateway>[0])).toThrow(message)
  })

  it('names in its log the settings of a server that it ignores', async () => {
    const lines: LogLine[] = []
    const log = (line: LogLine): void => void (line.event === 'settings_ignored' && lines.push(line))
    const listen = { host: '0.0.0.0', port: 8080, hosts: ['gateway.example'] }
    createGateway({ ...CONFIG, listen, drain: { limit_seconds: 9 }, proxy: 'off' }, { fetch: answering, log })
    expect(lines).toEqual([{ event: 'settings_ignored', settings: ['listen.host', 'listen.port', 'drain'] }])
    createGateway({ ...CONFIG, drain: { limit_seconds: 30 } }, { fetch: answering, log })
    expect(lines).toHaveLength(1)
  })

  it.each([
    ['listen.host', { listen: { host: '0.0.0.0' } }],
    ['listen.port', { listen: { port: 9 } }],
    ['listen.mode', { listen: { mode: '0600' } }],
    ['connections.most', { connections: { most: 9 } }],
    ['connections.header_bytes', { connections: { header_bytes: 9000 } }],
    ['connections.header_seconds', { connections: { header_seconds: 9 } }],
    ['connections.idle_seconds', { connections: { idle_seconds: 9 } }],
    ['timeouts.connect_seconds', { timeouts: { connect_seconds: 9 } }],
    ['websocket', { websocket: { message_bytes: 9000 } }],
    ['drain', { drain: { limit_seconds: 9 } }],
    ['metrics', { metrics: { management_key: true } }],
    ['page', { page: true }],
  ])('names %s in its log, which only a server has', (name, own) => {
    const lines: LogLine[] = []
    createGateway({ ...CONFIG, ...own }, { fetch: answering, log: (line) => void lines.push(line) })
    expect(lines).toContainEqual({ event: 'settings_ignored', settings: [name] })
  })

  it.each([
    ['keeps', 299_000, 'response.completed', null],
    ['breaks off', 300_000, 'was not read', 'client_stalled'],
  ])('%s an answer of which nothing is read for %d ms, by timeouts.stalled_client_seconds', async (...expected) => {
    const [, ms, result, error] = expected
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const lines: LogLine[] = []
    const log = (line: LogLine): void => void lines.push(line)
    const gateway = createGateway({ ...CONFIG, timeouts: { stalled_client_seconds: 300 } }, { fetch: answering, log })
    const answer = await gateway.fetch(ask())
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    vi.advanceTimersByTime(ms)
    expect(await answer.text().catch(String)).toContain(result)
    vi.useRealTimers()
    await expect.poll(() => lines.find(({ event }) => event === 'request')).toBeDefined()
    expect(lines.find(({ event }) => event === 'request')?.error ?? null).toBe(error)
  })

  it('answers a handshake with 426, and has no paths of the server of Node', async () => {
    const gateway = createGateway(CONFIG, { fetch: answering })
    const upgrade = new Request('https://gateway.example/openai/v1/responses', { headers: { upgrade: 'websocket' } })
    const refused = await gateway.fetch(upgrade)
    expect([refused.status, await refused.json()]).toMatchObject([426, { error: { code: 'upgrade_required' } }])
    for (const path of ['/', '/metrics', '/page/api/requests'])
      expect((await gateway.fetch(new Request(`https://gateway.example${path}`))).status).toBe(404)
    expect((await gateway.fetch(new Request('https://gateway.example/healthz'))).status).toBe(200)
  })

  it('checks the name of the host only if names are configured', async () => {
    const open = createGateway(CONFIG, { fetch: answering })
    expect((await open.fetch(new Request('https://any.example/healthz'))).status).toBe(200)
    const named = createGateway({ ...CONFIG, listen: { hosts: ['gateway.example'] } }, { fetch: answering })
    expect((await named.fetch(new Request('https://gateway.example/healthz'))).status).toBe(200)
    expect((await named.fetch(new Request('https://any.example/healthz'))).status).toBe(403)
  })

  it('counts requests in the store that it is given', async () => {
    const taken: string[] = []
    const rateStore: NonNullable<GatewayOptions['rateStore']> = {
      async take(key) {
        taken.push(key)
        return { allowed: taken.length < 2, remaining: 0, resetMs: 1000, waitMs: 1000 }
      },
      close: async () => undefined,
    }
    const config = { ...CONFIG, rate_limit: { default: { requests: 1, seconds: 60, burst: 1 } } }
    const gateway = createGateway(config, { fetch: answering, rateStore })
    expect((await gateway.fetch(ask())).status).toBe(200)
    expect((await gateway.fetch(ask())).status).toBe(429)
    expect(new Set(taken).size).toBe(1)
  })

  it('gives the platform the work after an answer, which ends when the traces are delivered', async () => {
    const delivered: string[] = []
    const lines: LogLine[] = []
    const destination = {
      id: '3f0c2d5e-6c1f-4e0d-9c52-6a1d1f6a4d11',
      name: 'collector',
      type: 'otel-collector',
      created_at: '2026-01-01T00:00:00Z',
      config: { endpoint: 'https://collector.example/v1/traces' },
    }
    const timeouts = vi.spyOn(AbortSignal, 'timeout')
    const config = { ...CONFIG, destinations: [destination], forwarding: { timeout_seconds: 7 } }
    const gateway = createGateway(config as Parameters<typeof createGateway>[0], {
      log: (line) => void lines.push(line),
      async fetch(url, init) {
        if (url.host !== 'collector.example') return answering(url, init)
        delivered.push(`${url.href}, redirect: ${new Request(url, init).redirect}`)
        return new Response('{}')
      },
    })
    const work: Promise<unknown>[] = []
    const platform = { waitUntil: (one: Promise<unknown>) => void work.push(one) }
    const answer = await gateway.fetch(ask(), undefined, null, {}, platform)
    expect(work).toHaveLength(1)
    expect(await answer.text()).toContain('response.completed')
    await Promise.all(work)
    expect(timeouts.mock.calls).toEqual([[7000]])
    expect(delivered).toEqual(['https://collector.example/v1/traces, redirect: manual'])
    const line = lines.find(({ event }) => event === 'request')
    expect(line).toMatchObject({ status: 200, outcome: 'completed' })
    expect(line).not.toHaveProperty('client_gone')
  })

  it('refuses a request without a body as empty, under the id of the client', async () => {
    const { url, headers } = ask('/openai/v1/responses', { 'x-request-id': 'request-of-the-client-1' })
    const refused = await createGateway(CONFIG, { fetch: answering }).fetch(
      new Request(url, { method: 'POST', headers }),
    )
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { message: expect.stringContaining('got nothing') } },
    ])
    expect(refused.headers.get('x-request-id')).toBe('request-of-the-client-1')
  })

  it.each(['gzip', 'deflate'])('reads a body in the coding %s', async (coding) => {
    const request = ask('/openai/v1/responses', { 'content-encoding': coding })
    const coded = request.body?.pipeThrough(new CompressionStream(coding as CompressionFormat))
    const sent: unknown[] = []
    const gateway = createGateway(CONFIG, {
      fetch: async (url, init) => {
        sent.push(JSON.parse(String(init.body)))
        return answering(url, init)
      },
    })
    const { url, headers } = request
    const init = { method: 'POST', headers, body: coded, duplex: 'half' }
    const answer = await gateway.fetch(new Request(url, init as RequestInit))
    expect([answer.status, await answer.text()]).toMatchObject([200, expect.stringContaining('response.completed')])
    expect(sent).toMatchObject([{ model: 'm', messages: [{ role: 'user', content: 'Hello' }] }])
  })

  it('refuses a body whose length is above the limit before any of it has arrived', async () => {
    const { url, headers } = ask()
    headers.set('content-length', '1001')
    const init = { method: 'POST', headers, body: new ReadableStream(), duplex: 'half' }
    const gateway = createGateway({ ...CONFIG, limits: { request_body_bytes: 1000 } }, { fetch: answering })
    const refused = await gateway.fetch(new Request(url, init as RequestInit))
    expect([refused.status, await refused.json()]).toMatchObject([413, { error: { code: 'request_too_large' } }])
  })

  it('reads only so much of a body that it has refused', async () => {
    let chunks = 0
    const cancel = vi.fn()
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        chunks += 1
        // Far behind the end of the reading, so that a fault ends as well.
        if (chunks > 200) controller.close()
        else controller.enqueue(new Uint8Array(1024 * 1024))
      },
      cancel,
    })
    const gateway = createGateway({ ...CONFIG, limits: { request_body_bytes: 1000 } }, { fetch: answering })
    const refused = await gateway.fetch(asking(endless))
    expect([refused.status, await refused.json()]).toMatchObject([413, { error: { code: 'request_too_large' } }])
    await expect.poll(() => cancel.mock.calls.length + Number(chunks > 200)).toBe(1)
    expect(cancel).toHaveBeenCalled()
  })

  it.each([
    ['takes', 299_000, 200],
    ['refuses', 300_000, 408],
  ])('%s a body that takes %d ms by connections.body_seconds', async (_, ms, status) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const body = new Uint8Array(await ask().arrayBuffer())
    const answer = createGateway({ ...CONFIG, connections: { body_seconds: 300 } }, { fetch: answering }).fetch(
      asking(readable),
    )
    // The gateway has read it.
    await writer.write(body.subarray(0, 9))
    vi.advanceTimersByTime(ms)
    await writer.write(body.subarray(9)).then(() => writer.close())
    expect((await answer).status).toBe(status)
  })

  it('closes the upstream when the request is aborted, or the answer is cancelled', async () => {
    const asked: string[] = []
    const closed: string[] = []
    const silent = (name: string): NonNullable<GatewayOptions['fetch']> => {
      return async (_, { signal }) => {
        asked.push(name)
        signal?.addEventListener('abort', () => void closed.push(name))
        return new Response(new ReadableStream(), { headers: { 'content-type': 'text/event-stream' } })
      }
    }
    const aborting = new AbortController()
    const pending = createGateway(CONFIG, { fetch: silent('aborted') }).fetch(
      new Request(ask(), { signal: aborting.signal }),
    )
    await expect.poll(() => asked).toEqual(['aborted'])
    aborting.abort()
    expect((await pending).status).toBeOneOf([200, 499])
    await expect.poll(() => closed).toEqual(['aborted'])
    const lines: LogLine[] = []
    const log = (line: LogLine): void => void lines.push(line)
    const answer = await createGateway(CONFIG, { fetch: silent('cancelled'), log }).fetch(ask())
    await answer.body?.cancel()
    await expect.poll(() => closed).toEqual(['aborted', 'cancelled'])
    await expect.poll(() => lines.find(({ event }) => event === 'request')).toMatchObject({ client_gone: true })
  })
})
