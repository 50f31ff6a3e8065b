import type { Weighted } from './rendezvous.ts'

/** The members of pools in turn, by their weights. */
export interface MemberTurns {
  /** Orders the members of a vendor's pool, the one whose turn it is first. */
  next<T extends Weighted>(vendor: string, members: readonly T[]): readonly T[]
}

/**
 * Smooth weighted round robin, as in nginx: each turn adds its weight to each member, and takes the sum of all weights
 * from the one that has most, so that the turns of a heavy member are spread among those of the others.
 */
export function createMemberTurns(): MemberTurns {
  /** The credits of the members of each vendor, by their names. */
  const vendors = new Map<string, ReadonlyMap<string, number>>()
  return {
    next(vendor, members) {
      const before = vendors.get(vendor)
      const credits = members.map((member) => ({ member, credit: (before?.get(member.name) ?? 0) + member.weight }))
      const sum = members.reduce((all, { weight }) => all + weight, 0)
      // The sort is stable: of equal members the first one in the list comes first.
      const order = credits.sort((one, other) => other.credit - one.credit)
      const after = order.map(({ member, credit }, at) => [member.name, at === 0 ? credit - sum : credit] as const)
      vendors.set(vendor, new Map(after))
      return order.map(({ member }) => member)
    },
  }
}
