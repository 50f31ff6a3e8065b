/** The functions to measure, by name; each run is one whole stream. A promise is awaited. */
export type Runs = Readonly<Record<string, () => unknown>>

/** Milliseconds of processor time that each run took, round by round. */
export type Times = Readonly<Record<string, readonly number[]>>

/**
 * Milliseconds of processor time for which each run is warmed up. Start and end of a stream are rare, and are compiled
 * late.
 */
const WARM_MS = 1_000

/** The same for short streams: ten thousand of them, whose starts and ends are most of the work. */
export const WARM_MS_SHORT = 4_000

/** Milliseconds that each run gets in a round. Its garbage may be collected during the round of another run. */
const ROUND_MS = 15

/** Returns the value below which a share of the values lies: 0.5 is the median. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] as number

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] as number

/** The order is reversed each round, so that no side is always the first. */
export const inTurns = <Side>(sides: readonly Side[], round: number): readonly Side[] =>
  round % 2 === 0 ? sides : sides.toReversed()

/** Milliseconds of processor time that this process has used, which exclude time in which other processes run. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

async function perRun(run: () => unknown, times: number): Promise<number> {
  const begun = processorMs()
  for (let i = 0; i < times; i += 1) await run()
  return Math.max((processorMs() - begun) / times, 0.001)
}

/** Each run gets the same time, not the same number of turns: the slowest one would take most of it. */
async function warmUp(runs: Runs, warmMs: number): Promise<void> {
  const spent = Object.keys(runs).map((name) => ({ name, ms: 0 }))
  for (;;) {
    const next = spent.reduce((least, one) => (one.ms < least.ms ? one : least))
    if (next.ms >= warmMs) return
    next.ms += 3 * (await perRun(runs[next.name] as () => unknown, 3))
  }
}

/** Measures the runs in turns, round after round, so that all of them meet the same noise. */
export async function timesInTurns(runs: Runs, rounds: number, warmMs = WARM_MS, roundMs = ROUND_MS): Promise<Times> {
  const names = Object.keys(runs)
  const run = (name: string) => runs[name] as () => unknown
  await warmUp(runs, warmMs)
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = Math.max(1, Math.round(roundMs / (await perRun(run(name), 5))))
  const times: Record<string, number[]> = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const name of inTurns(names, round)) times[name]?.push(await perRun(run(name), counts[name] as number))
  }
  return times
}

/** How many times as long as `base` a run took: the median of the ratios of all rounds. */
export const timesAsLong = (times: Times, name: string, base: string): number =>
  median((times[name] ?? []).map((ms, round) => ms / (times[base]?.[round] as number)))

/** How many times as fast as `base` a run was: the median of the ratios of all rounds. */
export const timesAsFast = (times: Times, name: string, base: string): number => timesAsLong(times, base, name)
