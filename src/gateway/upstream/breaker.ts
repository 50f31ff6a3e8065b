/** Stops calls to a dependency that fails, and detects when it works again. */
export interface Breaker {
  /**
   * Whether a call may be made. While the breaker is open, true means that a probe is due, and that this call is the
   * probe.
   */
  admits(): boolean
  isOpen(): boolean
  succeed(): void
  fail(): void
}

export interface BreakerOptions {
  /** Consecutive failures that open the breaker. */
  readonly failures: number
  /** Milliseconds from one probe to the next. */
  readonly probeMs: number
}

/** `clock`: milliseconds. */
export function createBreaker({ failures, probeMs }: BreakerOptions, clock: () => number): Breaker {
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
