/** The bytes of one array behind those of another. */
export function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}

/** A part of an array, which may be a view of somebody else's memory, as an array of its own. `Buffer.slice` is none. */
export const copied = (bytes: Uint8Array, start = 0, end = bytes.length): Uint8Array<ArrayBuffer> =>
  new Uint8Array(bytes.subarray(start, end))
