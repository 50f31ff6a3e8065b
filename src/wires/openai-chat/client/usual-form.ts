import type { Json, JsonObject } from '../../../protocol/json.ts'
import { isObject } from '../../../text/json.ts'
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
import { type OtherHistory, withOtherHistory } from './other-history.ts'

/** Forms of other protocols in a body of Chat Completions (`shared/passthrough/other-forms.ts`). */

function usualTool(tool: Json): Json {
  if (!isObject(tool)) return tool
  const { type, function: inner, custom } = tool as JsonObject
  const { parameters } = isObject(inner) ? inner : { parameters: [] }
  const isUsual = type === 'function' && !Array.isArray(parameters) && typeof parameters !== 'string'
  if (isUsual || custom !== undefined) return tool
  const found = functionOf(tool as JsonObject)
  // A custom tool without its object has another meaning.
  if (found === null || (type === 'custom' && found.schema === undefined)) return tool
  const { name, description, schema, strict, inside, outside } = found
  return presentMembers({
    type: 'function',
    function: presentMembers({ name, description, parameters: schema, strict, ...inside }),
    ...outside,
  })
}

function usualChoice(choice: Json): Json {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice
  if (isObject(choice) && isObject(choice.function)) return choice
  const found = choiceOf(choice)
  if (found === null || found.single !== undefined) return choice
  const { mode, name } = found
  return mode ?? { type: 'function', function: { name } }
}

/** A choice of Anthropic's also limits the calls of an answer. One that contradicts the body stays. */
function withOwnLimit(body: JsonObject): JsonObject {
  const { tool_choice: choice, parallel_tool_calls: parallel } = body
  const single = isObject(choice) ? (choice as JsonObject).disable_parallel_tool_use : undefined
  if (typeof single !== 'boolean' || (parallel ?? !single) === single) return body
  const free = withMember(choice as JsonObject, 'disable_parallel_tool_use', undefined)
  return { ...body, tool_choice: free, parallel_tool_calls: !single }
}

const SOUNDS: ReadonlyMap<string, string> = new Map([
  ['x-wav', 'wav'],
  ['wave', 'wav'],
  ['mpeg', 'mp3'],
])

function usualSound(part: JsonObject): JsonObject {
  const { input_audio: audio } = part
  const format = isObject(audio) ? audio.format : undefined
  if (typeof format !== 'string' || !format.startsWith('audio/')) return part
  const short = format.slice('audio/'.length)
  return { ...part, input_audio: { ...(audio as JsonObject), format: SOUNDS.get(short) ?? short } }
}

/** The types of parts that the protocol has itself. */
const isUsual = (part: JsonObject): boolean =>
  part.type === 'text' || part.type === 'file' || (part.type === 'image_url' && isObject(part.image_url))

function usualPart(part: Json): Json {
  if (isObject(part) && isUsual(part as JsonObject)) return part
  if (isObject(part) && part.type === 'input_audio') return usualSound(part as JsonObject)
  const found = partOf(part)
  if (found === null) return part
  return found.kind === 'text'
    ? presentMembers({ type: 'text', text: found.text, ...found.outside })
    : presentMembers({ type: 'image_url', image_url: { url: found.url, ...found.inside }, ...found.outside })
}

function usualMessage(message: Json): Json {
  if (!isObject(message)) return message
  const { role, content } = message as JsonObject
  // A result may be any value.
  const usual = role === 'tool' ? changeEntries(content, usualPart) : usualContent(content, usualPart)
  return withMember(message as JsonObject, 'content', usual)
}

/** A schema that stands in the place of the object that has it. */
function usualFormat(format: Json): Json {
  if (!isObject(format) || format.type !== 'json_schema' || format.json_schema !== undefined) return format
  const { type: _, schema, name = 'response', strict, description, ...others } = format as JsonObject
  if (!isObject(schema)) return format
  const own = presentMembers({ name, description, schema: schema as JsonObject, strict })
  return { ...others, type: 'json_schema', json_schema: own }
}

/** An effort as an object, as LiteLLM has it, in capitals, or in words for none. An object with other settings stays. */
function usualEffort(effort: Json): Json | undefined {
  const { effort: inner, ...others } = isObject(effort) ? (effort as JsonObject) : { effort }
  if (Object.keys(presentMembers(others)).length > 0) return effort
  const word = inner
  if (word === '' || word === null || word === undefined) return undefined
  if (typeof word !== 'string') return effort
  const lower = word.toLowerCase()
  return lower === 'disable' || lower === 'disabled' || lower === 'off' ? 'none' : lower
}

/** OpenAI's documents had this word with a hyphen, which its API refuses. */
const usualRetention = (retention: Json): Json => (retention === 'in-memory' ? 'in_memory' : retention)

/** Returns a body in the form of Chat Completions. O(n) for n parts. */
export function inOwnForm(given: JsonObject): OtherHistory {
  const { body, ...form } = withOtherHistory(given)
  return { body: withOwnForms(withOwnLimit(body)), ...form }
}

const withOwnForms = changingMembers({
  messages: (messages) => changeEntries(messages, usualMessage),
  tools: (tools) => changeEntries(tools, usualTool),
  tool_choice: usualChoice,
  response_format: usualFormat,
  reasoning_effort: usualEffort,
  stop: usualStops,
  prompt_cache_retention: usualRetention,
})

/** Whether the conversation, or a member, is one of another protocol. */
export const hasOtherHistory = (body: JsonObject): boolean => withOtherHistory(body).body !== body
