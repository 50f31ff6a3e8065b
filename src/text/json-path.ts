import { isObject, parseJson } from './json.ts'

/** A name in quotes, as paths have it if it has unusual characters; another name or an index. */
const STEPS = /\["(?:[^"\\]|\\.)*"\]|[^.[\]]+/g

/** Whether a path is that of a member, as most paths of settings are. */
const isName = (path: string): boolean => path !== '' && !path.includes('.') && !path.includes('[')

/** The value at a path (`messages[2].content[0].text`, `tools[0].parameters["$defs"]`); undefined if there is none. */
export function valueAt(value: unknown, path: string): unknown {
  if (isName(path)) return isObject(value) && Object.hasOwn(value, path) ? value[path] : undefined
  let found = value
  for (const step of path.match(STEPS) ?? []) {
    const name = step.startsWith('[') ? parseJson(step.slice(1, -1)) : step
    if (!(isObject(found) || Array.isArray(found)) || typeof name !== 'string' || !Object.hasOwn(found, name)) return
    found = (found as Readonly<Record<string, unknown>>)[name]
  }
  return found
}
