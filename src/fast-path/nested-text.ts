import type { FoundText } from '../output/scratch.ts'
import { parseJson } from '../text/json.ts'
import { isEscaped, type NestedScan, nestedAfter, scanNested } from '../text/json-scan.ts'

const [QUOTE, SLASH, BACKSLASH, OBJECT] = [34, 47, 92, 123] as const

/**
 * Arguments of calls treat all pieces alike that stay in their object, do not begin as arguments do, and have no control
 * character (`responses/argument-text.ts`).
 *
 * Returns the scan after such a piece, which was found in these bytes; 0 for any other one. `instead`: the text with only
 * the escapes that JSON would write, if it has others.
 */
export function scanFound(before: NestedScan, bytes: Uint8Array, found: FoundText, instead: string): NestedScan {
  if (instead !== '') return scanEscaped(before, instead)
  const changes = found.escaped || found.brackets || isEscaped(before)
  return changes ? scanRange(before, bytes, found.start, found.end) : before
}

/** A character that is escaped by its number is left to the machines. */
function scanRange(before: NestedScan, bytes: Uint8Array, start: number, end: number): NestedScan {
  if (bytes[start] === OBJECT) return 0
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

function scanEscaped(before: NestedScan, json: string): NestedScan {
  const text = parseJson(`"${json}"`)
  const isPlain = typeof text === 'string' && text.charCodeAt(0) !== OBJECT && !/\p{Cc}/u.test(text)
  return isPlain ? scanNested(before, text) : 0
}
