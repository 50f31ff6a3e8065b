/**
 * Many paced streams at once through a real server: upstream, server and clients are three processes on loopback.
 * `npx tsx bench/host-load.ts [streams] [chunks per stream] [ms between chunks]`
 */
import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Agent, request } from 'undici'
import { checkConfigValue } from '../src/host/load-config.ts'
import { start } from '../src/host/server.ts'

const KEY = 'bench'
const [role = '', streams = '1000', chunks = '50', pace = '100'] = /^\d*$/.test(process.argv[2] ?? '')
  ? ['', ...process.argv.slice(2)]
  : process.argv.slice(2)

interface Report {
  readonly url?: string
  readonly rss?: number
  readonly cpu?: number
}

const tell = (report: Report): void => void process.send?.(report)

const chunk = (delta: object, finish: string | null): string =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_764_000_000,
    model: 'bench-1',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`

function upstream(): void {
  const word = chunk({ content: ' word' }, null)
  const server = createServer((incoming, response) => {
    incoming.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    let left = Number(chunks)
    const timer = setInterval(() => {
      if (left-- > 0) return void response.write(word)
      clearInterval(timer)
      response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`)
    }, Number(pace))
  })
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
    tell({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  })
}

async function gateway(base_url: string): Promise<void> {
  const keys = [{ name: 'bench', sha256: createHash('sha256').update(KEY).digest('hex') }]
  const vendors = { bench: { wire: 'openai-chat', base_url } }
  const loaded = checkConfigValue({ listen: { port: 0 }, keys, vendors })
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  tell({ url: (await start(loaded.config)).url })
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    tell({ rss: process.memoryUsage().rss, cpu: (user + system) / 1000 })
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

/** One stream read to its end: ms to the first delta; throws unless it is right. */
async function client(url: string): Promise<number> {
  const startedAt = performance.now()
  const { statusCode, body } = await request(`${url}/api/v1/responses`, {
    dispatcher: agent,
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: '{"model":"bench/bench-1","input":"Hello","stream":true}',
  })
  let first = 0
  let deltas = 0
  let last = ''
  for await (const bytes of body) {
    const text = String(bytes)
    const found = text.split('"response.content_part.delta"').length - 1
    if (found > 0 && first === 0) first = performance.now() - startedAt
    deltas += found
    last = text.slice(-40)
  }
  if (statusCode !== 200 || !last.endsWith('data: [DONE]\n\n')) throw new Error(`status ${statusCode}, end ${last}`)
  if (deltas !== Number(chunks)) throw new Error(`${deltas} deltas`)
  return first
}

async function main(): Promise<void> {
  const vendor = child('upstream', streams, chunks, pace)
  const { url: vendorUrl = '' } = await hear(vendor)
  const server = child('gateway', vendorUrl)
  const { url = '' } = await hear(server)
  for (let warm = 0; warm < 3; warm++) await Promise.all(Array.from({ length: 20 }, () => client(url)))

  const idle = await ask(server)
  let highest = 0
  const timer = setInterval(async () => {
    highest = Math.max(highest, (await ask(server)).rss ?? 0)
  }, 500)
  const startedAt = performance.now()
  const results = await Promise.allSettled(Array.from({ length: Number(streams) }, () => client(url)))
  const seconds = (performance.now() - startedAt) / 1000
  clearInterval(timer)
  const after = await ask(server)

  const failed = results.filter(({ status }) => status === 'rejected')
  const firsts = results
    .flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    .sort((a, b) => a - b)
  const total = Number(streams) * Number(chunks)
  const cpu = (after.cpu ?? 0) - (idle.cpu ?? 0)
  process.stdout.write(
    `${streams} streams × ${chunks} chunks, one every ${pace} ms: ${seconds.toFixed(1)} s, ${failed.length} failed\n` +
      `first delta: median ${firsts[firsts.length >> 1]?.toFixed(0)} ms, last ${firsts.at(-1)?.toFixed(0)} ms\n` +
      `memory: ${toMiB(idle.rss)} MiB idle, ${toMiB(highest)} MiB at most: ` +
      `${((highest - (idle.rss ?? 0)) / 1024 / Number(streams)).toFixed(1)} KiB a stream\n` +
      `processor: ${((cpu / total) * 1000).toFixed(1)} µs a chunk, ${(cpu / 10 / seconds).toFixed(0)} % of one core\n`,
  )
  for (const { reason } of failed.slice(0, 3) as PromiseRejectedResult[]) process.stdout.write(`${reason}\n`)
  vendor.kill()
  server.kill()
  await agent.close()
  process.exitCode = failed.length === 0 ? 0 : 1
}

const toMiB = (bytes = 0): string => (bytes / 1024 / 1024).toFixed(0)

if (role === 'upstream') upstream()
else if (role === 'gateway') await gateway(streams)
else await main()
