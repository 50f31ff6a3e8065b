import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  type Behaviour,
  doneFrame,
  type MockUpstream,
  roleChunk,
  startMockUpstream,
  stopChunk,
  streamOf,
  textChunk,
} from '../../mock-upstreams/server.ts'
import { runProgram } from '../program.ts'
import { KEY, type Loose, REQUEST, sha256, typesOf, waitUntil, whenDone } from '../test-server.ts'

const COUNT = 2

interface Workers {
  readonly file: string
  readonly url: string
  readonly upstream: MockUpstream
  readonly child: ReturnType<typeof runProgram>['child']
  readonly exited: Promise<number | null>
  /** The lines of the log so far. */
  lines(event: string): Loose[]
  configure(config: object): Promise<void>
  /** The standard output and the standard error so far. */
  output(): string
}

async function startWorkers(behave: Behaviour, config: object = {}): Promise<Workers> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-'))
  whenDone(() => rm(folder, { recursive: true }))
  const upstream = await startMockUpstream(behave)
  whenDone(upstream.close)
  const file = join(folder, 'config.json')
  const base = {
    listen: { port: 0, workers: COUNT },
    keys: [{ name: 'tester', sha256: sha256(KEY) }],
    vendors: { acme: { wire: 'openai-chat', base_url: upstream.url, key: 'none' } },
  }
  const configure = (changed: object): Promise<void> => writeFile(file, JSON.stringify({ ...base, ...changed }))
  await configure(config)
  const { child, output, exited } = runProgram(['serve', '--config', file, '--log-level', 'debug'])
  const lines = (event: string): Loose[] =>
    output()
      .split('\n')
      .filter((line) => line.includes(`"event":"${event}"`))
      .map((line) => JSON.parse(line))
  await waitUntil(() => lines('listening').length === COUNT, 'all workers').catch((error) => {
    throw new Error(`${error.message}: ${output()}`)
  })
  const [{ url }] = lines('listening')
  return { file, url, upstream, child, exited, lines, configure, output }
}

/** Sends a request over a connection of its own. `key`: its bearer key. */
function send(
  target: string,
  options: { readonly path?: string; readonly key?: string } = {},
): Promise<IncomingMessage> {
  const { path = '/api/v1/responses', key = KEY } = options
  const isPost = path === '/api/v1/responses'
  const place = target.startsWith('unix:') ? { socketPath: target.slice('unix:'.length) } : urlPlace(target)
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...place,
        path,
        method: isPost ? 'POST' : 'GET',
        agent: false,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', host: 'localhost' },
      },
      resolve,
    )
    sent.on('error', reject)
    sent.end(isPost ? JSON.stringify(REQUEST) : undefined)
  })
}

const urlPlace = (url: string): { readonly host: string; readonly port: string } => {
  const { hostname, port } = new URL(url)
  return { host: hostname, port }
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const bytes of response) text += String(bytes)
  return text
}

const ask = async (...args: Parameters<typeof send>): Promise<string> => textOf(await send(...args))

async function askTimes(url: string, count: number): Promise<string[]> {
  const texts: string[] = []
  for (let n = 0; n < count; n += 1) texts.push(await ask(url))
  return texts
}

const END = ['response.completed', 'response.done', '[DONE]']
const answer: Behaviour = (response) => void response.end(streamOf('Hello'))

/** Answers that begin at once and end when the test says so. */
function heldAnswers(): { readonly behave: Behaviour; readonly end: () => void; readonly begun: () => number } {
  const ends: (() => void)[] = []
  return {
    behave(response) {
      response.write(roleChunk + textChunk('Hello'))
      ends.push(() => response.end(stopChunk + doneFrame))
    },
    end() {
      for (const end of ends.splice(0)) end()
    },
    begun: () => ends.length,
  }
}

const workersOf = (lines: readonly Loose[]): number[] =>
  [...new Set(lines.map(({ worker }) => worker as number))].sort()

describe('millrace serve with several workers', () => {
  it('spreads connections over the workers, whose log lines have their number', async () => {
    const { url, lines } = await startWorkers(answer)
    for (const text of await askTimes(url, 6)) expect(typesOf(text).slice(-3)).toEqual(END)
    await waitUntil(() => lines('request').length === 6, 'all lines')
    expect(workersOf(lines('request'))).toEqual([1, 2])
    expect(workersOf(lines('worker_started'))).toEqual([1, 2])
  })

  it('reports the sum of all workers at /metrics, also what a worker counted that has crashed since', async () => {
    const { url, lines } = await startWorkers(answer)
    await askTimes(url, 6)
    await waitUntil(() => lines('request').length === 6, 'all lines')
    const counted = async (): Promise<string[]> =>
      (await ask(url, { path: '/metrics' }))
        .split('\n')
        .filter((line) => /^millrace_(?:requests_total\{path="\/api\/v1\/responses"|worker)/.test(line))
        .map((line) => line.replace(/\{.*\}/, ''))
    expect(await counted()).toEqual([
      'millrace_workers 2',
      'millrace_worker_crashes_total 0',
      'millrace_requests_total 6',
    ])
    process.kill(lines('worker_started')[0].pid, 'SIGKILL')
    await waitUntil(async () => (await counted())[1] === 'millrace_worker_crashes_total 1', 'the crash')
    await waitUntil(async () => (await counted())[0] === 'millrace_workers 2', 'the new worker')
    expect((await counted())[2]).toBe('millrace_requests_total 6')
  })

  it('answers many scrapes at once, also when a worker is killed before it has answered', async () => {
    const { url, lines, output } = await startWorkers(answer)
    const [{ pid }] = lines('worker_started')
    process.kill(pid, 'SIGSTOP')
    const scrapes = Promise.all(Array.from({ length: 16 }, () => send(url, { path: '/metrics' })))
    // The stopped worker gets one of two connections; this one shows that the other worker has got all others.
    await ask(url)
    await waitUntil(() => lines('request').length === 1, 'the other worker')
    process.kill(pid, 'SIGKILL')
    expect((await scrapes).map(({ statusCode }) => statusCode)).toEqual(Array(16).fill(200))
    expect(output()).not.toContain('Warning')
  })

  it('keeps the streams of all other workers when one crashes, and starts it again', async () => {
    const held = heldAnswers()
    const { url, lines } = await startWorkers(held.behave)
    const streams = await Promise.all([send(url), send(url)])
    const reading = streams.map((stream) => textOf(stream).catch(() => 'broken'))
    await waitUntil(() => held.begun() === 2, 'both answers')
    const [{ pid }] = lines('worker_started')
    process.kill(pid, 'SIGKILL')
    await waitUntil(() => lines('worker_crashed').length === 1, 'the crash')
    held.end()
    const texts = await Promise.all(reading)
    expect(texts.filter((text) => text === 'broken')).toHaveLength(1)
    expect(typesOf(texts.find((text) => text !== 'broken') ?? '').slice(-3)).toEqual(END)
    expect(lines('worker_crashed')).toMatchObject([{ worker: 1, ended_with: 'SIGKILL', restart_in_ms: 100 }])
    await waitUntil(() => lines('listening').length === 3, 'the new worker')
    expect(lines('listening')[2]).toMatchObject({ worker: 1, url })
  })

  it('gives a connection that a killed worker has not accepted to another one', async () => {
    const { url, lines } = await startWorkers(answer)
    const [{ pid }] = lines('worker_started')
    process.kill(pid, 'SIGSTOP')
    const reading = Promise.all(Array.from({ length: 4 }, () => ask(url)))
    await waitUntil(() => lines('request').length === 3, 'the answers of the other worker')
    process.kill(pid, 'SIGKILL')
    for (const text of await reading) expect(typesOf(text).slice(-3)).toEqual(END)
    expect(workersOf(lines('request'))).toEqual([2])
  })

  it('closes the connections that it has accepted when all workers are killed', async () => {
    const { url, lines } = await startWorkers(answer)
    const pids = lines('worker_started').map(({ pid }) => pid as number)
    for (const pid of pids) process.kill(pid, 'SIGSTOP')
    const { hostname, port } = new URL(url)
    const sockets = Array.from({ length: 4 }, () => connect(Number(port), hostname))
    const closed = Promise.all(
      sockets.map((socket) => new Promise((resolve) => socket.on('error', () => undefined).on('close', resolve))),
    )
    // Before the workers end: later, the port may be closed, or belong to new workers.
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    for (const pid of pids) process.kill(pid, 'SIGKILL')
    await closed
    expect(sockets.map(({ bytesRead }) => bytesRead)).toEqual(Array(4).fill(0))
    // Only at the announced address: a worker that has received another port writes a line, ends, and starts again.
    await waitUntil(() => lines('listening').filter((line) => line.url === url).length === 2 * COUNT, 'the new workers')
  })

  it('keeps the free port that it has announced when all workers are killed, also after a reload', async () => {
    const { url, lines, child, configure } = await startWorkers(answer)
    for (const round of [1, 2]) {
      const started = lines('worker_started').slice(-COUNT)
      for (const { pid } of started) process.kill(pid as number, 'SIGKILL')
      await waitUntil(
        () => lines('listening').filter((line) => line.url === url).length === (round + 1) * COUNT,
        'workers',
      )
      expect(typesOf(await ask(url)).slice(-3)).toEqual(END)
    }
    await configure({})
    child.kill('SIGHUP')
    await waitUntil(() => lines('reloaded').length === COUNT, 'all reloads')
    expect(lines('reloaded').map(({ restart_needed }) => restart_needed)).toEqual(Array(COUNT).fill([]))
  })

  it('gives connections to the worker with the fewest, such as one that has just started', async () => {
    const held = heldAnswers()
    const { url, lines } = await startWorkers(held.behave)
    const [{ pid }] = lines('worker_started')
    process.kill(pid, 'SIGSTOP')
    // The stopped worker keeps the first one.
    const reading = Array.from({ length: 30 }, () => ask(url))
    await waitUntil(() => held.begun() === 29, 'the answers of the other worker')
    process.kill(pid, 'SIGKILL')
    await waitUntil(() => lines('listening').length === COUNT + 1 && held.begun() === 30, 'the new worker')
    // One by one, and more than it has fewer: a worker that the system lets run late gets the next ones instead.
    for (let count = 31; count <= 120; count += 1) {
      reading.push(ask(url))
      await waitUntil(() => held.begun() === count, `answer ${count}`)
    }
    held.end()
    for (const text of await Promise.all(reading)) expect(typesOf(text).slice(-3)).toEqual(END)
    await waitUntil(() => lines('request').length === 120, 'all lines')
    // In turn, it would get 45 of the later ones.
    const ofNew = lines('request').filter(({ worker }) => worker === 1).length
    expect(Math.abs(ofNew - 60)).toBeLessThanOrEqual(5)
  })

  it('drains all workers at SIGTERM, and exits with 0', async () => {
    const held = heldAnswers()
    const { url, lines, child, exited } = await startWorkers(held.behave)
    const streams = await Promise.all([send(url), send(url)])
    const reading = streams.map(textOf)
    await waitUntil(() => held.begun() === 2, 'both answers')
    child.kill('SIGTERM')
    await waitUntil(() => lines('draining').length === COUNT, 'the drain')
    held.end()
    for (const text of await Promise.all(reading)) expect(typesOf(text).slice(-3)).toEqual(END)
    expect(await exited).toBe(0)
    expect(workersOf(lines('stopped'))).toEqual([1, 2])
  })

  it('ends all streams at the second signal', async () => {
    const held = heldAnswers()
    const { url, lines, child, exited } = await startWorkers(held.behave)
    const reading = textOf(await send(url))
    child.kill('SIGINT')
    await waitUntil(() => lines('draining').length === COUNT, 'the drain')
    child.kill('SIGINT')
    expect(typesOf(await reading)).toContain('response.failed')
    expect(await exited).toBe(0)
  })

  it('reloads the configuration in all workers at SIGHUP, and refuses an invalid one', async () => {
    const { url, lines, child, configure } = await startWorkers(answer)
    const key = 'another-key-of-nobody'
    await configure({ keys: [{ name: 'second', sha256: sha256(key) }] })
    child.kill('SIGHUP')
    await waitUntil(() => lines('reloaded').length === COUNT, 'the reload')
    expect(lines('reloaded').map(({ restart_needed }) => restart_needed)).toEqual([[], []])
    for (const _ of [1, 2]) expect((await send(url, { key })).statusCode).toBe(200)
    for (const _ of [1, 2]) expect((await send(url)).statusCode).toBe(401)
    await configure({ keys: 1 })
    child.kill('SIGHUP')
    await waitUntil(() => lines('reload_refused').length === 1, 'the refusal')
    expect((await send(url, { key })).statusCode).toBe(200)
  })

  it('refuses a configuration with which no worker could start, and replaces a worker with the one in force', async () => {
    const { url, lines, child, configure } = await startWorkers(answer)
    await configure({ models: [{ match: 'other', to: ['groq/other'] }] })
    child.kill('SIGHUP')
    await waitUntil(() => lines('reload_refused').length === 1, 'the refusal')
    expect(lines('reload_refused')[0].problems).toEqual([expect.stringContaining('GROQ_API_KEY')])
    process.kill(lines('worker_started')[0].pid, 'SIGKILL')
    await waitUntil(() => lines('listening').length === COUNT + 1, 'the new worker')
    for (const text of await askTimes(url, 2)) expect(typesOf(text).slice(-3)).toEqual(END)
    expect(lines('worker_crashed')).toHaveLength(1)
  })

  it('replaces a worker with the reloaded parts of a configuration, and the address and mounts of the start', async () => {
    const { url, lines, child, configure, upstream } = await startWorkers(answer)
    const key = 'another-key-of-nobody'
    const mounts = [{ path: '/other', dialect: 'openai' }]
    await configure({
      listen: { port: 1, workers: COUNT },
      mounts,
      vendors: { acme: { wire: 'openai-chat', base_url: upstream.url, pool: [{ key: 'rotated-key' }] } },
      keys: [{ name: 'second', sha256: sha256(key) }],
    })
    child.kill('SIGHUP')
    await waitUntil(() => lines('reloaded').length === COUNT, 'the reload')
    for (const { restart_needed } of lines('reloaded')) expect(restart_needed).toEqual(['listen', 'mounts'])
    process.kill(lines('worker_started')[0].pid, 'SIGKILL')
    await waitUntil(() => lines('listening').length === COUNT + 1, 'the new worker')
    expect(lines('listening')[COUNT]).toMatchObject({ worker: 1, url })
    for (const _ of [1, 2]) expect((await send(url, { key })).statusCode).toBe(200)
    for (const _ of [1, 2]) expect((await send(url)).statusCode).toBe(401)
    expect(upstream.received.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill('Bearer rotated-key'))
  })

  it('ends at SIGHUP if it has no configuration file, as one process does', async () => {
    const { child, output, exited } = runProgram(['serve', '--workers', '2'], { PORT: '0' })
    await waitUntil(() => output().match(/"event":"listening"/g)?.length === COUNT, 'all workers')
    child.kill('SIGHUP')
    await exited
    expect(child.signalCode).toBe('SIGHUP')
  })

  it('counts a rate limit for all workers together', async () => {
    const rate_limit = { requests: 1, seconds: 86_400, burst: 3 }
    const { url } = await startWorkers(answer, { keys: [{ name: 'tester', sha256: sha256(KEY), rate_limit }] })
    const statuses: unknown[] = []
    for (let n = 0; n < 8; n += 1) {
      const response = await send(url)
      await textOf(response)
      statuses.push(response.statusCode)
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429, 429, 429, 429])
  })

  it('closes connections above the share of each worker, and counts them', async () => {
    const { url, lines } = await startWorkers(answer, { connections: { most: 2 * COUNT } })
    const { hostname, port } = new URL(url)
    const sockets = Array.from({ length: 2 * COUNT + 3 }, () => connect(Number(port), hostname))
    for (const socket of sockets) {
      socket.on('error', () => undefined)
      whenDone(async () => void socket.destroy())
    }
    const open = (): Socket[] => sockets.filter(({ destroyed }) => !destroyed)
    // One worker may get more connections than its share while the other has room.
    await waitUntil(() => open().length <= 2 * COUNT, 'the refusals')
    expect(workersOf(lines('connections_refused'))).not.toEqual([])
    open()[0]?.destroy()
    await waitUntil(async () => {
      const text = await ask(url, { path: '/metrics' }).catch(() => '')
      return /^millrace_connections_refused_total [3-9]/m.test(text)
    }, 'an answer of a worker with room')
  })

  it('starts and reloads with limits of which each worker has a part that would be too small for all', async () => {
    const key = 'another-key-of-nobody'
    const smallest = { connections: { most: 4 * COUNT - 1 }, websocket: { connections_per_key: 2 * COUNT - 1 } }
    const { url, lines, child, configure } = await startWorkers(answer, smallest)
    expect(typesOf(await ask(url)).slice(-3)).toEqual(END)
    await configure({ ...smallest, keys: [{ name: 'second', sha256: sha256(key) }] })
    child.kill('SIGHUP')
    await waitUntil(() => lines('reloaded').length === COUNT, 'the reload')
    for (const _ of [1, 2]) expect((await send(url, { key })).statusCode).toBe(200)
  })

  it('calls no member of a pool during the pause for which it has asked one of the workers', async () => {
    const busy = 'Bearer busy-key'
    const behave: Behaviour = (response, received) => {
      if (received.headers.authorization !== busy) return answer(response, received)
      response.writeHead(429, { 'retry-after': '600', 'content-type': 'application/json' })
      response.end('{"error":{"message":"Rate limit reached","type":"rate_limit_error"}}')
    }
    const pool = {
      affinity: false,
      pool: [
        { name: 'busy', key: 'busy-key' },
        { name: 'free', key: 'free-key' },
      ],
    }
    const { url, lines, upstream, configure, child } = await startWorkers(behave)
    await configure({ vendors: { acme: { wire: 'openai-chat', base_url: upstream.url, ...pool } } })
    child.kill('SIGHUP')
    await waitUntil(() => lines('reloaded').length === COUNT, 'the reload')
    await ask(url)
    await waitUntil(() => lines('upstream').length === 1, 'the pause')
    // The sum of all workers: what one of them has noticed before, the primary process has passed on.
    await ask(url, { path: '/metrics' })
    for (const text of await askTimes(url, 8)) expect(typesOf(text).slice(-3)).toEqual(END)
    // The scrape has a line as well.
    await waitUntil(() => lines('request').length === 10, 'all lines')
    expect(workersOf(lines('request'))).toEqual([1, 2])
    expect(upstream.received.filter(({ headers }) => headers.authorization === busy)).toHaveLength(1)
    expect(lines('upstream')).toMatchObject([{ state: 'paused', member: 'busy', seconds: 600 }])
  })

  it('shares a socket of the file system, and removes it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-'))
    whenDone(() => rm(folder, { recursive: true }))
    const path = join(folder, 'server.sock')
    const { url, lines, child, exited } = await startWorkers(answer, { listen: { path, workers: COUNT } })
    expect(url).toBe(`unix:${path}`)
    for (const text of await askTimes(url, 4)) expect(typesOf(text).slice(-3)).toEqual(END)
    await waitUntil(() => lines('request').length === 4, 'all lines')
    expect(workersOf(lines('request'))).toEqual([1, 2])
    child.kill('SIGTERM')
    expect(await exited).toBe(0)
    await expect(rm(path)).rejects.toThrow('ENOENT')
  })

  it('reports once why the first worker cannot start', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    whenDone(async () => void other.close())
    const { port } = other.address() as AddressInfo
    const { output, exited } = runProgram(['serve', '--workers', '2', '--port', String(port)])
    expect(await exited).toBe(2)
    expect(output().match(/millrace: cannot listen on .*EADDRINUSE/g)).toHaveLength(1)
  })

  it('has the same development key in all workers', async () => {
    const { output } = runProgram(['serve', '--workers', '2'], { PORT: '0' })
    await waitUntil(() => output().match(/"event":"listening"/g)?.length === COUNT, 'all workers')
    const [, url = ''] = /millrace listens on (\S+)/.exec(output()) ?? []
    const [, key = ''] = /stops\): (\S+)/.exec(output()) ?? []
    for (const _ of [1, 2, 3, 4]) expect((await send(url, { path: '/api/v1/models', key })).statusCode).toBe(200)
  })

  it.each([
    ['--workers', '0', '--workers: expected a number from 1 to 256, got "0".'],
    ['--workers', '257', '--workers: expected a number from 1 to 256, got "257".'],
  ])('refuses %s %s', async (name, value, message) => {
    const { output, exited } = runProgram(['serve', name, value])
    expect(await exited).toBe(2)
    expect(output()).toContain(`millrace: ${message}`)
  })
})
