import type { Json, JsonObject } from '../../../protocol/json.ts'
import { isObject } from '../../../text/json.ts'
import {
  changeEntries,
  changingMembers,
  choiceOf,
  functionOf,
  partOf,
  presentMembers,
} from '../../shared/passthrough/other-forms.ts'

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
  const { mode = null, name = null } = choiceOf(choice) ?? {}
  return mode ?? (name === null ? choice : { type: 'function', function: { name } })
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
  const { others } = found
  return found.kind === 'text'
    ? presentMembers({ type: 'text', text: found.text, ...others })
    : presentMembers({
        type: 'image_url',
        image_url: presentMembers({ url: found.url, detail: found.detail }),
        ...others,
      })
}

function usualMessage(message: Json): Json {
  if (!isObject(message)) return message
  const { content } = message as JsonObject
  if (typeof content !== 'object' || content === null) return message
  if (Array.isArray(content)) {
    const parts = changeEntries(content, usualPart) as Json
    return parts === content ? message : { ...(message as JsonObject), content: parts }
  }
  const part = isObject(content) && message.role !== 'tool' ? partOf(content as Json) : null
  return part === null ? message : { ...(message as JsonObject), content: [usualPart(content as Json)] }
}

/** A schema that stands in the place of the object that has it. */
function usualFormat(format: Json): Json {
  if (!isObject(format) || format.type !== 'json_schema' || format.json_schema !== undefined) return format
  const { schema, name = 'response', strict, description } = format as JsonObject
  return isObject(schema)
    ? { type: 'json_schema', json_schema: presentMembers({ name, description, schema: schema as JsonObject, strict }) }
    : format
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

/** An empty stop word never occurs. */
function usualStop(stop: Json): Json | undefined {
  if (stop === '') return undefined
  if (!Array.isArray(stop) || !stop.includes('')) return stop
  const words = (stop as readonly Json[]).filter((word) => word !== '')
  return words.length === 0 ? undefined : words
}

/** OpenAI's documents had this word with a hyphen, which its API refuses. */
const usualRetention = (retention: Json): Json => (retention === 'in-memory' ? 'in_memory' : retention)

/** Returns a body in the form of Chat Completions. O(n) for n parts. */
export const inOwnForm = changingMembers({
  messages: (messages) => changeEntries(messages, usualMessage),
  tools: (tools) => changeEntries(tools, usualTool),
  tool_choice: usualChoice,
  response_format: usualFormat,
  reasoning_effort: usualEffort,
  stop: usualStop,
  prompt_cache_retention: usualRetention,
})
