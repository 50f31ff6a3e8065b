/**
 * Removes an entry from a list of current entries. The list is not a Set, because V8 rebuilds the table of a Set every
 * few entries, and each old table keeps the next one alive, with all its entries, until the oldest is collected. Most
 * objects of a request would then outlive it.
 */
export function removeLast<One>(present: One[], gone: One): void {
  // Searches from the end: recently added entries are usually removed first.
  const at = present.lastIndexOf(gone)
  if (at >= 0) present.splice(at, 1)
}
