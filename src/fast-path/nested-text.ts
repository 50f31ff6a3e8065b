import type { FoundText } from '../output/scratch.ts'
import { parseJson } from '../text/json.ts'
import { isEscaped, type NestedScan, nestedAfter, scanNested } from '../text/json-scan.ts'
import { scanAt } from './state-diff.ts'

const [QUOTE, SLASH, BACKSLASH, OBJECT] = [34, 47, 92, 123] as const

/**
 * The text inside a JSON value so far. Arguments of calls treat all pieces alike that stay in their object, do not begin
 * as arguments do, and have no control character (`responses/argument-text.ts`).
 */
export class NestedText {
  scan: NestedScan = 0

  /** Begins with the scan at this place of a decoder's state. */
  begin(upstream: unknown, path: readonly string[]): void {
    this.scan = scanAt(upstream, path)
  }

  /**
   * Adds a piece that was found in these bytes. Returns false, and adds nothing, unless it is such a piece. `instead`:
   * the text with only the escapes that JSON would write, if it has others.
   */
  take(bytes: Uint8Array, found: FoundText, instead: string): boolean {
    const { scan } = this
    if (instead === '' && !found.escaped && !found.brackets && !isEscaped(scan)) return true
    const after = instead === '' ? scanRange(scan, bytes, found.start, found.end) : scanEscaped(scan, instead)
    if (after !== 0) this.scan = after
    return after !== 0
  }
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
