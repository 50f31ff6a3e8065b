/** The number of bytes after the copied range that may be read and overwritten. */
export const SLACK = 7

/**
 * Copies UTF-8 in steps of eight bytes, as doubles. No eight bytes of UTF-8 are a NaN, so that each double keeps its
 * bytes. The bytes after the end become arbitrary. For the few bytes of a token this is faster than any native call.
 */
export function copyText(from: DataView, start: number, end: number, into: DataView, at: number): void {
  for (let i = start, to = at; i < end; i += 8, to += 8) into.setFloat64(to, from.getFloat64(i, true), true)
}

const { set } = Uint8Array.prototype

/**
 * Copies `from` into `into` at the index `at`. Calls the method itself, because Node 20 looks up `into.set` for every
 * copy, even in optimized code. The lookup takes a quarter of the time of a short copy.
 */
export function putBytes(into: Uint8Array, from: Uint8Array, at: number): void {
  set.call(into, from, at)
}

/** A view of the same bytes. */
export const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength)

/** The bytes of one array followed by those of another. */
export function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}

/** The bytes of all arrays, one after another. */
export function concatenated(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let size = 0
  for (const piece of pieces) size += piece.length
  const all = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}

/** A copy of a part of an array, with memory of its own. `Buffer.slice` does not copy. */
export const copied = (bytes: Uint8Array, start = 0, end = bytes.length): Uint8Array<ArrayBuffer> =>
  new Uint8Array(bytes.subarray(start, end))

const DIGITS = /* @__PURE__ */ Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** The bytes in lower-case hexadecimal digits. */
export function toHex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += DIGITS[byte]
  return text
}

/** The bytes of hexadecimal digits, of which there is an even number. */
export const fromHex = (digits: string): Uint8Array =>
  Uint8Array.from({ length: digits.length / 2 }, (_, at) => Number.parseInt(digits.slice(at * 2, at * 2 + 2), 16))
