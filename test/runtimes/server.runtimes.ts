import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, type ClientRequest, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, inject, test } from 'vitest'
import { json, post, REQUEST, readSlowly, typesOf, waitUntil, whenDone } from '../host/test-server.ts'
import { connectWebSocket } from '../host/websocket-client.ts'
import {
  type Behaviour,
  beginning,
  bodyOf,
  doneFrame,
  roleChunk,
  startMockUpstream,
  stopChunk,
  textChunk,
  withBody,
} from '../mock-upstreams/server.ts'
import { RUNTIMES, type Runtime } from './runtimes.ts'

/** Runs the server of the package as a process of each runtime. */

const MAIN = join(inject('room'), 'node_modules/millrace/dist/cli/main.js')
const KEY = 'key-of-a-server-elsewhere'
const HEADERS = { authorization: `Bearer ${KEY}` }

async function serveWith({ program, args }: Runtime, behave: Behaviour, config: object) {
  const upstream = await startMockUpstream(behave)
  whenDone(upstream.close)
  const folder = await mkdtemp(join(tmpdir(), 'millrace-runtime-'))
  whenDone(() => rm(folder, { recursive: true }))
  const file = join(folder, 'config.json')
  const vendors = { acme: { wire: 'openai-chat', base_url: upstream.url } }
  await writeFile(file, JSON.stringify({ listen: { port: 0 }, vendors, ...config }))
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(program, [...(args ?? []), MAIN, 'serve', '--config', file], {
    cwd: inject('room'),
    env: { PATH, HOME, MILLRACE_DEV_KEY: KEY },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  whenDone(async () => {
    child.kill('SIGKILL')
    await exited
  })
  let output = ''
  child.stdout.on('data', (bytes) => (output += String(bytes)))
  const urlOf = (): string => /millrace listens on (\S+)/.exec(output)?.[1] ?? ''
  await waitUntil(() => urlOf() !== '', 'the server')
  return { child, exited, upstream, url: urlOf(), output: () => output }
}

const SERVERS = RUNTIMES.filter(({ args }) => args !== null)

describe.each(SERVERS)('$name', (runtime) => {
  const serve = (behave: Behaviour, config: object = {}) => serveWith(runtime, behave, config)
  const it = test.skipIf(runtime.version === null)

  it('relays a body, a stream and a failure of an upstream', async () => {
    const { url } = await serve((response, request) => {
      const failing = request.body.model === 'failing'
      if (failing)
        return withBody('{"error":{"message":"Slow down."}}', 429, { 'retry-after': '900' })(response, request)
      if (request.body.stream !== true) return withBody(bodyOf('Hi there'))(response, request)
      beginning(roleChunk, textChunk('Hel'))(response, request)
      response.end(textChunk('lo') + stopChunk + doneFrame)
    })
    const whole = await json(await post(url, { ...REQUEST, stream: false }, { headers: HEADERS }))
    expect(whole.output[0].content[0].text).toBe('Hi there')
    const stream = await (await post(url, REQUEST, { headers: HEADERS })).text()
    expect(typesOf(stream).slice(-3)).toEqual(['response.completed', 'response.done', '[DONE]'])
    const refused = await post(url, { ...REQUEST, model: 'acme/failing' }, { headers: HEADERS })
    expect([refused.status, (await json(refused)).error.message]).toEqual([429, 'Slow down.'])
  })

  it('finishes open streams at SIGTERM and exits in spite of idle connections', async () => {
    const { url, child, exited, upstream, output } = await serve(beginning(roleChunk, textChunk('Half')))
    const idle = new Agent({ keepAlive: true })
    whenDone(async () => idle.destroy())
    await text((await once(request(`${url}/healthz`, { agent: idle }).end() as ClientRequest, 'response'))[0])
    const answer = readSlowly(await post(url, REQUEST, { headers: HEADERS }))
    await answer.until((words) => words.includes('Half'))
    child.kill('SIGTERM')
    await waitUntil(() => output().includes('"event":"draining"'), 'the end to begin')
    upstream.received[0]?.response.end(textChunk(' and half') + stopChunk + doneFrame)
    expect(typesOf(await answer.rest()).at(-3)).toBe('response.completed')
    expect(await exited).toEqual([0, null])
    expect(output()).toContain('"event":"stopped"')
  })

  it('ends streams beyond the drain limit as failed, and exits', async () => {
    const { url, child, exited } = await serve(beginning(roleChunk, textChunk('Half')), {
      drain: { limit_seconds: 0.1 },
    })
    const answer = readSlowly(await post(url, REQUEST, { headers: HEADERS }))
    await answer.until((words) => words.includes('Half'))
    child.kill('SIGTERM')
    expect(typesOf(await answer.rest()).at(-3)).toBe('response.failed')
    expect(await exited).toEqual([0, null])
  })

  // Bun reports no disconnect of a client; only the next write fails.
  it('closes the upstream connection after its client disconnects', async () => {
    const { url, upstream } = await serve(beginning(roleChunk, textChunk('Half')), { keep_alive_seconds: 0.2 })
    const client = new AbortController()
    const answer = readSlowly(await post(url, REQUEST, { headers: HEADERS, signal: client.signal }))
    await answer.until((words) => words.includes('Half'))
    client.abort()
    await upstream.received[0]?.closed
    await answer.rest().catch(() => null)
  })

  it('serves a WebSocket until SIGTERM', async () => {
    const { url, child, exited } = await serve(withBody(bodyOf('Hi there')))
    const client = await connectWebSocket(url, { headers: HEADERS })
    const events = await client.turn({ type: 'response.create', ...REQUEST })
    expect(events.at(-1).response.output[0].content[0].text).toBe('Hi there')
    child.kill('SIGTERM')
    expect(await client.closed).toBe(1001)
    expect(await exited).toEqual([0, null])
  })

  it('answers every other upgrade as a request', async () => {
    const { url } = await serve(withBody(bodyOf('Hi there')))
    const refusals = [connectWebSocket(url), connectWebSocket(url, { path: '/openai/v1/models', headers: HEADERS })]
    await expect(refusals[0]).rejects.toMatchObject({ status: 401, body: { error: { code: 'invalid_api_key' } } })
    await expect(refusals[1]).rejects.toMatchObject({ status: 426 })
    const headers = { ...HEADERS, connection: 'Upgrade', upgrade: 'h2c', 'content-type': 'application/json' }
    const asking = request(`${url}/openai/v1/responses`, { method: 'POST', headers })
    const [answer] = await once(asking.end(JSON.stringify({ ...REQUEST, stream: false })), 'response')
    expect([answer.statusCode, JSON.parse(await text(answer)).status]).toEqual([200, 'completed'])
  })
})
