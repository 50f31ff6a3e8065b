/** The share of one body in the budget, from its first byte to the end of its exchange. */
export interface Lease {
  /** Sets the share to the current cost of the body. Returns false if the budget has no room for it. */
  resize(cost: number): boolean
  /** Returns the whole share. Further calls have no effect, and the lease cannot grow again. */
  release(): void
}

export interface BodyBudget {
  lease(): Lease
  /** The sum of all leases. */
  held(): number
}

/**
 * Memory that all bodies share, in bytes. A single body is always admitted, however large, because a separate limit
 * bounds its size.
 */
export function createBodyBudget(limit: number): BodyBudget {
  let held = 0
  return {
    held: () => held,
    lease() {
      let own = 0
      let isOpen = true
      return {
        resize(cost) {
          const others = held - own
          if (!isOpen || (cost > own && others > 0 && others + cost > limit)) return false
          held = others + cost
          own = cost
          return true
        },
        release() {
          held -= own
          own = 0
          isOpen = false
        },
      }
    },
  }
}
