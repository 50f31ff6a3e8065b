/**
 * Restarts three servers behind a balancer, one after another, while streams are open, and checks each stream to its
 * last byte. The servers share their rate limits in Redis. All processes are on loopback; HAProxy and Redis are
 * Debian's packages `haproxy` and `redis-server`, with the configuration of examples/deploy/haproxy.cfg.
 *
 *     npm run bench:restart -- --streams 2000
 *
 * Writes a JSON line for each step. Exits with 1 if a stream ended early, a request was refused, a server did not exit
 * with 0, or the limit that the servers share let another number of requests pass.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ask, forkProgram, killAll, nextMessage, spawnInstalled, usageOf } from '../children.ts'
import { gatewayKey } from '../gateway-key.ts'
import type { Report } from './client.ts'
import { freePorts, openStreams, type ServerProcess, startServer, terminate, until } from './processes.ts'

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '2000' },
    'chunk-ms': { type: 'string', default: '500' },
    /** Answers have from this number of chunks to twice as many. */
    chunks: { type: 'string', default: '30' },
    'steady-seconds': { type: 'string', default: '20' },
  },
})
const STREAMS = Number(values.streams)

const KEY = 'restart-key-of-nobody'
/** A key of which a few requests may pass. */
const LIMITED_KEY = 'limited-key-of-nobody'
const ALLOWED = 10
const ASKED = 30

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

const BALANCER = fileURLToPath(new URL('../../../../examples/deploy/haproxy.cfg', import.meta.url))

const keyOf = (name: string, key: string, rate_limit: object): object => ({
  ...gatewayKey(name, key),
  rate_limit,
})

const configOf = (upstream: string, redis: number): object => ({
  keys: [
    keyOf('restart', KEY, { requests: 1_000_000, seconds: 1 }),
    // So slow that no more than the burst passes during the simulation.
    keyOf('limited', LIMITED_KEY, { requests: 1, seconds: 86_400, burst: ALLOWED }),
  ],
  vendors: { restart: { wire: 'openai-chat', base_url: `${upstream}/v1` } },
  rate_limit: { redis: { url: `redis://127.0.0.1:${redis}`, timeout_seconds: 5 } },
  // The balancer notices after two checks, one a second if the server is not busy. The limit is three times the longest answer, for a busy machine.
  drain: { notice_seconds: 10, limit_seconds: (Number(values.chunks) * 6 * Number(values['chunk-ms'])) / 1000 },
})

const write = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

/** Resident MiB and seconds of processor time of all servers. */
function totalOf(servers: readonly ServerProcess[]): ReturnType<typeof usageOf> {
  const all = servers.map(({ child }) => usageOf(child))
  const sum = (of: 'rss' | 'cpu'): number => all.reduce((total, usage) => total + usage[of], 0)
  return { rss: sum('rss'), cpu: sum('cpu') }
}

/** Sends some of the requests of the limited key. Resolves with the number that passed. */
async function askLimited(url: string, count: number): Promise<number> {
  let passed = 0
  for (let n = 0; n < count; n += 1) {
    const response = await fetch(`${url}/openai/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${LIMITED_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'restart/1', input: 'Hello' }),
    })
    await response.arrayBuffer()
    if (response.ok) passed += 1
    else if (response.status !== 429) throw new Error(`the limited key received the status ${response.status}`)
  }
  return passed
}

async function main(folder: string): Promise<boolean> {
  const [redis = 0, balancer = 0, ...ports] = await freePorts(5)
  const upstream = await nextMessage<string>(forkProgram(here('upstream.js'), [values['chunk-ms']]))
  await spawnInstalled('redis-server', ['--port', String(redis), '--bind', '127.0.0.1', '--save', '', '--dir', folder])
  const config = join(folder, 'config.json')
  writeFileSync(config, JSON.stringify(configOf(upstream, redis)))
  const servers: ServerProcess[] = []
  for (const port of ports) servers.push(await startServer(config, port))
  const addresses = ports.map((port, n) => [`MILLRACE_${n + 1}`, `127.0.0.1:${port}`])
  const env = { ...Object.fromEntries(addresses), BALANCER: `127.0.0.1:${balancer}` }
  await spawnInstalled('haproxy', ['-f', BALANCER, '-db'], env)
  const url = `http://127.0.0.1:${balancer}`
  const isUp = (): Promise<boolean> =>
    fetch(`${url}/healthz`)
      .then(({ ok }) => ok)
      .catch(() => false)
  await until('the balancer', isUp)

  const client = forkProgram(here('client.js'), [url, KEY, values.streams, values.chunks])
  await nextMessage(client)
  client.send('start')
  await until('the first open streams', async () => (await ask<Report>(client, 'report')).open === STREAMS)
  const before = totalOf(servers)
  write({ step: 'begun', ...(await ask<Report>(client, 'report')) })
  await sleep(Number(values['steady-seconds']) * 1000)
  const steady = await ask<Report>(client, 'report')
  const { rss, cpu } = totalOf(servers)
  const cost = {
    mib: Math.round(rss),
    cpuMicrosecondsAChunk: Math.round(((cpu - before.cpu) / steady.delays.count) * 1e6),
  }
  write({ step: 'steady', servers: cost, ...steady })

  let passed = await askLimited(url, ASKED / 3)
  let isClean = true
  for (const [n, server] of servers.entries()) {
    const held = await openStreams(server)
    const { code, seconds } = await terminate(server)
    isClean &&= code === 0
    const next = await startServer(config, server.port)
    passed += await askLimited(url, ASKED / 3)
    await until('a share of the streams', async () => (await openStreams(next)) > STREAMS / 6)
    write({ step: `restarted ${n + 1}`, held, seconds, code, ...(await ask<Report>(client, 'report')) })
  }
  const result = await ask<Report>(client, 'stop')
  const isWhole = result.endedEarly === 0 && result.refused === 0 && result.completed === result.begun
  write({ step: 'result', node: process.version, limited: { allowed: ALLOWED, passed }, ...result })
  return isWhole && isClean && passed === ALLOWED
}

const folder = mkdtempSync(join(tmpdir(), 'millrace-restart-'))
try {
  if (!(await main(folder))) process.exitCode = 1
} finally {
  killAll()
  rmSync(folder, { recursive: true })
}
