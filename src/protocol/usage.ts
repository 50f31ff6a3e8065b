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
}

/** The field for tokens that were written to a cache; empty if there were none. */
export const cacheWrites = (tokens: number | null | undefined): Pick<Usage, 'cache_write_tokens'> =>
  tokens === null || tokens === undefined || tokens === 0 ? {} : { cache_write_tokens: tokens }
