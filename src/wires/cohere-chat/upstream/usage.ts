import type { Usage } from '../../../protocol/usage.ts'
import { isObject } from '../../../text/json.ts'

const count = (value: unknown): number | null =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null

/** Returns the totals, which are inclusive already; null without `tokens`, since `billed_units` omits free tokens. */
export function toUsage(usage: unknown): Usage | null {
  if (!isObject(usage) || !isObject(usage.tokens)) return null
  const input = count(usage.tokens.input_tokens)
  const output = count(usage.tokens.output_tokens)
  if (input === null && output === null) return null
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input === null || output === null ? null : input + output,
    cached_tokens: count(usage.cached_tokens),
    reasoning_tokens: count(usage.tokens.reasoning_tokens),
  }
}
