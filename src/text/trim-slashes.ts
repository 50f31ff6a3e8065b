/**
 * A path or an address without trailing slashes. O(n): the pattern `\/+$` would be quadratic, because it scans from
 * each slash to the next other character.
 */
export function trimSlashes(path: string): string {
  let end = path.length
  while (end > 0 && path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}
