import { isObject, parseJson } from './json.ts'

/** A name in quotes, as paths have it if it has unusual characters; another name or an index. */
const STEPS = /\["(?:[^"\\]|\\.)*"\]|[^.[\]]+/g

/** The path of a member, as those of most settings. */
const PLAIN = /^\w+$/

/** The value at a path (`messages[2].content[0].text`, `tools[0].parameters["$defs"]`); undefined if there is none. */
export function valueAt(value: unknown, path: string): unknown {
  if (PLAIN.test(path)) return isObject(value) && Object.hasOwn(value, path) ? value[path] : undefined
  let found = value
  for (const step of path.match(STEPS) ?? []) {
    const name = step.startsWith('[') ? parseJson(step.slice(1, -1)) : step
    if (!(isObject(found) || Array.isArray(found)) || typeof name !== 'string' || !Object.hasOwn(found, name)) return
    found = (found as Readonly<Record<string, unknown>>)[name]
  }
  return found
}
