/**
 * Tokens, as inclusive totals: cached tokens are part of the input, reasoning tokens part of the output.
 * null = the upstream does not say, which is not the same as 0.
 */
export interface Usage {
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly total_tokens: number | null
  readonly cached_tokens: number | null
  readonly reasoning_tokens: number | null
  /** Input that was written to a cache; only of who says so. */
  readonly cache_write_tokens?: number
}

/** What was written to a cache, where anything was. */
export const cacheWrites = (tokens: number | null | undefined): Pick<Usage, 'cache_write_tokens'> =>
  tokens === null || tokens === undefined || tokens === 0 ? {} : { cache_write_tokens: tokens }
