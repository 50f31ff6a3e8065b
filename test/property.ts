import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect } from 'vitest'

const SEED = Number(process.env.SEED ?? 20_261_101)

/**
 * `npm test` runs a part of the runs, `npm run test:all` all of them (RUNS=1), `npm run test:long` many times as many.
 */
const RUNS = Number(process.env.RUNS ?? 0.02)

/** The minimum of runs, because fewer find nothing. */
const FEWEST = 5

/** True if there are enough runs to observe rare cases. */
export const IS_WHOLE = RUNS >= 1

/**
 * Returns all elements, or in a short run the last of every `of` elements. `shift` moves them, so that cases with
 * different shifts take all elements in turns.
 */
export const someOf = <T>(all: readonly T[], of: number, shift = 0): readonly T[] =>
  IS_WHOLE ? all : all.filter((_, i) => (i + shift) % of === of - 1)

/** Scales the number of runs, given the number of a full run. */
export const runsOf = (whole: number): number => Math.max(Math.min(whole, FEWEST), Math.round(whole * RUNS))

/**
 * Runs a property with a fixed seed, so that a failure is reproducible. SEED=… selects another seed, RUNS=10 ten times
 * the runs.
 */
export const check = <T>(property: fc.IProperty<T>, runs = 500): void => {
  fc.assert(property, { seed: SEED, numRuns: runsOf(runs) })
}

/**
 * Runs a property of one of many cases, such as a fixture or a vendor. A short run makes few runs of each, because all
 * cases together have many.
 */
export const checkCase = <T>(property: fc.IProperty<T>, runs: number): void => {
  if (IS_WHOLE) check(property, runs)
  else fc.assert(property, { seed: SEED, numRuns: Math.min(FEWEST, Math.max(1, runsOf(runs) >> 2)) })
}

/** `expect(actual).toBe(expected)` for inner loops: a call of `expect` alone takes as long as a short translation. */
export function expectSame<T>(actual: T, expected: T): void {
  if (!Object.is(actual, expected)) expect(actual).toBe(expected)
}

/** `expect(actual).toEqual(expected)` for inner loops: what is strictly equal is equal, and compared several times as fast. */
export function expectEqual<T>(actual: T, expected: T): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected)
}

/** Checks that a list of faults is empty, for inner loops. */
export function expectNone(list: readonly unknown[]): void {
  if (list.length !== 0) expect(list).toEqual([])
}

/** Runs an asynchronous property in the same way. A long run prints its number of runs and its duration. */
export async function checkAsync<T>(property: fc.IAsyncProperty<T>, runs = 500): Promise<void> {
  const startedAt = performance.now()
  await fc.assert(property, { seed: SEED, numRuns: runsOf(runs) })
  if (RUNS <= 1) return
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  process.stdout.write(`${runsOf(runs)} runs in ${seconds} s, seed ${SEED}\n`)
}
