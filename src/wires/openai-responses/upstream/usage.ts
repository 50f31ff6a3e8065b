import type { JsonRecord } from '../../../protocol/json.ts'
import { cacheWrites, type Usage, usageDetails } from '../../../protocol/usage.ts'
import { isObject } from '../../../text/json.ts'
import { readCost } from '../../shared/upstream/read-cost.ts'
import { toIndex } from './state.ts'

const inner = (record: JsonRecord, key: string): JsonRecord => {
  const value = record[key]
  return isObject(value) ? value : {}
}

/**
 * Returns the totals, which are inclusive already; null if there are none (a failed response). OpenAI counts its own
 * searches in `tool_usage` of the response (`tools`), OpenRouter in the usage.
 */
export function toUsage(usage: unknown, tools: unknown = null): Usage | null {
  if (!isObject(usage)) return null
  const input = inner(usage, 'input_tokens_details')
  const own = inner(usage, 'server_tool_use_details')
  const searches = isObject(tools) ? inner(tools, 'web_search').num_requests : null
  const written = inner(input, 'cache_write_tokens_details')
  return {
    input_tokens: toIndex(usage.input_tokens),
    output_tokens: toIndex(usage.output_tokens),
    total_tokens: toIndex(usage.total_tokens),
    cached_tokens: toIndex(input.cached_tokens),
    reasoning_tokens: toIndex(inner(usage, 'output_tokens_details').reasoning_tokens),
    ...cacheWrites(toIndex(input.cache_write_tokens), {
      '30m': toIndex(written.ttl_30m_tokens),
      '12h': toIndex(written.ttl_12h_tokens),
    }),
    ...readCost(usage),
    ...usageDetails({
      web_search_requests: own.web_search_requests ?? searches,
      tool_calls_requested: own.tool_calls_requested,
      tool_calls_executed: own.tool_calls_executed,
    }),
  }
}
