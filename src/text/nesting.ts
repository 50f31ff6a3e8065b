/** Does a JSON value have more levels of lists and objects inside each other? Looks no deeper than that. O(n). */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner))
}
