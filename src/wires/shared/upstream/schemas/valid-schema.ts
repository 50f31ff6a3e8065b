import type { Json, JsonObject, JsonRecord } from '../../../../protocol/json.ts'
import { MAX_LENGTHS } from '../../../../protocol/limits.ts'
import { formatJson, isDeeperThan, isObject } from '../../../../text/json.ts'
import { resolveReference } from './references.ts'

/**
 * Schemas whose keywords have values that JSON Schema does not know, as programs in other languages write them: null for
 * what is left out, an empty list for an empty object, `required` as a flag, types of Python, lists of `items` and flags
 * for `exclusiveMinimum` of earlier drafts. Most vendors refuse the whole request for one of them ("None is not of type
 * 'array'", "JSON schema is invalid. It must match JSON Schema draft 2020-12").
 */

/** The schema in which references are looked up. */
class Root {
  private ids: boolean | null = null
  private readonly schema: JsonObject

  constructor(schema: JsonObject) {
    this.schema = schema
  }

  /** Whether a reference leads to a schema, or may do so. An id changes the meaning of all, which are not followed then. */
  has(value: Json): boolean {
    if (typeof value !== 'string') return false
    if (!value.startsWith('#/') || resolveReference(this.schema, value) !== undefined) return true
    // Read once: a schema may have many references that lead nowhere.
    this.ids ??= formatJson(this.schema).includes('"$id"')
    return this.ids
  }
}

/** The values of a keyword. */
interface Keyword {
  readonly isValid: (value: Json, root: Root) => boolean
  /** Returns the valid value that is meant; undefined if there is none. */
  readonly mend: (value: Json, root: Root) => Json | undefined
}

const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])

const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ...['str', 'text', 'char', 'date', 'datetime', 'uuid'].map((name) => [name, 'string'] as const),
  ...['int', 'long', 'int32', 'int64', 'uint'].map((name) => [name, 'integer'] as const),
  ...['float', 'double', 'decimal', 'numeric'].map((name) => [name, 'number'] as const),
  ['bool', 'boolean'],
  ...['dict', 'map', 'struct', 'record', 'hash'].map((name) => [name, 'object'] as const),
  ...['list', 'tuple', 'set', 'slice'].map((name) => [name, 'array'] as const),
  ...['none', 'nil', 'nonetype', 'undefined'].map((name) => [name, 'null'] as const),
])

function typeOf(name: unknown): string | null {
  const word = typeof name === 'string' ? name.toLowerCase() : ''
  return TYPES.has(word) ? word : (OTHER_NAMES.get(word) ?? null)
}

/** Lists of so many values are compared one by one. */
const SHORT = 16

const isUnique = (list: readonly Json[]): boolean =>
  list.length <= SHORT && list.every((one) => typeof one !== 'object')
    ? list.every((one, at) => list.indexOf(one) === at)
    : unique(list).length === list.length

const unique = (list: readonly Json[]): readonly Json[] => [
  ...new Map(list.map((one) => [typeof one === 'object' ? formatJson(one) : one, one])).values(),
]

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

const type: Keyword = {
  isValid: (value) =>
    isList(value) ? value.length > 0 && value.every((one) => TYPES.has(one)) && isUnique(value) : TYPES.has(value),
  mend(value) {
    if (!isList(value)) return typeOf(value) ?? undefined
    const names = value.map(typeOf)
    // With a type that is not known, any value may be meant.
    return names.length === 0 || names.includes(null) ? undefined : unique(names)
  },
}

/** A number, also as a text. `accepts`: the numbers that the keyword has. */
const numeric = (accepts: (value: number) => boolean): Keyword => ({
  isValid: (value) => typeof value === 'number' && accepts(value),
  mend(value) {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    return typeof number === 'number' && accepts(number) ? number : undefined
  },
})

const number = numeric(Number.isFinite)
const count = numeric((value) => Number.isInteger(value) && value >= 0)

const flag: Keyword = {
  isValid: (value) => typeof value === 'boolean',
  mend: (value) => (typeof value === 'boolean' ? value : undefined),
}

const text: Keyword = {
  isValid: (value) => typeof value === 'string',
  mend: (value) => (typeof value === 'object' ? undefined : String(value)),
}

const names: Keyword = {
  isValid: (value) => isList(value) && value.every((name) => typeof name === 'string') && isUnique(value),
  mend: (value) => (isList(value) ? unique(value.filter((name) => typeof name === 'string')) : undefined),
}

const values: Keyword = {
  isValid: (value) => isList(value) && value.length > 0 && isUnique(value),
  mend: (value) => (isList(value) && value.length > 0 ? unique(value) : undefined),
}

const reference: Keyword = {
  isValid: (value, root) => root.has(value),
  mend: (value, root) => (root.has(value) ? value : undefined),
}

const schema: Keyword = { isValid: (value, root) => isSound(value, root), mend: (value, root) => mendOne(value, root) }

const schemas: Keyword = {
  isValid: (value, root) => isList(value) && value.length > 0 && value.every((one) => isSound(one, root)),
  mend: (value, root) => (isList(value) && value.length > 0 ? value.map((one) => mendOne(one, root) ?? {}) : undefined),
}

/** A list of schemas, one for each entry, is the earlier form of `prefixItems`, which not every upstream has. */
const items: Keyword = {
  isValid: (value, root) => isSound(value, root),
  mend(value, root) {
    if (!isList(value)) return mendOne(value, root)
    const inner = value.map((one) => mendOne(one, root) ?? {})
    return inner.length > 1 ? { anyOf: inner } : (inner[0] ?? {})
  },
}

const byName: Keyword = {
  isValid(value, root) {
    if (!isObject(value)) return false
    for (const name in value) if (!isSound(value[name] as Json, root)) return false
    return true
  },
  mend: (value, root) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value as JsonObject).map(([name, one]) => [name, mendOne(one, root) ?? {}]))
      : undefined,
}

const all = (keyword: Keyword, ...list: readonly string[]) => list.map((name) => [name, keyword] as const)

const KEYWORDS: ReadonlyMap<string, Keyword> = new Map([
  ...all(type, 'type'),
  ...all(text, 'description', 'title', 'pattern', 'format', '$schema', '$id', '$comment'),
  ...all(byName, 'properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas'),
  ...all(names, 'required'),
  ...all(values, 'enum'),
  ...all(items, 'items'),
  ...all(schemas, 'anyOf', 'oneOf', 'allOf', 'prefixItems'),
  ...all(reference, '$ref'),
  ...all(schema, 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'),
  ...all(schema, 'unevaluatedItems', 'unevaluatedProperties'),
  ...all(number, 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'),
  ...all(
    numeric((value) => value > 0),
    'multipleOf',
  ),
  ...all(count, 'minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'),
  ...all(flag, 'uniqueItems', 'deprecated', 'readOnly', 'writeOnly'),
])

function isSound(value: Json, root: Root): boolean {
  if (!isObject(value)) return typeof value === 'boolean'
  for (const name in value) if (!isSoundMember(name, value[name] as Json, root)) return false
  return true
}

function isSoundMember(name: string, value: Json, root: Root): boolean {
  // Most members of most schemas, each of which costs a fifth of a search in the table.
  if (typeof value === 'string' && (name === 'description' || (name === 'type' && TYPES.has(value)))) return true
  const keyword = name === 'properties' ? byName : KEYWORDS.get(name)
  return keyword === undefined || keyword.isValid(value, root)
}

/** `exclusiveMinimum: true` beside a minimum, as in the fourth draft. */
const BOUNDS = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const

function withBounds(given: JsonObject): JsonObject {
  let bound = given
  for (const [flagged, name] of BOUNDS) {
    const { [name]: value, ...kept } = bound
    if (kept[flagged] === true && typeof value === 'number') bound = { ...kept, [flagged]: value }
  }
  return bound
}

/** Properties that are marked as required themselves, as in the third draft. */
const markedNames = ({ properties }: JsonRecord): readonly string[] =>
  isObject(properties)
    ? Object.entries(properties).flatMap(([name, one]) => (isObject(one) && one.required === true ? [name] : []))
    : []

/** Undefined: nothing is known about the values. */
function mendOne(value: Json, root: Root): Json | undefined {
  if (typeof value === 'boolean') return value
  if (!isObject(value)) {
    const name = typeOf(value)
    return name === null ? undefined : { type: name }
  }
  const marked = markedNames(value)
  const bound = withBounds(value as JsonObject)
  const given = marked.length === 0 ? bound : { ...bound, required: [...toNames(bound.required), ...marked] }
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, own]) => {
      const keyword = KEYWORDS.get(name)
      const mended = keyword === undefined ? own : keyword.mend(own, root)
      return mended === undefined ? [] : [[name, mended]]
    }),
  )
}

const toNames = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : [])

/**
 * Returns the schema with valid values of the keywords of JSON Schema; one that has no meaning is left out, so that the
 * schema accepts more. Returns the same schema if all are valid. O(n) for n keywords.
 */
export function validSchema(given: JsonObject): JsonObject {
  const root = new Root(given)
  if (isSound(given, root) || isDeeperThan(MAX_LENGTHS.nesting, given)) return given
  const mended = mendOne(given, root)
  return isObject(mended) ? (mended as JsonObject) : {}
}
