/** True if a JSON value has more levels of nested lists and objects. Descends no deeper than `levels`. O(n). */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner))
}
