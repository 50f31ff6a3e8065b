import { fromBase64Url } from '../../text/base64.ts'
import { readEscapes } from '../../text/escapes.ts'

/** A spelling of a message, and for each of its UTF-16 units the place of its origin, with one more for the end. */
interface Reading {
  readonly text: string
  readonly starts: ArrayLike<number>
}

/** Nested escapes: the JSON text of a request, quoted in a JSON string, in a URL. */
const MOST_LEVELS = 3

/** Escapes of white space, whose letter would otherwise be the first one of the next word. */
const LINE_ENDS = /\\[bfnrt]/g

/** Characters that are bytes of UTF-8: `\xd0\x9f`, `%D0%9F`. */
const BYTES = /[\xc2-\xf4][\x80-\xbf]{1,3}/g

/** Shorter words are more often words than base64. */
const BASE64 = /[\w+/-]{16,}/g

type Read = (found: string) => string | null

const FURTHER: readonly (readonly [RegExp, Read])[] = [
  [LINE_ENDS, () => ' '],
  [BYTES, (bytes) => utf8Of(bytes)],
  [BASE64, (word) => base64Of(word)],
]

/**
 * The message of an upstream that may quote a request in another encoding: as it is, and with escapes of JSON, of URLs
 * and of HTML, bytes of UTF-8 and base64 read.
 */
export function readingsOf(message: string): readonly Reading[] {
  const readings: Reading[] = []
  let last: Reading | null = { text: message, starts: Array.from({ length: message.length + 1 }, (_, at) => at) }
  for (let level = 0; level <= MOST_LEVELS && last !== null; level += 1) {
    const reading: Reading = last
    readings.push(reading, ...FURTHER.flatMap(([pattern, read]) => replaced(reading, pattern, read) ?? []))
    last = unescaped(reading)
  }
  return readings
}

/** The message with a dot in place of each character whose spelling in one of the readings is a dot. */
export function dotted(message: string, readings: readonly (Reading & { readonly hidden: string })[]): string {
  const shown = message.split('')
  for (const { text, starts, hidden } of readings) {
    let end = message.length
    for (let at = text.length - 1; at >= 0; at -= 1) {
      const start = starts[at] ?? 0
      if (starts[at + 1] !== start) end = starts[at + 1] ?? end
      if (hidden[at] !== text[at]) shown.fill('·', start, end)
    }
  }
  return shown.join('')
}

function unescaped({ text, starts }: Reading): Reading | null {
  const read = readEscapes(text)
  if (read === null) return null
  return { text: read.text, starts: Array.from(read.starts, (place) => starts[place] ?? 0) }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function utf8Of(bytes: string): string | null {
  try {
    return decoder.decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)))
  } catch {
    return null
  }
}

/** The most digits of a character that a cut has divided. */
const MOST_CUT = 6

function base64Of(word: string): string | null {
  for (let cut = 0; cut < MOST_CUT; cut += 1) {
    const text = fromBase64Url(word.slice(0, word.length - cut))
    if (text !== undefined) return text
  }
  return null
}

/** The reading with what is read of each match, whose characters have the place of the match. */
function replaced({ text, starts }: Reading, pattern: RegExp, read: Read): Reading | null {
  const pieces: string[] = []
  const places: number[] = []
  let at = 0
  const copy = (end: number): void => {
    pieces.push(text.slice(at, end))
    for (; at < end; at += 1) places.push(starts[at] ?? 0)
  }
  for (const { 0: found, index } of text.matchAll(pattern)) {
    const decoded = read(found)
    if (decoded === null) continue
    copy(index)
    pieces.push(decoded)
    for (let unit = 0; unit < decoded.length; unit += 1) places.push(starts[index] ?? 0)
    at = index + found.length
  }
  if (pieces.length === 0) return null
  copy(text.length)
  places.push(starts[text.length] ?? 0)
  return { text: pieces.join(''), starts: places }
}
