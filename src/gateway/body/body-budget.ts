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
export const createBodyBudget = (limit: number): BodyBudget => new SharedBudget(limit)

class SharedBudget implements BodyBudget {
  readonly limit: number
  sum = 0

  constructor(limit: number) {
    this.limit = limit
  }

  held(): number {
    return this.sum
  }

  lease(): Lease {
    return new BodyLease(this)
  }
}

/** A class, because every open request has a lease. */
class BodyLease implements Lease {
  private readonly budget: SharedBudget
  private own = 0
  private isOpen = true

  constructor(budget: SharedBudget) {
    this.budget = budget
  }

  resize(cost: number): boolean {
    const { budget, own } = this
    const others = budget.sum - own
    if (!this.isOpen || (cost > own && others > 0 && others + cost > budget.limit)) return false
    budget.sum = others + cost
    this.own = cost
    return true
  }

  release(): void {
    this.budget.sum -= this.own
    this.own = 0
    this.isOpen = false
  }
}
