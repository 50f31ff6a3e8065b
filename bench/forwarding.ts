/**
 * Measures how much the delivery of traces delays answers. Requests at a steady pace go in turns to a server without
 * destinations and to a server with five, one of which is dead and one of which never answers. Both servers meet the
 * same noise.
 * `npx tsx bench/forwarding.ts [requests to each] [a second, to each]`
 */
import { type ChildProcess, fork } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Agent, request } from 'undici'
import { checkConfigValue } from '../src/gateway/config/parse-config.ts'
import { start } from '../src/host/start.ts'

const KEY = 'bench'
const [role = '', first = '10000', second = '120'] = /^\d*$/.test(process.argv[2] ?? '')
  ? ['', ...process.argv.slice(2)]
  : process.argv.slice(2)

interface Report {
  readonly url?: string
  readonly rss?: number
  readonly heap?: number
  readonly cpu?: number
}

const sendReport = (report: Report): void => void process.send?.(report)

const chunk = (delta: object, finish: string | null): string =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', model: 'bench-1', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

/**
 * One server plays all upstreams: the vendor under `/v1`, destinations that accept everything, and one that never
 * answers.
 */
function others(): void {
  const answer = `${chunk({ content: 'word '.repeat(20) }, null).repeat(10)}${chunk({}, 'stop')}data: [DONE]\n\n`
  const server = createServer((incoming, response) => {
    incoming.resume()
    if (incoming.url?.startsWith('/silent') === true) return
    if (incoming.url?.startsWith('/v1/chat') !== true) return void response.writeHead(200).end('{}')
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer)
  })
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
    sendReport({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
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
  sendReport({ url: (await start(loaded.config)).url })
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    const { rss, heapUsed } = process.memoryUsage()
    sendReport({ rss, heap: heapUsed, cpu: (user + system) / 1000 })
  })
}

const child = (...args: readonly string[]): ChildProcess =>
  fork(fileURLToPath(import.meta.url), [...args], { execArgv: process.execArgv })

const nextReport = (from: ChildProcess): Promise<Report> =>
  new Promise((resolve) => from.once('message', (report) => resolve(report as Report)))

const requestReport = (of: ChildProcess): Promise<Report> => {
  const answer = nextReport(of)
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

/**
 * Sends requests to the servers in turns, each at its scheduled time regardless of earlier ones. Returns the duration
 * of each.
 */
async function paced(urls: readonly string[], count: number, perSecond: number, seen: () => void): Promise<number[][]> {
  const took: number[][] = urls.map(() => [])
  const begun = performance.now()
  const requests: Promise<void>[] = []
  for (let n = 0; n < count; n += 1) {
    const wait = begun + (n * 1000) / perSecond - performance.now()
    if (wait > 0) await sleep(wait)
    // The order is reversed each time, so that no server is always the first.
    for (const side of n % 2 === 0 ? [0, 1] : [1, 0]) {
      requests.push(once(urls[side] ?? '').then((ms) => void took[side]?.push(ms)))
    }
    if (n % perSecond === 0) seen()
  }
  await Promise.all(requests)
  return took
}

const at = (sorted: readonly number[], share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0
const toMiB = (bytes = 0): string => (bytes / 1024 / 1024).toFixed(0)

async function main(): Promise<void> {
  const [requests, perSecond] = [Number(first), Number(second)]
  const upstream = child('others')
  const { url: upstreamUrl = '' } = await nextReport(upstream)
  const servers = [child('gateway', upstreamUrl, '0'), child('gateway', upstreamUrl, '5')]
  const urls = await Promise.all(servers.map(async (server) => (await nextReport(server)).url ?? ''))
  await paced(urls, 1000, perSecond, () => {})

  const idle = await Promise.all(servers.map(requestReport))
  const highest = [0, 0]
  const look = async (): Promise<void> => {
    for (const [side, { rss = 0 }] of (await Promise.all(servers.map(requestReport))).entries()) {
      highest[side] = Math.max(highest[side] ?? 0, rss)
    }
  }
  const took = await paced(urls, requests, perSecond, () => void look())
  await look()
  const after = await Promise.all(servers.map(requestReport))
  const sorted = took.map((times) => times.toSorted((a, b) => a - b))
  process.stdout.write(`${requests} requests to each, ${perSecond} a second to each; ms a request\n\n`)
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
  const lines = metrics.split('\n').filter((line) => /^millrace_destination_(queue|delivered|dropped)/.test(line))
  process.stdout.write(`${lines.join('\n')}\n`)
  for (const one of [upstream, ...servers]) one.kill()
  await agent.close()
}

if (role === 'others') others()
else if (role === 'gateway') await gateway(first, second)
else await main()
