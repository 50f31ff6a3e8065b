/** Limits the retries of one vendor. */
export interface RetryBudget {
  /** Called for the first attempt of a request. */
  spendFirst(): void
  /** Takes one retry from the budget. Returns false if none is left. */
  spendAgain(): boolean
  /** Called for a request that its client repeats: a retry as well, which cannot be prevented. */
  spendRepeat(): void
}

interface RetryBudgetOptions {
  /** Retries for each first attempt. */
  readonly share: number
  /** Additional retries, so that a vendor with few requests has some. */
  readonly floor: number
}

/** The period that the budget covers. */
export const WINDOW_MS = 10_000

interface Count {
  first: number
  again: number
}

/**
 * Retries multiply the load of an upstream in trouble. They are therefore limited to a share of its first attempts. The
 * last ten seconds are estimated from the current window and the part of the previous one that they still cover.
 * `clock`: milliseconds.
 */
export function createRetryBudget({ share, floor }: RetryBudgetOptions, clock: () => number): RetryBudget {
  let window = Number.NEGATIVE_INFINITY
  let current: Count = { first: 0, again: 0 }
  let before: Count = { first: 0, again: 0 }

  /** The share of the previous window that still counts, from 0 to 1. */
  const turn = (): number => {
    const position = clock() / WINDOW_MS
    const now = Math.floor(position)
    if (now !== window) {
      before = now === window + 1 ? current : { first: 0, again: 0 }
      current = { first: 0, again: 0 }
      window = now
    }
    return 1 - (position - now)
  }

  return {
    spendFirst() {
      turn()
      current.first += 1
    },
    spendAgain() {
      const left = turn()
      const again = current.again + left * before.again
      const first = current.first + left * before.first
      if (again + 1 > floor + share * first) return false
      current.again += 1
      return true
    },
    spendRepeat() {
      turn()
      current.again += 1
    },
  }
}
