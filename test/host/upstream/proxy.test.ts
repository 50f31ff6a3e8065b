import { createServer, request as httpRequest } from 'node:http'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inPieces, streamOf } from '../../mock-upstreams/server.ts'
import { readJson } from '../../observability/otlp-schema.ts'
import { spansOf, startReceiver } from '../telemetry/receiver.ts'
import { entryOf, KEYS } from '../telemetry/telemetry-server.ts'
import {
  json,
  post,
  startGateway,
  startTestServer,
  typesOf,
  UPSTREAM_KEY,
  waitUntil,
  whenDone,
} from '../test-server.ts'
import { FIRST_PAIR } from '../tls-pairs.ts'

interface MockProxy {
  readonly url: string
  /** What it received: method, target, and credentials. */
  readonly received: string[]
  /** The port on loopback that every name leads to. */
  target: number
  /** 0: it answers nothing. */
  status: number
}

/** Resolves with the port. */
async function listening(server: Server): Promise<number> {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  whenDone(async () => {
    server.close()
    for (const socket of open) socket.destroy()
  })
  return (server.address() as AddressInfo).port
}

function joined(one: Socket, other: Socket): void {
  one.pipe(other)
  other.pipe(one)
  one.on('error', () => other.destroy())
  other.on('error', () => one.destroy())
}

async function startProxy(): Promise<MockProxy> {
  const received: string[] = []
  const server = createServer((request, response) => {
    received.push(`${request.method} ${request.url} ${request.headers['proxy-authorization']}`)
    if (proxy.status !== 200) return void response.writeHead(proxy.status).end('refused')
    const { method, headers, url = '' } = request
    const { pathname, search } = new URL(url)
    const { 'proxy-authorization': _, ...others } = headers
    const onward = httpRequest({ port: proxy.target, method, path: pathname + search, headers: others }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(response)
    })
    request.pipe(onward)
  })
  server.on('connect', (request, socket: Socket) => {
    received.push(`CONNECT ${request.url} ${request.headers['proxy-authorization']}`)
    if (proxy.status === 0) return
    if (proxy.status !== 200) return void socket.end(`HTTP/1.1 ${proxy.status} Refused\r\n\r\n`)
    const onward = connect(proxy.target, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n')
      joined(socket, onward)
    })
  })
  const port = await listening(server)
  const proxy: MockProxy = { url: `http://user:pass-of-nobody@127.0.0.1:${port}`, received, target: 0, status: 200 }
  return proxy
}

/** Adds TLS to an upstream. Resolves with its port. */
const withTls = (port: number): Promise<number> =>
  listening(createTlsServer(FIRST_PAIR, (socket) => joined(socket, connect(port, '127.0.0.1'))))

const portOf = (url: string): number => Number(new URL(url).port)

const CREDENTIALS = `Basic ${btoa('user:pass-of-nobody')}`

const throughProxy = (proxy: MockProxy, scheme: 'http' | 'https', config: object = {}) =>
  startGateway(
    {
      vendors: { acme: { wire: 'openai-chat', base_url: `${scheme}://upstream.example/v1`, key: 'upstream-key' } },
      retry: { attempts: 1 },
      ...config,
    },
    { env: { HTTPS_PROXY: proxy.url, http_proxy: proxy.url } },
  )

describe('a proxy of the environment', () => {
  beforeEach(() => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  })
  afterEach(() => {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
  })

  it.each(['https', 'http'] as const)(
    'carries streams of an upstream with %s, and its password stays with it',
    async (scheme) => {
      const { upstream } = await startTestServer((response, request) => {
        response.writeContinue()
        return inPieces(streamOf('Hi'), 60)(response, request)
      })
      const proxy = await startProxy()
      proxy.target = scheme === 'https' ? await withTls(portOf(upstream.url)) : portOf(upstream.url)
      const { url, lines } = await throughProxy(proxy, scheme)
      const answers = await Promise.all([post(url), post(url)])
      for (const answer of answers) expect(typesOf(await answer.text()).at(-1)).toBe('[DONE]')
      const line =
        scheme === 'https' ? 'CONNECT upstream.example:443' : 'POST http://upstream.example/v1/chat/completions'
      expect(proxy.received).toEqual([`${line} ${CREDENTIALS}`, `${line} ${CREDENTIALS}`])
      expect(upstream.received.map(({ headers }) => [headers.host, headers.authorization])).toEqual(
        Array(2).fill(['upstream.example', 'Bearer upstream-key']),
      )
      expect(JSON.stringify(upstream.received.map(({ headers }) => headers))).not.toContain('proxy-')
      const origin = new URL(proxy.url).origin
      expect(lines).toContainEqual({ event: 'proxies', https: origin, http: origin })
      expect(JSON.stringify(lines)).not.toContain('pass-of-nobody')
    },
  )

  it.each([
    ['https', 407],
    ['https', 403],
    ['http', 407],
  ] as const)('that refuses an upstream with %s by %i is a failure of the upstream', async (scheme, status) => {
    const proxy = await startProxy()
    proxy.status = status
    const { url } = await throughProxy(proxy, scheme)
    const answer = await post(url)
    expect(answer.status).toBe(502)
    const text = await answer.text()
    expect(text).toContain('The proxy of the server opens no connection')
    expect(text).not.toContain(new URL(proxy.url).host)
  })

  it('that does not answer is a time-out of the connection', async () => {
    const proxy = await startProxy()
    proxy.status = 0
    const { url } = await throughProxy(proxy, 'https', { timeouts: { connect_seconds: 0.2 } })
    const answer = await post(url)
    expect(answer.status).toBe(504)
    expect((await json(answer)).error.message).toContain('timeouts.connect_seconds')
  })

  it('is not used for loopback', async () => {
    const proxy = await startProxy()
    const env = { HTTP_PROXY: proxy.url, ACME_KEY: UPSTREAM_KEY }
    const { url } = await startTestServer(inPieces(streamOf('Hi'), 60), {}, { env })
    expect(typesOf(await (await post(url)).text()).at(-1)).toBe('[DONE]')
    expect(proxy.received).toEqual([])
  })

  it('carries traces to destinations', async () => {
    const receiver = await startReceiver()
    const proxy = await startProxy()
    proxy.target = portOf(receiver.url)
    const destinations = [entryOf('otel-collector', 1, { config: { endpoint: 'http://collector.example' } })]
    const config = { keys: KEYS, destinations, forwarding: { batch_seconds: 0.01 } }
    const { url } = await startTestServer(inPieces(streamOf('Hi'), 60), config, {
      env: { HTTP_PROXY: proxy.url, ACME_KEY: UPSTREAM_KEY },
    })
    await (await post(url)).text()
    await waitUntil(() => receiver.got.length > 0, 'a delivery')
    expect(spansOf(receiver.got, readJson)).not.toEqual([])
    expect(proxy.received[0]).toMatch(/^POST http:\/\/collector\.example\//)
  })

  it('with an invalid address prevents the start, unless proxies are off', async () => {
    const options = { env: { HTTPS_PROXY: 'socks5://user:pass-of-nobody@proxy.example' } }
    await expect(startGateway({}, options)).rejects.toThrow(/^HTTPS_PROXY: expected the URL of an http or https proxy/)
    expect((await startGateway({ proxy: 'off' }, options)).lines.map(({ event }) => event)).not.toContain('proxies')
  })
})
