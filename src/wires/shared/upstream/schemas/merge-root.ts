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
  const merger = new Merger(root)
  const { properties, required, rest } = merger.shapeOfObject(root, 0) ?? OPEN
  const { anyOf, oneOf, allOf, additionalProperties, unevaluatedProperties, ...others } = root
  const named = Object.fromEntries(properties)
  const isLarge = merger.measure(named) > 2 * merger.size
  return {
    ...others,
    type: 'object',
    properties: isLarge ? Object.fromEntries([...properties.keys()].map((name) => [name, {}])) : named,
    ...(required.size === 0 ? {} : { required: [...required] }),
    ...(rest === true ? {} : { additionalProperties: rest }),
  }
}

class Merger {
  readonly measure = createMeasure()
  readonly size: number
  private readonly root: JsonObject
  /** Merged properties so far. A schema that needs more than its own size is not described further. */
  private merged = 0

  constructor(root: JsonObject) {
    this.root = root
    this.size = this.measure(root)
  }

  shapeOfObject(schema: JsonObject, depth: number): Shape | null {
    const { $ref: reference, anyOf, oneOf } = schema
    const target = typeof reference === 'string' ? resolveReference(this.root, reference) : undefined
    const parts = [this.ownShape(schema)]
    if (target !== undefined && target !== this.root) parts.push(this.shapeOf(target, depth + 1) ?? OPEN)
    for (const inner of toList(schema.allOf)) parts.push(this.shapeOf(inner, depth + 1) ?? OPEN)
    for (const variants of [anyOf, oneOf].map(toList)) {
      if (variants.length === 0) continue
      const shapes = variants.map((inner) => this.shapeOf(inner, depth + 1)).filter((it) => it !== null)
      parts.push(this.either(shapes))
    }
    return this.all(parts)
  }

  /** null: the schema accepts no object. */
  private shapeOf(schema: Json, depth: number): Shape | null {
    if (schema === false) return null
    if (!isObject(schema) || depth > DEEPEST || this.merged > this.size) return OPEN
    return isOther(schema as JsonObject) ? null : this.shapeOfObject(schema as JsonObject, depth)
  }

  private ownShape(schema: JsonObject): Shape {
    const properties = isObject(schema.properties) ? Object.entries(schema.properties as JsonObject) : []
    const required = toList(schema.required).filter((name) => typeof name === 'string')
    this.merged += properties.length
    return {
      properties: new Map(properties),
      required: new Set(required),
      // A property that a pattern allows is no additional property.
      rest: isObject(schema.patternProperties) ? true : (schema.additionalProperties ?? true),
    }
  }

  /** The objects that are in every shape. */
  private all(shapes: readonly Shape[]): Shape {
    return {
      properties: new Map([...this.collect(shapes)].map(([name, schemas]) => [name, this.join('allOf', schemas)])),
      required: new Set(shapes.flatMap(({ required }) => [...required])),
      rest: shapes.some(({ rest }) => rest === false)
        ? false
        : (shapes.find(({ rest }) => rest !== true)?.rest ?? true),
    }
  }

  /** The objects that are in one shape or several. */
  private either(shapes: readonly Shape[]): Shape {
    const [only = OPEN, ...others] = shapes
    if (others.length === 0) return only
    const open = shapes.filter(({ rest }) => rest !== false)
    const opened = countNames(open.map(({ properties }) => properties.keys()))
    const needed = countNames(shapes.map(({ required }) => required))
    const properties = [...this.collect(shapes)].map(([name, schemas]): [string, Json] => [
      name,
      this.join('anyOf', (opened.get(name) ?? 0) < open.length ? [...schemas, {}] : schemas),
    ])
    const required = [...needed].filter(([, count]) => count === shapes.length).map(([name]) => name)
    return { properties: new Map(properties), required: new Set(required), rest: open.length > 0 }
  }

  /** The schemas of each property, in the order of its first one. */
  private collect(shapes: readonly Shape[]): ReadonlyMap<string, readonly Json[]> {
    const found = new Map<string, Json[]>()
    for (const { properties } of shapes) {
      this.merged += properties.size
      for (const [name, schema] of properties) {
        const known = found.get(name)
        if (known === undefined) found.set(name, [schema])
        else known.push(schema)
      }
    }
    return found
  }

  private join(keyword: 'allOf' | 'anyOf', schemas: readonly Json[]): Json {
    const [first = {}, ...more] = this.distinct(schemas)
    return more.length === 0 ? first : { [keyword]: [first, ...more] }
  }

  private distinct(schemas: readonly Json[]): readonly Json[] {
    if (schemas.length < 2) return schemas
    const known = new Map(schemas.map((it): [unknown, Json] => [this.measure(it) > COMPARED ? it : formatJson(it), it]))
    return [...known.values()]
  }
}
