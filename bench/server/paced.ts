import { setTimeout as sleep } from 'node:timers/promises'
import type { Figure } from '../figure.ts'
import { inTurns, median, quantile } from '../measure.ts'
import { type SentRequest, sendRequest } from './client.ts'
import { type Endpoint, type Endpoints, SERVED, type Served } from './endpoints.ts'
import { microseconds } from './protocol.ts'

const ROUNDS = 2
const STREAMS = 1_000
const OPEN_STREAMS = 2_000
const WINDOW_MS = 5_000
const BATCH = 20

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
    const now = microseconds()
    const text = bytes.toString('latin1')
    for (let from = text.indexOf('"@'); from >= 0; from = text.indexOf('"@', from + 2)) {
      delays.push((now - Number.parseInt(text.slice(from + 2, from + 22), 10)) / 1000)
    }
  }
  const requests: SentRequest[] = []
  for (let n = 0; n < streams; n += 1) {
    requests.push(sendRequest(endpoint.url, 'paced', onBytes))
    // Streams that start together would have all their chunks at the same moment from then on.
    // A busy server gets no more connections than it answers.
    if (n % BATCH === BATCH - 1) await Promise.all([sleep(30), ...requests.slice(-BATCH).map((one) => one.started)])
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
    p99: quantile(delays, 0.99),
    memory: (after.memory - idle.memory) / streams,
  }
}

export async function pacedStreams(endpoints: Endpoints, isQuick: boolean): Promise<readonly Figure[]> {
  const results: Record<Served, Paced[]> = { relay: [], server: [] }
  for (let round = 0; round < (isQuick ? 1 : ROUNDS); round += 1) {
    for (const name of inTurns(SERVED, round)) results[name].push(await paced(endpoints[name], STREAMS, false))
  }
  const ratio = (of: 'cpu' | 'p99'): number =>
    median(results.server.map((server, round) => server[of] / (results.relay[round] as Paced)[of]))
  const streams = `${STREAMS} streams at 10 chunks/s`
  return [
    { case: `processor time a chunk, ${streams}`, value: ratio('cpu'), unit: '× the relay' },
    { case: `p99 chunk delay, ${streams}`, value: ratio('p99'), unit: '× the relay' },
  ]
}

export async function memory({ server }: Endpoints): Promise<readonly Figure[]> {
  // A first run compiles the code, whose memory belongs to no stream.
  await paced(server, 100, false)
  const { memory: bytes } = await paced(server, OPEN_STREAMS, true)
  return [{ case: `heap and external memory a stream, ${OPEN_STREAMS} open`, value: bytes / 1024, unit: 'KiB' }]
}
