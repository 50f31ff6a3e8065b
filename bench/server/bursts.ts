import type { Figure } from '../figure.ts'
import { inTurns, median } from '../measure.ts'
import { sendRequest } from './client.ts'
import { type Endpoint, type Endpoints, SERVED } from './endpoints.ts'
import { BURSTS, type Burst } from './protocol.ts'

const STREAMS = 16
const ROUNDS = { burst: 15, torrent: 5 }
/** Enough for the code of streams, which the requests of `warm` hardly use. */
const ROUNDS_WARM = { burst: 15, torrent: 2 }
const ROUNDS_QUICK = { burst: 5, torrent: 3 }
const WARM_REQUESTS = 4_000

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
  await Promise.all(Array.from({ length: STREAMS }, () => drain(endpoint, kind)))
  return (await endpoint.report()).cpu - before.cpu
}

/** A server runs for days: the figures must not include compilation. */
export async function warm(endpoint: Endpoint): Promise<void> {
  let left = WARM_REQUESTS
  const some = async (): Promise<void> => {
    while (left-- > 0) await sendRequest(endpoint.url, 'short', () => {}).done
  }
  await Promise.all(Array.from({ length: STREAMS }, some))
}

async function burstsOf(endpoints: Endpoints, kind: Burst, rounds: number): Promise<Figure> {
  for (let n = 0; n < ROUNDS_WARM[kind]; n += 1) for (const name of SERVED) await burst(endpoints[name], kind)
  const ratios: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const took = { relay: 0, server: 0 }
    for (const name of inTurns(SERVED, round)) took[name] = await burst(endpoints[name], kind)
    ratios.push(took.server / took.relay)
  }
  const value = median(ratios)
  return { case: `processor time a chunk, bursts of ${BURSTS[kind]} chunks`, value, unit: '× the relay' }
}

export async function bursts(endpoints: Endpoints, isQuick: boolean): Promise<readonly Figure[]> {
  const rounds = isQuick ? ROUNDS_QUICK : ROUNDS
  return [await burstsOf(endpoints, 'burst', rounds.burst), await burstsOf(endpoints, 'torrent', rounds.torrent)]
}
