import type { Figure } from '../figure.ts'
import { median } from '../measure.ts'
import { sendRequest } from './client.ts'
import { caseOf, type Endpoint, type Endpoints, measureInTurns } from './endpoints.ts'

const REQUESTS = 400
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
export async function firstBytes({ upstream, served }: Endpoints): Promise<readonly Figure[]> {
  const direct: number[] = []
  const all = { upstream, served }
  const measure = async (endpoint: Endpoint): Promise<number> => {
    if (endpoint === served.get('relay')) direct.push(await firstByte(upstream))
    return firstByte(endpoint)
  }
  await measureInTurns(all, WARM, measure)
  direct.length = 0
  const measured = await measureInTurns(all, REQUESTS, measure)
  const added = (took: readonly number[] = []): number => median(took) - median(direct)
  const relay = added(measured.relay)
  return Object.entries(measured).flatMap(([name, took]): readonly Figure[] => [
    ...(name === 'relay'
      ? []
      : [
          {
            case: caseOf('time to first byte added, median', name),
            value: added(took) / relay,
            unit: '× the relay',
          } as const,
        ]),
    { case: `time to first byte that the ${name} adds, median`, value: added(took), unit: 'ms' },
  ])
}
