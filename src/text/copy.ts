/** The number of bytes after the copied range that may be read and overwritten. */
export const SLACK = 7

/**
 * Copies UTF-8 in steps of eight bytes, as doubles. No eight bytes of UTF-8 are a NaN, so that each double keeps its
 * bytes. The bytes after the end become arbitrary. For the few bytes of a token this is faster than any native call.
 */
export function copyText(from: DataView, start: number, end: number, into: DataView, at: number): void {
  for (let i = start, to = at; i < end; i += 8, to += 8) into.setFloat64(to, from.getFloat64(i, true), true)
}
