import { parseJson } from '../text/json.ts'
import { type NestedScan, nestedAfter, scanNested } from '../text/json-scan.ts'

const [QUOTE, SLASH, BACKSLASH, OBJECT] = [34, 47, 92, 123] as const

/**
 * Arguments of calls treat all pieces alike that stay in their object, do not begin as arguments do, and have no control
 * character (`responses/argument-text.ts`).
 *
 * Returns the scan after such a piece, given as the escaped text of a JSON string; 0 for any other one. A character that
 * is escaped by its number is left to the machines.
 */
export function scanRange(before: NestedScan, bytes: Uint8Array, start: number, end: number): NestedScan {
  if (start < end && bytes[start] === OBJECT) return 0
  let scan = before
  for (let at = start; at < end && scan !== 0; at += 1) {
    let byte = bytes[at] as number
    if (byte === BACKSLASH) {
      at += 1
      byte = bytes[at] as number
      if (!(byte === QUOTE || byte === SLASH || byte === BACKSLASH)) return 0
    }
    scan = nestedAfter(scan, byte)
  }
  return scan
}

/** The same for a text without escapes that JSON would not write. */
export function scanEscaped(before: NestedScan, json: string): NestedScan {
  const text = parseJson(`"${json}"`)
  const isPlain = typeof text === 'string' && text.charCodeAt(0) !== OBJECT && !/\p{Cc}/u.test(text)
  return isPlain ? scanNested(before, text) : 0
}
