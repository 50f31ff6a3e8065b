import { type FoundText, readMemory } from '../output/scratch.ts'
import { escapeJson, parseJson } from '../text/json.ts'
import { decodeUtf8, isWholeUtf8 } from '../text/utf8.ts'

/**
 * Returns how the matched text is to be escaped; empty if it can be copied as it is; null if only the slow path can
 * translate it.
 */
export function reescape({ wide, odd, start, end }: FoundText): string | null {
  // The bytes may be no valid UTF-8.
  if (wide && !isWholeUtf8(readMemory.bytes, start, end)) return null
  if (!odd) return ''
  const value = parseJson(`"${decodeUtf8(readMemory.bytes, start, end)}"`)
  return typeof value === 'string' ? escapeJson(value) : null
}
