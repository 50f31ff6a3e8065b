/** How many further tries one vendor gets. */
export interface RetryBudget {
  /** A request is made for the first time. */
  spendFirst(): void
  /** Takes one further try, where there is one left. */
  spendAgain(): boolean
}

export interface RetryBudgetOptions {
  /** Further tries for each first one. */
  readonly share: number
  /** Further tries besides, so that a vendor with few requests gets some. */
  readonly floor: number
}

/** What it looks back on. */
export const WINDOW_MS = 10_000

interface Count {
  first: number
  again: number
}

/**
 * Retries multiply what an upstream in trouble is asked: so they are a share of what it is asked anyway. Counted over the
 * last ten seconds, as this window and what of the one before still falls into them. `clock`: milliseconds.
 */
export function openRetryBudget({ share, floor }: RetryBudgetOptions, clock: () => number): RetryBudget {
  let window = Number.NEGATIVE_INFINITY
  let current: Count = { first: 0, again: 0 }
  let before: Count = { first: 0, again: 0 }

  /** How much of the window before still counts, from 0 to 1. */
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
  }
}
