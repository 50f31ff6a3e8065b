import type { Json, JsonObject } from '../../../../protocol/json.ts'
import { formatJson, isObject } from '../../../../text/json.ts'
import type { KeyNames } from '../../../../text/rename-keys.ts'
import { mapSchemas } from './map-schemas.ts'
import { mergeRoot, ROOT_UNIONS } from './merge-root.ts'
import { resolveReference } from './references.ts'

/** Keywords whose schemas describe the same object. */
const CONDITIONS = ['not', 'if', 'then', 'else'] as const
/** Keywords whose members have names of properties: of a schema for the same object, or of a list of names. */
const BY_NAME = ['dependentRequired', 'dependentSchemas', 'dependencies'] as const
/** Keywords with values of the object, and with lists of them. */
const VALUES: ReadonlySet<string> = new Set(['default', 'const'])
const VALUE_LISTS: ReadonlySet<string> = new Set(['examples', 'enum'])

/** The name of a property of the outermost object, with its path. */
interface RootName {
  readonly name: string
  readonly path: string
  /** It stands in a schema that others refer to. */
  readonly isShared: boolean
}

const strings = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : NO_STRINGS

const NO_STRINGS: readonly string[] = []

const entriesOf = (value: unknown): readonly (readonly [string, Json])[] =>
  isObject(value) ? Object.entries(value as JsonObject) : []

/**
 * Returns the names that a schema has for properties of the outermost object, also in its unions, conditions and
 * references; those of nested objects are left out. Visits each schema at most twice.
 */
export function rootNames(root: JsonObject, at: string): RootName[] {
  const found: RootName[] = []
  const visited = { own: new Set<Json>(), shared: new Set<Json>() }
  const visit = (schema: Json | undefined, path: string, isShared: boolean): void => {
    const seen = isShared ? visited.shared : visited.own
    if (!isObject(schema) || seen.has(schema as JsonObject)) return
    seen.add(schema as JsonObject)
    const others = schema as JsonObject
    const { properties, required, $ref: reference } = others
    for (const [name] of entriesOf(properties)) found.push({ name, path: `${path}.properties.${name}`, isShared })
    for (const name of strings(required)) found.push({ name, path: `${path}.required`, isShared })
    for (const keyword of BY_NAME)
      for (const [name, value] of entriesOf(others[keyword])) {
        const inner = `${path}.${keyword}.${name}`
        for (const one of [name, ...strings(value)]) found.push({ name: one, path: inner, isShared })
        visit(value, inner, isShared)
      }
    for (const keyword of CONDITIONS) visit(others[keyword], `${path}.${keyword}`, isShared)
    for (const keyword of ROOT_UNIONS) {
      const branches = others[keyword]
      if (Array.isArray(branches))
        branches.forEach((branch: Json, index) => visit(branch, `${path}.${keyword}[${index}]`, isShared))
    }
    if (typeof reference === 'string' && reference !== '#')
      visit(resolveReference(root, reference), `${at}${reference.slice(1).replaceAll('/', '.')}`, true)
  }
  visit(root, at, false)
  return found
}

const ROOT_REFERENCE = /^#(?!\/(?:\$defs|definitions)(?:\/|$))(?:\/|$)/
const HAS_ROOT_REFERENCE = /"\$ref":"#(?!\/(?:\$defs|definitions)\/)(?:\/|")/

/**
 * Returns the schema with a definition of its own for what refers to the outermost object, or to a part of it: nested
 * objects keep their names.
 */
function withOwnDefinition(root: JsonObject): JsonObject {
  if (!HAS_ROOT_REFERENCE.test(formatJson(root))) return root
  const definitions = isObject(root.$defs) ? (root.$defs as JsonObject) : {}
  let name = 'arguments'
  for (let count = 2; Object.hasOwn(definitions, name); count += 1) name = `arguments_${count}`
  const redirected = mapSchemas(root, '', (schema) => {
    const { $ref: reference } = schema
    return typeof reference === 'string' && ROOT_REFERENCE.test(reference)
      ? { ...schema, $ref: `#/$defs/${name}${reference.slice(1)}` }
      : schema
  }) as JsonObject
  const { $defs, definitions: _, $schema: __, $id: ___, ...own } = redirected
  return { ...redirected, $defs: { ...(isObject($defs) ? ($defs as JsonObject) : {}), [name]: own } }
}

/** Renames what stands in the schema itself. */
function renamed(schema: JsonObject, names: KeyNames): JsonObject {
  const rename = (name: string): string => names.get(name) ?? name
  const inside = (value: Json): Json => (isObject(value) ? renamed(value as JsonObject, names) : value)
  const list = (value: readonly Json[]): Json => value.map((one) => (typeof one === 'string' ? rename(one) : one))
  const argumentsOf = (value: Json): Json => (isObject(value) ? withKeys(value as JsonObject, names) : value)
  const byName = (value: Json, change: (inner: Json) => Json): Json =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value as JsonObject).map(([name, inner]) => [rename(name), change(inner)]))
      : value
  const member = (keyword: string, value: Json): Json => {
    if (keyword === 'properties') return byName(value, (inner) => inner)
    if (keyword === 'required') return Array.isArray(value) ? list(value) : value
    if (isOneOf(BY_NAME, keyword)) return byName(value, (inner) => (Array.isArray(inner) ? list(inner) : inside(inner)))
    if (isOneOf(CONDITIONS, keyword)) return inside(value)
    if (isOneOf(ROOT_UNIONS, keyword)) return Array.isArray(value) ? value.map(inside) : value
    if (VALUES.has(keyword)) return argumentsOf(value)
    return VALUE_LISTS.has(keyword) && Array.isArray(value) ? value.map(argumentsOf) : value
  }
  return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, member(keyword, value)]))
}

const isOneOf = (list: readonly string[], name: string): boolean => list.includes(name)

const withKeys = (value: JsonObject, names: KeyNames): JsonObject =>
  Object.fromEntries(Object.entries(value).map(([name, inner]) => [names.get(name) ?? name, inner]))

/** The root unions and the reference that became one object; empty if the schema has its own form. */
interface RenamedSchema {
  readonly schema: JsonObject
  readonly merged: readonly string[]
}

/**
 * Returns the schema with these names for properties of the outermost object; nested objects keep theirs. What stands in
 * shared schemas is merged into the outermost one first.
 */
export function renameRoot(root: JsonObject, names: KeyNames): RenamedSchema {
  const own = withOwnDefinition(root)
  const isShared = rootNames(own, '').some((one) => one.isShared && names.has(one.name))
  if (!isShared) return { schema: renamed(own, names), merged: [] }
  const { $ref: _, ...merged } = mergeRoot(own)
  const keywords = ['$ref', ...ROOT_UNIONS].filter((keyword) => Object.hasOwn(own, keyword))
  return { schema: renamed(merged, names), merged: keywords }
}
