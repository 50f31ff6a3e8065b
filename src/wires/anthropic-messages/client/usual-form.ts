import type { Json, JsonObject } from '../../../protocol/json.ts'
import { addLoss, dropped, type Loss } from '../../../protocol/loss.ts'
import { formatJson, isNonEmptyString, isObject, toArray } from '../../../text/json.ts'
import type { EditedBody } from '../../passthrough-contract.ts'
import { type DataUrl, parseDataUrl } from '../../shared/media-types.ts'
import { changeEntries, withMember } from '../../shared/passthrough/members.ts'
import {
  changingMembers,
  choiceOf,
  functionOf,
  partOf,
  presentMembers,
  usualContent,
  usualStops,
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
    input_schema: own ?? NO_INPUT,
    strict,
    ...inside,
    ...outside,
  })
}

/** "tool_choice.none.disable_parallel_tool_use: Extra inputs are not permitted". */
function usualChoice(choice: Json): Json {
  const type = isObject(choice) ? choice.type : undefined
  if (type === 'none') return withMember(choice as JsonObject, 'disable_parallel_tool_use', undefined)
  if (type === 'auto' || type === 'any' || type === 'tool') return choice
  const found = choiceOf(choice)
  if (found === null) return choice
  const { mode, name, single } = found
  const own = mode === null ? { type: 'tool', name } : { type: mode === 'required' ? 'any' : mode }
  return single === undefined || mode === 'none' ? own : { ...own, disable_parallel_tool_use: single }
}

/** The data in a URL; null for an address. */
function dataIn(url: string): DataUrl | null {
  const data = parseDataUrl(url)
  return data?.base64 === true && data.mediaType !== '' ? data : null
}

function imageBlock(url: string, { detail: _, ...inside }: JsonObject, outside: JsonObject): JsonObject {
  const data = dataIn(url)
  const source = data === null ? { type: 'url', url } : { type: 'base64', media_type: data.mediaType, data: data.body }
  return presentMembers({ type: 'image', source: { ...source, ...inside }, ...outside })
}

const NO_DETAIL = 'this protocol has no such setting for images'

/** Adds the losses of `imageBlock`, in messages or in blocks. `path`: of the list. */
function addLostDetails(losses: Loss[], list: Json | undefined, path: string): void {
  for (const [at, entry] of toArray(list).entries()) {
    if (!isObject(entry)) continue
    const { image_url: image, detail, content } = entry as JsonObject
    const own = isObject(image) ? image.detail : undefined
    const isAsked = image !== undefined && (own ?? detail ?? 'auto') !== 'auto'
    const place = `${path}[${at}]`
    if (isAsked) addLoss(losses, dropped(`${place}${own === undefined ? '' : '.image_url'}.detail`, NO_DETAIL))
    addLostDetails(losses, content, `${place}.content`)
  }
}

function usualBlock(block: Json): Json {
  if (isObject(block)) {
    const { type, source } = block as JsonObject
    if (type === 'text') return block
    const url = isObject(source) && source.type === 'url' ? source.url : undefined
    if (type === 'image' && (typeof url !== 'string' || dataIn(url) === null)) return block
    if (type === 'tool_result') return usualResult(block as JsonObject)
  }
  const found = partOf(block)
  if (found === null) return block
  return found.kind === 'text'
    ? presentMembers({ type: 'text', text: found.text, ...found.outside })
    : imageBlock(found.url, found.inside, found.outside)
}

const isBlock = (entry: Json): boolean =>
  typeof entry === 'string' || (isObject(entry) && typeof entry.type === 'string')

/** The result of a tool: a text, or a list of blocks. Any other value is sent as JSON. */
function usualResult(block: JsonObject): JsonObject {
  const { content } = block
  if (content === undefined || content === null || typeof content === 'string') return block
  const isContent = Array.isArray(content) ? content.every(isBlock) : partOf(content) !== null
  return withMember(block, 'content', isContent ? usualContent(content, usualBlock) : formatJson(content))
}

function usualMessage(message: Json): Json {
  if (!isObject(message)) return message
  const { role, content } = message as JsonObject
  const named = role === 'developer' ? withMember(message as JsonObject, 'role', 'system') : (message as JsonObject)
  return withMember(named, 'content', usualContent(content, usualBlock))
}

/** Programs for servers of open models send -1 for none. */
const usualCount = (count: Json): Json | undefined => (typeof count === 'number' && count < 0 ? undefined : count)

/** A budget without the word that turns reasoning on. */
const usualThinking = (thinking: Json): Json =>
  isObject(thinking) && thinking.type === undefined && typeof thinking.budget_tokens === 'number'
    ? { type: 'enabled', ...(thinking as JsonObject) }
    : thinking

/** The schema of the answer in its earlier place: "output_format: This field is deprecated. Use output_config.format". */
export function withUsualFormat(body: JsonObject): EditedBody {
  const { output_format: format = null, output_config: config } = body
  if (!isObject(format)) return { body, losses: [] }
  const rest = withMember(body, 'output_format', undefined)
  const settings = isObject(config) ? (config as JsonObject) : {}
  return isObject(settings.format)
    ? { body: rest, losses: [dropped('output_format', 'output_config has a format as well')] }
    : { body: { ...rest, output_config: { ...settings, format } }, losses: [] }
}

/** Returns a body in the form of the Messages API. O(n) for n blocks. */
export function inOwnForm(given: JsonObject): EditedBody {
  const body = withOwnForms(given)
  const losses: Loss[] = []
  if (body.messages !== given.messages) addLostDetails(losses, given.messages, 'messages')
  return { body, losses }
}

const withOwnForms = changingMembers({
  messages: (messages) => changeEntries(messages, usualMessage),
  tools: (tools) => changeEntries(tools, usualTool),
  tool_choice: usualChoice,
  stop_sequences: (stop: Json) => (isNonEmptyString(stop) ? [stop] : usualStops(stop)),
  top_k: usualCount,
  thinking: usualThinking,
})
