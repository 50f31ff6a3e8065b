import type { Figure } from '../figure.ts'
import { costOf, sendMany } from './bursts.ts'
import { caseOf, type Endpoints } from './endpoints.ts'

const REQUESTS = 5_000

/**
 * Where a warm server spends its processor time, by the parts of a request. Samples of a profile give the shares only:
 * their times include those in which other processes run.
 */
export async function costs({ served }: Endpoints): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const [name, endpoint] of served) {
    if (name === 'relay') continue
    await endpoint.profile(true)
    const ms = await costOf(endpoint, () => sendMany(endpoint, REQUESTS))
    const rows = Object.entries(await endpoint.profile(false)).sort(([, one], [, other]) => other - one)
    const all = rows.reduce((sum, [, samples]) => sum + samples, 0)
    for (const [row, samples] of [['all parts', all] as const, ...rows]) {
      const value = ((samples / all) * ms * 1000) / REQUESTS
      figures.push({ case: caseOf(`a request: ${row}`, name), value, unit: 'µs a request' })
    }
  }
  return figures
}
