import { mapSame } from '../../collections/map-same.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { isNonEmptyString, isObject } from '../../text/json.ts'
import type { ChangeText } from '../client-contract.ts'

/** Changes the value of a member; returns the object itself if nothing changes. */
export function mapMember(object: JsonObject, name: string, map: (value: Json) => Json): JsonObject {
  const value = object[name]
  if (value === undefined || value === null) return object
  const mapped = map(value)
  return mapped === value ? object : { ...object, [name]: mapped }
}

/** Changes each object of a list; returns the value itself if it is no list, or if nothing changes. */
export function mapObjects(value: Json, map: (object: JsonObject) => Json): Json {
  if (!Array.isArray(value)) return value
  return mapSame(value as readonly Json[], (one) => (isObject(one) ? map(one as JsonObject) : one))
}

/** Changes the object in a member. */
export const mapInner = (object: JsonObject, name: string, map: (inner: JsonObject) => JsonObject): JsonObject =>
  mapMember(object, name, (value) => (isObject(value) ? map(value as JsonObject) : value))

/** Changes the texts in members of these names. */
export const mapTexts = (object: JsonObject, names: readonly string[], change: ChangeText): JsonObject =>
  names.reduce(
    (now, name) => mapMember(now, name, (value) => (isNonEmptyString(value) ? change(value) : value)),
    object,
  )

/** Texts of a conversation are not below this level of one of its entries. */
const DEEPEST = 16

/** Changes every text of a value, at any place. Returns the value itself if nothing changes. */
export function mapAllTexts(value: Json, change: ChangeText, level = 0): Json {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null || level > DEEPEST) return value
  return Array.isArray(value) ? inList(value, change, level + 1) : inObject(value as JsonObject, change, level + 1)
}

// Most values have no such text: nothing is allocated for them.

function inList(list: readonly Json[], change: ChangeText, level: number): readonly Json[] {
  let changed: Json[] | null = null
  for (let at = 0; at < list.length; at += 1) {
    const inner = list[at] as Json
    const mapped = mapAllTexts(inner, change, level)
    if (mapped === inner) continue
    changed ??= [...list]
    changed[at] = mapped
  }
  return changed ?? list
}

function inObject(object: JsonObject, change: ChangeText, level: number): JsonObject {
  let changed = object
  for (const name of Object.keys(object)) {
    const inner = object[name] as Json
    const mapped = mapAllTexts(inner, change, level)
    if (mapped !== inner) changed = { ...changed, [name]: mapped }
  }
  return changed
}
