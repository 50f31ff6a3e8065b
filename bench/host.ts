/**
 * The server against a plain byte relay, end to end: upstream, relay, server and load client are processes of their own on
 * loopback, the two servers take turns, and every figure is a ratio to the relay's in the same run.
 *
 *     npm run bench:host                a table of ratios
 *     npm run -s bench:host -- --json   a JSON object a line: {"case","node","ratio","to"}
 */
import { request } from 'undici'
import { median } from './measure.ts'
import { agent, ask, bodyOf, HEADERS, type Report, type Role, startRole, stopAll } from './processes.ts'

const ROUNDS = 7
const BURST_STREAMS = 16
const FIRST_BYTES = 250
const PACED_STREAMS = 1_000
const OPEN_STREAMS = 2_000
const WINDOW_MS = 6_000

type Served = Exclude<Role, 'upstream'>
const SERVED: readonly Served[] = ['relay', 'server']

interface Place {
  readonly url: string
  readonly report: (collect?: boolean) => Promise<Report>
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const at = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] as number

async function open(place: Place, model: string, signal?: AbortSignal) {
  const { statusCode, body } = await request(place.url, {
    dispatcher: agent,
    method: 'POST',
    headers: HEADERS,
    body: bodyOf(model),
    ...(signal === undefined ? {} : { signal }),
  })
  if (statusCode !== 200) throw new Error(`status ${statusCode}`)
  return body
}

// ---------------------------------------------------------------- bursts

/** One stream as fast as it comes; returns how many bytes it had. */
async function drain(place: Place): Promise<number> {
  let size = 0
  let last = ''
  for await (const bytes of await open(place, 'burst')) {
    size += (bytes as Uint8Array).length
    last = (last + (bytes as Buffer).toString('latin1')).slice(-20)
  }
  if (!last.endsWith('[DONE]\n\n')) throw new Error('a stream without its end')
  return size
}

/** Processor time that the streams of one burst cost a server, in ms. */
async function burst(place: Place): Promise<number> {
  const before = await place.report()
  await Promise.all(Array.from({ length: BURST_STREAMS }, () => drain(place)))
  return (await place.report()).cpu - before.cpu
}

async function bursts(places: Readonly<Record<Served, Place>>): Promise<number> {
  for (const name of SERVED) for (let warm = 0; warm < 3; warm += 1) await burst(places[name])
  const ratios: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const relay = await burst(places.relay)
    ratios.push((await burst(places.server)) / relay)
  }
  return median(ratios)
}

// ---------------------------------------------------------------- first bytes

async function firstByte(place: Place): Promise<number> {
  const begun = performance.now()
  const body = await open(place, 'short')
  let took = 0
  for await (const _ of body) took ||= performance.now() - begun
  return took
}

/** What each server adds at the median to the time that the upstream itself takes. */
async function firstBytes(places: Readonly<Record<Role, Place>>): Promise<number> {
  const took: Record<Role, number[]> = { upstream: [], relay: [], server: [] }
  for (let n = 0; n < FIRST_BYTES + 50; n += 1) {
    for (const role of ['upstream', ...SERVED] as const) {
      const ms = await firstByte(places[role])
      if (n >= 50) took[role].push(ms)
    }
  }
  const added = (role: Served): number => median(took[role]) - median(took.upstream)
  return added('server') / added('relay')
}

// ---------------------------------------------------------------- paced streams

interface Paced {
  /** Milliseconds of processor time a thousand chunks. */
  readonly cpu: number
  /** Milliseconds from the upstream's write to the client's read, of 99 in 100 chunks. */
  readonly p99: number
  /** Bytes of heap and of external memory a stream. */
  readonly memory: number
}

/** Many streams, each with a chunk every 100 ms: what a window of them costs. Their texts say when they were sent. */
async function paced(place: Place, streams: number, collect: boolean): Promise<Paced> {
  const idle = await place.report(collect)
  const stop = new AbortController()
  const delays: number[] = []
  let watching = false
  const read = async (): Promise<void> => {
    try {
      for await (const bytes of await open(place, 'paced', stop.signal)) {
        if (!watching) continue
        const now = Number(process.hrtime.bigint() / 1000n)
        for (const [, sent] of (bytes as Buffer).toString('latin1').matchAll(/"@(\d+)"/g)) {
          delays.push((now - Number(sent)) / 1000)
        }
      }
    } catch (error) {
      if (!stop.signal.aborted) throw error
    }
  }
  const reading: Promise<void>[] = []
  for (let n = 0; n < streams; n += 1) {
    reading.push(read())
    // Not all at once: their chunks would come in one and the same moment ever after.
    if (n % 20 === 19) await sleep(20)
  }
  await sleep(1_500)
  watching = true
  const before = await place.report(collect)
  await sleep(WINDOW_MS)
  const after = await place.report(collect)
  watching = false
  stop.abort()
  await Promise.all(reading)
  await sleep(500)
  return {
    cpu: ((after.cpu - before.cpu) / delays.length) * 1000,
    p99: at(delays, 0.99),
    memory: (after.memory - idle.memory) / streams,
  }
}

// ---------------------------------------------------------------- all of it

async function main(): Promise<void> {
  const upstream = await startRole('upstream')
  const relay = await startRole('relay', upstream.url)
  const server = await startRole('server', upstream.url)
  const place = ({ child, url }: Awaited<ReturnType<typeof startRole>>, path: string): Place => ({
    url: `${url}${path}`,
    report: (collect = false) => ask(child, collect),
  })
  const places = {
    upstream: place(upstream, '/v1/chat/completions'),
    relay: place(relay, '/v1/chat/completions'),
    server: place(server, '/api/v1/responses'),
  }
  const json = process.argv.includes('--json')
  const tell = (name: string, ratio: number, to: string): void => {
    const line = json
      ? JSON.stringify({ case: name, node: process.version, ratio: Number(ratio.toFixed(2)), to })
      : `| ${name} | ${ratio.toFixed(2)} | ${to} |`
    process.stdout.write(`${line}\n`)
  }
  if (!json) process.stdout.write(`Node ${process.version}; lower is better\n\n| what | ratio | to |\n|---|---|---|\n`)

  tell('processor time a chunk, bursts', await bursts(places), 'relay')
  tell('time to first byte added, median', await firstBytes(places), 'relay')
  const sides = { relay: [] as Paced[], server: [] as Paced[] }
  for (const name of [...SERVED, ...[...SERVED].reverse()]) {
    sides[name].push(await paced(places[name], PACED_STREAMS, false))
  }
  const ratio = (of: 'cpu' | 'p99'): number => {
    const mean = (all: readonly Paced[]): number => all.reduce((sum, one) => sum + one[of], 0) / all.length
    return mean(sides.server) / mean(sides.relay)
  }
  tell(`processor time a chunk, ${PACED_STREAMS} streams at 10 chunks/s`, ratio('cpu'), 'relay')
  tell(`p99 chunk delay, ${PACED_STREAMS} streams at 10 chunks/s`, ratio('p99'), 'relay')
  const { memory } = await paced(places.server, OPEN_STREAMS, true)
  tell(`KiB of heap and external memory a stream, ${OPEN_STREAMS} open`, memory / 1024, 'KiB')
}

try {
  await main()
} finally {
  stopAll()
  await agent.close()
}
