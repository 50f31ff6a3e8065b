import type { Json, JsonObject } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, parseJson } from '../../../text/json.ts'
import { withMember } from './members.ts'

/**
 * Programs mix up the protocols: they send tools, choices and parts of one in a body of another. Their meaning is clear,
 * and the vendor refuses them. Functions return the value itself where its form is the protocol's own.
 */

/** Maps a list; the list itself where no entry changes, or where it is none. */
export function changeEntries(list: Json | undefined, map: (entry: Json, at: number) => Json): Json | undefined {
  if (!Array.isArray(list)) return list
  const given = list as readonly Json[]
  let changed: Json[] | null = null
  for (let at = 0; at < given.length; at += 1) {
    const entry = given[at] as Json
    const mapped = map(entry, at)
    if (mapped === entry) continue
    changed ??= [...given]
    changed[at] = mapped
  }
  return changed ?? list
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

/** Reads `{"type": "function", "function": {…}}`, its members without the inner object, and Anthropic's `input_schema`. */
export function functionOf(tool: JsonObject): AnyFunction | null {
  const { type = null, function: inner, ...members } = tool
  if (type !== null && type !== 'function' && type !== 'custom') return null
  const isInner = isObject(inner)
  const { name, description, parameters, input_schema, strict, ...others } = isInner ? (inner as JsonObject) : members
  if (!isNonEmptyString(name)) return null
  const [inside, outside] = isInner ? [others, members] : [NO_MEMBERS, others]
  return { name, description, schema: asSchema(parameters ?? input_schema), strict, inside, outside }
}

export const presentMembers = (members: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined || value === null ? [] : [[name, value]])),
  )

/** A tool choice: a mode in OpenAI's words, or the name of a tool. */
interface AnyChoice {
  readonly mode: 'auto' | 'none' | 'required' | null
  readonly name: string | null
}

const MODES: ReadonlyMap<unknown, AnyChoice['mode']> = new Map([
  ['auto', 'auto'],
  ['none', 'none'],
  ['required', 'required'],
  ['any', 'required'],
])

/** Null: any other choice, which stays. */
export function choiceOf(choice: Json): AnyChoice | null {
  const given = isObject(choice) ? (choice as JsonObject) : { type: choice }
  const mode = MODES.get(given.type)
  if (mode !== undefined) return { mode, name: null }
  if (given.type !== 'tool' && given.type !== 'function') return null
  const named = isObject(given.function) ? (given.function as JsonObject).name : given.name
  return isNonEmptyString(named) ? { mode: null, name: named } : null
}

/** A text or a picture, in whichever protocol it is written. */
type AnyPart =
  | { readonly kind: 'text'; readonly text: string; readonly others: JsonObject }
  | { readonly kind: 'image'; readonly url: string; readonly detail: Json | undefined; readonly others: JsonObject }

const TEXTS: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text'])

function imageOf({ type, image_url: image, source, detail, ...others }: JsonObject): AnyPart | null {
  if (type === 'image_url' || type === 'input_image') {
    const {
      url,
      detail: own = detail,
      ...inner
    } = isObject(image) ? (image as JsonObject) : ({ url: image } as JsonObject)
    return isNonEmptyString(url) ? { kind: 'image', url, detail: own, others: { ...inner, ...others } } : null
  }
  if (type !== 'image' || !isObject(source)) return null
  const { type: from, media_type, data, url } = source as JsonObject
  const isData = from === 'base64' && isNonEmptyString(media_type) && isNonEmptyString(data)
  const address = isData ? `data:${media_type};base64,${data}` : url
  return isNonEmptyString(address) ? { kind: 'image', url: address, detail: undefined, others } : null
}

/** Lists that an answer has without an entry: they say nothing. */
const isEmptyList = (value: Json | undefined): boolean => Array.isArray(value) && value.length === 0

/** Null: any other part. */
export function partOf(part: Json): AnyPart | null {
  if (typeof part === 'string') return { kind: 'text', text: part, others: NO_MEMBERS }
  if (!isObject(part)) return null
  const { type, text, ...others } = part as JsonObject
  if (!TEXTS.has(type)) return imageOf(part as JsonObject)
  if (typeof text !== 'string') return null
  const kept = Object.entries(others).filter(([, value]) => !isEmptyList(value))
  return { kind: 'text', text, others: Object.fromEntries(kept) }
}
