import { countSteps } from './counting.ts'

/** At most so many times the processor time for twice the input. */
export const MOST_GROWTH = 2.3

/** Long runs measure longer times, more often. */
export const IS_LONG = Number(process.env.RUNS ?? 1) > 1

/** Milliseconds below which nothing is measured, how often a time is taken at most, and how many sizes are tried. */
const SHORTEST = 20
const TIMES = 8
const SIZES = 2

/** No input is made larger than this to find a time that can be measured. */
const LARGEST = 2 ** 20

/** Work on an input of a size: what is returned is measured, not what prepares it. */
export type Work = (size: number) => () => void

/** Milliseconds of processor time. */
function timeOf(run: () => void): number {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

export interface Growth {
  /** Of the smallest input. */
  readonly size: number
  /** What the size cost, twice the size where it is measured, and four times the size: milliseconds, or steps. */
  readonly costs: readonly number[]
  /** Of a doubling: the geometric mean of two. */
  readonly factor: number
}

/** Too small an input shows nothing: what is copied is as short as what is not. */
const COUNTED = 96

/** How the number of steps grows: the same each time. */
export function countGrowth(work: Work, size = COUNTED): Growth {
  const costs = [1, 4].map((times) => countSteps(work(size * times)))
  const [one = 0, four = 0] = costs
  return { size, costs, factor: Math.sqrt(four / Math.max(one, 1)) }
}

/**
 * How processor time grows with the input: the shortest of several times at n, 2n and 4n. Whatever disturbs a measurement
 * on a busy machine makes it longer, so that the shortest times of a few runs are near the truth: they are taken until
 * they show that growth is slow enough, or often enough. Then the input is doubled, for what is quadratic only shows more.
 */
export function measureGrowth(work: Work, start: number): Growth {
  let size = start
  // A first run compiles.
  work(size)()
  while (size * 4 < LARGEST && timeOf(work(size)) < SHORTEST) size *= 2
  let growth = measureAt(work, size)
  for (let i = 1; i < SIZES && growth.factor > MOST_GROWTH && growth.factor < HOPELESS; i += 1) {
    size *= 2
    growth = measureAt(work, size)
  }
  return growth
}

/** What grows like this is not measured again: it takes long. */
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
