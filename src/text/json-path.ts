import { isObject, parseJson } from './json.ts'

/** A name in quotes, as paths have it if it has unusual characters; another name or an index. */
const STEPS = /\["(?:[^"\\]|\\.)*"\]|[^.[\]]+/g

/** Whether a path is that of a member, as most paths of settings are. */
const isName = (path: string): boolean => path !== '' && !path.includes('.') && !path.includes('[')

/** Whether an object may have a value at a path: it has the first member. Most paths of settings lead nowhere. */
export function mayHave(object: object, path: string): boolean {
  const [dot, bracket] = [path.indexOf('.'), path.indexOf('[')]
  const end = dot < 0 || bracket < 0 ? Math.max(dot, bracket) : Math.min(dot, bracket)
  return end === 0 || Object.hasOwn(object, end < 0 ? path : path.slice(0, end))
}

/** The value at a path (`messages[2].content[0].text`, `tools[0].parameters["$defs"]`); undefined if there is none. */
export function valueAt(value: unknown, path: string): unknown {
  if (isName(path)) return isObject(value) && Object.hasOwn(value, path) ? value[path] : undefined
  if (isObject(value) && !mayHave(value, path)) return
  let found = value
  for (const step of path.match(STEPS) ?? []) {
    const name = step.startsWith('[') ? parseJson(step.slice(1, -1)) : step
    if (!(isObject(found) || Array.isArray(found)) || typeof name !== 'string' || !Object.hasOwn(found, name)) return
    found = (found as Readonly<Record<string, unknown>>)[name]
  }
  return found
}
