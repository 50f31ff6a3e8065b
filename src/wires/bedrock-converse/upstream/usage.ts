import type { JsonRecord } from '../../../protocol/json.ts'
import { cacheWrites, type Usage } from '../../../protocol/usage.ts'
import { isObject, toArray } from '../../../text/json.ts'

/** A token count is an integer from 0; any other value is unknown. */
const firstNumber = (...values: readonly unknown[]): number | null =>
  values.find((value): value is number => Number.isSafeInteger(value) && (value as number) >= 0) ?? null

const writtenFor = (ttl: string, { cacheDetails }: JsonRecord): number | null =>
  firstNumber(
    ...toArray(cacheDetails).map((detail) => (isObject(detail) && detail.ttl === ttl ? detail.inputTokens : null)),
  )

/**
 * Converts to inclusive totals: Bedrock counts the cache beside the input, and both in its total. It does not report
 * how much of the output was reasoning.
 */
export function toUsage(usage: JsonRecord): Usage {
  const read = firstNumber(usage.cacheReadInputTokens, usage.cacheReadInputTokenCount)
  const written = firstNumber(usage.cacheWriteInputTokens, usage.cacheWriteInputTokenCount)
  const fresh = firstNumber(usage.inputTokens)
  const output = firstNumber(usage.outputTokens)
  const input = fresh === null ? null : fresh + (read ?? 0) + (written ?? 0)
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: firstNumber(usage.totalTokens) ?? (input === null || output === null ? null : input + output),
    cached_tokens: read,
    reasoning_tokens: null,
    ...cacheWrites(written, { '5m': writtenFor('5m', usage), '1h': writtenFor('1h', usage) }),
  }
}
