import { mapSame } from '../../collections/map-same.ts'
import type { JsonRecord } from '../../protocol/json.ts'
import { formatJson, isNonEmptyString, isObject, toArray } from '../../text/json.ts'

/**
 * Forms of items, parts and tools that the Responses API refuses, although their meaning is clear: those of Chat
 * Completions, outputs that are no text, types of the other role. Functions return the value itself where its form is
 * the usual one.
 */

/**
 * The id of calls, and of their outputs, that have none. Calls with one id are paired with their outputs in their order
 * (`engine/rules/calls.ts`).
 */
export const NO_CALL_ID = 'call_without_id'

type Change = (value: JsonRecord) => JsonRecord

const isMissing = (value: unknown): boolean => value === undefined || value === null

const asText = (value: unknown): string => (isMissing(value) ? '' : formatJson(value))

// ---------------------------------------------------------------- parts

const withoutNull = (part: JsonRecord, name: string): JsonRecord => {
  if (part[name] !== null) return part
  const { [name]: _, ...kept } = part
  return kept
}

function imagePart({ image_url: image, ...part }: JsonRecord): JsonRecord {
  const { url, ...inside } = isObject(image) ? image : { url: image }
  return withoutNull({ ...part, ...inside, type: 'input_image', image_url: url }, 'detail')
}

const filePart: Change = ({ file, ...part }) =>
  isObject(file) ? { ...part, ...file, type: 'input_file' } : { file, ...part }

/** Parts of Chat Completions, by their types. */
const CHAT_PARTS: ReadonlyMap<unknown, Change> = new Map([
  ['image_url', imagePart],
  ['file', filePart],
])

const TEXTS: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text'])

/** `type`: of the texts in this place. */
const usualPart =
  (type: string) =>
  (part: unknown): unknown => {
    if (!isObject(part)) return part
    if (part.type === 'input_image') return isObject(part.image_url) ? imagePart(part) : part
    if (!TEXTS.has(part.type)) return CHAT_PARTS.get(part.type)?.(part) ?? part
    const typed = part.type === type ? part : { ...part, type }
    return withoutNull(withoutNull(typed, 'annotations'), 'logprobs')
  }

const inputPart = usualPart('input_text')
const outputPart = usualPart('output_text')

// ---------------------------------------------------------------- items

const message: Change = (item) => {
  const { content, role } = item
  const isEmpty = content === null || (Array.isArray(content) && content.length === 0)
  const usual = isEmpty
    ? ''
    : Array.isArray(content)
      ? mapSame(content, role === 'assistant' ? outputPart : inputPart)
      : content
  return withoutNull(usual === content ? item : { ...item, content: usual }, 'status')
}

const isPart = (entry: unknown): boolean => isObject(entry) && typeof entry.type === 'string'

function usualOutput(output: unknown): unknown {
  if (typeof output === 'string') return output
  if (!Array.isArray(output) || !output.every(isPart)) return asText(output)
  return output.length === 0 ? '' : mapSame(output, inputPart)
}

const output: Change = (item) => {
  const usual = usualOutput(item.output)
  const named = usual === item.output ? item : { ...item, output: usual }
  return named.call_id === '' ? { ...named, call_id: NO_CALL_ID } : named
}

/** `input`: the member with the arguments. */
function call(item: JsonRecord, input: 'arguments' | 'input'): JsonRecord {
  const { [input]: given, call_id, id } = item
  const named = isNonEmptyString(call_id) ? item : { ...item, call_id: isNonEmptyString(id) ? id : NO_CALL_ID }
  return typeof given === 'string' ? named : { ...named, [input]: asText(given) }
}

/** An answer with calls as a message of Chat Completions. */
const hasCalls = (item: unknown): item is JsonRecord =>
  isObject(item) && item.role === 'assistant' && item.type === undefined && Array.isArray(item.tool_calls)

function withItems({ tool_calls: calls, refusal, ...answer }: JsonRecord): readonly unknown[] {
  const items = (calls as readonly unknown[]).map((given) => {
    const { id, function: named, index: _, ...others } = isObject(given) ? given : NOTHING
    return { ...others, type: 'function_call', call_id: id, ...(isObject(named) ? named : {}) }
  })
  const { role: _, content, ...others } = answer
  const isRefusal = isNonEmptyString(refusal)
  const hasContent = isNonEmptyString(content) || (Array.isArray(content) && content.length > 0)
  if (!hasContent && !isRefusal && Object.values(others).every(isMissing)) return items
  return [isRefusal && !hasContent ? { ...answer, content: [{ type: 'refusal', refusal }] } : answer, ...items]
}

const NOTHING: JsonRecord = {}

/** The result of a call as a message of Chat Completions. */
const toolMessage = ({ role: _, tool_call_id: call_id, content, ...others }: JsonRecord): JsonRecord =>
  output({
    ...others,
    type: 'function_call_output',
    call_id: isNonEmptyString(call_id) ? call_id : '',
    output: content,
  })

/** Codex writes this word for a step of a search that it does not know: "Supported values are: 'search', 'open_page', …". */
const search: Change = (item) => {
  const { action, ...kept } = item
  return isObject(action) && action.type === 'other' ? kept : item
}

/** Returns an item in the form of the Responses API. */
export function usualItem(item: JsonRecord): JsonRecord {
  switch (item.type ?? (item.role === undefined ? undefined : 'message')) {
    case 'message':
      return item.role === 'tool' ? toolMessage(item) : message(item)
    case 'function_call':
      return call(item, 'arguments')
    case 'custom_tool_call':
      return call(item, 'input')
    case 'function_call_output':
    case 'custom_tool_call_output':
      return output(item)
    case 'web_search_call':
      return search(item)
    case 'text':
    case 'input_text':
    case 'image_url':
    case 'input_image':
      return message({ type: 'message', role: 'user', content: [item] })
    default:
      return withoutNull(item, 'status')
  }
}

// ---------------------------------------------------------------- tools

/** `{"type": "function", "function": {"name": …}}`, of a tool and of the choice of one. */
function usualFunction(value: JsonRecord): JsonRecord {
  if (!isObject(value.function) || value.name !== undefined) return value
  const { function: named, ...kept } = value
  return { ...kept, type: 'function', ...named }
}

/** A function of Chat Completions, of the Messages API or of MCP, and one without its type. */
function usualTool(value: unknown): unknown {
  if (!isObject(value)) return value
  const tool = usualFunction(value)
  const { type = null, input_schema, inputSchema, ...kept } = tool
  const schema = input_schema ?? inputSchema
  if (isObject(schema) && (type === null || type === 'custom' || type === 'function'))
    return { ...kept, type: 'function', parameters: schema }
  return type === null && isObject(tool.parameters) ? { ...tool, type: 'function' } : tool
}

const CHOICES: ReadonlyMap<unknown, string> = new Map([
  ['any', 'required'],
  ['auto', 'auto'],
  ['none', 'none'],
  ['required', 'required'],
])

function usualChoice(value: unknown): unknown {
  if (!isObject(value)) return CHOICES.get(value) ?? value
  const { type, name, ...others } = value
  if (Object.values(others).every(isMissing)) {
    const word = isMissing(name) ? CHOICES.get(type) : undefined
    if (word !== undefined) return word
    if (type === 'tool' && isNonEmptyString(name)) return { type: 'function', name }
  }
  return usualFunction(value)
}

/** A message alone, and texts in the place of messages. */
function usualInput(input: unknown): unknown {
  if (isObject(input)) return isNonEmptyString(input.role) ? [input] : input
  if (!Array.isArray(input)) return input
  return mapSame(input, (entry) => (typeof entry === 'string' ? { role: 'user', content: entry } : entry))
}

/** A schema has a name, and no object around it. */
function usualText(text: unknown): unknown {
  if (!isObject(text) || !isObject(text.format)) return text
  const { json_schema: named, ...others } = text.format
  const format = isObject(named) ? { ...others, type: 'json_schema', ...named } : text.format
  if (format.type === 'json_schema' && !isNonEmptyString(format.name))
    return { ...text, format: { ...format, name: 'response' } }
  return format === text.format ? text : { ...text, format }
}

/** Members of other protocols that have another name here, with an object around some of them. */
const RENAMED = [
  ['messages', 'input'],
  ['max_completion_tokens', 'max_output_tokens'],
  ['max_tokens', 'max_output_tokens'],
  ['system', 'instructions'],
  ['reasoning_effort', 'reasoning', 'effort'],
  ['response_format', 'text', 'format'],
  ['verbosity', 'text', 'verbosity'],
] as const

/** The body with the names of this API. Beside a member that it has already, the other one stays, and is reported. */
function withNames(body: JsonRecord): JsonRecord {
  let named = body
  for (const [name, own, inner] of RENAMED) {
    if (isMissing(named[name]) || (name === 'system' && !isNonEmptyString(named[name]))) continue
    const { [name]: value, ...kept } = named
    const present = kept[own]
    if (inner === undefined) named = isMissing(present) ? { ...kept, [own]: value } : named
    else {
      const outer = isMissing(present) ? NOTHING : present
      if (isObject(outer) && isMissing(outer[inner])) named = { ...kept, [own]: { ...outer, [inner]: value } }
    }
  }
  return named
}

/** Whether the input, tools, choice and format have the form of the Responses API, and no member another name. */
export const hasUsualSettings = (body: JsonRecord): boolean => {
  const { input, tools, tool_choice: choice, text } = body
  return (
    RENAMED.every(([name]) => isMissing(body[name])) &&
    usualInput(input) === input &&
    usualChoice(choice) === choice &&
    usualText(text) === text &&
    (!Array.isArray(tools) || tools.every((tool) => usualTool(tool) === tool))
  )
}

// ---------------------------------------------------------------- paths

const isWithin = (path: string, member: string): boolean => path === member || path.startsWith(`${member}.`)

/** A path with the name that the client has given to a member. */
export function withGivenName(body: JsonRecord, path: string): string {
  for (const [name, own, inner] of RENAMED) {
    const usual = inner === undefined ? own : `${own}.${inner}`
    const present = body[own]
    const isGiven = inner === undefined || !isObject(present) ? isMissing(present) : isMissing(present[inner])
    if (isWithin(path, usual) && isGiven && !isMissing(body[name])) return name + path.slice(usual.length)
  }
  return path
}

/** The places of the items that an entry of the conversation becomes. */
export const placesOf = (entry: unknown, place: string): readonly string[] =>
  hasCalls(entry)
    ? withItems(entry).map((_, at, { length }) => {
        const call = at + toArray(entry.tool_calls).length - length
        return call < 0 ? place : `${place}.tool_calls[${call}]`
      })
    : [place]

/** Returns a body in the form of the Responses API. O(n) for n parts. */
export function inUsualForm(given: unknown): unknown {
  if (!isObject(given)) return given
  const body = withNames(given)
  const { input, tools, tool_choice: choice, text } = body
  const messages = usualInput(input)
  const list =
    Array.isArray(messages) && messages.some(hasCalls)
      ? messages.flatMap((item): readonly unknown[] => (hasCalls(item) ? withItems(item) : [item]))
      : messages
  const items = Array.isArray(list) ? mapSame(list, (item) => (isObject(item) ? usualItem(item) : item)) : list
  if (items === input && hasUsualSettings(body)) return body
  return {
    ...body,
    ...(items === input ? {} : { input: items }),
    ...(Array.isArray(tools) ? { tools: mapSame(tools, usualTool) } : {}),
    ...(isMissing(choice) ? {} : { tool_choice: usualChoice(choice) }),
    ...(isObject(text) ? { text: usualText(text) } : {}),
  }
}
