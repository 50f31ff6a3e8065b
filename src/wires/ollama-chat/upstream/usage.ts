import type { Usage } from '../../../protocol/usage.ts'

const count = (value: unknown): number | null =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null

/** Returns the counts of the `done` line. Either may be missing; null if both are. Reasoning is part of the output. */
export function toUsage(line: Readonly<Record<string, unknown>>): Usage | null {
  const input = count(line.prompt_eval_count)
  const output = count(line.eval_count)
  if (input === null && output === null) return null
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input === null || output === null ? null : input + output,
    cached_tokens: null,
    reasoning_tokens: null,
  }
}
