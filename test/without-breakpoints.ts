import type { Json } from '../src/protocol/json.ts'
import { isObject } from '../src/text/json.ts'

const NAMES: ReadonlySet<string> = new Set(['cache_control', 'prompt_cache_breakpoint'])

const isPoint = (value: Json): boolean => isObject(value) && 'cachePoint' in value

/** Returns the body of an upstream's request without cache breakpoints in any protocol's form. */
export function withoutBreakpoints(value: Json): Json {
  if (Array.isArray(value)) return value.filter((entry) => !isPoint(entry)).map(withoutBreakpoints)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !NAMES.has(name))
      .map(([name, inner]) => [name, withoutBreakpoints(inner as Json)]),
  )
}

/** Returns the number of cache breakpoints in the body of an upstream's request. */
export const breakpointsIn = (body: Json): number =>
  JSON.stringify(body).match(/"(?:cache_control|prompt_cache_breakpoint|cachePoint)":\{/g)?.length ?? 0
