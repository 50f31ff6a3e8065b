import { countSteps } from './counting.ts'

/** The highest accepted factor of processor time for twice the input. */
export const MOST_GROWTH = 2.3

/** Long runs measure longer times, and more often. */
export const IS_LONG = Number(process.env.RUNS ?? 1) > 1

/**
 * The shortest useful time in milliseconds, the maximum of measurements for each size, and the maximum of tried sizes.
 */
const SHORTEST = 20
const TIMES = 8
const SIZES = 2

/** Bound of the input size in the search for a measurable time. */
const LARGEST = 2 ** 20

/** Work on an input of the given size. Only the returned function is measured, not its preparation. */
export type Work = (size: number) => () => void

/** Returns the processor time in milliseconds. */
function timeOf(run: () => void): number {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

export interface Growth {
  /** The smallest measured input. */
  readonly size: number
  /** The costs at the size, at twice the size (if measured), and at four times the size, in milliseconds or steps. */
  readonly costs: readonly number[]
  /** The growth for one doubling: the geometric mean of two doublings. */
  readonly factor: number
}

/** Below this size, fixed costs hide the growth. */
const COUNTED = 96

/** After so many streams a shape is known. */
const LEARNING = 2

/** Measures the growth in steps, which is deterministic. */
export function countGrowth(work: Work, size = COUNTED): Growth {
  // The first streams of a process teach the fast path a shape, at a cost that does not depend on their length.
  for (let i = 0; i < LEARNING; i += 1) work(size)()
  const costs = [1, 4].map((times) => countSteps(work(size * times)))
  const [one = 0, four = 0] = costs
  return { size, costs, factor: Math.sqrt(four / Math.max(one, 1)) }
}

/**
 * Measures how processor time grows with the input: the shortest of several times at n, 2n and 4n. Disturbances on a
 * busy machine only lengthen a time, so that the shortest of a few runs is close to the true value. Measurements repeat
 * until growth is low enough, or until their maximum. Then the input doubles, because quadratic growth only becomes
 * more visible.
 */
export function measureGrowth(work: Work, start: number): Growth {
  let size = start
  // The first run compiles the code.
  work(size)()
  while (size * 4 < LARGEST && timeOf(work(size)) < SHORTEST) size *= 2
  let growth = measureAt(work, size)
  for (let i = 1; i < SIZES && growth.factor > MOST_GROWTH && growth.factor < HOPELESS; i += 1) {
    size *= 2
    growth = measureAt(work, size)
  }
  return growth
}

/** Growth above this factor is not measured again, because that takes too long. */
const HOPELESS = 3.5

function measureAt(work: Work, size: number): Growth {
  const runs = [1, 2, 4].map((times) => work(size * times))
  const times = runs.map(() => Number.POSITIVE_INFINITY)
  let factor = Number.POSITIVE_INFINITY
  for (let i = 0; i < TIMES && (i < 2 || factor > MOST_GROWTH); i += 1) {
    for (const [at, run] of runs.entries()) times[at] = Math.min(times[at] as number, timeOf(run))
    const [one = 0, , four = 0] = times
    factor = Math.sqrt(four / Math.max(one, 0.001))
  }
  return { size, costs: times, factor }
}
