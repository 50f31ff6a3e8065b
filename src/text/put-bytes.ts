const { set } = Uint8Array.prototype

/**
 * Copies all of `from` to where `at` is in `into`. The method by itself: as `into.set`, Node 20 looks it up anew for every
 * copy, in optimized code, too, which takes a quarter of the time of a short one.
 */
export function putBytes(into: Uint8Array, from: Uint8Array, at: number): void {
  set.call(into, from, at)
}
