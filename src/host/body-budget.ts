/** What one body holds of the budget, from its first byte to the end of its exchange. */
export interface Lease {
  /** Takes as much as the body costs now, in place of what it has taken before. False where there is no room for it. */
  resize(cost: number): boolean
  /** Gives everything back, however often it is called; nothing can be taken afterwards. */
  release(): void
}

export interface BodyBudget {
  lease(): Lease
  /** What all leases hold together. */
  held(): number
}

/**
 * Memory that all bodies share, in bytes. A single body is always let in, however large: how large it may be is a limit of
 * its own.
 */
export function openBudget(limit: number): BodyBudget {
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
