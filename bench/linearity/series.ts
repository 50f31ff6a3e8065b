/** The figures of `npm run bench:linearity`, and how they are measured. */

/** What is translated: each word is a part of the benchmark. */
export const PARTS = ['histories', 'images', 'answers', 'server-histories', 'server-images', 'server-answers'] as const
export type PartName = (typeof PARTS)[number]

/** One case, measured at several sizes. */
export interface Series {
  readonly part: PartName
  /** The protocol of the client. */
  readonly client: string
  /** The wire of the upstream. */
  readonly wire: string
  /** Items of a history, or MB (1,000,000 bytes) of images or of an answer. */
  readonly sizes: readonly number[]
  /** Milliseconds of processor time at each size: means of the rounds without the lowest and the highest. */
  readonly ms: readonly number[]
  /** Server: resident memory above the idle process at its peak, in MiB; null without Linux's /proc. */
  readonly peakMiB: number | null
}

/** The columns of a case beside its sizes: the growth of `growthOf`, and the peak of memory. */
export const TWICE = 'twice the size'
export const PEAK = 'peak'

/** The name of a figure on the page of benchmarks. */
export const seriesCase = (of: Pick<Series, 'part' | 'client' | 'wire'>, column: string | number): string =>
  `${of.part}, ${of.client} → ${of.wire}, ${column}`

/** The sizes that are measured. */
export const SIZES: Readonly<Record<PartName, readonly number[]>> = {
  histories: [250, 500, 1000, 2000, 4000],
  images: [1, 2, 4, 8],
  answers: [1, 2, 4, 8],
  'server-histories': [250, 500, 1000, 2000, 4000],
  'server-images': [1, 2, 4, 8],
  'server-answers': [1, 2, 4, 8],
}

/** How many times as long twice the size takes, from the second size to the last: a linear case has at most about 2. */
export function growthOf({ sizes, ms }: Pick<Series, 'sizes' | 'ms'>): number {
  const doublings = Math.log2((sizes.at(-1) as number) / (sizes[1] as number))
  return ((ms.at(-1) as number) / (ms[1] as number)) ** (1 / doublings)
}

/**
 * A round of a few tens of milliseconds costs several times as much if a collection of garbage or new memory of the
 * system falls into it. Cases with short rounds have more of them, so that their mean has its share of such rounds.
 */
const LEAST_ROUNDS = 7
const MOST_ROUNDS = 31
const ENOUGH_MS = 6000
const WARM_MS = 500

/** A collection of garbage falls into few of the rounds; a median would leave it out. */
function trimmedMean(values: readonly number[]): number {
  const kept = values.toSorted((a, b) => a - b).slice(1, -1)
  return kept.reduce((sum, value) => sum + value, 0) / kept.length
}

/**
 * Measures runs of several sizes in turns, so that all of them meet the same noise. `cost` does one run and returns its
 * processor time in milliseconds.
 */
export async function measureSizes(
  sizes: readonly number[],
  cost: (size: number) => number | Promise<number>,
): Promise<readonly number[]> {
  for (let spent = 0; spent < WARM_MS; ) for (const size of sizes) spent += await cost(size)
  const all: Record<number, number[]> = Object.fromEntries(sizes.map((size) => [size, []]))
  let spent = 0
  for (let round = 0; round < MOST_ROUNDS && (round < LEAST_ROUNDS || spent < ENOUGH_MS); round += 1) {
    for (const size of round % 2 === 0 ? sizes : sizes.toReversed()) {
      const ms = await cost(size)
      spent += ms
      all[size]?.push(ms)
    }
  }
  return sizes.map((size) => trimmedMean(all[size] as number[]))
}
