import fc from 'fast-check'

const SEED = Number(process.env.SEED ?? 20_261_101)

/** `npm test` takes a part of the runs, `npm run test:all` all of them (RUNS=1), `npm run test:long` many times as many. */
const RUNS = Number(process.env.RUNS ?? 0.05)

/** Fewer runs of a property find nothing. */
const FEWEST = 5

/** Does a run see what is rare, too? */
export const IS_WHOLE = RUNS >= 1

/** All of these; of a short run the last of every so many. */
export const someOf = <T>(all: readonly T[], of: number): readonly T[] =>
  IS_WHOLE ? all : all.filter((_, i) => i % of === of - 1)

/** How often something is tried of which a whole run tries so many. */
export const runsOf = (whole: number): number => Math.max(Math.min(whole, FEWEST), Math.round(whole * RUNS))

/** Runs a property with a seed that is always the same, so that a failure can be seen again: SEED=… for another, RUNS=10 for ten times as many. */
export const check = <T>(property: fc.IProperty<T>, runs = 500): void => {
  fc.assert(property, { seed: SEED, numRuns: runsOf(runs) })
}

/** The same for a property that waits. Long runs say how many they were, and how long they took. */
export async function checkAsync<T>(property: fc.IAsyncProperty<T>, runs = 500): Promise<void> {
  const startedAt = performance.now()
  await fc.assert(property, { seed: SEED, numRuns: runsOf(runs) })
  if (RUNS <= 1) return
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  process.stdout.write(`${runsOf(runs)} runs in ${seconds} s, seed ${SEED}\n`)
}
