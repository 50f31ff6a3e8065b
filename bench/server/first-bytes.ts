import type { Figure } from '../figure.ts'
import { inTurns, median } from '../measure.ts'
import { sendRequest } from './client.ts'
import { type Endpoint, type Endpoints, type Role, SERVED, type Served } from './endpoints.ts'

const REQUESTS = 500
const REQUESTS_QUICK = 200
const WARM = 200

async function firstByte(endpoint: Endpoint): Promise<number> {
  const begun = performance.now()
  let took = 0
  await sendRequest(endpoint.url, 'short', () => {
    took ||= performance.now() - begun
  }).done
  return took
}

/** The median time that each server adds to the upstream's own time. */
export async function firstBytes(endpoints: Endpoints, isQuick: boolean): Promise<readonly Figure[]> {
  const took: Record<Role, number[]> = { upstream: [], relay: [], server: [] }
  for (let n = 0; n < WARM + (isQuick ? REQUESTS_QUICK : REQUESTS); n += 1) {
    for (const role of ['upstream', ...inTurns(SERVED, n)] as const) {
      const ms = await firstByte(endpoints[role])
      if (n >= WARM) took[role].push(ms)
    }
  }
  const added = (role: Served): number => median(took[role]) - median(took.upstream)
  return [
    { case: 'time to first byte added, median', value: added('server') / added('relay'), unit: '× the relay' },
    { case: 'time to first byte that the relay adds, median', value: added('relay'), unit: 'ms' },
    { case: 'time to first byte that the server adds, median', value: added('server'), unit: 'ms' },
  ]
}
