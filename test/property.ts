import fc from 'fast-check'
import { vi } from 'vitest'

const SEED = Number(process.env.SEED ?? 20_261_101)
const RUNS = Number(process.env.RUNS ?? 1)

// Long runs take their time.
if (RUNS > 1) vi.setConfig({ testTimeout: 60_000 * RUNS })

/** Runs a property with a seed that is always the same, so that a failure can be seen again: SEED=… for another, RUNS=10 for ten times as many. */
export const check = <T>(property: fc.IProperty<T>, runs = 500): void => {
  fc.assert(property, { seed: SEED, numRuns: runs * RUNS })
}

/** The same for a property that waits. Long runs say how many they were, and how long they took. */
export async function checkAsync<T>(property: fc.IAsyncProperty<T>, runs = 500): Promise<void> {
  const startedAt = performance.now()
  await fc.assert(property, { seed: SEED, numRuns: runs * RUNS })
  if (RUNS === 1) return
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  process.stdout.write(`${runs * RUNS} runs in ${seconds} s, seed ${SEED}\n`)
}
