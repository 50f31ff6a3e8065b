import type { Json, JsonObject } from '../../../../protocol/json.ts'
import { MAX_LENGTHS } from '../../../../protocol/limits.ts'
import { addLoss, type Loss, mapped } from '../../../../protocol/loss.ts'
import { isObject } from '../../../../text/json.ts'
import { createMeasure, resolveReference } from './references.ts'

const ONE: ReadonlySet<string> = new Set([
  'items',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'contentSchema',
])
/** In older drafts, `items` is a list as well. */
const LISTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items'])
const MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas', 'dependencies'])
const DEFINITIONS: ReadonlySet<string> = new Set(['$defs', 'definitions'])

/** Keywords that describe a value and do not restrict it. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$comment',
  '$schema',
  '$id',
])

/** Removed with the first keyword: alone they would mean something else. */
const TOGETHER: ReadonlyMap<string, readonly string[]> = new Map([
  // A property that the pattern allowed would be forbidden as an additional one.
  ['patternProperties', ['additionalProperties']],
  ['contains', ['minContains', 'maxContains']],
  ['if', ['then', 'else']],
])

/** A keyword → those that go if a schema inside it accepts more than before, because they then accept less. */
const LOOSENED: ReadonlyMap<string, readonly string[]> = new Map([
  ['not', ['not']],
  ['if', ['if', 'then', 'else']],
  ['contains', ['maxContains']],
])
const INSIDE_CHANGED = 'removed, because a schema inside it, or beside it, accepts more than before'
const UNEVALUATED = ['unevaluatedProperties', 'unevaluatedItems'] as const

/** Without references they have no use, and inlined twice they would not be unique. */
const IDS: ReadonlySet<string> = new Set(['$id', '$anchor', '$dynamicAnchor'])

const without = (fields: JsonObject, names: readonly string[]): JsonObject =>
  names.length === 0 ? fields : Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

/** A schema that accepts what both accept. */
const conjunction = (first: Json, second: JsonObject): JsonObject => ({
  ...second,
  allOf: [first, ...(Array.isArray(second.allOf) ? second.allOf : [])],
})

/** An inlined schema and the keywords beside its reference, which describe it or restrict it further. */
function join(target: Json, beside: JsonObject): Json {
  if (Object.keys(beside).length === 0) return target
  if (isObject(target) && Object.keys(beside).every((name) => ANNOTATIONS.has(name))) return { ...target, ...beside }
  return conjunction(target, beside)
}

/** Accepts what the schema accepts, and every other value of its type. */
function typeOnly(schema: Json): Json {
  if (!isObject(schema)) return schema
  return typeof schema.type === 'string' ? { type: schema.type } : {}
}

/**
 * In UTF-16 units: what inlined schemas may add to a schema of `size`. Schemas that share definitions could otherwise
 * grow exponentially.
 */
const budgetOf = (size: number): number => 4 * size + 16_384

interface Place {
  readonly path: string
  readonly depth: number
  /** The references that are being inlined at this place. */
  readonly open: ReadonlySet<Json>
  /** False below a schema with an id of its own, where references mean other schemas. */
  readonly own: boolean
}

/**
 * Returns the schema without references and without the keywords of `removed`. It accepts every value that the original
 * accepts: a reference that cannot be inlined becomes a schema that accepts more, and what excludes values (`not`,
 * `oneOf`, `if`) is loosened where a schema inside it accepts more. The size is linear in that of the original.
 * `losses`: one for each change is added, with its path below `at`.
 */
export const inlineSchema = (root: JsonObject, at: string, removed: ReadonlySet<string>, losses: Loss[]): Json =>
  new Inliner(root, removed, losses).walk(root, { path: at, depth: 0, open: new Set(), own: true })

class Inliner {
  private readonly measure = createMeasure()
  private budget: number
  /** How often a schema was replaced by one that may accept more. */
  private loosened = 0
  private readonly root: JsonObject
  private readonly removed: ReadonlySet<string>
  private readonly losses: Loss[]

  constructor(root: JsonObject, removed: ReadonlySet<string>, losses: Loss[]) {
    this.root = root
    this.removed = removed
    this.losses = losses
    this.budget = budgetOf(this.measure(root))
  }

  walk(schema: Json, place: Place): Json {
    if (!isObject(schema)) return schema
    const { $ref: reference, ...others } = schema as JsonObject
    if (typeof reference !== 'string') return this.keywords(schema as JsonObject, place)
    const before = this.loosened
    const joined = join(this.inline(reference, place), this.keywords(others, place))
    if (this.loosened > before && isObject(joined)) return this.withoutUnevaluated(joined as JsonObject, place.path)
    return joined
  }

  private report(path: string, why: string): void {
    addLoss(this.losses, mapped(path, why))
  }

  private loosen(path: string, why: string): void {
    this.loosened += 1
    this.report(path, why)
  }

  private inline(reference: string, place: Place): Json {
    const path = `${place.path}.$ref`
    const target = place.own ? resolveReference(this.root, reference) : undefined
    if (target === undefined) {
      this.loosen(
        path,
        'the reference leads to no schema of this tool: removed, because this upstream refuses references',
      )
      return {}
    }
    if (place.open.has(target) || target === this.root) {
      this.loosen(path, 'the reference is recursive: the schema ends here, because this upstream refuses references')
      return typeOnly(target)
    }
    if (this.measure(target) > this.budget || place.depth > MAX_LENGTHS.nesting) {
      this.loosen(path, 'with its references inlined, the schema would be too large: it ends here')
      return typeOnly(target)
    }
    this.budget -= this.measure(target)
    this.report(path, 'inlined: this upstream refuses references, or a keyword of this schema')
    return this.walk(target, { ...place, depth: place.depth + 1, open: new Set([...place.open, target]) })
  }

  private keywords(schema: JsonObject, place: Place): JsonObject {
    const before = this.loosened
    const own = place.own && (place.depth === 0 || typeof schema.$id !== 'string')
    const gone = new Set(this.goneFrom(schema, place.path))
    for (const name of DEFINITIONS) {
      if (Object.hasOwn(schema, name)) this.report(`${place.path}.${name}`, 'removed: its schemas are inlined')
    }
    const loose = new Set<string>()
    const entries = Object.entries(schema)
      .filter(([name]) => !(gone.has(name) || DEFINITIONS.has(name) || (place.depth > 0 && IDS.has(name))))
      .map(([name, value]): [string, Json] => {
        const earlier = this.loosened
        const inner = { ...place, path: `${place.path}.${name}`, depth: place.depth + 1, own }
        const walked = this.applicator(name, value, inner)
        if (this.loosened > earlier) loose.add(name)
        return [name, walked]
      })
    const fields: JsonObject = Object.fromEntries(entries)
    if (this.loosened === before) return fields
    return this.withoutUnevaluated(this.loosenAround(fields, loose, place.path), place.path)
  }

  private goneFrom(schema: JsonObject, path: string): readonly string[] {
    const { removed } = this
    return Object.keys(schema)
      .filter((name) => removed.has(name))
      .flatMap((name) => {
        if (!ANNOTATIONS.has(name)) this.loosened += 1
        this.report(`${path}.${name}`, `removed, because this upstream refuses ${name}`)
        const others = (TOGETHER.get(name) ?? []).filter((other) => Object.hasOwn(schema, other) && !removed.has(other))
        for (const other of others) this.report(`${path}.${other}`, `removed together with ${name}`)
        return [name, ...others]
      })
  }

  private applicator(name: string, value: Json, place: Place): Json {
    const within = (inner: Json, step: string): Json => this.walk(inner, { ...place, path: place.path + step })
    if (LISTS.has(name) && Array.isArray(value)) return value.map((inner: Json, at) => within(inner, `[${at}]`))
    if (ONE.has(name)) return this.walk(value, place)
    if (!MAPS.has(name) || !isObject(value)) return value
    return Object.fromEntries(Object.entries(value as JsonObject).map(([key, it]) => [key, within(it, `.${key}`)]))
  }

  /** Changes the keywords that accept less if a schema inside them accepts more. */
  private loosenAround(fields: JsonObject, loose: ReadonlySet<string>, path: string): JsonObject {
    const { oneOf, ...rest } = fields
    const gone = [...loose].flatMap((name) => LOOSENED.get(name) ?? []).filter((name) => Object.hasOwn(fields, name))
    for (const name of gone) this.report(`${path}.${name}`, INSIDE_CHANGED)
    const kept = without(loose.has('oneOf') ? rest : fields, gone)
    if (oneOf === undefined || !loose.has('oneOf')) return kept
    this.report(`${path}.oneOf`, 'sent as anyOf, because a schema inside it accepts more than before')
    return Object.hasOwn(kept, 'anyOf') ? conjunction({ anyOf: oneOf }, kept) : { ...kept, anyOf: oneOf }
  }

  private withoutUnevaluated(fields: JsonObject, path: string): JsonObject {
    const gone = UNEVALUATED.filter((name) => Object.hasOwn(fields, name))
    for (const name of gone) this.report(`${path}.${name}`, INSIDE_CHANGED)
    return without(fields, gone)
  }
}
