import { upstreamModel } from '../../models/model-facts.ts'
import type { Request } from '../../protocol/request.ts'
import type { RequestHeaders } from '../exchange/http-types.ts'
import { type UpstreamGuard, upstreamName } from '../upstream/upstream-guard.ts'
import type { Pool, PoolMember } from './accounts.ts'
import { conversationOf } from './conversation-key.ts'
import type { MemberTurns } from './member-turns.ts'
import { rendezvous } from './rendezvous.ts'
import type { ModelRoute, ModelRoutes } from './vendor-registry.ts'

/** The routes of one request, with the members of pools in the order in which they are called. */
export interface OrderedRoutes {
  readonly routes: ModelRoutes
  /** The vendor and the member that the conversation prefers; null if its first route has no affinity. */
  readonly preferred: string | null
}

/** The part of a gateway that orders the members of pools. */
interface Pools {
  readonly guard: Pick<UpstreamGuard, 'rests'>
  readonly turns: MemberTurns
}

/**
 * Puts the members of each pool in the place of their vendor, so that the order of a rule stays. The request is hashed
 * only if a pool has affinity, because that costs time. `headers`: those of the client.
 */
export function orderMembers(
  { guard, turns }: Pools,
  routes: ModelRoutes,
  request: Request,
  headers: RequestHeaders,
): OrderedRoutes {
  if (!routes.some(hasPool)) return { routes, preferred: null }
  let known: number | null = null
  const keyOf = (): number => {
    known ??= conversationOf(request, headers).key
    return known
  }
  const orderOf = (vendor: string, { members, affinity }: Pool): readonly PoolMember[] =>
    affinity ? rendezvous(members, keyOf()) : turns.next(vendor, members)
  let preferred: string | null = null
  const ordered = routes.flatMap((route, at): readonly ModelRoute[] => {
    const { account, model } = route
    if (account.pool === null) return [route]
    const order = orderOf(account.name, account.pool)
    if (at === 0 && account.pool.affinity)
      preferred = upstreamName({ vendor: account.name, member: order[0]?.name ?? null })
    // A member that has asked for a pause is called only if no other one is left.
    const upstream = { vendor: account.name, model: upstreamModel(model) }
    const rests = ({ name }: PoolMember): boolean => guard.rests({ ...upstream, member: name })
    return [...order.filter((one) => !rests(one)), ...order.filter(rests)].map((member) => ({
      ...route,
      account: member.account,
    }))
  })
  const [first = routes[0], ...further] = ordered
  return { routes: [first, ...further], preferred }
}

const hasPool = ({ account }: ModelRoute): boolean => account.pool !== null
