import type { Figure } from '../figure.ts'
import { sendRequest } from './client.ts'
import { type Endpoint, type Endpoints, measureInTurns, timesTheRelay } from './endpoints.ts'
import { BURSTS, type Burst } from './protocol.ts'

const STREAMS = 16
const ROUNDS = { burst: 9, torrent: 3 }
/** Enough for the code of streams, which the requests of `warm` hardly use. */
const ROUNDS_WARM = { burst: 12, torrent: 2 }
const WARM_REQUESTS = 8_000
const REQUESTS = 800
const REQUEST_ROUNDS = 5

/** Reads one stream to its end, at full speed. */
async function drain(endpoint: Endpoint, kind: Burst): Promise<void> {
  let last = ''
  await sendRequest(endpoint.url, kind, (bytes) => {
    last = (last + bytes.toString('latin1', Math.max(0, bytes.length - 20))).slice(-20)
  }).done
  if (!last.endsWith('[DONE]\n\n')) throw new Error('a stream without its end')
}

/** Processor time that some work costs a server, in ms. */
export async function costOf(endpoint: Endpoint, work: () => Promise<unknown>): Promise<number> {
  const before = await endpoint.report()
  await work()
  return (await endpoint.report()).cpu - before.cpu
}

const burst = (endpoint: Endpoint, kind: Burst): Promise<number> =>
  costOf(endpoint, () => Promise.all(Array.from({ length: STREAMS }, () => drain(endpoint, kind))))

/** Sends short requests, some at once. */
export async function sendMany(endpoint: Endpoint, count: number): Promise<void> {
  let left = count
  const some = async (): Promise<void> => {
    while (left-- > 0) await sendRequest(endpoint.url, 'short', () => {}).done
  }
  await Promise.all(Array.from({ length: STREAMS }, some))
}

/** A server runs for days: the figures must not include compilation. */
export const warm = (endpoint: Endpoint): Promise<void> => sendMany(endpoint, WARM_REQUESTS)

async function burstsOf(endpoints: Endpoints, kind: Burst): Promise<readonly Figure[]> {
  await measureInTurns(endpoints, ROUNDS_WARM[kind], (endpoint) => burst(endpoint, kind))
  const measured = await measureInTurns(endpoints, ROUNDS[kind], (endpoint) => burst(endpoint, kind))
  return timesTheRelay(`processor time a chunk, bursts of ${BURSTS[kind]} chunks`, measured)
}

export async function bursts(endpoints: Endpoints): Promise<readonly Figure[]> {
  return [...(await burstsOf(endpoints, 'burst')), ...(await burstsOf(endpoints, 'torrent'))]
}

/** Short answers to warm servers, some at once: what a busy gateway spends on a request. */
export async function requests(endpoints: Endpoints): Promise<readonly Figure[]> {
  const measured = await measureInTurns(endpoints, REQUEST_ROUNDS, (endpoint) =>
    costOf(endpoint, () => sendMany(endpoint, REQUESTS)),
  )
  return timesTheRelay(`processor time a request, ${STREAMS} at once`, measured)
}
