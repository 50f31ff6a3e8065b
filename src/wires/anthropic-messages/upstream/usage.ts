import { type Served, toServiceTier } from '../../../protocol/served.ts'
import { cacheWrites, laterCount, laterInput, readTokens, type Usage, usageDetails } from '../../../protocol/usage.ts'
import { isNonEmptyString, isObject } from '../../../text/json.ts'
import { readCost } from '../../shared/upstream/read-cost.ts'

/** Counts as the vendor reports them: the three kinds of input exclude one another. */
export interface TokenCounts {
  readonly input: number | null
  readonly cacheRead: number | null
  readonly cacheWritten: number | null
  /** Of the tokens written to the cache, those that it keeps for five minutes, and for an hour. */
  readonly cacheMinutes: number | null
  readonly cacheHour: number | null
  readonly output: number | null
  readonly reasoning: number | null
  readonly searches: number | null
  readonly fetches: number | null
  readonly cost: Pick<Usage, 'cost'>
}

const NO_COUNTS: TokenCounts = {
  input: null,
  cacheRead: null,
  cacheWritten: null,
  output: null,
  reasoning: null,
  searches: null,
  fetches: null,
  cacheMinutes: null,
  cacheHour: null,
  cost: {},
}

/**
 * Merges a further usage object, as Anthropic's SDKs do: its numbers replace the older ones, its nulls do not. The counts
 * of the input are one group, of which zeros alone say nothing; a 0 replaces no other count. `iterations` lists calls
 * inside the call, which the top-level numbers exclude on purpose.
 */
export function mergeCounts(old: TokenCounts | null, found: Readonly<Record<string, unknown>>): TokenCounts {
  const known = old ?? NO_COUNTS
  const details = isObject(found.output_tokens_details) ? found.output_tokens_details : {}
  const tools = isObject(found.server_tool_use) ? found.server_tool_use : {}
  const { input, cacheRead, cacheWritten, cacheMinutes, cacheHour } = laterInput(inputIn(found), {
    input: withoutCached(known, found),
    cacheRead: known.cacheRead,
    cacheWritten: known.cacheWritten,
    cacheMinutes: known.cacheMinutes,
    cacheHour: known.cacheHour,
  })
  return {
    input,
    cacheRead,
    cacheWritten,
    cacheMinutes,
    cacheHour,
    output: laterCount(readTokens(found.output_tokens), known.output),
    reasoning: laterCount(readTokens(details.thinking_tokens), known.reasoning),
    searches: laterCount(readTokens(tools.web_search_requests), known.searches),
    fetches: laterCount(readTokens(tools.web_fetch_requests), known.fetches),
    cost: { ...known.cost, ...readCost(found) },
  }
}

/** The counts of the input in a usage object. */
function inputIn(found: Readonly<Record<string, unknown>>) {
  const written = isObject(found.cache_creation) ? found.cache_creation : {}
  return {
    input: readTokens(found.input_tokens),
    cacheRead: readTokens(found.cache_read_input_tokens),
    cacheWritten: writtenIn(found),
    cacheMinutes: readTokens(written.ephemeral_5m_input_tokens),
    cacheHour: readTokens(written.ephemeral_1h_input_tokens),
  }
}

/** Some servers count the tokens written to the cache by their lifetimes only. */
function writtenIn({ cache_creation_input_tokens: total, cache_creation }: Readonly<Record<string, unknown>>) {
  const { ephemeral_5m_input_tokens: minutes, ephemeral_1h_input_tokens: hour } = isObject(cache_creation)
    ? cache_creation
    : {}
  const parts = [minutes, hour].map(readTokens).filter((count) => count !== null)
  return readTokens(total) ?? (parts.length === 0 ? null : parts.reduce((sum, count) => sum + count, 0))
}

/**
 * Returns the input of the counts so far. Compatible vendors (Alibaba) count the whole prompt at the start, without
 * counts of the cache, and report those of the cache at the end, some without a new count of the input.
 */
function withoutCached({ input, cacheRead, cacheWritten }: TokenCounts, found: Readonly<Record<string, unknown>>) {
  if (input === null || cacheRead !== null || cacheWritten !== null) return input
  const cached = (readTokens(found.cache_read_input_tokens) ?? 0) + (writtenIn(found) ?? 0)
  return Math.max(0, input - cached)
}

/** Returns inclusive totals: tokens read from and written to the cache are input, too. */
export function toUsage(counts: TokenCounts): Usage {
  const { input, cacheRead, cacheWritten, cacheMinutes, cacheHour, output, reasoning, searches, fetches, cost } = counts
  const parts = [input, cacheRead, cacheWritten].filter((part) => part !== null)
  const total = parts.length === 0 ? null : parts.reduce((sum, part) => sum + part, 0)
  return {
    input_tokens: total,
    output_tokens: output,
    total_tokens: total === null || output === null ? null : total + output,
    cached_tokens: cacheRead,
    reasoning_tokens: reasoning,
    ...cacheWrites(cacheWritten, { '5m': cacheMinutes, '1h': cacheHour }),
    ...cost,
    ...usageDetails({ web_search_requests: searches, web_fetch_requests: fetches }),
  }
}

/** Reads how the request is served, which the vendor reports as a part of the usage. */
export function servedIn({ service_tier, speed, inference_geo }: Readonly<Record<string, unknown>>): Served {
  const tier = toServiceTier(service_tier)
  return {
    ...(tier === null ? {} : { service_tier: tier }),
    ...(isNonEmptyString(speed) ? { speed } : {}),
    ...(isNonEmptyString(inference_geo) ? { inference_geo } : {}),
  }
}
