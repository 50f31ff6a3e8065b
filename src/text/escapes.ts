/**
 * A text that was made of another one, and for each of its UTF-16 units the offset of its origin there, with one more entry
 * for the end.
 */
export interface TracedText {
  readonly text: string
  readonly starts: ArrayLike<number>
}

/** A line break inside a word that is divided into lines, as it is or escaped, with the indentation after it. */
export const LINE_BREAK = /(?:\\{1,8}[nr]|[\r\n])[ \t]{0,16}/g

/** Escapes of JSON and JavaScript, of URLs (RFC 3986, 2.1), and of HTML. */
const ESCAPE =
  /\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|\\(["'\\/])|%([0-9a-f]{2})|&#x([0-9a-f]{1,5});|&#([0-9]{1,6});|&(amp|apos|gt|lt|quot);/gi

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['apos', "'"],
  ['gt', '>'],
  ['lt', '<'],
  ['quot', '"'],
])

type Groups = readonly (string | undefined)[]

function characterOf([unit, byte, itself, escaped, hexadecimal, decimal, entity]: Groups): string {
  if (itself !== undefined) return itself
  if (entity !== undefined) return ENTITIES.get(entity.toLowerCase()) ?? ''
  if (decimal !== undefined) return String.fromCodePoint(Number(decimal))
  return String.fromCodePoint(Number.parseInt(unit ?? byte ?? escaped ?? hexadecimal ?? '', 16))
}

/** Reads one level of escapes of any kind; null if there are none. Each escaped byte of a URL becomes one character. */
export const readEscapes = (text: string): TracedText | null =>
  replaceTraced(text, ESCAPE, ([_, ...groups]) => characterOf(groups))

/** The text with what `read` returns in place of each match; null if it returns null for all. */
export function replaceTraced(
  text: string,
  pattern: RegExp,
  read: (found: RegExpExecArray) => string | null,
): TracedText | null {
  const pieces: string[] = []
  const starts: number[] = []
  let at = 0
  const copy = (end: number): void => {
    pieces.push(text.slice(at, end))
    for (; at < end; at += 1) starts.push(at)
  }
  for (const found of text.matchAll(pattern)) {
    const inside = read(found)
    if (inside === null) continue
    copy(found.index)
    pieces.push(inside)
    for (let unit = 0; unit < inside.length; unit += 1) starts.push(found.index)
    at = found.index + found[0].length
  }
  if (pieces.length === 0) return null
  copy(text.length)
  starts.push(text.length)
  return { text: pieces.join(''), starts }
}

const [BACKSLASH, PERCENT, AMPERSAND, QUOTE, APOSTROPHE, SLASH] = [0x5c, 0x25, 0x26, 0x22, 0x27, 0x2f] as const
const [LOWER_U, LOWER_X] = [0x75, 0x78] as const
const LOWER_CASE = 0x20

const ENTITY = /&(?:#x([0-9a-f]{1,5})|#([0-9]{1,6})|(amp|apos|gt|lt|quot));/iy

/** The value of these hexadecimal digits; -1 if they are no such digits. */
function hexAt(text: string, start: number, end: number): number {
  let value = 0
  for (let at = start; at < end; at += 1) {
    const unit = text.charCodeAt(at)
    const letter = (unit | LOWER_CASE) - 0x61
    if (unit >= 0x30 && unit <= 0x39) value = value * 16 + unit - 0x30
    else if (unit < 0x80 && letter >= 0 && letter < 6) value = value * 16 + letter + 10
    else return -1
  }
  return value
}

const decoder = new TextDecoder('utf-16le', { ignoreBOM: true })

/**
 * The text of `readEscapes` without the origins; null if there are no escapes. For texts that rarely contain what is
 * searched in them: many times faster. A single surrogate may become another character.
 */
export function readEscapedText(text: string): string | null {
  if (!text.includes('\\') && !text.includes('%') && !text.includes('&')) return null
  const units = new Uint16Array(text.length)
  let size = 0
  let at = 0
  let isRead = false
  while (at < text.length) {
    const unit = text.charCodeAt(at)
    let read = -1
    let length = 0
    if (unit === BACKSLASH) {
      const next = text.charCodeAt(at + 1)
      const letter = next | LOWER_CASE
      if (next === BACKSLASH || next === QUOTE || next === APOSTROPHE || next === SLASH) {
        read = next
        length = 2
      } else if (letter === LOWER_U || letter === LOWER_X) {
        length = letter === LOWER_U ? 6 : 4
        if (at + length <= text.length) read = hexAt(text, at + 2, at + length)
      }
    } else if (unit === PERCENT) {
      length = 3
      if (at + length <= text.length) read = hexAt(text, at + 1, at + length)
    } else if (unit === AMPERSAND) {
      ENTITY.lastIndex = at
      const found = ENTITY.exec(text)
      if (found !== null) {
        const [whole, hexadecimal, decimal, entity] = found
        length = whole.length
        read = entity === undefined ? Number.parseInt(hexadecimal ?? decimal ?? '', decimal === undefined ? 16 : 10) : 0
        if (entity !== undefined) read = (ENTITIES.get(entity.toLowerCase()) ?? '').charCodeAt(0)
      }
    }
    if (read < 0) {
      units[size] = unit
      at += 1
    } else {
      isRead = true
      at += length
      if (read > 0xffff) {
        units[size] = 0xd800 + ((read - 0x10000) >> 10)
        size += 1
        units[size] = 0xdc00 + ((read - 0x10000) & 0x3ff)
      } else units[size] = read
    }
    size += 1
  }
  return isRead ? decoder.decode(units.subarray(0, size)) : null
}
