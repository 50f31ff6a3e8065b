import { fromBase64Url } from '../../text/base64.ts'
import { LINE_BREAK, readEscapes, replaceTraced, type TracedText } from '../../text/escapes.ts'

/** Nested escapes: the JSON text of a request, quoted in a JSON string, in a URL. */
const MOST_LEVELS = 3

/** Escapes of white space, whose letter would otherwise be the first one of the next word. */
const LINE_ENDS = /\\[bfnrt]/g

/** Characters that are bytes of UTF-8: `\xd0\x9f`, `%D0%9F`. */
const BYTES = /[\xc2-\xf4][\x80-\xbf]{1,3}/g

/** Words of which each is the rest of the line before. */
const BASE64 = /[\w+/-]+={0,2}(?:(?:\\{1,8}[nr]|[\r\n])+[ \t]{0,16}[\w+/-]+={0,2})*/g

/** Shorter words are more often words than base64. */
const SHORTEST_BASE64 = 16

type Read = (found: string) => string | null

const FURTHER: readonly (readonly [RegExp, Read])[] = [
  [LINE_ENDS, () => ' '],
  [BYTES, (bytes) => utf8Of(bytes)],
  [BASE64, (words) => base64In(words)],
]

/**
 * The message of an upstream that may quote a request in another encoding: as it is, and with escapes of JSON, of URLs
 * and of HTML, bytes of UTF-8 and base64 read.
 */
export function readingsOf(message: string): readonly TracedText[] {
  const readings: TracedText[] = []
  let last: TracedText | null = { text: message, starts: Array.from({ length: message.length + 1 }, (_, at) => at) }
  for (let level = 0; level <= MOST_LEVELS && last !== null; level += 1) {
    const reading: TracedText = last
    const further = FURTHER.map(([pattern, read]) => replaceTraced(reading.text, pattern, ([found]) => read(found)))
    readings.push(reading, ...further.flatMap((one) => traced(one, reading) ?? []))
    last = traced(readEscapes(reading.text), reading)
  }
  return readings
}

/** A text that was made of a reading, as a reading of the message. */
const traced = (made: TracedText | null, { starts }: TracedText): TracedText | null =>
  made === null ? null : { text: made.text, starts: Array.from(made.starts, (place) => starts[place] ?? 0) }

/** The message with a dot in place of each character whose spelling in one of the readings is a dot. */
export function dotted(message: string, readings: readonly (TracedText & { readonly hidden: string })[]): string {
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

/** The texts of base64 in lines of one length, of which the last may be shorter; null if there is none. */
function base64In(words: string): string | null {
  const lines = words.split(LINE_BREAK).filter((line) => line !== '')
  const texts: string[] = []
  for (let at = 0; at < lines.length; ) {
    const length = lines[at]?.length ?? 0
    let end = at
    while (lines[end]?.length === length) end += 1
    const isShorter = (lines[end]?.length ?? length) < length
    const whole = lines.slice(at, isShorter ? end + 1 : end).join('')
    texts.push(whole.length < SHORTEST_BASE64 ? '' : (base64Of(whole) ?? ''))
    at = end
  }
  return texts.join(' ').trim() || null
}
