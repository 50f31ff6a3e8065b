/** So many bytes behind what is copied may be read, and written over. */
export const SLACK = 7

/**
 * Copies UTF-8, eight bytes a step: as doubles, of which none is a NaN and so each is kept as it is. What is behind the
 * end may become anything. For the few bytes that a token has it is faster than to ask anybody.
 */
export function copyText(from: DataView, start: number, end: number, into: DataView, at: number): void {
  for (let i = start, to = at; i < end; i += 8, to += 8) into.setFloat64(to, from.getFloat64(i, true), true)
}
