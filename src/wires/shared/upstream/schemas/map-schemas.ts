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

/** Changes one schema, without those inside it. `path`: returns its path, for losses. */
export type ChangeSchema = (schema: JsonObject, path: () => string) => JsonObject

/** A walk through all schemas of one. Most need no path, so that only its steps are kept. */
class SchemaWalk {
  private readonly steps: (string | number)[] = []
  private readonly start: string
  private readonly change: ChangeSchema
  private readonly except: ReadonlySet<string> | undefined

  constructor(start: string, change: ChangeSchema, except: ReadonlySet<string> | undefined) {
    this.start = start
    this.change = change
    this.except = except
  }

  private readonly path = (): string =>
    this.start + this.steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')

  map(schema: Json): Json {
    return isObject(schema) ? this.members(this.change(schema as JsonObject, this.path), false) : schema
  }

  /** The object with changed members; the same object if none is. `isMap`: each member is a schema. */
  private members(object: JsonObject, isMap: boolean): JsonObject {
    let changed: Record<string, Json> | null = null
    for (const name in object) {
      const value = object[name] as Json
      if (typeof value !== 'object' || value === null) continue
      this.steps.push(name)
      const own = isMap ? this.map(value) : this.inside(name, value)
      this.steps.pop()
      if (own === value) continue
      changed ??= { ...object }
      changed[name] = own
    }
    return changed ?? object
  }

  private inside(name: string, value: JsonObject | readonly Json[]): Json {
    if (this.except?.has(name) === true) return value
    if (isList(value)) return LISTS.has(name) ? this.list(value) : value
    if (ONE.has(name)) return this.map(value)
    return MAPS.has(name) ? this.members(value, true) : value
  }

  private list(values: readonly Json[]): readonly Json[] {
    const changed = values.map((value, at) => {
      this.steps.push(at)
      const own = this.map(value)
      this.steps.pop()
      return own
    })
    return changed.every((value, at) => value === values[at]) ? values : changed
  }
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

/**
 * Changes a schema and then the schemas inside it, except those of these keywords. Returns the same schema if `change`
 * returns the same objects. Linear in the size of the schema.
 */
export const mapSchemas = (schema: Json, path: string, change: ChangeSchema, except?: ReadonlySet<string>): Json =>
  new SchemaWalk(path, change, except).map(schema)
