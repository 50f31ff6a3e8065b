import type { Json, JsonObject } from '../../../protocol/json.ts'
import { type AddedTools, addedTools, type GivenTool, type Request, type Tool } from '../../../protocol/request.ts'
import { isObject } from '../../../text/json.ts'
import type { Quirks } from '../../quirks.ts'
import { staysInPlace } from '../../shared/upstream/input/in-place.ts'

/** The tools that reach the upstream in items of the input. */
export function toolsInPlace({ input }: Request, quirks: Quirks): ReadonlySet<Tool> {
  const lists = addedTools(input).filter(({ at }) => {
    const item = input[at]
    return item?.type === 'other' && staysInPlace(item.item, quirks)
  })
  return new Set(lists.flatMap(({ tools }) => tools))
}

/** All tools that the client gave, those of the input included. */
export const givenTools = ({ given, input }: Request): readonly GivenTool[] => [
  ...given.tools,
  ...addedTools(input).flatMap((list) => list.given),
]

/**
 * Returns an item with those of its tools that the request offers: another one was replaced by the gateway, or is not
 * among the allowed tools. The item stays as it was sent if it has no other tools.
 */
export function withOffered(item: JsonObject, added: AddedTools, offered: ReadonlySet<Tool>): JsonObject {
  const { tools } = item
  if (!Array.isArray(tools) || added.tools.every((tool) => offered.has(tool))) return item
  const left = [...added.tools]
  const kept = (tools as readonly Json[]).flatMap((tool, at): readonly Json[] => {
    const given = added.given[at]
    const own = left.splice(0, given?.type === 'namespace' ? given.tools.length : 1)
    const isKept = own.map((one) => offered.has(one))
    if (given?.type !== 'namespace' || !isObject(tool) || !Array.isArray(tool.tools)) return isKept[0] ? [tool] : []
    const inner = (tool.tools as readonly Json[]).filter((_, place) => isKept[place])
    return inner.length === 0 ? [] : [{ ...(tool as JsonObject), tools: inner }]
  })
  return { ...item, tools: kept }
}
