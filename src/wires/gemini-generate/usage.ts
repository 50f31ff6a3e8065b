import type { JsonRecord } from '../../protocol/json.ts'
import type { Usage } from '../../protocol/usage.ts'
import type { UsageMetadata } from './json.ts'

const count = (value: unknown): number | null =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null

/** Adds two counts, either of which may be missing; null if both are. */
function sum(one: unknown, other: unknown): number | null {
  const [a, b] = [count(one), count(other)]
  return a === null && b === null ? null : (a ?? 0) + (b ?? 0)
}

/**
 * Returns the inclusive totals of one `usageMetadata`: tokens that a tool read count as input, reasoning as output. The
 * last one of a stream counts alone, because the numbers fall between the steps of a tool. null if it has no counts.
 */
export function toUsage(found: JsonRecord): Usage | null {
  const input_tokens = sum(found.promptTokenCount, found.toolUsePromptTokenCount)
  const output_tokens = sum(found.candidatesTokenCount, found.thoughtsTokenCount)
  const total = count(found.totalTokenCount)
  if (input_tokens === null && output_tokens === null && total === null) return null
  return {
    input_tokens,
    output_tokens,
    total_tokens: total ?? sum(input_tokens, output_tokens),
    cached_tokens: count(found.cachedContentTokenCount),
    reasoning_tokens: count(found.thoughtsTokenCount),
  }
}

/**
 * Encodes usage; null if nothing is known. Google counts reasoning apart from the answer, cached tokens in the prompt.
 */
export function toUsageMetadata(usage: Usage): UsageMetadata | null {
  const { input_tokens: prompt, output_tokens: output, total_tokens: total, cached_tokens: cached } = usage
  // Some vendors report more reasoning than output. The output total is billed, so it limits the reasoning.
  const reasoning =
    usage.reasoning_tokens === null || output === null
      ? usage.reasoning_tokens
      : Math.min(usage.reasoning_tokens, output)
  const found: UsageMetadata = {
    ...(prompt === null ? {} : { promptTokenCount: prompt }),
    ...(cached === null ? {} : { cachedContentTokenCount: cached }),
    ...(output === null ? {} : { candidatesTokenCount: output - (reasoning ?? 0) }),
    ...(reasoning === null ? {} : { thoughtsTokenCount: reasoning }),
    ...(total === null ? {} : { totalTokenCount: total }),
  }
  return Object.keys(found).length === 0 ? null : found
}
