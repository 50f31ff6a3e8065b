/** A worker that has run for so long starts afresh: its next crash has the shortest delay. */
const STABLE_MS = 60_000
const FIRST_DELAY_MS = 100
const LONGEST_DELAY_MS = 10_000
/** With these delays, a worker that cannot start is tried for half a minute. */
const MOST_CRASHES = 10

export interface RestartPolicy {
  /** Called when a worker starts. */
  noteStart(number: number): void
  /** Called when it has crashed. Returns the milliseconds until its restart; null: it has crashed too often. */
  noteCrash(number: number): number | null
}

/** Decides when crashed workers are started again. The delay doubles with each crash in a row. `clock`: milliseconds. */
export function createRestartPolicy(clock: () => number): RestartPolicy {
  const startedAt = new Map<number, number>()
  const crashes = new Map<number, number>()
  return {
    noteStart: (number) => void startedAt.set(number, clock()),
    noteCrash(number) {
      const wasStable = clock() - (startedAt.get(number) ?? 0) >= STABLE_MS
      const count = wasStable ? 1 : (crashes.get(number) ?? 0) + 1
      crashes.set(number, count)
      return count > MOST_CRASHES ? null : Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (count - 1))
    },
  }
}
