import { isObject, parseJson } from './json.ts'

/** A name in quotes, as paths have it if it has unusual characters; another name or an index. */
const STEPS = /\["(?:[^"\\]|\\.)*"\]|[^.[\]]+/g

/** Whether a path is that of a member, as most paths of settings are. */
const isName = (path: string): boolean => path !== '' && !path.includes('.') && !path.includes('[')

const firstMember = (path: string): string => {
  const end = path.search(/[.[]/)
  return end < 0 ? path : path.slice(0, end)
}

/** Memory of the process: the paths of an upstream are the same for each of its requests. */
const FIRST_MEMBERS = new WeakMap<readonly string[], ReadonlySet<string>>()

const NO_PATHS: readonly string[] = []

/** The paths of members whose first member an object has: of many paths, most objects have none. */
export function pathsIn(object: object, paths: readonly string[]): readonly string[] {
  let first = FIRST_MEMBERS.get(paths)
  if (first === undefined) {
    first = new Set(paths.map(firstMember))
    FIRST_MEMBERS.set(paths, first)
  }
  return Object.keys(object).some((name) => first.has(name))
    ? paths.filter((path) => Object.hasOwn(object, firstMember(path)))
    : NO_PATHS
}

/** The names and indices of a path, from the outside to the inside. */
export const stepsOf = (path: string): readonly string[] =>
  (path.match(STEPS) ?? []).map((step) => (step.startsWith('[') ? String(parseJson(step.slice(1, -1))) : step))

/** The value at a path (`messages[2].content[0].text`, `tools[0].parameters["$defs"]`); undefined if there is none. */
export function valueAt(value: unknown, path: string): unknown {
  if (isName(path)) return isObject(value) && Object.hasOwn(value, path) ? value[path] : undefined
  let found = value
  for (const name of stepsOf(path)) {
    if (!(isObject(found) || Array.isArray(found)) || !Object.hasOwn(found, name)) return
    found = (found as Readonly<Record<string, unknown>>)[name]
  }
  return found
}
