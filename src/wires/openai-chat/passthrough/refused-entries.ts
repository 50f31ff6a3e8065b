import type { JsonRecord } from '../../../protocol/json.ts'
import { isObject, toArray } from '../../../text/json.ts'
import type { HubRules } from '../../passthrough-contract.ts'
import { OpenCallIds } from '../../shared/open-call-ids.ts'
import { isPresent } from '../../shared/passthrough/conditions.ts'

/** An empty list is refused as well: "expected an array with minimum length 1". */
const isMissing = (content: unknown): boolean => !isPresent(content) || (Array.isArray(content) && content.length === 0)

/** Members that an answer may have in the place of its content. */
const OTHER_CONTENTS = ['function_call', 'refusal', 'audio', 'images'] as const

/** "expected a string, but got an object", "missing required parameter: type". */
const isRefusedCall = (call: unknown): boolean =>
  isObject(call) &&
  (!isPresent(call.type) ||
    (call.type === 'function' && isObject(call.function) && typeof call.function.arguments !== 'string'))

/** Whether upstreams refuse the form of an answer. */
function isRefusedAnswer(message: JsonRecord): boolean {
  const { content, tool_calls: calls } = message
  if (Array.isArray(calls)) return calls.length === 0 || calls.some(isRefusedCall)
  return isMissing(content) && !OTHER_CONTENTS.some((name) => isPresent(message[name]))
}

/**
 * The messages with the results of calls follow the answer with the calls directly, one for each: "an assistant message
 * with 'tool_calls' must be followed by tool messages". An id may return in a later answer.
 */
export const refusesChatEntries: NonNullable<HubRules['refusesEntries']> = () => {
  const open = new OpenCallIds()
  return (message) => {
    const { role, content } = message
    if (role === 'tool') return !open.take(message.tool_call_id) || isMissing(content)
    if (open.size > 0) return true
    if (role !== 'assistant') return Array.isArray(content) && content.length === 0
    for (const call of toArray(message.tool_calls)) if (isObject(call) && !open.add(call.id)) return true
    return isRefusedAnswer(message)
  }
}
