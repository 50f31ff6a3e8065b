import { mapSame } from '../../../collections/map-same.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import { isObject, toCamel } from '../../../text/json.ts'

/**
 * Returns the object with this value of a member, or without the member if the value is undefined. Returns the object
 * itself if nothing changes. Members keep their order, and a new one follows.
 */
export function withMember(object: JsonObject, name: string, value: Json | undefined): JsonObject {
  const isOwn = Object.hasOwn(object, name)
  if (value !== undefined) return isOwn && object[name] === value ? object : { ...object, [name]: value }
  if (!isOwn) return object
  return Object.fromEntries(Object.entries(object).filter(([other]) => other !== name))
}

/** Does the same for a member of nested objects. Objects that do not exist are not created; one that becomes empty goes. */
export function withValue(object: JsonObject, path: readonly string[], value: Json | undefined): JsonObject {
  const [name = '', ...rest] = path
  if (rest.length === 0) return withMember(object, name, value)
  const inner = object[name]
  if (!isObject(inner)) return object
  const set = withValue(inner as JsonObject, rest, value)
  return withMember(object, name, set !== inner && Object.keys(set).length === 0 ? undefined : set)
}

/** Maps a list; any other value stays, and so does a list of which no entry changes. */
export const changeEntries = (list: Json | undefined, map: (entry: Json, at: number) => Json): Json | undefined =>
  Array.isArray(list) ? mapSame(list as readonly Json[], map) : list

/** The names of a path as the client has written them: protocols of Google have each of them in snake case as well. */
export function ownSteps(body: JsonObject, [step = '', ...rest]: readonly string[]): readonly string[] {
  const name = Object.hasOwn(body, step) ? step : (Object.keys(body).find((own) => toCamel(own) === step) ?? step)
  const inner = body[name]
  return rest.length === 0 ? [name] : [name, ...ownSteps(isObject(inner) ? (inner as JsonObject) : {}, rest)]
}
