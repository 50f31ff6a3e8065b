import fc from 'fast-check'

const SEED = Number(process.env.SEED ?? 20_261_101)
const RUNS = Number(process.env.RUNS ?? 1)

/** Runs a property with a seed that is always the same, so that a failure can be seen again: SEED=… for another, RUNS=10 for ten times as many. */
export const check = <T>(property: fc.IProperty<T>, runs = 500): void => {
  fc.assert(property, { seed: SEED, numRuns: runs * RUNS })
}
