import type { Json, JsonObject } from '../../../protocol/json.ts'
import { formatJson, isNonEmptyString, isObject } from '../../../text/json.ts'
import { withMember } from '../../shared/passthrough/members.ts'
import {
  changeEntries,
  changingMembers,
  choiceOf,
  functionOf,
  partOf,
  presentMembers,
} from '../../shared/passthrough/other-forms.ts'

/** Forms of other protocols in a body of the Messages API (`shared/passthrough/other-forms.ts`). */

const NO_INPUT: JsonObject = { type: 'object', properties: {} }

/** A function of another protocol, and null for a description that is left out. */
function usualTool(tool: Json): Json {
  if (!isObject(tool)) return tool
  const { type, input_schema: schema, description } = tool as JsonObject
  if (isObject(schema)) return description === null ? withMember(tool as JsonObject, 'description', undefined) : tool
  const found = functionOf(tool as JsonObject)
  if (found === null || (found.schema === undefined && type === 'custom')) return tool
  const { name, schema: own, strict, inside, outside } = found
  const kept = type === 'function' || type === undefined || type === null ? {} : { type }
  return presentMembers({
    ...kept,
    name,
    description: found.description,
    input_schema: isObject(own) ? (own as JsonObject) : NO_INPUT,
    strict,
    ...inside,
    ...outside,
  })
}

/** "tool_choice.none.disable_parallel_tool_use: Extra inputs are not permitted". */
function usualChoice(choice: Json): Json {
  const given = isObject(choice) ? (choice as JsonObject) : { type: choice }
  const { type, disable_parallel_tool_use: single } = given
  if (type === 'none' && single !== undefined) return { type }
  if (isObject(choice) && (type === 'auto' || type === 'any' || type === 'tool' || type === 'none')) return choice
  const found = choiceOf(choice)
  if (found === null) return choice
  const { mode, name } = found
  const own = mode === null ? { type: 'tool', name } : { type: mode === 'required' ? 'any' : mode }
  return single === undefined || mode === 'none' ? own : { ...own, disable_parallel_tool_use: single }
}

const DATA_URL = /^data:([^;,]{1,60})(?:;[^;,]{1,40})?;base64,/i

function imageBlock(url: string, others: JsonObject): JsonObject {
  const [head = '', media_type = ''] = DATA_URL.exec(url.slice(0, 200)) ?? []
  const source: JsonObject =
    head === '' ? { type: 'url', url } : { type: 'base64', media_type, data: url.slice(head.length) }
  return presentMembers({ type: 'image', source, ...others })
}

function usualBlock(block: Json): Json {
  if (isObject(block)) {
    const { type, source } = block as JsonObject
    if (type === 'text') return block
    const isData =
      isObject(source) &&
      source.type === 'url' &&
      typeof source.url === 'string' &&
      DATA_URL.test(source.url.slice(0, 200))
    if (type === 'image' && !isData) return block
    if (type === 'tool_result') return usualResult(block as JsonObject)
  }
  const found = partOf(block)
  if (found === null) return block
  return found.kind === 'text'
    ? presentMembers({ type: 'text', text: found.text, ...found.others })
    : imageBlock(found.url, found.others)
}

const isBlock = (entry: Json): boolean =>
  typeof entry === 'string' || (isObject(entry) && typeof entry.type === 'string')

/** The result of a tool: a text, or a list of blocks. Any other value is sent as JSON. */
function usualResult(block: JsonObject): JsonObject {
  const { content } = block
  if (Array.isArray(content) && content.every(isBlock)) {
    const blocks = changeEntries(content, usualBlock) as Json
    return blocks === content ? block : { ...block, content: blocks }
  }
  if (content === undefined || content === null || typeof content === 'string') return block
  const inner = content as Json
  return { ...block, content: partOf(inner) === null ? formatJson(inner) : [usualBlock(inner)] }
}

function usualMessage(message: Json): Json {
  if (!isObject(message)) return message
  const { content } = message as JsonObject
  const named = message.role === 'developer' ? { ...(message as JsonObject), role: 'system' } : (message as JsonObject)
  // Of anything else, a client learns the place that it has.
  const list = isObject(content) && partOf(content as Json) !== null ? [content as JsonObject] : content
  if (!Array.isArray(list)) return named
  const blocks = changeEntries(list, usualBlock) as Json
  return blocks === content ? named : { ...named, content: blocks }
}

/** Programs for servers of open models send -1 for none. */
const usualCount = (count: Json): Json | undefined => (typeof count === 'number' && count < 0 ? undefined : count)

/** A budget without the word that turns reasoning on. */
const usualThinking = (thinking: Json): Json =>
  isObject(thinking) && thinking.type === undefined && typeof thinking.budget_tokens === 'number'
    ? { type: 'enabled', ...(thinking as JsonObject) }
    : thinking

/** The schema of the answer in its earlier place: "output_format: This field is deprecated. Use output_config.format". */
export function withUsualFormat(body: JsonObject): JsonObject {
  const { output_format: format, output_config: config } = body
  if (format === undefined) return body
  const rest = withMember(body, 'output_format', undefined)
  if (!isObject(format) || (isObject(config) && isObject(config.format))) return rest
  return { ...rest, output_config: { ...(isObject(config) ? (config as JsonObject) : {}), format } }
}

/** Returns a body in the form of the Messages API. O(n) for n blocks. */
export const inOwnForm = changingMembers({
  messages: (messages) => changeEntries(messages, usualMessage),
  tools: (tools) => changeEntries(tools, usualTool),
  tool_choice: usualChoice,
  stop_sequences: (stop: Json) => (isNonEmptyString(stop) ? [stop] : stop),
  top_k: usualCount,
  thinking: usualThinking,
})
