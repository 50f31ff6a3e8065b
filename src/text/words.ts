import { parseJson } from './json.ts'
import { writeUtf8 } from './sink.ts'
import { decodeUtf8 } from './utf8.ts'

/** Bytes of text, to begin with. */
const FIRST = 1024

/** Text that is gathered piece by piece, as it stands inside of JSON strings. */
export interface Words {
  bytes: Uint8Array
  length: number
}

export const noWords = (): Words => ({ bytes: new Uint8Array(0), length: 0 })

function reserve(words: Words, size: number): void {
  const length = words.length + size
  if (length <= words.bytes.length) return
  const larger = new Uint8Array(Math.max(FIRST, 2 * length))
  larger.set(words.bytes.subarray(0, words.length))
  words.bytes = larger
}

export function addBytes(words: Words, from: Uint8Array, start: number, end: number): void {
  reserve(words, end - start)
  const { bytes } = words
  let to = words.length
  for (let at = start; at < end; at += 1) bytes[to++] = from[at] as number
  words.length = to
}

/** Text that is escaped already. */
export function addEscaped(words: Words, text: string): void {
  reserve(words, 3 * text.length)
  words.length += writeUtf8(words.bytes, text, words.length)
}

/** A part of it as text. */
export function textOf({ bytes }: Words, start: number, end: number, escaped: boolean): string {
  const inside = decodeUtf8(bytes, start, end)
  return escaped ? (parseJson(`"${inside}"`) as string) : inside
}
