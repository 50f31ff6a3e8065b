import type { Json, JsonObject } from '../../../protocol/json.ts'
import { isObject, toCamel } from '../../../text/json.ts'
import { dropField, rejectField } from '../../shared/client/request-reader.ts'
import type { ReadFields } from './fields.ts'

/** The greatest depth of a schema. Deeper schemas are rejected. */
const DEEPEST = 64

/** Google's name of a keyword → its name in JSON Schema. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['ref', '$ref'],
  ['defs', '$defs'],
])

/** The format `enum` only repeats the keyword `enum`. */
const isSilent = (name: string, value: unknown): boolean => name === 'format' && value === 'enum'

const NESTED: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not'])
const LISTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
const MAPS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions'])

// Google's JSON writes int64 values as strings.
const COUNTS: ReadonlySet<string> = new Set([
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
])

/** Converts `parameters` or `responseSchema`, a subset of OpenAPI with types in capitals, to JSON Schema. */
export function decodeSchema({ record, path, notes }: ReadFields): JsonObject {
  const state = { tooDeep: false }

  const inner = (value: unknown, depth: number, at: string): Json => {
    if (!isObject(value)) return value as Json
    state.tooDeep ||= depth > DEEPEST
    if (state.tooDeep) return {}
    const fields = Object.entries(value).flatMap(([given, found]) => {
      const camel = toCamel(given)
      const name = RENAMED.get(camel) ?? camel
      if (name === 'propertyOrdering') dropField(notes, `${at}.${given}`, 'JSON Schema does not order properties')
      if (isSilent(name, found) || name === 'propertyOrdering' || name === 'nullable') return []
      return entry(name, found, depth + 1, `${at}.${given}`)
    })
    const schema: JsonObject = Object.fromEntries(fields)
    if (value.nullable !== true) return schema
    if (typeof schema.type !== 'string' && !Array.isArray(schema.anyOf))
      dropField(notes, `${at}.nullable`, 'the schema has no type that null could be added to')
    return orNull(schema)
  }

  const entry = (name: string, value: unknown, depth: number, at: string): readonly (readonly [string, Json])[] => {
    if (name === 'type') return typesOf(value)
    if (name === '$ref' && typeof value === 'string') return [[name, value.replace(/^#\/defs\//, '#/$defs/')]]
    if (name === 'example') return [['examples', [value as Json]]]
    if (NESTED.has(name)) return [[name, inner(value, depth, at)]]
    if (LISTS.has(name) && Array.isArray(value)) return [[name, value.map((it, i) => inner(it, depth, `${at}[${i}]`))]]
    if (MAPS.has(name) && isObject(value)) {
      return [
        [name, Object.fromEntries(Object.entries(value).map(([key, it]) => [key, inner(it, depth, `${at}.${key}`)]))],
      ]
    }
    if (COUNTS.has(name) && typeof value === 'string' && /^\d{1,15}$/.test(value)) return [[name, Number(value)]]
    return [[name, value as Json]]
  }

  const schema = inner(record, 0, path)
  if (state.tooDeep) rejectField(notes, path, `expected a schema with at most ${DEEPEST} levels of nesting`)
  return schema as JsonObject
}

const lower = (type: unknown): Json => (typeof type === 'string' ? type.toLowerCase() : (type as Json))

function typesOf(value: unknown): readonly (readonly [string, Json])[] {
  if (value === 'TYPE_UNSPECIFIED') return []
  return [['type', Array.isArray(value) ? value.map(lower) : lower(value)]]
}

/** Expresses OpenAPI's `nullable` in JSON Schema. */
function orNull(schema: JsonObject): JsonObject {
  const { type, anyOf } = schema
  const listed = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {}
  if (typeof type === 'string') return { ...schema, ...listed, type: [type, 'null'] }
  return Array.isArray(anyOf) ? { ...schema, ...listed, anyOf: [...anyOf, { type: 'null' }] } : { ...schema, ...listed }
}
