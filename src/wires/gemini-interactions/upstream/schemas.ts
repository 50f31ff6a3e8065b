import type { Json, JsonObject } from '../../../protocol/json.ts'
import { isObject } from '../../../text/json.ts'

/** Keywords whose values are no schemas. */
const VALUES: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'example', 'examples'])

/**
 * Returns a schema that Google's parser accepts: an item schema for each position (`items: […]`) is refused as a syntax
 * error of the whole request, and an empty `required` as an invalid argument. `onTuple` is called for the former.
 */
export function acceptedSchema(schema: JsonObject, onTuple: () => void): JsonObject {
  const changed = Object.entries(schema).flatMap(([name, value]): readonly (readonly [string, Json])[] => {
    if (name === 'required' && Array.isArray(value) && value.length === 0) return []
    if (VALUES.has(name)) return [[name, value]]
    if (name === 'items' && Array.isArray(value)) {
      onTuple()
      return [[name, value.length === 0 ? {} : { anyOf: value.map((one) => accepted(one, onTuple)) }]]
    }
    return [[name, accepted(value, onTuple)]]
  })
  return Object.fromEntries(changed)
}

function accepted(value: Json, onTuple: () => void): Json {
  if (Array.isArray(value)) return value.map((one) => accepted(one, onTuple))
  return isObject(value) ? acceptedSchema(value as JsonObject, onTuple) : value
}
