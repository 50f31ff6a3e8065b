import { once } from 'node:events'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { createServer as createTlsServer, request as requestTls } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { type RedisServer, startRedis } from '../host/auth/redis.ts'
import { json, post, REQUEST, typesOf, waitUntil, whenDone } from '../host/test-server.ts'
import { AUTHORITY, FIRST_PAIR, SECOND_PAIR, SIGNED_PAIR, type TlsPair } from '../host/tls-pairs.ts'
import { beginning, bodyOf, doneFrame, inPieces, stopChunk, streamOf, textChunk } from '../mock-upstreams/server.ts'
import { CONNECTIONS, type Connection, isLimitOf } from './results.ts'
import { RUNTIMES } from './runtimes.ts'
import { openFolder, PACKAGE_HEADERS, servePackage, serveWithUpstream } from './serve-package.ts'

/** The server of the package in a process of each runtime, with connections other than plain ones. */

const WHOLE = { ...REQUEST, stream: false }
const JSON_HEADERS = { ...PACKAGE_HEADERS, 'content-type': 'application/json' }

const vendorsAt = (base_url: string): object => ({ vendors: { acme: { wire: 'openai-chat', base_url } } })

async function listenOnLoopback(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  whenDone(async () => void server.close())
  return (server.address() as AddressInfo).port
}

async function writePair(folder: string, pair: TlsPair): Promise<{ readonly cert: string; readonly key: string }> {
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  writeFileSync(files.cert, pair.cert)
  writeFileSync(files.key, pair.key)
  return files
}

type Call = (onAnswer: (answer: IncomingMessage) => void) => ReturnType<typeof request>

const send = (call: Call): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    call(resolve).on('error', reject).end(JSON.stringify(REQUEST))
  })

const sendTls = (url: string): Promise<IncomingMessage> =>
  send((onAnswer) => {
    const options = { method: 'POST', headers: JSON_HEADERS, ca: FIRST_PAIR.cert, agent: false }
    return requestTls(`${url}/openai/v1/responses`, options, onAnswer)
  })

const sendTo = (socketPath: string): Promise<IncomingMessage> =>
  send((onAnswer) =>
    request(
      { socketPath, path: '/openai/v1/responses', method: 'POST', headers: JSON_HEADERS, agent: false },
      onAnswer,
    ),
  )

/** The common name of the certificate that a new connection receives. */
async function certificateOf(url: string): Promise<unknown> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { CN } = socket.getPeerCertificate().subject
  socket.destroy()
  return CN
}

const SERVERS = RUNTIMES.filter(({ args }) => args !== null)
const found = await startRedis()
await found?.stop()

describe.each(SERVERS.map((runtime) => [runtime.name, runtime] as const))('%s', (name, runtime) => {
  const it = (connection: Connection, run: () => Promise<void>): void => {
    const isMissing = runtime.version === null || (connection === 'redis' && found === null)
    const declare = isMissing ? test.skip : isLimitOf(name, connection) ? test.fails : test
    declare(CONNECTIONS[connection], run)
  }

  it('tlsUpstream', async () => {
    const upstream = createTlsServer(SIGNED_PAIR, async (incoming, response) => {
      await text(incoming)
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(streamOf('Hel', 'lo'))
    })
    const vendors = vendorsAt(`https://127.0.0.1:${await listenOnLoopback(upstream)}/v1`)
    const certificates = join(await openFolder(), 'trusted.pem')
    writeFileSync(certificates, AUTHORITY)
    const trusting = await servePackage(runtime, vendors, { NODE_EXTRA_CA_CERTS: certificates })
    const stream = await (await post(trusting.url, REQUEST, { headers: PACKAGE_HEADERS })).text()
    expect(typesOf(stream).slice(-3)).toEqual(['response.completed', 'response.done', '[DONE]'])
    const other = await servePackage(runtime, { ...vendors, retry: { attempts: 1 } })
    expect((await post(other.url, WHOLE, { headers: PACKAGE_HEADERS })).status).toBe(502)
  })

  it('interimAnswers', async () => {
    const body = bodyOf('Hi there')
    const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
    const upstream = createServer((socket) => {
      let received = ''
      socket.on('error', () => undefined)
      socket.on('data', (bytes) => {
        received += String(bytes)
        const length = Number(/content-length: (\d+)/i.exec(received)?.[1])
        const [, sent] = received.split('\r\n\r\n')
        if (sent === undefined || sent.length < length) return
        received = ''
        socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n')
        setImmediate(() => socket.write(`HTTP/1.1 102 Processing\r\n\r\n${head}${body}`))
      })
    })
    const port = await listenOnLoopback(upstream)
    const { url } = await servePackage(runtime, vendorsAt(`http://127.0.0.1:${port}/v1`))
    for (let i = 0; i < 3; i += 1) {
      const answer = await post(url, WHOLE, { headers: PACKAGE_HEADERS })
      expect([answer.status, (await json(answer)).output?.[0].content[0].text]).toEqual([200, 'Hi there'])
    }
  })

  it('tls', async () => {
    const folder = await openFolder()
    const listen = { port: 0, tls: await writePair(folder, FIRST_PAIR) }
    const { url } = await serveWithUpstream(runtime, inPieces(streamOf('Hello'), 20), { listen })
    expect(url).toMatch(/^https:/)
    const answer = await sendTls(url)
    expect([answer.statusCode, typesOf(await text(answer)).at(-1)]).toEqual([200, '[DONE]'])
  })

  it('newCertificate', async () => {
    const folder = await openFolder()
    const listen = { port: 0, tls: await writePair(folder, FIRST_PAIR) }
    const { url, child, output } = await serveWithUpstream(runtime, inPieces(streamOf('Hello'), 20), { listen })
    expect(await certificateOf(url)).toBe('first.example')
    await writePair(folder, SECOND_PAIR)
    child.kill('SIGHUP')
    await waitUntil(() => output().includes('"event":"reloaded"'), 'the reload')
    expect(await certificateOf(url)).toBe('second.example')
  })

  it('unixSocket', async () => {
    const path = join(await openFolder(), 'server.sock')
    const listen = { path, mode: '0640' }
    const { url, child, exited, upstream } = await serveWithUpstream(runtime, beginning(textChunk('Half')), { listen })
    expect([url, statSync(path).mode % 0o1000]).toEqual([`unix:${path}`, 0o640])
    const answer = await sendTo(path)
    const { response } = await upstream.next()
    child.kill('SIGTERM')
    response.end(stopChunk + doneFrame)
    expect([answer.statusCode, typesOf(await text(answer)).at(-1)]).toEqual([200, '[DONE]'])
    expect([await exited, existsSync(path)]).toEqual([[0, null], false])
  })

  it('redis', async () => {
    const redis = (await startRedis()) as RedisServer
    whenDone(redis.stop)
    const rate_limit = { default: { requests: 3, seconds: 3600 }, redis: { url: redis.url, timeout_seconds: 30 } }
    const one = await serveWithUpstream(runtime, inPieces(streamOf('Hello'), 400), { rate_limit })
    const two = await serveWithUpstream(runtime, inPieces(streamOf('Hello'), 400), { rate_limit })
    const statuses: number[] = []
    for (const { url } of [one, two, one, two])
      statuses.push((await post(url, REQUEST, { headers: PACKAGE_HEADERS })).status)
    expect(statuses).toEqual([200, 200, 200, 429])
  })
})
