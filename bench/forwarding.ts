/**
 * What forwarding costs the answers: the same requests against a server without destinations and one with five, of
 * which one is dead and one never answers; in turns, so that both meet the same noise.
 * `npx tsx bench/forwarding.ts [requests] [at once]`
 */
import { type ChildProcess, fork } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Agent, request } from 'undici'
import { checkConfigValue } from '../src/host/load-config.ts'
import { start } from '../src/host/server.ts'

const KEY = 'bench'
const [role = '', first = '10000', second = '20'] = /^\d*$/.test(process.argv[2] ?? '')
  ? ['', ...process.argv.slice(2)]
  : process.argv.slice(2)

interface Report {
  readonly url?: string
  readonly rss?: number
  readonly heap?: number
  readonly cpu?: number
}

const tell = (report: Report): void => void process.send?.(report)

const chunk = (delta: object, finish: string | null): string =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', model: 'bench-1', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

/** One server for all of it: the vendor under `/v1`, destinations that take everything, and one that never answers. */
function others(): void {
  const answer = `${chunk({ content: 'word '.repeat(20) }, null).repeat(10)}${chunk({}, 'stop')}data: [DONE]\n\n`
  const server = createServer((incoming, response) => {
    incoming.resume()
    if (incoming.url?.startsWith('/silent') === true) return
    if (incoming.url?.startsWith('/v1/chat') !== true) return void response.writeHead(200).end('{}')
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer)
  })
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
    tell({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  })
}

const webhook = (url: string) => ({ id: randomUUID(), type: 'webhook', config: { url } })

const five = (url: string): readonly object[] => [
  webhook('http://127.0.0.1:9/dead'),
  webhook(`${url}/silent`),
  { id: randomUUID(), type: 'otel-collector', config: { endpoint: url } },
  { id: randomUUID(), type: 'datadog', config: { apiKey: 'k', mlApp: 'm', url } },
  {
    id: randomUUID(),
    type: 'clickhouse',
    config: { host: url, database: 'd', username: 'u', password: 'p' },
  },
]

async function gateway(url: string, count: string): Promise<void> {
  const keys = [{ name: 'bench', sha256: createHash('sha256').update(KEY).digest('hex') }]
  const vendors = { bench: { wire: 'openai-chat', base_url: `${url}/v1` } }
  const destinations = count === '5' ? five(url) : []
  const loaded = checkConfigValue({ listen: { port: 0 }, keys, vendors, destinations })
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  tell({ url: (await start(loaded.config)).url })
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    const { rss, heapUsed } = process.memoryUsage()
    tell({ rss, heap: heapUsed, cpu: (user + system) / 1000 })
  })
}

const child = (...args: readonly string[]): ChildProcess =>
  fork(fileURLToPath(import.meta.url), [...args], { execArgv: process.execArgv })

const hear = (from: ChildProcess): Promise<Report> =>
  new Promise((resolve) => from.once('message', (report) => resolve(report as Report)))

const ask = (of: ChildProcess): Promise<Report> => {
  const answer = hear(of)
  of.send('report')
  return answer
}

const agent = new Agent({ connections: null, headersTimeout: 0, bodyTimeout: 0 })

async function once(url: string): Promise<number> {
  const startedAt = performance.now()
  const { statusCode, body } = await request(`${url}/api/v1/responses`, {
    dispatcher: agent,
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: '{"model":"bench/bench-1","input":"Hello, how are you today?","stream":true,"session_id":"s"}',
  })
  const text = await body.text()
  if (statusCode !== 200 || !text.endsWith('data: [DONE]\n\n')) throw new Error(`status ${statusCode}`)
  return performance.now() - startedAt
}

/** So many requests, so many at once: what each of them took. */
async function round(url: string, count: number, atOnce: number): Promise<number[]> {
  const took: number[] = []
  let left = count
  const worker = async (): Promise<void> => {
    while (left-- > 0) took.push(await once(url))
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return took
}

const at = (sorted: readonly number[], share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0
const toMiB = (bytes = 0): string => (bytes / 1024 / 1024).toFixed(0)

async function main(): Promise<void> {
  const [requests, atOnce] = [Number(first), Number(second)]
  const rounds = 10
  const world = child('others')
  const { url: world_url = '' } = await hear(world)
  const servers = [child('gateway', world_url, '0'), child('gateway', world_url, '5')]
  const urls = await Promise.all(servers.map(async (server) => (await hear(server)).url ?? ''))
  for (const url of urls) await round(url, 1000, atOnce)

  const idle = await Promise.all(servers.map(ask))
  const took: number[][] = [[], []]
  const highest = [0, 0]
  for (let turn = 0; turn < rounds; turn += 1) {
    // Whoever goes first in one turn goes last in the next.
    for (const side of turn % 2 === 0 ? [0, 1] : [1, 0]) {
      took[side]?.push(...(await round(urls[side] ?? '', requests / rounds, atOnce)))
      highest[side] = Math.max(highest[side] ?? 0, (await ask(servers[side] as ChildProcess)).rss ?? 0)
    }
  }
  const after = await Promise.all(servers.map(ask))
  const sorted = took.map((times) => times.toSorted((a, b) => a - b))
  process.stdout.write(`${requests} requests, ${atOnce} at once, in ${rounds} turns; ms a request\n\n`)
  process.stdout.write(
    '| destinations | p50 | p95 | p99 | processor, ms a request | memory before, at most |\n|---|---|---|---|---|---|\n',
  )
  for (const [side, name] of ['none', 'five, one dead, one silent'].entries()) {
    const times = sorted[side] ?? []
    const cpu = ((after[side]?.cpu ?? 0) - (idle[side]?.cpu ?? 0)) / requests
    process.stdout.write(
      `| ${name} | ${[0.5, 0.95, 0.99].map((share) => at(times, share).toFixed(2)).join(' | ')} | ${cpu.toFixed(2)} | ` +
        `${toMiB(idle[side]?.rss)} MiB, ${toMiB(highest[side])} MiB |\n`,
    )
  }
  const ratio = [0.5, 0.95, 0.99].map((share) => (at(sorted[1] ?? [], share) / at(sorted[0] ?? [], share)).toFixed(2))
  process.stdout.write(`| ratio | ${ratio.join(' | ')} | | |\n\n`)
  const metrics = await (await fetch(`${urls[1]}/metrics`)).text()
  const told = metrics.split('\n').filter((line) => /^millrace_destination_(queue|delivered|dropped)/.test(line))
  process.stdout.write(`${told.join('\n')}\n`)
  for (const one of [world, ...servers]) one.kill()
  await agent.close()
}

if (role === 'others') others()
else if (role === 'gateway') await gateway(first, second)
else await main()
