/**
 * Takes one out of a list of those that are there now. A list, and not a Set: V8 makes a Set anew every few entries, and
 * each of its old tables keeps the next alive, with all that was in it, until the oldest is collected. Most of what a
 * request needs would outlive it.
 */
export function leave<One>(present: One[], gone: One): void {
  // Who came last goes first, more often than not.
  const at = present.lastIndexOf(gone)
  if (at >= 0) present.splice(at, 1)
}
