import { readTokens } from '../../../protocol/usage.ts'

/** Adds two counts, either of which may be missing; null if both are. */
export function sum(one: unknown, other: unknown): number | null {
  const [a, b] = [readTokens(one), readTokens(other)]
  return a === null && b === null ? null : (a ?? 0) + (b ?? 0)
}
