import type { Json, JsonObject } from '../../../../protocol/json.ts'
import { isObject } from '../../../../text/json.ts'

/** One step of a JSON pointer; null if its escapes are invalid. */
function toKey(segment: string): string | null {
  try {
    return decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return null
  }
}

/**
 * Returns the schema that a reference names: `#`, or a JSON pointer such as `#/$defs/Point`. Returns undefined for any
 * other reference, for one that leads nowhere, and for one that passes a schema with an id of its own, which changes
 * what references below it mean.
 */
export function resolveReference(root: JsonObject, reference: string): Json | undefined {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  let found: Json = root
  for (const segment of reference.slice(2).split('/')) {
    const key = toKey(segment)
    if (key === null || typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as JsonObject)[key] as Json
    if (isObject(found) && typeof found.$id === 'string') return undefined
  }
  return typeof found === 'boolean' || isObject(found) ? found : undefined
}

/** Measures schemas: about the number of characters of their JSON. Measures each object once. */
export function createMeasure(): (value: Json) => number {
  const known = new Map<object, number>()
  const measure = (value: Json): number => {
    if (typeof value === 'string') return value.length + 2
    if (typeof value !== 'object' || value === null) return 8
    const old = known.get(value)
    if (old !== undefined) return old
    let size = 2
    for (const [key, inner] of Object.entries(value)) size += key.length + 4 + measure(inner as Json)
    known.set(value, size)
    return size
  }
  return measure
}

/** Whether a reference of the schema leads to a schema that contains it. Linear in the size of the schema. */
export function isRecursive(root: JsonObject): boolean {
  const open = new Set<object>()
  const done = new Set<object>()
  const leadsBack = (value: Json): boolean => {
    if (typeof value !== 'object' || value === null || done.has(value)) return false
    if (open.has(value)) return true
    open.add(value)
    const { $ref: reference } = Array.isArray(value) ? {} : (value as JsonObject)
    const target = typeof reference === 'string' ? resolveReference(root, reference) : undefined
    const found = (target !== undefined && leadsBack(target)) || Object.values(value).some(leadsBack)
    open.delete(value)
    done.add(value)
    return found
  }
  return leadsBack(root)
}
