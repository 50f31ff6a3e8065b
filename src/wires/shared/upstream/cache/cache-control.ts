import type { Cacheable, CacheBreakpoint } from '../../../../protocol/request.ts'

/** Anthropic's form of a breakpoint, which OpenRouter and others have, too. */
export type CacheControl = { readonly cache_control?: { readonly type: 'ephemeral'; readonly ttl?: string } }

const NONE: CacheControl = {}

/** Encodes a breakpoint as a member of the value that it stands on; no member without a breakpoint. */
export function toCacheControl(breakpoint: CacheBreakpoint | null | undefined): CacheControl {
  if (!breakpoint) return NONE
  const { ttl } = breakpoint
  return { cache_control: ttl === null ? { type: 'ephemeral' } : { type: 'ephemeral', ttl } }
}

export const cacheControlOf = ({ prompt_cache_breakpoint: breakpoint }: Cacheable): CacheControl =>
  toCacheControl(breakpoint)

/** Whether a path names the breakpoint of a value, in the form of any protocol that marks values. */
export const isBreakpointPath = (path: string): boolean => /\.(?:cache_control|prompt_cache_breakpoint)$/.test(path)
