import type { UpstreamRoute } from '../../engine/upstream-call.ts'
import type { Request } from '../../protocol/request.ts'
import type { Sign } from '../../responses/encrypted-content.ts'
import { hash32 } from '../../text/hash.ts'
import type { Tried } from '../call/prepare-request.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import type { LearningRequest, LessonMemory } from '../upstream/lesson-memory.ts'
import { learnerOf } from '../vendors/account-for.ts'
import { conversationOf } from '../vendors/conversation-key.ts'
import type { ModelRoute } from '../vendors/vendor-registry.ts'

/** A client's request, as far as its route depends on it. */
export interface LearningClient {
  readonly conversation: LearningRequest['conversation']
  readonly sign: Sign
}

/** Identifies the conversation of a client. Two clients have two, also with the same words. */
export function conversationIn({ journal, request: { headers } }: RequestContext, request: Request): () => number {
  let known: number | null = null
  return () => {
    known ??= hash32(journal.last('admitted')?.key ?? '', conversationOf(request, headers).key)
    return known
  }
}

export const learnerFor = ({ account, model }: ModelRoute, { conversation }: Pick<LearningClient, 'conversation'>) =>
  learnerOf(account, model, conversation)

/** The members of a route that the origin of its reasoning depends on. */
export const originRouteOf = ({ account: { wire, name: vendor, boundary }, model, isShared }: ModelRoute) => ({
  wire,
  vendor,
  model,
  ...(boundary === null ? {} : { boundary }),
  ...(isShared === true ? { isShared } : {}),
})

/** The route to the upstream, with what is known about it for the request. `tried`: lessons that may be true. */
export function toKnownRoute(
  { lessons }: { readonly lessons: LessonMemory },
  found: ModelRoute,
  client: LearningClient,
  tried: Tried = [],
): UpstreamRoute {
  const { account, reported } = found
  const { sign } = client
  const learner = learnerFor(found, client)
  const { member, baseUrl, key, headers, bodyEdits, passthrough, cache, learns } = account
  const lines = learns ? lessons.linesFor(learner) : []
  const isPlain = lines.length === 0 && tried.length === 0
  const quirks = isPlain ? account.quirks : lessons.quirksFor(learner, account.quirks, tried)
  const shown = {
    ...(member === null ? {} : { member }),
    ...(reported === undefined ? {} : { reported }),
    ...(lines.length === 0 ? {} : { learned: lines }),
  }
  const origin = originRouteOf(found)
  return { ...origin, quirks, baseUrl, key, headers, passthrough, cache, sign, ...shown, ...bodyEdits }
}
