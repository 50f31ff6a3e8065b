import type { Json, JsonObject } from '../../../../protocol/json.ts'
import { formatJson, isObject } from '../../../../text/json.ts'
import { createMeasure, resolveReference } from './references.ts'

export const ROOT_UNIONS = ['anyOf', 'oneOf', 'allOf'] as const

/** The objects that a schema accepts, or more of them. */
interface Shape {
  readonly properties: ReadonlyMap<string, Json>
  readonly required: ReadonlySet<string>
  /** The schema of all other properties: false forbids them. */
  readonly rest: Json
}

const OPEN: Shape = { properties: new Map(), required: new Set(), rest: true }

/** Levels of unions and references that are merged; deeper ones accept any object. */
const DEEPEST = 16

/** In UTF-16 units. Longer schemas of one property are listed twice rather than compared. */
const COMPARED = 2000

/** Whether a schema has a type that no object has. */
const isOther = ({ type }: JsonObject): boolean =>
  typeof type === 'string' ? type !== 'object' : Array.isArray(type) && !type.includes('object')

const toList = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])

/** How many of the lists contain each name. */
function countNames(lists: readonly Iterable<string>[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const list of lists) for (const name of list) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/**
 * Returns the schema as one object without `anyOf`, `oneOf` and `allOf` at its top level. It accepts every object that
 * the original accepts: a property that one variant restricts and another leaves open has its schema only as a
 * suggestion, beside one that accepts any value. Time and size are linear in the size of the schema.
 */
export function mergeRoot(root: JsonObject): JsonObject {
  const measure = createMeasure()
  const size = measure(root)
  /** Merged properties so far. A schema that needs more than its own size is not described further. */
  let merged = 0

  const distinct = (schemas: readonly Json[]): readonly Json[] => {
    if (schemas.length < 2) return schemas
    const known = new Map(schemas.map((it): [unknown, Json] => [measure(it) > COMPARED ? it : formatJson(it), it]))
    return [...known.values()]
  }

  /** The schemas of each property, in the order of its first one. */
  const collect = (shapes: readonly Shape[]): ReadonlyMap<string, readonly Json[]> => {
    const found = new Map<string, Json[]>()
    for (const { properties } of shapes) {
      merged += properties.size
      for (const [name, schema] of properties) {
        const known = found.get(name)
        if (known === undefined) found.set(name, [schema])
        else known.push(schema)
      }
    }
    return found
  }

  const join = (keyword: 'allOf' | 'anyOf', schemas: readonly Json[]): Json => {
    const [first = {}, ...more] = distinct(schemas)
    return more.length === 0 ? first : { [keyword]: [first, ...more] }
  }

  /** The objects that are in every shape. */
  const all = (shapes: readonly Shape[]): Shape => ({
    properties: new Map([...collect(shapes)].map(([name, schemas]) => [name, join('allOf', schemas)])),
    required: new Set(shapes.flatMap(({ required }) => [...required])),
    rest: shapes.some(({ rest }) => rest === false) ? false : (shapes.find(({ rest }) => rest !== true)?.rest ?? true),
  })

  /** The objects that are in one shape or several. */
  const either = (shapes: readonly Shape[]): Shape => {
    const [only = OPEN, ...others] = shapes
    if (others.length === 0) return only
    const open = shapes.filter(({ rest }) => rest !== false)
    const opened = countNames(open.map(({ properties }) => properties.keys()))
    const needed = countNames(shapes.map(({ required }) => required))
    const properties = [...collect(shapes)].map(([name, schemas]): [string, Json] => [
      name,
      join('anyOf', (opened.get(name) ?? 0) < open.length ? [...schemas, {}] : schemas),
    ])
    const required = [...needed].filter(([, count]) => count === shapes.length).map(([name]) => name)
    return { properties: new Map(properties), required: new Set(required), rest: open.length > 0 }
  }

  /** null: the schema accepts no object. */
  const shapeOf = (schema: Json, depth: number): Shape | null => {
    if (schema === false) return null
    if (!isObject(schema) || depth > DEEPEST || merged > size) return OPEN
    return isOther(schema as JsonObject) ? null : shapeOfObject(schema as JsonObject, depth)
  }

  const shapeOfObject = (schema: JsonObject, depth: number): Shape | null => {
    const { $ref: reference, anyOf, oneOf } = schema
    const target = typeof reference === 'string' ? resolveReference(root, reference) : undefined
    const parts = [ownShape(schema)]
    if (target !== undefined && target !== root) parts.push(shapeOf(target, depth + 1) ?? OPEN)
    for (const inner of toList(schema.allOf)) parts.push(shapeOf(inner, depth + 1) ?? OPEN)
    for (const variants of [anyOf, oneOf].map(toList)) {
      if (variants.length === 0) continue
      const shapes = variants.map((inner) => shapeOf(inner, depth + 1)).filter((it) => it !== null)
      parts.push(either(shapes))
    }
    return all(parts)
  }

  const ownShape = (schema: JsonObject): Shape => {
    const properties = isObject(schema.properties) ? Object.entries(schema.properties as JsonObject) : []
    const required = toList(schema.required).filter((name) => typeof name === 'string')
    merged += properties.length
    return {
      properties: new Map(properties),
      required: new Set(required),
      // A property that a pattern allows is no additional property.
      rest: isObject(schema.patternProperties) ? true : (schema.additionalProperties ?? true),
    }
  }

  const { properties, required, rest } = shapeOfObject(root, 0) ?? OPEN
  const { anyOf, oneOf, allOf, additionalProperties, unevaluatedProperties, ...others } = root
  const named = Object.fromEntries(properties)
  return {
    ...others,
    type: 'object',
    properties:
      measure(named) > 2 * size ? Object.fromEntries([...properties.keys()].map((name) => [name, {}])) : named,
    ...(required.size === 0 ? {} : { required: [...required] }),
    ...(rest === true ? {} : { additionalProperties: rest }),
  }
}
