import { upstreamModel } from '../../models/model-facts.ts'
import { hash32 } from '../../text/hash.ts'
import { membersFor, nameAtMember } from '../config/model-rules.ts'
import { type UpstreamGuard, upstreamName } from '../upstream/upstream-guard.ts'
import type { Pool, PoolMember } from './accounts.ts'
import type { ModelRoute, ModelRoutes } from './vendor-registry.ts'

/** The routes of one request, with the members of pools in the order in which they are called. */
interface OrderedRoutes {
  readonly routes: ModelRoutes
  /** The vendor and the member that the conversation prefers; null if its first route has no affinity. */
  readonly preferred: string | null
}

/** The part of a gateway that orders the members of pools. */
interface Pools {
  readonly guard: Pick<UpstreamGuard, 'restOf'>
  readonly turns: MemberTurns
}

/**
 * Puts the members of each pool in the place of their vendor, so that the order of a rule stays. The request is hashed
 * only if a pool has affinity, because that costs time. `keyOf`: the key of its conversation.
 */
export function orderMembers({ guard, turns }: Pools, routes: ModelRoutes, keyOf: () => number): OrderedRoutes {
  if (routes.length === 1 && !routes.some(hasPool)) return { routes, preferred: null }
  const orderOf = (vendor: string, { members, affinity }: Pool): readonly PoolMember[] =>
    affinity ? rendezvous(members, keyOf()) : turns.next(vendor, members)
  let preferred: string | null = null
  const ordered = routes.flatMap((route, at): readonly ModelRoute[] => {
    const { account, model } = route
    if (account.pool === null) return [route]
    const order = orderOf(account.name, { ...account.pool, members: membersFor(account.pool.members, model) })
    if (at === 0 && account.pool.affinity)
      preferred = upstreamName({ vendor: account.name, member: order[0]?.name ?? null })
    // A member that is left alone now was not, or will not be: its reasoning may come back to another one.
    const marked = account.pool.hasSeveralIssuers ? { ...route, isShared: true } : route
    return order.map((member) => ({ ...marked, ...atMember(member, model) }))
  })
  return { routes: shared(rested(guard, ordered)), preferred }
}

/** An upstream that has asked for a pause is called only if no other one is left. */
function rested(guard: Pools['guard'], routes: readonly ModelRoute[]): ModelRoutes {
  const rests = ({ account, model }: ModelRoute): boolean => {
    const { name: vendor, member, identity } = account
    return guard.restOf({ vendor, member, credential: identity.account, model: upstreamModel(model) }) > 0
  }
  const [first, ...further] = routes.some(rests)
    ? [...routes.filter((route) => !rests(route)), ...routes.filter(rests)]
    : routes
  if (first === undefined) throw new Error('a request without a route')
  return [first, ...further]
}

/**
 * Marks routes on one wire that cannot read each other's reasoning: clients of that wire send it back in the form in
 * which they receive it, which does not name the account.
 */
function shared(routes: ModelRoutes): ModelRoutes {
  const [first, ...further] = routes
  if (further.length === 0) return routes
  const issuers = new Map<string, Set<string>>()
  for (const { account } of routes) {
    const { name, wire, boundary } = account
    issuers.set(wire.name, (issuers.get(wire.name) ?? new Set()).add(`${name} ${boundary ?? ''}`))
  }
  const mark = (route: ModelRoute): ModelRoute =>
    (issuers.get(route.account.wire.name)?.size ?? 0) > 1 ? { ...route, isShared: true } : route
  return [mark(first), ...further.map(mark)]
}

/** The members of a route to a member, which may have another name for the model. */
function atMember(member: PoolMember, model: string): Pick<ModelRoute, 'account' | 'model' | 'reported' | 'family'> {
  const { account } = member
  const plain = upstreamModel(model)
  const name = nameAtMember(member, model) ?? plain
  return name === plain ? { account, model } : { account, model: name, reported: 'ignored', family: plain }
}

const hasPool = ({ account }: ModelRoute): boolean => account.pool !== null

/** A member of a pool: its part of the keys, or of the turns, is its part of the sum of all weights. */
export interface Weighted {
  readonly name: string
  readonly weight: number
}

/**
 * Orders members by their scores for a key, the preferred one first (weighted rendezvous hashing: Thaler and
 * Ravishankar, 1998). A score depends on the key, the name and the weight of one member alone. Nothing has to be stored
 * for that, several servers agree, and a member that is removed moves only the keys that preferred it, each to its next.
 */
export const rendezvous = <T extends Weighted>(members: readonly T[], key: number): readonly T[] =>
  members
    .map((member) => ({ member, score: scoreOf(member, key) }))
    .sort((one, other) => other.score - one.score || (one.member.name < other.member.name ? -1 : 1))
    .map(({ member }) => member)

const HASHES = 2 ** 32

const scoreOf = ({ name, weight }: Weighted, key: number): number =>
  -weight / Math.log((hash32(name, key) + 0.5) / HASHES)

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
      // Other models may have other members.
      vendors.set(vendor, new Map([...(before ?? []), ...after]))
      return order.map(({ member }) => member)
    },
  }
}
