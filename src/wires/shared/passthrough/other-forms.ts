import type { Json, JsonObject } from '../../../protocol/json.ts'
import type { PathMap } from '../../../protocol/source-map.ts'
import { isNonEmptyString, isObject, parseJson, toArray } from '../../../text/json.ts'
import { changeEntries, withMember } from './members.ts'

/**
 * Programs mix up the protocols: they send tools, choices and parts of one in a body of another. Their meaning is clear,
 * and the vendor refuses them. Functions return the value itself where its form is the protocol's own.
 */

/** A content in the protocol's own form: a list of parts, also where it is one part alone. */
export const usualContent = (content: Json | undefined, usual: (part: Json) => Json): Json | undefined =>
  isObject(content) && partOf(content as Json) !== null ? [usual(content as Json)] : changeEntries(content, usual)

/** An empty stop word never occurs. */
export function usualStops(stops: Json): Json | undefined {
  if (stops === '') return undefined
  const words = toArray(stops).filter((word) => word !== '') as readonly Json[]
  if (!Array.isArray(stops) || words.length === stops.length) return stops
  return words.length === 0 ? undefined : words
}

/** Returns a function that changes members of a body, each by its name. */
export function changingMembers(
  changes: Readonly<Record<string, (value: Json) => Json | undefined>>,
): (body: JsonObject) => JsonObject {
  const list = Object.entries(changes)
  return (body) => {
    let changed = body
    for (const [name, change] of list) {
      const value = body[name]
      if (value !== undefined && value !== null) changed = withMember(changed, name, change(value))
    }
    return changed
  }
}

const NO_MEMBERS: JsonObject = {}

/** The function of a tool, in whichever protocol it is written. */
interface AnyFunction {
  readonly name: string
  readonly description: Json | undefined
  readonly schema: Json | undefined
  readonly strict: Json | undefined
  /** Further members of the function, and of the tool around it: whoever reads the body reports them. */
  readonly inside: JsonObject
  readonly outside: JsonObject
}

/** Programs in PHP write an empty list for an object without members, others the text of a schema. */
function asSchema(schema: Json | undefined): Json | undefined {
  const parsed = typeof schema === 'string' ? parseJson(schema) : undefined
  if (isObject(parsed)) return parsed as JsonObject
  return Array.isArray(schema) && schema.length === 0 ? { type: 'object', properties: {} } : schema
}

/** The object of arguments, which some servers send as its text; null if it is none. */
export function argumentsObject(given: unknown): JsonObject | null {
  const text = typeof given === 'string' && given.trim() === '' ? '{}' : given
  const args = typeof text === 'string' ? parseJson(text) : text
  return isObject(args) ? (args as JsonObject) : null
}

/** Whether members say something. */
export const hasValues = (members: JsonObject): boolean => Object.values(members).some((value) => value !== null)

/**
 * Reads `{"type": "function", "function": {…}}`, its members without the inner object, Anthropic's `input_schema`, and MCP's
 * `inputSchema`. Null: another tool, or one that says something twice.
 */
export function functionOf(tool: JsonObject): AnyFunction | null {
  const { type = null, function: inner = null, ...members } = tool
  if (type !== null && type !== 'function' && type !== 'custom') return null
  const isInner = isObject(inner)
  if (!isInner && inner !== null) return null
  const own = isInner ? (inner as JsonObject) : members
  const { name, description, parameters, input_schema, inputSchema, strict, ...others } = own
  const schemas = [parameters, input_schema, inputSchema].filter((schema) => (schema ?? null) !== null)
  const isTwice =
    isInner && Object.entries(members).some(([one, value]) => Object.hasOwn(own, one) && own[one] !== value)
  if (!isNonEmptyString(name) || isTwice || schemas.length > 1) return null
  const [inside, outside] = isInner ? [others, members] : [NO_MEMBERS, others]
  return { name, description, schema: asSchema(schemas[0]), strict, inside, outside }
}

export const presentMembers = (members: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined || value === null ? [] : [[name, value]])),
  )

/** A tool choice: a mode in OpenAI's words, or the name of a tool. */
interface AnyChoice {
  readonly mode: 'auto' | 'none' | 'required' | null
  readonly name: string | null
  /** Anthropic's `disable_parallel_tool_use`. */
  readonly single: Json | undefined
}

const MODES: ReadonlyMap<unknown, AnyChoice['mode']> = new Map([
  ['auto', 'auto'],
  ['none', 'none'],
  ['required', 'required'],
  ['any', 'required'],
])

/** Null: any other choice, which stays, and so does one with further members. */
export function choiceOf(choice: Json): AnyChoice | null {
  const {
    type,
    function: inner,
    disable_parallel_tool_use: single,
    ...members
  } = isObject(choice) ? (choice as JsonObject) : ({ type: choice } as JsonObject)
  const { name = null, ...others } = isObject(inner) ? { ...members, ...(inner as JsonObject) } : members
  if (hasValues(others)) return null
  const mode = MODES.get(type)
  if (mode !== undefined) return name === null ? { mode, name, single } : null
  return (type === 'tool' || type === 'function') && isNonEmptyString(name) ? { mode: null, name, single } : null
}

/** A text or a picture, in whichever protocol it is written. Further members of the picture, and of the part around it. */
type AnyPart =
  | { readonly kind: 'text'; readonly text: string; readonly outside: JsonObject }
  | { readonly kind: 'image'; readonly url: string; readonly inside: JsonObject; readonly outside: JsonObject }

const TEXTS: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text'])

function imageOf({ type, ...members }: JsonObject): AnyPart | null {
  if (type === 'image_url' || type === 'input_image') {
    const { image_url: image, detail, ...outside } = members
    const { url, ...inside } = isObject(image) ? (image as JsonObject) : ({ url: image } as JsonObject)
    return isNonEmptyString(url) ? { kind: 'image', url, inside: presentMembers({ detail, ...inside }), outside } : null
  }
  const { source, ...outside } = members
  if (type !== 'image' || !isObject(source)) return null
  const { type: from, media_type, data, url, ...inside } = source as JsonObject
  const isData = from === 'base64' && isNonEmptyString(media_type) && isNonEmptyString(data)
  const address = isData ? `data:${media_type};base64,${data}` : url
  return isNonEmptyString(address) ? { kind: 'image', url: address, inside, outside } : null
}

/** Lists that an answer has without an entry: they say nothing. */
const isEmptyList = (value: Json | undefined): boolean => Array.isArray(value) && value.length === 0

/** Null: any other part. */
export function partOf(part: Json): AnyPart | null {
  if (typeof part === 'string') return { kind: 'text', text: part, outside: NO_MEMBERS }
  if (!isObject(part)) return null
  const { type, text, ...others } = part as JsonObject
  if (!TEXTS.has(type)) return imageOf(part as JsonObject)
  if (typeof text !== 'string') return null
  const kept = Object.entries(others).filter(([, value]) => !isEmptyList(value))
  return { kind: 'text', text, outside: Object.fromEntries(kept) }
}

/** Translates paths that begin with a member to the one from which it was made: rows of own and given names. */
export const withGivenNames =
  (rows: readonly (readonly [own: string, given: string])[]): PathMap =>
  (path) => {
    const row = rows.find(([own]) => path === own || (path.startsWith(own) && '.['.includes(path.charAt(own.length))))
    return row === undefined ? path : row[1] + path.slice(row[0].length)
  }
