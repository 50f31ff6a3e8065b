import type { Json, JsonObject } from '../../../../protocol/json.ts'
import { isObject } from '../../../../text/json.ts'

const ONE: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
])
const LISTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items'])
const MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
])

/** Changes one schema, without those inside it. `path`: its path, for losses. */
export type ChangeSchema = (schema: JsonObject, path: string) => JsonObject

/**
 * Changes a schema and then the schemas inside it, except those of these keywords. Linear in the size of the schema.
 */
export function mapSchemas(schema: Json, path: string, change: ChangeSchema, except?: ReadonlySet<string>): Json {
  if (!isObject(schema)) return schema
  const inside = (name: string, value: Json, at: string): Json => {
    if (except?.has(name) === true) return value
    if (Array.isArray(value))
      return LISTS.has(name)
        ? value.map((inner: Json, index) => mapSchemas(inner, `${at}[${index}]`, change, except))
        : value
    if (ONE.has(name)) return mapSchemas(value, at, change, except)
    if (!MAPS.has(name) || !isObject(value)) return value
    const entries = Object.entries(value as JsonObject)
    return Object.fromEntries(entries.map(([key, inner]) => [key, mapSchemas(inner, `${at}.${key}`, change, except)]))
  }
  const changed = change(schema as JsonObject, path)
  return Object.fromEntries(
    Object.entries(changed).map(([name, value]) => [name, inside(name, value, `${path}.${name}`)]),
  )
}
