import type { JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, toArray } from '../../../text/json.ts'
import type { HubRules } from '../../passthrough-contract.ts'
import type { Quirks } from '../../quirks.ts'
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
    !isNonEmptyString(call.id) ||
    (call.type === 'function' && isObject(call.function) && typeof call.function.arguments !== 'string'))

/** Whether upstreams refuse the form of an answer: OpenAI alone accepts one without a text. */
function isRefusedAnswer(message: JsonRecord, { openaiModels, toolImages }: Quirks): boolean {
  const { content, tool_calls: calls } = message
  // "Invalid value: 'image_url'. Supported values are: 'text' and 'refusal'."
  if (toolImages !== true && toArray(content).some((part) => isObject(part) && part.type === 'image_url')) return true
  if (Array.isArray(calls)) return calls.length === 0 || calls.some(isRefusedCall)
  const isEmpty = isMissing(content) || (content === '' && openaiModels !== true)
  return isEmpty && !OTHER_CONTENTS.some((name) => isPresent(message[name]))
}

/** "Image URLs are only allowed for messages with role 'user'", and any value that is no text and no list of parts. */
const isRefusedOutput = (content: unknown, { toolImages }: Quirks): boolean =>
  typeof content !== 'string' &&
  (!Array.isArray(content) ||
    content.length === 0 ||
    !content.every((part) => isObject(part) && (toolImages === true ? isPresent(part.type) : part.type === 'text')))

/**
 * The messages with the results of calls follow the answer with the calls directly, one for each: "an assistant message
 * with 'tool_calls' must be followed by tool messages". An id may return in a later answer.
 */
export const refusesChatEntries: NonNullable<HubRules['refusesEntries']> = (quirks) => {
  const open = new OpenCallIds()
  return (message) => {
    const { role, content } = message
    if (role === 'tool') return !open.take(message.tool_call_id) || isRefusedOutput(content, quirks)
    if (open.size > 0) return true
    if (role !== 'assistant') return isMissing(content)
    for (const call of toArray(message.tool_calls)) if (isObject(call) && !open.add(call.id)) return true
    return isRefusedAnswer(message, quirks)
  }
}
