import { escapeJson, parseJson } from '../text/json.ts'
import { decodeUtf8, isWholeUtf8 } from '../text/utf8.ts'
import { DESK } from './bytes.ts'
import type { Found } from './ends.ts'

/** Bytes of text, to begin with. */
const FIRST = 1024

/** Text that is gathered piece by piece, as it stands inside of JSON strings. */
export interface Words {
  bytes: Uint8Array
  length: number
  escaped: boolean
}

export const noWords = (): Words => ({ bytes: new Uint8Array(0), length: 0, escaped: false })

export function addWords(words: Words, from: Uint8Array, start: number, end: number, escaped: boolean): void {
  const length = words.length + end - start
  if (length > words.bytes.length) {
    const larger = new Uint8Array(Math.max(FIRST, 2 * length))
    larger.set(words.bytes.subarray(0, words.length))
    words.bytes = larger
  }
  const { bytes } = words
  let to = words.length
  for (let at = start; at < end; at += 1) bytes[to++] = from[at] as number
  words.length = length
  if (escaped) words.escaped = true
}

/** The first `length` bytes of it as text. */
export function textOf({ bytes, escaped }: Words, length: number): string {
  const inside = decodeUtf8(bytes, 0, length)
  return escaped ? (parseJson(`"${inside}"`) as string) : inside
}

export function forget(words: Words): void {
  words.length = 0
  words.escaped = false
}

/** How the text on the desk is to be written, empty for as it stands; null where the slow path knows what it becomes. */
export function otherwise({ wide, odd, start, end }: Found): string | null {
  // Not all bytes are UTF-8.
  if (wide && !isWholeUtf8(DESK.bytes, start, end)) return null
  if (!odd) return ''
  const value = parseJson(`"${decodeUtf8(DESK.bytes, start, end)}"`)
  return typeof value === 'string' ? escapeJson(value) : null
}
