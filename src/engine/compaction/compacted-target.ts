import type { Dialect } from '../../dialects/dialect.ts'
import { memoizeByDialect } from '../../dialects/memoize.ts'
import type { Json, JsonObject, JsonRecord } from '../../protocol/json.ts'
import { COMPACTION_TRIGGER } from '../../responses/compaction/compaction.ts'
import { itemId } from '../../responses/ids.ts'
import { isNonEmptyString, isObject, toArray } from '../../text/json.ts'
import type { Steps } from '../../text/steps.ts'
import type { ClientRequest } from '../client-request.ts'
import { type BodyBuilder, dialectTarget, type Target } from '../target.ts'

/**
 * A request of `/responses/compact` as a request for a compaction. Its answer is one body. The compaction is a summary,
 * so that the conversation can go on with any upstream.
 */
export const toCompactRequest = (client: ClientRequest): ClientRequest => {
  const { request } = client
  const input = [...request.input, COMPACTION_TRIGGER]
  return { ...client, request: { ...request, input, stream: false }, summarises: true }
}

const withCompactions = memoizeByDialect(
  (dialect): Dialect => ({
    ...dialect,
    items: [...dialect.items.filter((type) => type !== 'compaction'), 'compaction'],
  }),
)

/**
 * The target of a compacted conversation (openai 7.57, `CompactedResponse`): the messages of the user as the client sent
 * them, then one compaction. Each dialect has its own fields of the usage.
 */
export function compactedTarget(dialect: Dialect, { sent }: ClientRequest): Target {
  const target = dialectTarget(withCompactions(dialect))
  const { input } = isObject(sent.body) ? sent.body : {}
  return {
    ...target,
    openBody(context): BodyBuilder {
      const builder = target.openBody(context)
      return {
        ...builder,
        *build(error): Steps<JsonObject> {
          return toCompacted(yield* builder.build(error), userMessages(input, context.head.id))
        },
      }
    },
  }
}

function toCompacted(
  { id, created_at = 0, output, usage = null }: JsonObject,
  messages: readonly JsonObject[],
): JsonObject {
  const items = [...messages, ...(toArray(output) as readonly Json[])]
  return { id: id as Json, object: 'response.compaction', created_at, output: items, usage }
}

/** Content that is a text becomes a part, because an item of an answer has parts. */
function toMessage(item: JsonRecord, id: string): JsonObject {
  const { content } = item
  const parts = typeof content === 'string' ? [{ type: 'input_text', text: content }] : toArray(content)
  const own = { type: 'message', id: isNonEmptyString(item.id) ? item.id : id, status: 'completed', role: 'user' }
  return { ...item, ...own, content: parts } as JsonObject
}

const isUsers = (item: unknown): item is JsonRecord =>
  isObject(item) && (item.type ?? 'message') === 'message' && item.role === 'user'

const userMessages = (input: unknown, responseId: string): readonly JsonObject[] =>
  (typeof input === 'string' ? [{ role: 'user', content: input }] : toArray(input))
    .filter(isUsers)
    .map((item, at) => toMessage(item, itemId('message', responseId, at)))
