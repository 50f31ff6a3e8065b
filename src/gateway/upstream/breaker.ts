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
  /** Opens it at once. */
  open(): void
  /** The next probe is due after the time between two of them, as if this were one. */
  postpone(): void
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
  const postpone = (): void => {
    probeAt = clock() + probeMs
  }
  return {
    isOpen,
    admits() {
      if (!isOpen()) return true
      if (clock() < probeAt) return false
      postpone()
      return true
    },
    succeed() {
      inARow = 0
    },
    fail() {
      inARow += 1
      if (inARow === failures) postpone()
    },
    open() {
      inARow = failures
      postpone()
    },
    postpone,
  }
}
