/** A count of tokens; null if the value is none. */
export const count = (value: unknown): number | null =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null

/** Adds two counts, either of which may be missing; null if both are. */
export function sum(one: unknown, other: unknown): number | null {
  const [a, b] = [count(one), count(other)]
  return a === null && b === null ? null : (a ?? 0) + (b ?? 0)
}
