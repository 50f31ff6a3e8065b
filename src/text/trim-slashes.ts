/** A path or an address without the slashes at its end. O(n): the pattern `\/+$` looks from each slash to the next letter. */
export function trimSlashes(path: string): string {
  let end = path.length
  while (end > 0 && path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}
