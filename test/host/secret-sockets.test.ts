import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { roleChunk, startMockUpstream, stopChunk, textChunk } from '../mock-upstreams/server.ts'
import { uuid } from '../observability/samples.ts'
import { toHttp } from './in-process.ts'
import { leaksIn, secretOf } from './leaks.ts'
import { runProgram } from './program.ts'
import { startReceiver } from './telemetry/receiver.ts'
import { KEY, sha256, waitUntil, whenDone } from './test-server.ts'

/** Runs the server as a process, and checks all that it writes to sockets, to its output and to its errors. */

const UPSTREAM_KEY = secretOf('sockets', 0)
const HEADER = secretOf('a header', 3)
const SEALING = secretOf('sealing', 8)
const REDIS_PASSWORD = secretOf('redis', 2)
const ENGINE_KEY = secretOf('engine', 1)
const HOOK_TOKEN = secretOf('hook', 2)
const HOOK_HEADER = secretOf('hook header', 0)
const ALL = [UPSTREAM_KEY, HEADER, SEALING, REDIS_PASSWORD, ENGINE_KEY, sha256(KEY)]
const MANAGEMENT_KEY = 'management-key-of-nobody'

type Quote = (response: ServerResponse) => void

const error = JSON.stringify({ error: { message: `Incorrect key ${UPSTREAM_KEY}`, type: 'invalid_request_error' } })

/** Ways in which an upstream quotes its request that only a real connection shows. */
const QUOTES: Readonly<Record<string, Quote>> = {
  'in a trailer': (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', trailer: 'x-echo' })
    response.write(roleChunk + textChunk('Hi') + stopChunk)
    response.addTrailers({ 'x-echo': UPSTREAM_KEY })
    response.end('data: [DONE]\n\n')
  },
  'in the address of a redirection': (response) =>
    void response.writeHead(307, { location: `https://a.example/?key=${UPSTREAM_KEY}`, 'x-echo': HEADER }).end(error),
  'in its status line': (response) => void response.writeHead(503, `Bad ${UPSTREAM_KEY}`).end(),
  'in headers': (response) =>
    void response
      .writeHead(401, { 'x-request-id': UPSTREAM_KEY, 'set-cookie': `a=${HEADER}`, 'retry-after': HEADER })
      .end(error),
  'byte by byte': (response) => {
    response.writeHead(400, { 'content-type': 'application/json' })
    const bytes = Buffer.from(error)
    const write = (at: number): void => {
      if (at === bytes.length) return void response.end()
      response.write(bytes.subarray(at, at + 1))
      setImmediate(write, at + 1)
    }
    write(0)
  },
  'in the middle of a stream, cut inside of it': (response) => {
    const frame = `data: {"error":{"message":"Bad ${HEADER} and ${UPSTREAM_KEY}","code":401}}\n\n`
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(roleChunk + textChunk('Hi') + frame.slice(0, 50))
    setImmediate(() => response.end(frame.slice(50)))
  },
  'in a body that breaks off': (response) => {
    response.writeHead(500, { 'content-type': 'application/json', 'content-length': 5000 })
    response.write(error, () => response.destroy())
  },
  'in what is no HTTP': (response) => response.socket?.end(`${UPSTREAM_KEY}: ${HEADER}\r\n\r\n`),
}

/** Returns all bytes of one connection. */
function exchange(url: string, request: string): Promise<string> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url)
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname, () => socket.write(request))
    whenDone(async () => void socket.destroy())
    socket.on('data', (bytes) => chunks.push(bytes)).on('error', () => undefined)
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()))
  })
}

const HEADERS = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }

async function startProgram(config: object) {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-'))
  whenDone(() => rm(folder, { recursive: true }))
  const file = join(folder, 'config.json')
  await writeFile(file, JSON.stringify(config))
  const run = runProgram(['serve', '--config', file])
  return { ...run, file }
}

describe('no secret of the configuration', () => {
  it('is in any byte that the process writes, except to its own recipient', async () => {
    let quote: Quote = () => undefined
    const upstream = await startMockUpstream((response) => quote(response))
    whenDone(upstream.close)
    const hook = await startReceiver()
    const { output } = await startProgram({
      listen: { port: 0 },
      keys: [
        { name: 'tester', sha256: sha256(KEY), rate_limit: { requests: 1000 } },
        { name: 'boss', sha256: sha256(MANAGEMENT_KEY), kind: 'management' },
      ],
      vendors: {
        acme: { wire: 'openai-chat', base_url: upstream.url, key: UPSTREAM_KEY, headers: { 'x-token': HEADER } },
      },
      // Nothing listens at this port.
      rate_limit: {
        redis: { url: `redis://user:${encodeURIComponent(REDIS_PASSWORD)}@127.0.0.1:9`, timeout_seconds: 0.05 },
      },
      encrypted_content_secret: SEALING,
      search: { engine: 'exa', key: ENGINE_KEY },
      destinations: [
        {
          id: uuid(1),
          type: 'webhook',
          name: 'hook',
          created_at: '2026-10-01T12:00:00Z',
          config: { url: `${hook.url}/?token=${HOOK_TOKEN}`, headers: { 'x-hook': HOOK_HEADER } },
        },
      ],
      forwarding: { batch_seconds: 0.05 },
      retry: { attempts: 2, first_delay_ms: 0 },
    })
    const found = (): string | undefined => /"event":"listening","url":"([^"]+)"/.exec(output())?.[1]
    await waitUntil(() => found() !== undefined, 'the server')
    const url = found() ?? ''

    const answers: string[] = []
    for (const [name, one] of Object.entries(QUOTES)) {
      quote = one
      for (const path of ['/api/v1/responses', '/openai/v1/messages']) {
        for (const stream of [true, false]) {
          const body = {
            model: 'acme/m',
            stream,
            input: 'Hi',
            max_tokens: 9,
            messages: [{ role: 'user', content: 'Hi' }],
          }
          const answer = await exchange(url, toHttp('POST', path, HEADERS, JSON.stringify(body)))
          expect(answer, name).toMatch(/^HTTP\/1\.1 \d\d\d /)
          answers.push(answer)
        }
      }
    }
    for (const [path, key] of [
      ['/metrics', KEY],
      ['/api/v1/observability/destinations', MANAGEMENT_KEY],
      ['/api/v1/models', KEY],
      ['/%', KEY],
    ] as const) {
      answers.push(await exchange(url, toHttp('GET', path, { authorization: `Bearer ${key}` })))
    }
    answers.push(await exchange(url, 'no HTTP\r\n\r\n'))
    await waitUntil(() => hook.got.length > 0, 'a trace')
    await waitUntil(() => output().includes('"rate_limit_store","state":"down"'), 'the store to be missed')

    const text = [...answers, output()].join('\n')
    expect(leaksIn(text, [...ALL, HOOK_TOKEN, HOOK_HEADER])).toEqual([])
    const traces = hook.got.map(({ url, headers, body }) => `${url}${JSON.stringify(headers)}${body}`).join('\n')
    expect(leaksIn(traces, ALL)).toEqual([])
    // The secrets were sent to their own recipients.
    expect(traces).toContain(HOOK_TOKEN)
    expect(JSON.stringify(upstream.received.map(({ headers }) => headers))).toContain(UPSTREAM_KEY)
  })

  it.each([
    ['an invalid port', { listen: { port: 'x' }, encrypted_content_secret: SEALING }],
    ['an invalid URL of Redis', { rate_limit: { redis: { url: `redis://u:${REDIS_PASSWORD}@:x:y` } } }],
    ['an unknown vendor', { vendors: { acme: { vendor: 'nobody', key: UPSTREAM_KEY } } }],
    [
      'a name and password in a base URL',
      { vendors: { openai: { base_url: `https://u:${encodeURIComponent(UPSTREAM_KEY)}@a.example` } } },
    ],
  ])('is in the error message about %s', async (_, config) => {
    const { output, exited } = await startProgram({ listen: { port: 0 }, ...config })
    expect(await exited).not.toBe(0)
    expect(output()).not.toBe('')
    expect(leaksIn(output(), ALL)).toEqual([])
  })
})
