import { COLON, COMMA, isPlain, NO_MATCH, pastSpaces, QUOTE, TOO_SHORT, valueEnd } from './scan-bytes.ts'

/** Names as they are written between quotes, grouped by length. */
export type Names = readonly (readonly Uint8Array[])[]

const encoder = new TextEncoder()

const NONE: Names = []

export function toNames(names: ReadonlySet<string>): Names {
  if (names.size === 0) return NONE
  const byLength: Uint8Array[][] = []
  for (const name of names) {
    const bytes = encoder.encode(name)
    while (byLength.length <= bytes.length) byLength.push([])
    byLength[bytes.length]?.push(bytes)
  }
  return byLength
}

function isAmong(names: Names, bytes: Uint8Array, start: number, end: number): boolean {
  const size = end - start
  if (size >= names.length) return false
  const alike = names[size] as readonly Uint8Array[]
  for (let i = 0; i < alike.length; i += 1) {
    const name = alike[i] as Uint8Array
    let at = 0
    while (at < size && bytes[start + at] === name[at]) at += 1
    if (at === size) return true
  }
  return false
}

/**
 * Returns where the first member with a known name begins, after any number of others; or `NO_MATCH` or `TOO_SHORT`. A
 * quote must follow the `length` bytes.
 */
export function membersEnd(known: Names, bytes: Uint8Array, length: number, start: number): number {
  let at = start
  for (;;) {
    const name = nameEnd(bytes, length, at)
    if (name < 0) return name
    if (isAmong(known, bytes, at + 1, name)) return at
    at = restEnd(bytes, length, name + 1)
    if (at < 0) return at
  }
}

/**
 * Returns the offset of the closing quote. A name with escapes does not match, because another spelling of a known name
 * must not pass for an unknown one.
 */
function nameEnd(bytes: Uint8Array, length: number, start: number): number {
  if (start >= length) return TOO_SHORT
  if (bytes[start] !== QUOTE) return NO_MATCH
  let at = start + 1
  while (isPlain(bytes[at] as number)) at += 1
  if (at >= length) return TOO_SHORT
  return bytes[at] === QUOTE ? at : NO_MATCH
}

/** Returns the offset of the next member; `start` is the offset after the closing quote of a name. */
function restEnd(bytes: Uint8Array, length: number, start: number): number {
  const colon = pastSpaces(bytes, start)
  if (colon >= length) return TOO_SHORT
  if (bytes[colon] !== COLON) return NO_MATCH
  const value = valueEnd(bytes, length, pastSpaces(bytes, colon + 1))
  if (value < 0) return value
  const comma = pastSpaces(bytes, value)
  if (comma >= length) return TOO_SHORT
  return bytes[comma] === COMMA ? pastSpaces(bytes, comma + 1) : NO_MATCH
}
