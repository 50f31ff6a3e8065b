import type { OriginRoute, UpstreamRoute } from '../../engine/upstream-call.ts'
import type { Request } from '../../protocol/request.ts'
import type { Sign } from '../../responses/encrypted-content.ts'
import { hash32 } from '../../text/hash.ts'
import type { Tried } from '../call/prepare-request.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import type { LearningRequest, RestrictionMemory } from '../upstream/restriction-memory.ts'
import { learnerOf } from '../vendors/account-for.ts'
import { conversationOf } from '../vendors/conversation-key.ts'
import type { ModelRoute } from '../vendors/vendor-registry.ts'

/** A client's request, as far as its route depends on it. */
export interface LearningClient {
  readonly conversation: LearningRequest['conversation']
  readonly sign: Sign
}

/** Functions that return the key of a conversation, which is hashed when it is needed first. */
interface ConversationKeys {
  /** The same for all clients. */
  readonly shared: () => number
  /** Two clients have two, also with the same words. */
  readonly ofClient: () => number
}

/** Identifies the conversation of a request. `session`: that which its body names outside of the hub's request. */
export function conversationKeys(
  { journal, request: { headers } }: RequestContext,
  request: Request,
  session: string | null,
): ConversationKeys {
  let known: number | null = null
  const shared = (): number => {
    known ??= conversationOf(request, headers, session).key
    return known
  }
  return { shared, ofClient: () => hash32(journal.last('admitted')?.key ?? '', shared()) }
}

export const learnerFor = ({ account, model }: ModelRoute, { conversation }: Pick<LearningClient, 'conversation'>) =>
  learnerOf(account, model, conversation)

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** The members of a route that the origin of its reasoning depends on. */
export const originRouteOf = (found: ModelRoute): OriginRoute => {
  const { account, model } = found
  return withOrigin({ wire: account.wire, vendor: account.name, model }, found)
}

/** Adds what the origin needs of routes to one of several accounts, and of models that go by several names. */
function withOrigin<Route extends OriginRoute>(route: Writable<Route>, found: ModelRoute): Writable<Route> {
  const { account, isShared, family } = found
  if (account.boundary !== null) route.boundary = account.boundary
  if (isShared === true) route.isShared = isShared
  if (family !== undefined) route.family = family
  return route
}

/**
 * The route to the upstream, with what is known about it for the request. `tried`: restrictions that may be true. Every
 * request makes one, so that its members are written one by one: on Node 20, `{ ...members, further }` takes microseconds.
 */
export function toKnownRoute(
  { restrictions }: { readonly restrictions: RestrictionMemory },
  found: ModelRoute,
  client: LearningClient,
  tried: Tried = [],
): UpstreamRoute {
  const { account, model, reported } = found
  const { sign } = client
  const learner = learnerFor(found, client)
  const { wire, name: vendor, member, baseUrl, key, headers, bodyEdits, passthrough, traces, cache, learns } = account
  const lines = learns ? restrictions.linesFor(learner) : []
  const isPlain = lines.length === 0 && tried.length === 0
  const quirks = isPlain ? account.quirks : restrictions.quirksFor(learner, account.quirks, tried)
  const settings = { wire, vendor, model, quirks, baseUrl, key, headers, passthrough, traces, cache, sign }
  const route: Writable<UpstreamRoute> = withOrigin<UpstreamRoute>(settings, found)
  if (member !== null) route.member = member
  if (reported !== undefined) route.reported = reported
  if (lines.length > 0) route.learned = lines
  if (bodyEdits.body !== undefined) route.body = bodyEdits.body
  if (bodyEdits.pass !== undefined) route.pass = bodyEdits.pass
  return route
}
