import { escapeJson, parseJson } from '../text/json.ts'
import { decodeUtf8, isWholeUtf8 } from '../text/utf8.ts'
import { DESK } from './bytes.ts'
import type { Found } from './ends.ts'

/** How the text on the desk is to be written, empty for as it stands; null where the slow path knows what it becomes. */
export function otherwise({ wide, odd, start, end }: Found): string | null {
  // Not all bytes are UTF-8.
  if (wide && !isWholeUtf8(DESK.bytes, start, end)) return null
  if (!odd) return ''
  const value = parseJson(`"${decodeUtf8(DESK.bytes, start, end)}"`)
  return typeof value === 'string' ? escapeJson(value) : null
}
