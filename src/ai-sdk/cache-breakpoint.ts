import type { JsonObject } from '../protocol/json.ts'
import { isNonEmptyString, isObject } from '../text/json.ts'

/** Where programs place cache breakpoints in options of providers: under these names, with or without a lifetime. */
const PLACES = ['cacheControl', 'cache_control', 'cachePoint'] as const

/** The breakpoint that the options of a part or a message place, whichever provider they name. */
export function toCacheBreakpoint({
  providerOptions = {},
}: {
  readonly providerOptions?: Readonly<Record<string, unknown>> | undefined
}): JsonObject {
  for (const options of Object.values(providerOptions)) {
    if (!isObject(options)) continue
    const found = PLACES.map((name) => options[name]).find(isObject)
    if (found !== undefined)
      return {
        prompt_cache_breakpoint: { mode: 'explicit', ...(isNonEmptyString(found.ttl) ? { ttl: found.ttl } : {}) },
      }
  }
  return {}
}
