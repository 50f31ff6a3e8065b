/**
 * Compares the server with a plain byte relay, end to end. Upstream, relay, server and load client are separate
 * processes on loopback, the two servers take turns, and every figure but memory is a ratio to the relay in the same
 * run.
 *
 *     npm run bench:host                      a table of ratios; two minutes on an idle machine
 *     npm run -s bench:host -- --json         a JSON object a line: {"case","node","ratio","to"}
 *     npm run bench:host -- bursts paced      only these parts: bursts, first, paced, passed, memory, sockets
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { close, type SentRequest, sendRequest } from './client.ts'
import { median } from './measure.ts'
import { BURSTS, type Endpoint, type Figure, type Role, requestReport, startRole, stopAll } from './processes.ts'
import { sockets } from './sockets.ts'

const BURST_STREAMS = 16
const BURST_ROUNDS = { burst: 31, torrent: 11 }
/** The same number of chunks for both kinds: see `warm`. */
const BURST_ROUNDS_WARM = { burst: 50, torrent: 5 }
const FIRST_BYTES = 500
const FIRST_BYTES_WARM = 200
const WARM_REQUESTS = 4_000
const PACED_ROUNDS = 3
const PACED_STREAMS = 1_000
const OPEN_STREAMS = 2_000
const WINDOW_MS = 5_000

type Served = Exclude<Role, 'upstream'>
const SERVED: readonly Served[] = ['relay', 'server']

type Endpoints = Readonly<Record<Role, Endpoint>>

const at = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] as number

/** The order is reversed each round, so that no server is always the first. */
const inTurns = (round: number): readonly Served[] => (round % 2 === 0 ? SERVED : [...SERVED].reverse())

// ---------------------------------------------------------------- bursts

type Burst = keyof typeof BURSTS

/** Reads one stream to its end, at full speed. */
async function drain(endpoint: Endpoint, kind: Burst): Promise<void> {
  let last = ''
  await sendRequest(endpoint.url, kind, (bytes) => {
    last = (last + bytes.toString('latin1', Math.max(0, bytes.length - 20))).slice(-20)
  }).done
  if (!last.endsWith('[DONE]\n\n')) throw new Error('a stream without its end')
}

/** Processor time that the streams of one burst cost a server, in ms. */
async function burst(endpoint: Endpoint, kind: Burst): Promise<number> {
  const before = await endpoint.report()
  await Promise.all(Array.from({ length: BURST_STREAMS }, () => drain(endpoint, kind)))
  return (await endpoint.report()).cpu - before.cpu
}

/** A server runs for days: the figures must not include compilation. */
async function warm(endpoint: Endpoint): Promise<void> {
  let left = WARM_REQUESTS
  const some = async (): Promise<void> => {
    while (left-- > 0) await sendRequest(endpoint.url, 'short', () => {}).done
  }
  await Promise.all(Array.from({ length: BURST_STREAMS }, some))
}

async function burstsOf(endpoints: Endpoints, kind: Burst): Promise<Figure> {
  for (let n = 0; n < BURST_ROUNDS_WARM[kind]; n += 1) for (const name of SERVED) await burst(endpoints[name], kind)
  const ratios: number[] = []
  for (let round = 0; round < BURST_ROUNDS[kind]; round += 1) {
    const took = { relay: 0, server: 0 }
    for (const name of inTurns(round)) took[name] = await burst(endpoints[name], kind)
    ratios.push(took.server / took.relay)
  }
  return { name: `processor time a chunk, bursts of ${BURSTS[kind]} chunks`, ratio: median(ratios), to: 'relay' }
}

const bursts = async (endpoints: Endpoints): Promise<readonly Figure[]> => [
  await burstsOf(endpoints, 'burst'),
  await burstsOf(endpoints, 'torrent'),
]

// ---------------------------------------------------------------- first bytes

async function firstByte(endpoint: Endpoint): Promise<number> {
  const begun = performance.now()
  let took = 0
  await sendRequest(endpoint.url, 'short', () => {
    took ||= performance.now() - begun
  }).done
  return took
}

/** The median time that each server adds to the upstream's own time. */
async function firstBytes(endpoints: Endpoints): Promise<readonly Figure[]> {
  const took: Record<Role, number[]> = { upstream: [], relay: [], server: [] }
  for (let n = 0; n < FIRST_BYTES_WARM + FIRST_BYTES; n += 1) {
    for (const role of ['upstream', ...inTurns(n)] as const) {
      const ms = await firstByte(endpoints[role])
      if (n >= FIRST_BYTES_WARM) took[role].push(ms)
    }
  }
  const added = (role: Served): number => median(took[role]) - median(took.upstream)
  return [{ name: 'time to first byte added, median', ratio: added('server') / added('relay'), to: 'relay' }]
}

// ---------------------------------------------------------------- paced streams

interface Paced {
  /** Milliseconds of processor time for a thousand chunks. */
  readonly cpu: number
  /** Milliseconds from the upstream's write to the client's read: the 99th percentile of all chunks. */
  readonly p99: number
  /** Bytes of heap and of external memory for each stream. */
  readonly memory: number
}

/**
 * Measures many streams with a chunk every 100 ms during one window. Each text contains the time at which it was sent.
 */
async function paced(endpoint: Endpoint, streams: number, collect: boolean): Promise<Paced> {
  const idle = await endpoint.report(collect)
  const delays: number[] = []
  let watching = false
  const onBytes = (bytes: Buffer): void => {
    if (!watching) return
    const now = Number(process.hrtime.bigint() / 1000n)
    const text = bytes.toString('latin1')
    for (let from = text.indexOf('"@'); from >= 0; from = text.indexOf('"@', from + 2)) {
      delays.push((now - Number.parseInt(text.slice(from + 2, from + 22), 10)) / 1000)
    }
  }
  const requests: SentRequest[] = []
  for (let n = 0; n < streams; n += 1) {
    requests.push(sendRequest(endpoint.url, 'paced', onBytes))
    // Streams that start together would have all their chunks at the same moment from then on.
    if (n % 20 === 19) await sleep(30)
  }
  await sleep(2_000)
  watching = true
  const before = await endpoint.report(collect)
  await sleep(WINDOW_MS)
  const after = await endpoint.report(collect)
  watching = false
  for (const one of requests) one.abort()
  await Promise.all(requests.map((one) => one.done))
  await sleep(500)
  return {
    cpu: ((after.cpu - before.cpu) / delays.length) * 1000,
    p99: at(delays, 0.99),
    memory: (after.memory - idle.memory) / streams,
  }
}

async function pacedStreams(endpoints: Endpoints): Promise<readonly Figure[]> {
  const results: Record<Served, Paced[]> = { relay: [], server: [] }
  for (let round = 0; round < PACED_ROUNDS; round += 1) {
    for (const name of inTurns(round)) results[name].push(await paced(endpoints[name], PACED_STREAMS, false))
  }
  const ratio = (of: 'cpu' | 'p99'): number =>
    median(results.server.map((server, round) => server[of] / (results.relay[round] as Paced)[of]))
  const streams = `${PACED_STREAMS} streams at 10 chunks/s`
  return [
    { name: `processor time a chunk, ${streams}`, ratio: ratio('cpu'), to: 'relay' },
    { name: `p99 chunk delay, ${streams}`, ratio: ratio('p99'), to: 'relay' },
  ]
}

async function memory({ server }: Endpoints): Promise<readonly Figure[]> {
  // A first run compiles the code, whose memory belongs to no stream.
  await paced(server, 100, false)
  const { memory: bytes } = await paced(server, OPEN_STREAMS, true)
  return [{ name: `heap and external memory a stream, ${OPEN_STREAMS} open`, ratio: bytes / 1024, to: 'KiB' }]
}

// ---------------------------------------------------------------- the whole run

/** Clients of chat completions, whose upstream has the same protocol: nothing is translated. */
async function passed(endpoints: Endpoints): Promise<readonly Figure[]> {
  const { server } = endpoints
  const chat = { ...endpoints, server: { ...server, url: new URL('/api/v1/chat/completions', server.url).href } }
  await warm(chat.server)
  const figures = [...(await bursts(chat)), ...(await pacedStreams(chat))]
  return figures.map((figure) => ({ ...figure, name: `passed through: ${figure.name}` }))
}

const PARTS = { bursts, first: firstBytes, paced: pacedStreams, passed, memory, sockets }

async function openEndpoints(): Promise<Endpoints> {
  const upstream = await startRole('upstream')
  const relay = await startRole('relay', upstream.url)
  const server = await startRole('server', upstream.url)
  const toEndpoint = ({ child, url }: Awaited<ReturnType<typeof startRole>>, path: string): Endpoint => ({
    url: `${url}${path}`,
    report: (collect = false) => requestReport(child, collect),
  })
  return {
    upstream: toEndpoint(upstream, '/v1/chat/completions'),
    relay: toEndpoint(relay, '/v1/chat/completions'),
    server: toEndpoint(server, '/api/v1/responses'),
  }
}

async function main(flags: readonly string[]): Promise<void> {
  const json = flags.includes('--json')
  const named = flags.filter((flag) => flag in PARTS)
  const endpoints = await openEndpoints()
  for (const name of SERVED) await warm(endpoints[name])
  if (!json) process.stdout.write(`Node ${process.version}; lower is better\n\n| what | ratio | to |\n|---|---|---|\n`)
  for (const [name, part] of Object.entries(PARTS)) {
    if (named.length > 0 && !named.includes(name)) continue
    for (const { name: what, ratio, to } of await part(endpoints)) {
      const figure = { case: what, node: process.version, ratio: Number(ratio.toFixed(2)), to }
      process.stdout.write(json ? `${JSON.stringify(figure)}\n` : `| ${what} | ${ratio.toFixed(2)} | ${to} |\n`)
    }
  }
}

try {
  await main(process.argv.slice(2))
} finally {
  stopAll()
  await close()
}
