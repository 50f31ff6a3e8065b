import type { JsonObject, JsonRecord } from '../../../../protocol/json.ts'
import { isObject } from '../../../../text/json.ts'
import { mapSchemas } from './map-schemas.ts'

/** Keywords of strict schemas (OpenAI's guide on structured outputs, "Supported schemas"). */
export const STRICT_KEYWORDS: ReadonlySet<string> = new Set([
  'type',
  'title',
  'description',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
  'anyOf',
  '$ref',
  '$defs',
  'definitions',
  '$schema',
  'pattern',
  'format',
  'multipleOf',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minItems',
  'maxItems',
])

export const STRICT_FORMATS: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
])

/** "A schema may have up to 5000 object properties total, with up to 10 levels of nesting", and 1000 values of enums. */
const MOST = { properties: 5000, values: 1000, levels: 10 } as const

export const isOfObjects = ({ type, properties }: JsonRecord): boolean =>
  type === 'object' || properties !== undefined || (Array.isArray(type) && type.includes('object'))

/** Whether an object has no other properties than those that it names, and requires each of them, and nothing else. */
function isClosed({ properties, required, additionalProperties }: JsonObject): boolean {
  if (additionalProperties !== false || !isObject(properties)) return false
  const needed = new Set<unknown>(Array.isArray(required) ? required : [])
  const names = Object.keys(properties)
  return (
    needed.size === names.length && names.every((name) => needed.has(name)) && Object.values(properties).every(isObject)
  )
}

/** Whether a schema is of a type: OpenAI refuses one of any value as strict ("schema must have a 'type' key"). */
export const hasType = ({ type, anyOf, $ref, enum: values, const: value }: JsonRecord): boolean =>
  type !== undefined || anyOf !== undefined || $ref !== undefined || values !== undefined || value !== undefined

/**
 * Whether OpenAI enforces the schema as it stands, so that `strict` changes nothing in what it accepts. Linear in its
 * size.
 */
export function isStrictSchema(root: JsonObject | null): root is JsonObject {
  if (root?.type !== 'object') return false
  let isStrict = true
  let properties = 0
  let values = 0
  mapSchemas(root, '', (schema, path) => {
    if (!isStrict) return {}
    const names = Object.keys(schema)
    properties += isObject(schema.properties) ? Object.keys(schema.properties).length : 0
    values += Array.isArray(schema.enum) ? schema.enum.length : 0
    isStrict =
      names.every((name) => STRICT_KEYWORDS.has(name)) &&
      hasType(schema) &&
      (schema.format === undefined || STRICT_FORMATS.has(schema.format)) &&
      // "$ref cannot have keywords {'description'}".
      (typeof schema.$ref !== 'string' || (schema.$ref.startsWith('#') && names.length === 1)) &&
      (schema.items === undefined || isObject(schema.items)) &&
      (schema.type !== 'array' || schema.items !== undefined) &&
      (!isOfObjects(schema) || isClosed(schema)) &&
      path().split('.').length <= 2 * MOST.levels &&
      properties <= MOST.properties &&
      values <= MOST.values
    return isStrict ? schema : {}
  })
  return isStrict
}
