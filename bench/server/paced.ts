import { setTimeout as sleep } from 'node:timers/promises'
import type { Figure } from '../figure.ts'
import { quantile } from '../measure.ts'
import { type SentRequest, sendRequest } from './client.ts'
import { type Endpoint, type Endpoints, measureInTurns, timesTheRelay } from './endpoints.ts'
import { HELD, microseconds } from './protocol.ts'

const STREAMS = 1_000
const HELD_STREAMS = 1_000
const HELD_LIMIT_MS = 60_000
const WINDOW_MS = 4_000
const BATCH = 20

interface Paced {
  /** Milliseconds of processor time for a thousand chunks. */
  readonly cpu: number
  /** Milliseconds from the upstream's write to the client's read: the 99th percentile of all chunks. */
  readonly p99: number
}

/**
 * Measures many streams with a chunk every 100 ms during one window. Each text contains the time at which it was sent.
 */
async function paced(endpoint: Endpoint): Promise<Paced> {
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
  for (let n = 0; n < STREAMS; n += 1) {
    requests.push(sendRequest(endpoint.url, 'paced', onBytes))
    // Streams that start together would have all their chunks at the same moment from then on.
    // A busy server gets no more connections than it answers.
    if (n % BATCH === BATCH - 1) await Promise.all([sleep(30), ...requests.slice(-BATCH).map((one) => one.started)])
  }
  await sleep(1_000)
  watching = true
  const before = await endpoint.report()
  await sleep(WINDOW_MS)
  const after = await endpoint.report()
  watching = false
  for (const one of requests) one.abort()
  await Promise.all(requests.map((one) => one.done))
  await sleep(500)
  return {
    cpu: ((after.cpu - before.cpu) / delays.length) * 1000,
    p99: quantile(delays, 0.99),
  }
}

export async function pacedStreams(endpoints: Endpoints): Promise<readonly Figure[]> {
  const delays: Record<string, number> = {}
  const measured = await measureInTurns(endpoints, 1, async (endpoint) => {
    const { cpu, p99 } = await paced(endpoint)
    for (const [name, one] of endpoints.served) if (one === endpoint) delays[name] = p99
    return cpu
  })
  const streams = `${STREAMS} streams at 10 chunks/s`
  return [
    ...timesTheRelay(`processor time a chunk, ${streams}`, measured),
    ...Object.entries(delays).map(
      ([name, value]): Figure => ({ case: `p99 chunk delay of the ${name}, ${streams}`, value, unit: 'ms' }),
    ),
  ]
}

/** Bytes of heap and external memory for each of many streams that have all had the same chunks, and stay open. */
async function held(endpoint: Endpoint): Promise<number> {
  const idle = await endpoint.report(true)
  let chunks = 0
  const requests: SentRequest[] = []
  const onBytes = (bytes: Buffer): void => {
    const text = bytes.toString('latin1')
    for (let from = text.indexOf('"@'); from >= 0; from = text.indexOf('"@', from + 2)) chunks += 1
  }
  for (let n = 0; n < HELD_STREAMS; n += 1) {
    requests.push(sendRequest(endpoint.url, 'held', onBytes))
    if (n % BATCH === BATCH - 1) await Promise.all([sleep(30), ...requests.slice(-BATCH).map((one) => one.started)])
  }
  const expected = HELD_STREAMS * HELD.chunks
  for (let waited = 0; chunks < expected && waited < HELD_LIMIT_MS; waited += 50) await sleep(50)
  if (chunks !== expected) throw new Error(`${chunks} of ${expected} chunks`)
  const { memory: bytes } = await endpoint.report(true)
  for (const one of requests) one.abort()
  await Promise.all(requests.map((one) => one.done))
  await sleep(500)
  return (bytes - idle.memory) / HELD_STREAMS / 1024
}

export async function memory(endpoints: Endpoints): Promise<readonly Figure[]> {
  // A first run compiles the code, whose memory belongs to no stream.
  await measureInTurns(endpoints, 1, held)
  const { relay: [relay = 0] = [], ...others } = await measureInTurns(endpoints, 1, held)
  const text = (HELD.chunks * HELD.textBytes) / 1024
  const name = `a stream after ${HELD.chunks} chunks, ${HELD_STREAMS} open`
  const figure = (what: string, value: number): Figure => ({ case: `${what} ${name}`, value, unit: 'KiB' })
  return [
    figure('memory of the relay', relay),
    ...Object.entries(others).flatMap(([served, [value = 0] = []]) => [
      figure(`memory of the ${served}`, value),
      figure(`memory of the ${served} above the relay, without the text,`, value - relay - text),
    ]),
  ]
}
