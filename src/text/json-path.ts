import { isObject } from './json.ts'

/** The value at a path (`messages[2].content[0].text`); undefined if there is none. */
export function valueAt(value: unknown, path: string): unknown {
  let found = value
  for (const step of path.match(/[^.[\]]+/g) ?? []) {
    if (!(isObject(found) || Array.isArray(found)) || !Object.hasOwn(found, step)) return undefined
    found = (found as Readonly<Record<string, unknown>>)[step]
  }
  return found
}
