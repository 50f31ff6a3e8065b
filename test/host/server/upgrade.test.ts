import { once } from 'node:events'
import { type IncomingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { WebSocket } from 'undici'
import { describe, expect, it } from 'vitest'
import { bodyOf, withBody } from '../../mock-upstreams/server.ts'
import { KEY, type Loose, lineOf, startGateway, startTestServer, whenDone } from '../test-server.ts'

const HANDSHAKE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

interface Answer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Loose
}

/** Sends a request with `http.request`, because `fetch` refuses to send these headers. */
async function send(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: object | null = null,
): Promise<Answer> {
  const asking = request(url, { method: body === null ? 'GET' : 'POST', headers })
  asking.end(body === null ? undefined : JSON.stringify(body))
  const [answer] = await once(asking, 'response')
  return { status: answer.statusCode, headers: answer.headers, body: JSON.parse(await text(answer)) }
}

const ROUTES = [
  ['/responses/compact', (body: Loose) => body.error.code],
  ['/responses/input_tokens', (body: Loose) => body.error.code],
  ['/models', (body: Loose) => body.error.code],
  ['/models/acme/x', (body: Loose) => body.error.code],
  ['/openapi.json', (body: Loose) => body.error.code],
  ['/observability/destinations', (body: Loose) => body.error.code],
  ['/chat/completions', (body: Loose) => body.error.code],
  ['/messages', (body: Loose) => body.type],
  ['/messages/count_tokens', (body: Loose) => body.type],
  ['/models/acme/x:generateContent', (body: Loose) => body.error.code],
  ['/api/chat', (body: Loose) => typeof body.error],
] as const

describe('a WebSocket handshake', () => {
  it.each(ROUTES)('is answered with 426 at %s', async (path, errorOf) => {
    const { url, lines } = await startGateway({})
    const { status, headers, body } = await send(`${url}/api/v1${path}`, HANDSHAKE)
    expect(status).toBe(426)
    // RFC 9110, 15.5.22 and 7.8: the supported protocols, and the connection option that belongs to that header.
    expect(headers.upgrade).toBe('HTTP/1.1')
    expect(headers.connection?.toLowerCase().split(/, */)).toContain('upgrade')
    expect(headers['x-request-id']).toMatch(/^req_/)
    const family = path.startsWith('/messages') ? 'error' : path === '/api/chat' ? 'string' : 'upgrade_required'
    expect(errorOf(body)).toBe(path.includes(':') ? 426 : family)
    expect(JSON.stringify(body)).toContain('WebSocket')
    expect(await lineOf(lines)).toMatchObject({ status: 426, error: 'upgrade_required', party: 'client' })
  })

  it('is recognised among other protocols, in any case and with any method', async () => {
    const { url } = await startGateway({})
    for (const upgrade of ['WebSocket', 'h2c, websocket', 'websocket/13 , h2c']) {
      expect((await send(`${url}/api/v1/models`, { ...HANDSHAKE, upgrade })).status).toBe(426)
    }
    expect((await send(`${url}/openai/v1/responses`, HANDSHAKE, {})).status).toBe(426)
  })

  it('fails at once for a WebSocket client at a mount without WebSockets', async () => {
    const mounts = [{ path: '/openai/v1', dialect: 'openai', websocket: false }]
    const { url, lines } = await startGateway({ mounts })
    const socket = new WebSocket(`${url.replace('http', 'ws')}/openai/v1/responses`)
    await new Promise((resolve) => socket.addEventListener('error', resolve))
    expect(await lineOf(lines)).toMatchObject({ method: 'GET', status: 426 })
  })

  it('is answered with 404 if the path does not exist', async () => {
    const { url } = await startGateway({})
    expect((await send(`${url}/api/v1/nothing`, HANDSHAKE)).status).toBe(404)
  })
})

describe('an upgrade to another protocol', () => {
  const H2C = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQAoAAAAAIAAAAA' }
  const headers = { ...H2C, authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }

  it('is ignored with and without a body', async () => {
    const { url } = await startTestServer(withBody(bodyOf('Hi')))
    const models = await send(`${url}/api/v1/models`, headers)
    expect([models.status, models.headers.upgrade]).toEqual([200, undefined])
    const answer = await send(`${url}/api/v1/responses`, headers, { model: 'acme/m', input: 'Hello' })
    expect([answer.status, answer.body.status]).toEqual([200, 'completed'])
    const notOf = await send(`${url}/api/v1/responses`, { ...headers, upgrade: 'notwebsocket' }, {})
    expect(notOf.status).toBe(400)
  })

  it('is ignored in HTTP/1.0 for every protocol (RFC 9110, 7.8)', async () => {
    const { url } = await startGateway({})
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port) })
    whenDone(async () => void socket.destroy())
    socket.write('GET /api/v1/models HTTP/1.0\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 401 /)
  })

  it('is ignored and leaves the connection open', async () => {
    const { url } = await startGateway({})
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port) })
    whenDone(async () => void socket.destroy())
    const ask = (more: string): string => `GET /healthz HTTP/1.1\r\nHost: ${hostname}\r\n${more}\r\n`
    socket.write(ask('Connection: Upgrade\r\nUpgrade: h2c\r\n'))
    const [first] = await once(socket, 'data')
    expect(String(first)).toMatch(/^HTTP\/1\.1 200 /)
    socket.write(ask('Connection: close\r\n'))
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /)
  })
})
