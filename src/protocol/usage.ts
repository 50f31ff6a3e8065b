import { CACHE_LIFETIMES, type CacheLifetime } from './request.ts'

/** Tokens by the lifetime of the cache entry that they were written to. */
export type LifetimeTokens = Readonly<Partial<Record<CacheLifetime, number>>>

/**
 * Token counts as inclusive totals: cached tokens are part of the input, reasoning tokens part of the output. null
 * means that the upstream does not report the count, which differs from 0.
 */
export interface Usage {
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly total_tokens: number | null
  readonly cached_tokens: number | null
  readonly reasoning_tokens: number | null
  /** Input tokens that were written to a cache; set only if the upstream reports them. */
  readonly cache_write_tokens?: number
  /** The same tokens by lifetime, whose sum is `cache_write_tokens`; set only if the upstream reports them. */
  readonly cache_writes?: LifetimeTokens
}

type Writes = Pick<Usage, 'cache_write_tokens' | 'cache_writes'>

/**
 * The fields for tokens that were written to a cache; empty if there were none. Counts by lifetime with another sum are
 * left out, because clients add them up.
 */
export function cacheWrites(
  tokens: number | null | undefined,
  lifetimes: Readonly<Partial<Record<CacheLifetime, number | null>>> = {},
): Writes {
  if (tokens === null || tokens === undefined || tokens === 0) return {}
  const known = CACHE_LIFETIMES.flatMap((lifetime) => {
    const written = lifetimes[lifetime] ?? 0
    return written === 0 ? [] : [[lifetime, written] as const]
  })
  const sum = known.reduce((all, [, written]) => all + written, 0)
  return sum === tokens
    ? { cache_write_tokens: tokens, cache_writes: Object.fromEntries(known) }
    : { cache_write_tokens: tokens }
}

/**
 * Returns tokens by lifetime as the fields of a protocol, 0 where there are none. `names`: the field of each lifetime.
 * null if they are not known, or if one of the lifetimes has no field.
 */
export function toLifetimeFields(
  { cache_writes: writes }: Writes,
  names: Readonly<Partial<Record<CacheLifetime, string>>>,
): Readonly<Record<string, number>> | null {
  const found = CACHE_LIFETIMES.filter((lifetime) => (writes?.[lifetime] ?? 0) > 0)
  if (found.length === 0 || found.some((lifetime) => names[lifetime] === undefined)) return null
  return Object.fromEntries(
    CACHE_LIFETIMES.flatMap((lifetime) => {
      const name = names[lifetime]
      return name === undefined ? [] : [[name, writes?.[lifetime] ?? 0] as const]
    }),
  )
}
