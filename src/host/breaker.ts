/** Keeps calls from a dependency that fails, and finds out when it works again. */
export interface Breaker {
  /**
   * Whether a call may be made. While the breaker is open: whether it is time for a probe, and then this call is it.
   */
  admits(): boolean
  isOpen(): boolean
  succeed(): void
  fail(): void
}

export interface BreakerOptions {
  /** Failures in a row that open it. */
  readonly failures: number
  /** From one probe to the next. */
  readonly probeMs: number
}

/** `clock`: milliseconds. */
export function openBreaker({ failures, probeMs }: BreakerOptions, clock: () => number): Breaker {
  let inARow = 0
  let probeAt = 0
  const isOpen = (): boolean => inARow >= failures
  return {
    isOpen,
    admits() {
      if (!isOpen()) return true
      if (clock() < probeAt) return false
      probeAt = clock() + probeMs
      return true
    },
    succeed() {
      inARow = 0
    },
    fail() {
      inARow += 1
      if (inARow === failures) probeAt = clock() + probeMs
    },
  }
}
