/** The functions to measure, by name; each run is one whole stream. A promise is awaited. */
export type Runs = Readonly<Record<string, () => unknown>>

/**
 * Milliseconds of processor time for which each run is warmed up. Start and end of a stream are rare, and are compiled
 * late.
 */
const WARM_MS = 1_500

/** Milliseconds that each run gets in a round. Its garbage may be collected during the round of another run. */
const ROUND_MS = 15

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] as number

/** Milliseconds of processor time that this process has used, which exclude time in which other processes run. */
function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

async function perRun(run: () => unknown, times: number): Promise<number> {
  const begun = processorMs()
  for (let i = 0; i < times; i += 1) await run()
  return (processorMs() - begun) / times
}

/**
 * How many times as fast as the first run each other run is. The runs take turns, round after round, so that all of
 * them meet the same noise. Each result is the median of the ratios of all rounds.
 */
export async function ratiosToFirst(
  runs: Runs,
  rounds: number,
  warmMs = WARM_MS,
): Promise<Readonly<Record<string, number>>> {
  const names = Object.keys(runs)
  const [first = ''] = names
  const run = (name: string) => runs[name] as () => unknown
  const warm = processorMs()
  while (processorMs() - warm < warmMs * names.length) for (const name of names) await perRun(run(name), 3)
  const times: Record<string, number> = {}
  for (const name of names) {
    times[name] = Math.max(1, Math.round(ROUND_MS / Math.max(0.01, await perRun(run(name), 5))))
  }
  const took: Readonly<Record<string, number>>[] = []
  for (let round = 0; round < rounds; round += 1) {
    const ms: Record<string, number> = {}
    // The order is reversed each round, so that no run is always the first.
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      ms[name] = await perRun(run(name), times[name] as number)
    }
    took.push(ms)
  }
  const ratio = (name: string): number => median(took.map((ms) => (ms[first] as number) / (ms[name] as number)))
  return Object.fromEntries(names.slice(1).map((name) => [name, ratio(name)]))
}
