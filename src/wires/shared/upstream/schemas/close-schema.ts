import type { Json, JsonObject } from '../../../../protocol/json.ts'
import { addLoss, type Loss, mapped } from '../../../../protocol/loss.ts'
import { formatJson, isObject } from '../../../../text/json.ts'
import { mapSchemas } from './map-schemas.ts'
import { isRecursive } from './references.ts'
import { STRICT_FORMATS, STRICT_KEYWORDS } from './strict-schema.ts'

/** Keywords that Claude's structured output refuses: "For 'integer' type, property 'minimum' is not supported". */
export const CLOSED_BOUNDS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'prefixItems',
  'contains',
  'minContains',
  'maxContains',
  'minProperties',
  'maxProperties',
  'propertyNames',
  'patternProperties',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedProperties',
  'unevaluatedItems',
  'not',
  'if',
  'then',
  'else',
] as const

const FORMATS: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
])

/** How much of its grammar a request may use: all strict tools and the format together. */
export interface SchemaSize {
  /** Properties that are not required. */
  readonly optional: number
  /** Unions: `anyOf`, and lists of types. */
  readonly unions: number
}

interface ClosedSchema {
  readonly schema: JsonObject
  readonly losses: readonly Loss[]
  readonly size: SchemaSize
}

/** Whether a schema describes an object whose properties have no fixed names: closed, it would accept only `{}`. */
function isMap({ properties, additionalProperties, patternProperties }: JsonObject): boolean {
  const named = isObject(properties) && Object.keys(properties).length > 0
  return !named && (isObject(additionalProperties) || additionalProperties === true || isObject(patternProperties))
}

const isObjectSchema = ({ type, properties }: JsonObject): boolean =>
  type === 'object' || isObject(properties) || (Array.isArray(type) && type.includes('object'))

/** A sentence for what the schema cannot state any more. */
function describe(fields: JsonObject, moved: readonly (readonly [string, Json])[]): string {
  const rules = moved.map(([name, value]) => `${name}: ${formatJson(value)}`).join(', ')
  const { description } = fields
  return typeof description === 'string' && description !== '' ? `${description} (${rules})` : rules
}

/** A list of one schema says what the schema says: "'allOf' is not permitted", and Claude's "`allOf` with `$ref`". */
function withoutAllOf(schema: JsonObject): JsonObject {
  const { allOf: all, ...rest } = schema
  if (!Array.isArray(all) || all.length !== 1 || !isObject(all[0])) return schema
  const only = all[0] as JsonObject
  return Object.keys(only).some((name) => Object.hasOwn(rest, name)) ? schema : withoutAllOf({ ...only, ...rest })
}

/** Words of a schema that an upstream refuses: keywords, and formats of strings. */
interface Subset {
  readonly refused: ReadonlySet<string>
  readonly formats: ReadonlySet<unknown>
}

const CLOSED: Subset = { refused: new Set(CLOSED_BOUNDS), formats: FORMATS }

const OF_NUMBERS: ReadonlySet<string> = new Set(CLOSED_BOUNDS.slice(0, CLOSED_BOUNDS.indexOf('minLength')))

/** Strict schemas by the kind that an upstream requires (`strictSchemas`). */
const STRICT = {
  complete: {
    refused: new Set(CLOSED_BOUNDS.filter((name) => !STRICT_KEYWORDS.has(name))),
    formats: STRICT_FORMATS,
  },
  // "Invalid fields for schema with types ['array']: {'minItems', 'maxItems'}", "['string']: {'format'}" (Cerebras).
  closed: { refused: new Set(CLOSED_BOUNDS.filter((name) => !OF_NUMBERS.has(name))), formats: new Set() },
} satisfies Record<string, Subset>

/** "The shorthand "type": [ … ] is not supported" (Cerebras). What describes the value stays outside of the union. */
function withUnion({ type, title, description, ...others }: JsonObject): JsonObject {
  const named = { ...(title === undefined ? {} : { title }), ...(description === undefined ? {} : { description }) }
  const branches = (type as readonly Json[]).map((one) => ({ type: one, ...(one === 'null' ? {} : others) }))
  return { ...named, anyOf: branches }
}

/** "required … must be … an array including every key in properties. Extra required key 'q' supplied." */
function withoutUnnamed(schema: JsonObject, path: () => string, losses: Loss[]): JsonObject {
  const { properties, required } = schema
  if (!isObject(properties) || !Array.isArray(required)) return schema
  const named = (required as readonly Json[]).filter((name) => Object.hasOwn(properties, String(name)))
  if (named.length === required.length) return schema
  addLoss(losses, mapped(`${path()}.required`, 'without names that are no property, which this upstream refuses'))
  return { ...schema, required: named }
}

/** Moves the words that the subset does not have to the description. `oneOf` becomes `anyOf`, unless there is one. */
function bound(schema: JsonObject, { refused, formats }: Subset, path: () => string, losses: Loss[]): JsonObject {
  const moved = Object.entries(schema).filter(
    ([name, value]) =>
      refused.has(name) ||
      (name === 'format' && !formats.has(value)) ||
      (name === 'oneOf' && schema.anyOf !== undefined),
  )
  for (const [name] of moved)
    addLoss(
      losses,
      mapped(`${path()}.${name}`, 'moved to the description, because this upstream refuses it in schemas'),
    )
  if (moved.length === 0 && schema.oneOf === undefined) return schema
  const { oneOf, ...others } = Object.fromEntries(
    Object.entries(schema).filter((entry) => !moved.some(([name]) => name === entry[0])),
  )
  const fields: JsonObject = oneOf === undefined ? others : { ...others, anyOf: oneOf }
  if (oneOf !== undefined) addLoss(losses, mapped(`${path()}.oneOf`, 'sent as anyOf, because this upstream refuses it'))
  return moved.length === 0 ? fields : { ...fields, description: describe(fields, moved) }
}

/**
 * Returns a schema in the words of strict schemas: "$ref cannot have keywords {'description'}", so that one stands in a
 * union of its own. The same schema if it has only such words. Linear in its size.
 */
export function strictWords(
  root: JsonObject,
  at: string,
  kind: keyof typeof STRICT,
): Pick<ClosedSchema, 'schema' | 'losses'> {
  const losses: Loss[] = []
  const schema = mapSchemas(root, at, (given, path) => {
    const words = bound(withoutUnnamed(withoutAllOf(given), path, losses), STRICT[kind], path, losses)
    const isUnion = kind === 'closed' && Array.isArray(words.type) && words.anyOf === undefined
    const fields = isUnion ? withUnion(words) : words
    const { $ref: reference, ...beside } = fields
    const isAlone = reference === undefined || beside.anyOf !== undefined || Object.keys(beside).length === 0
    return isAlone || given === root ? fields : { ...beside, anyOf: [{ $ref: reference }] }
  })
  return { schema: schema as JsonObject, losses }
}

/**
 * Returns the schema in the subset of Claude's structured output: closed objects, no bounds, which move to the
 * description, and `anyOf` for `oneOf`. null: the subset has no such schema, because it is recursive, leads elsewhere,
 * or has objects whose properties have no fixed names. Linear in the size of the schema.
 */
export function closeSchema(root: JsonObject, at: string): ClosedSchema | null {
  const losses: Loss[] = []
  let optional = 0
  let unions = 0
  let isPossible = !isRecursive(root)
  let isClosed = false
  const close = (schema: JsonObject, path: () => string): JsonObject => {
    const joined = withoutAllOf(schema)
    const { $ref: reference } = joined
    if (isMap(joined) || (typeof reference === 'string' && !reference.startsWith('#'))) isPossible = false
    const fields = bound(joined, CLOSED, path, losses)
    if (fields.anyOf !== undefined || Array.isArray(fields.type)) unions += 1
    if (!isObjectSchema(fields)) return fields
    const { properties, required } = fields
    const names = isObject(properties) ? Object.keys(properties) : []
    const needed = new Set(Array.isArray(required) ? required : [])
    optional += names.filter((name) => !needed.has(name)).length
    if (fields.additionalProperties !== false) isClosed = true
    return { ...fields, additionalProperties: false }
  }
  const closed = mapSchemas(root, at, close)
  if (!isPossible || !isObject(closed)) return null
  if (isClosed) losses.unshift(mapped(at, 'objects without other properties, the only ones that this upstream accepts'))
  return { schema: closed as JsonObject, losses, size: { optional, unions } }
}
