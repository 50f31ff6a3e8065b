import type { JsonObject, JsonRecord } from '../../protocol/json.ts'
import { cacheWrites, type Usage } from '../../protocol/usage.ts'
import { isObject } from '../../text/json.ts'

const inner = (record: JsonRecord, key: string): JsonRecord => {
  const value = record[key]
  return isObject(value) ? value : {}
}

/** A token count is an integer from 0; any other value is unknown. */
const firstNumber = (...values: readonly unknown[]): number | null =>
  values.find((value): value is number => Number.isSafeInteger(value) && (value as number) >= 0) ?? null

/** Reads the numbers of one usage object in the vendor's own counts. Databricks and others send nulls until the end. */
function read(usage: JsonRecord): Usage {
  const input = inner(usage, 'prompt_tokens_details')
  const output = inner(usage, 'completion_tokens_details')
  return {
    input_tokens: firstNumber(usage.prompt_tokens),
    output_tokens: firstNumber(usage.completion_tokens),
    total_tokens: firstNumber(usage.total_tokens),
    cached_tokens: firstNumber(
      input.cached_tokens,
      usage.prompt_cache_hit_tokens, // DeepSeek
      usage.cached_tokens, // Moonshot
      usage.num_cached_tokens, // Mistral
      usage.cache_read_input_tokens, // Databricks
    ),
    reasoning_tokens: firstNumber(output.reasoning_tokens, usage.reasoning_tokens), // the second is Perplexity's
    ...cacheWrites(firstNumber(input.cache_write_tokens)),
  }
}

/** Merges a further usage object: its numbers replace the earlier ones, its nulls do not. */
export function mergeUsage(old: Usage | null, found: JsonRecord): Usage | null {
  const now = read(found)
  if (old === null) return now.input_tokens === null && now.output_tokens === null ? null : now
  return {
    input_tokens: now.input_tokens ?? old.input_tokens,
    output_tokens: now.output_tokens ?? old.output_tokens,
    total_tokens: now.total_tokens ?? old.total_tokens,
    cached_tokens: now.cached_tokens ?? old.cached_tokens,
    reasoning_tokens: now.reasoning_tokens ?? old.reasoning_tokens,
    ...cacheWrites(now.cache_write_tokens ?? old.cache_write_tokens),
  }
}

/**
 * Converts to inclusive totals. xAI counts reasoning beside `completion_tokens`, and its total confirms it (6 of 6
 * recorded streams); every other vendor counts reasoning inside.
 */
export function toUsage(raw: Usage): Usage {
  const { input_tokens, output_tokens, total_tokens, reasoning_tokens } = raw
  const outside =
    reasoning_tokens !== null &&
    reasoning_tokens > 0 &&
    total_tokens === (input_tokens ?? 0) + (output_tokens ?? 0) + reasoning_tokens
  return outside ? { ...raw, output_tokens: (output_tokens ?? 0) + reasoning_tokens } : raw
}

/** Converts usage for clients. They calculate with the three main counts, so an unknown count is 0 there. */
export function toChatUsage(usage: Usage): JsonObject {
  const { input_tokens, output_tokens, total_tokens, cached_tokens, reasoning_tokens, cache_write_tokens } = usage
  const input = { ...(cached_tokens === null ? {} : { cached_tokens }), ...cacheWrites(cache_write_tokens) }
  return {
    prompt_tokens: input_tokens ?? 0,
    completion_tokens: output_tokens ?? 0,
    total_tokens: total_tokens ?? (input_tokens ?? 0) + (output_tokens ?? 0),
    ...(Object.keys(input).length === 0 ? {} : { prompt_tokens_details: input }),
    ...(reasoning_tokens === null ? {} : { completion_tokens_details: { reasoning_tokens } }),
  }
}
