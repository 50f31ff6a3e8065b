/** The bytes of one array followed by those of another. */
export function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}

/** A copy of a part of an array, with memory of its own. `Buffer.slice` does not copy. */
export const copied = (bytes: Uint8Array, start = 0, end = bytes.length): Uint8Array<ArrayBuffer> =>
  new Uint8Array(bytes.subarray(start, end))
