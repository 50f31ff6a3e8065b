import type { UpstreamRoute } from '../../engine/upstream-call.ts'
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

/** The members of a route that the origin of its reasoning depends on. */
export const originRouteOf = ({ account: { wire, name: vendor, boundary }, model, isShared, family }: ModelRoute) => ({
  wire,
  vendor,
  model,
  ...(boundary === null ? {} : { boundary }),
  ...(isShared === true ? { isShared } : {}),
  ...(family === undefined ? {} : { family }),
})

/** The route to the upstream, with what is known about it for the request. `tried`: restrictions that may be true. */
export function toKnownRoute(
  { restrictions }: { readonly restrictions: RestrictionMemory },
  found: ModelRoute,
  client: LearningClient,
  tried: Tried = [],
): UpstreamRoute {
  const { account, reported } = found
  const { sign } = client
  const learner = learnerFor(found, client)
  const { member, baseUrl, key, headers, bodyEdits, passthrough, traces, cache, learns } = account
  const lines = learns ? restrictions.linesFor(learner) : []
  const isPlain = lines.length === 0 && tried.length === 0
  const quirks = isPlain ? account.quirks : restrictions.quirksFor(learner, account.quirks, tried)
  const shown = {
    ...(member === null ? {} : { member }),
    ...(reported === undefined ? {} : { reported }),
    ...(lines.length === 0 ? {} : { learned: lines }),
  }
  const origin = originRouteOf(found)
  return { ...origin, quirks, baseUrl, key, headers, passthrough, traces, cache, sign, ...shown, ...bodyEdits }
}
