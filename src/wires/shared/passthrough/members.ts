import type { Json, JsonObject } from '../../../protocol/json.ts'
import { isObject } from '../../../text/json.ts'

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

/** Does the same for a member of nested objects. Objects that do not exist are not created. */
export function withValue(object: JsonObject, path: readonly string[], value: Json | undefined): JsonObject {
  const [name = '', ...rest] = path
  if (rest.length === 0) return withMember(object, name, value)
  const inner = object[name]
  return isObject(inner) ? withMember(object, name, withValue(inner as JsonObject, rest, value)) : object
}
