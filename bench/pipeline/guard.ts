import { type Figure, rounded } from '../figure.ts'

/** How often a slow case is measured again. */
const AGAIN = 3

/** Ratios to the floor by the name of their case. */
export type Bounds = Readonly<Record<string, number>>

/**
 * The cases whose ratio is under half of what is committed, in every one of four runs: code that has become slow is slow
 * in all of them, and a slow moment of the machine has passed until all other cases were measured. `measure` runs a job
 * in a process of its own.
 */
export async function slowCases<Job>(
  jobs: readonly Job[],
  measure: (job: Job) => Promise<readonly Figure[]>,
  bounds: Bounds,
): Promise<readonly string[]> {
  const best = new Map<string, number>()
  const isSlow = (name: string): boolean => (best.get(name) ?? Number.POSITIVE_INFINITY) < (bounds[name] ?? 0) / 2
  let left = jobs
  for (let run = 0; run <= AGAIN && left.length > 0; run += 1) {
    const slow: Job[] = []
    for (const job of left) {
      const figures = await measure(job)
      for (const { case: name, value } of figures) best.set(name, Math.max(value, best.get(name) ?? value))
      if (figures.some(({ case: name }) => isSlow(name))) slow.push(job)
    }
    left = slow
  }
  return [...best.keys()]
    .filter(isSlow)
    .map((name) => `${name}: ${rounded(best.get(name) ?? 0)}, committed ${bounds[name]}`)
}
