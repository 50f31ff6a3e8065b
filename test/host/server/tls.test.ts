import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect, type TLSSocket } from 'node:tls'
import { describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { checkConfigValue } from '../../../src/gateway/config/parse-config.ts'
import { checkStart } from '../../../src/host/check-start.ts'
import { beginning, doneFrame, stopChunk, textChunk } from '../../mock-upstreams/server.ts'
import {
  KEY,
  patient,
  REQUEST,
  sha256,
  startGateway,
  startTestServer,
  typesOf,
  waitUntil,
  whenDone,
} from '../test-server.ts'
import { FIRST_PAIR, SECOND_PAIR, type TlsPair } from '../tls-pairs.ts'

interface PairFiles {
  readonly tls: { readonly cert: string; readonly key: string }
  write(pair: TlsPair): Promise<void>
}

async function writePair(pair: TlsPair): Promise<PairFiles> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-'))
  whenDone(() => rm(folder, { recursive: true }))
  const tls = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  const write = async ({ cert, key }: TlsPair): Promise<void> => {
    await writeFile(tls.cert, cert)
    await writeFile(tls.key, key)
  }
  await write(pair)
  return { tls, write }
}

const KEYS = [{ name: 'tester', sha256: sha256(KEY) }]

const send = (url: string, path: string, body?: unknown): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
    const options = { method: body === undefined ? 'GET' : 'POST', headers, rejectUnauthorized: false, agent: false }
    const call = request(url + path, options, resolve)
    call.on('error', reject)
    call.end(body === undefined ? undefined : JSON.stringify(body))
  })

const open = async (url: string): Promise<TLSSocket> => {
  const socket = connect({
    port: Number(new URL(url).port),
    rejectUnauthorized: false,
    ALPNProtocols: ['h2', 'http/1.1'],
  })
  socket.on('error', () => undefined)
  await once(socket, 'secureConnect')
  return socket
}

/** The common name of the certificate that a new connection receives. */
async function certificateOf(url: string): Promise<unknown> {
  const socket = await open(url)
  const { CN } = socket.getPeerCertificate().subject
  socket.destroy()
  return CN
}

const parsed = (value: object) => {
  const loaded = checkConfigValue(patient(value))
  if (!loaded.ok) throw new Error(loaded.problems.join())
  return loaded.config
}

describe('a server with TLS', () => {
  it('serves HTTP/1.1 and WebSockets, and drops connections without TLS', async () => {
    const { tls } = await writePair(FIRST_PAIR)
    const { url, lines } = await startGateway({ listen: { port: 0, tls } })
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    const answer = await send(url, '/api/v1/responses', { ...REQUEST, model: 'replay/hello' })
    expect([answer.statusCode, typesOf(await text(answer)).at(-1)]).toEqual([200, '[DONE]'])
    const socket = await open(url)
    expect(socket.alpnProtocol).toBe('http/1.1')
    socket.destroy()
    const options = { rejectUnauthorized: false, headers: { authorization: `Bearer ${KEY}` } }
    const webSocket = new WebSocket(`${url.replace('https', 'wss')}/openai/v1/responses`, options)
    await once(webSocket, 'open')
    webSocket.terminate()
    const plain = connectPlain(Number(new URL(url).port), '127.0.0.1')
    plain.on('error', () => undefined)
    let received = ''
    plain.on('data', (bytes) => (received += String(bytes)))
    plain.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await once(plain, 'close')
    expect(received).not.toContain('HTTP/1.1')
    expect(lines.filter(({ event, status }) => event === 'request' && status === 400)).toEqual([])
  })

  it('closes a connection beyond the maximum, and has room when another one has ended', async () => {
    const { tls } = await writePair(FIRST_PAIR)
    const { url, lines } = await startGateway({ listen: { port: 0, tls }, connections: { most: 1 } })
    const first = await open(url)
    const refused = connect({ port: Number(new URL(url).port), rejectUnauthorized: false })
    refused.on('error', () => undefined)
    await new Promise((resolve) => refused.once('close', resolve))
    expect(lines.filter(({ event }) => event === 'connections_refused')).toHaveLength(1)
    first.destroy()
    const health = () =>
      send(url, '/healthz').then(
        ({ statusCode }) => statusCode,
        () => null,
      )
    await waitUntil(async () => (await health()) === 200, 'room for a connection')
  })

  it('replaces its certificate while streams are open, and keeps it if the new one is no pair', async () => {
    const { tls, write } = await writePair(FIRST_PAIR)
    const listen = { port: 0, tls }
    const { url, running, lines, upstream } = await startTestServer(beginning(textChunk('Half')), {
      listen,
      keys: KEYS,
    })
    const answer = await send(url, '/api/v1/responses', REQUEST)
    const reading = text(answer)
    const { response } = await upstream.next()
    expect(await certificateOf(url)).toBe('first.example')
    await write(SECOND_PAIR)
    await running.reload(parsed({ listen, keys: KEYS }))
    expect(await certificateOf(url)).toBe('second.example')
    await write({ cert: FIRST_PAIR.cert, key: SECOND_PAIR.key })
    await running.reload(parsed({ listen, keys: KEYS }))
    expect(await certificateOf(url)).toBe('second.example')
    expect(lines).toContainEqual({
      event: 'tls_refused',
      problems: [expect.stringMatching(/^listen\.tls: .* are not a certificate with its key/)],
    })
    expect(JSON.stringify(lines)).not.toContain('PRIVATE KEY')
    response.end(stopChunk + doneFrame)
    expect(typesOf(await reading).at(-1)).toBe('[DONE]')
  })

  it('drains: it ends idle connections and handshakes at once, and open streams when they are complete', async () => {
    const { tls } = await writePair(FIRST_PAIR)
    const { url, running, upstream } = await startTestServer(beginning(textChunk('Half')), { listen: { port: 0, tls } })
    const reading = text(await send(url, '/api/v1/responses', REQUEST))
    const { response } = await upstream.next()
    const idle = await open(url)
    idle.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await once(idle, 'data')
    const silent = connectPlain(Number(new URL(url).port), '127.0.0.1')
    silent.on('error', () => undefined)
    await once(silent, 'connect')
    const closed = Promise.all([once(idle, 'close'), once(silent, 'close')])
    const drained = running.drain()
    await closed
    response.end(stopChunk + doneFrame)
    expect(typesOf(await reading).at(-1)).toBe('[DONE]')
    await drained
  })

  it('does not start, and is not correct in a check, if its files are missing or no pair', async () => {
    const { tls, write } = await writePair({ cert: FIRST_PAIR.cert, key: SECOND_PAIR.key })
    const unfit = /^listen\.tls: .*cert\.pem and .*key\.pem are not a certificate with its key/
    await expect(startGateway({ listen: { port: 0, tls } })).rejects.toThrow(unfit)
    const check = async (listen: object) => {
      const checked = await checkStart(parsed({ listen, keys: KEYS }), {})
      return checked.ok ? [] : checked.problems
    }
    expect(await check({ tls })).toEqual([expect.stringMatching(unfit)])
    const missing = { ...tls, key: `${tls.key}.none` }
    expect(await check({ tls: missing })).toEqual([expect.stringMatching(/^listen\.tls\.key: .* \(ENOENT\)/)])
    await write(FIRST_PAIR)
    expect(await check({ tls })).toEqual([])
  })

  it('logs other changes of listen as those that need a restart', async () => {
    const { tls } = await writePair(FIRST_PAIR)
    const other = await writePair(SECOND_PAIR)
    const { url, running, lines } = await startGateway({ listen: { port: 0, tls }, keys: KEYS })
    await running.reload(parsed({ listen: { port: 0, tls: other.tls }, keys: KEYS }))
    await running.reload(parsed({ listen: { port: 1, tls }, keys: KEYS }))
    const reloads = lines.filter(({ event }) => event === 'reloaded')
    expect(reloads.map(({ restart_needed }) => restart_needed)).toEqual([[], ['listen']])
    await waitUntil(async () => (await certificateOf(url)) === 'first.example', 'the pair of the last reload')
  })
})
