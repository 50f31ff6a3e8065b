import type { FoundText } from '../../output/scratch.ts'

/** Results of a match: the bytes are no instance of the pattern, or they end before that is known. */
export const NO_MATCH = -1
export const TOO_SHORT = -2

export const QUOTE = 34
const SPACE = 32
const BACKSLASH = 92
const ZERO = 48
const NINE = 57

/** The kinds of bytes inside a JSON string. */
const PLAIN = 0
const WIDE = 1
const BRACKET = 2
const ESCAPE = 3
const END = 4
const FORBIDDEN = 5

const KINDS = Uint8Array.from({ length: 256 }, (_, code) => {
  if (code === QUOTE) return END
  if (code === BACKSLASH) return ESCAPE
  if (code < SPACE) return FORBIDDEN
  if ('[]{}'.includes(String.fromCharCode(code))) return BRACKET
  return code < 128 ? PLAIN : WIDE
})

/** Returns whether a byte is a character of ASCII that stands for itself in a JSON string. */
export const isPlain = (byte: number): boolean => KINDS[byte] === PLAIN || KINDS[byte] === BRACKET

const codeOf = (one: string): number => one.charCodeAt(0)

const SHORT_ESCAPES: ReadonlySet<number> = new Set([...'"\\/bfnrt'].map(codeOf))
const HEX: ReadonlySet<number> = new Set([...'0123456789abcdefABCDEF'].map(codeOf))
const LONG_ESCAPE = codeOf('u')
export const [COMMA, COLON] = [44, 58] as const
const [LIST, LIST_END, RECORD, RECORD_END, PLUS, MINUS, POINT] = [91, 93, 123, 125, 43, 45, 46] as const
const [SMALL_E, LARGE_E] = [101, 69] as const

const WORDS: ReadonlyMap<number, Uint8Array> = new Map(
  ['true', 'false', 'null'].map((word) => [codeOf(word), new TextEncoder().encode(word)]),
)

/** Accepts `"`, `\\`, b, f, n, r, t: everything that JSON.stringify writes after a backslash, except `u`. */
const isUsual = (code: number | undefined): boolean =>
  code === 110 || code === QUOTE || code === BACKSLASH || code === 116 || code === 114 || code === 98 || code === 102

export function textEnd(bytes: Uint8Array, length: number, start: number, found: FoundText): number {
  found.wide = false
  found.escaped = false
  found.odd = false
  found.brackets = false
  let at = start
  for (;;) {
    const kind = KINDS[bytes[at] as number]
    if (kind === PLAIN) at += 1
    else if (kind === WIDE) {
      found.wide = true
      at += 1
    } else if (kind === BRACKET) {
      found.brackets = true
      at += 1
    } else if (kind === ESCAPE) {
      found.escaped = true
      if (!isUsual(bytes[at + 1])) found.odd = true
      at += 2
      if (at > length) return TOO_SHORT
    } else break
  }
  if (at >= length) return TOO_SHORT
  if (at === start || bytes[at] !== QUOTE) return NO_MATCH
  found.start = start
  found.end = at
  return at
}

/** Returns the end of a repetition, byte for byte, of the text that was found before. */
export function repeatEnd(bytes: Uint8Array, length: number, start: number, found: FoundText): number {
  const end = start + found.end - found.start
  for (let at = start, from = found.start; at < end && at < length; at += 1, from += 1) {
    if (bytes[at] !== bytes[from]) return NO_MATCH
  }
  return end < length ? end : TOO_SHORT
}

export function blanksEnd(bytes: Uint8Array, length: number, start: number): number {
  let at = start
  while (bytes[at] === SPACE && at < length) at += 1
  return at >= length ? TOO_SHORT : at
}

/** A number with more digits would not be exact when it is added up. */
const MOST_DIGITS = 15

/** 0 is no count, because it does not replace an earlier one. */
export function countEnd(bytes: Uint8Array, length: number, start: number): number {
  let at = start
  while (at < length && (bytes[at] as number) >= ZERO && (bytes[at] as number) <= NINE) at += 1
  if (at >= length) return TOO_SHORT
  return at === start || at - start > MOST_DIGITS || bytes[start] === ZERO ? NO_MATCH : at
}

/** Values that are nested deeper are left to the slow path. */
const DEEPEST = 8

/** In bytes. Longer strings are left to the slow path as well, because JSON.parse is faster. */
const LONGEST = 1024

/**
 * Returns the end of the JSON value that begins at `start`; `NO_MATCH` if there is none, or one that is left to the
 * slow path; `TOO_SHORT` if the bytes end before. A quote must follow the `length` bytes.
 */
export function valueEnd(bytes: Uint8Array, length: number, start: number, deepest = DEEPEST): number {
  if (start >= length) return TOO_SHORT
  const first = bytes[start] as number
  if (first === QUOTE) return stringEnd(bytes, length, start + 1)
  if (first === MINUS || (first >= ZERO && first <= NINE)) return numberEnd(bytes, length, start)
  if (first === LIST || first === RECORD) return deepest === 0 ? NO_MATCH : insideEnd(bytes, length, start, deepest - 1)
  const word = WORDS.get(first)
  return word === undefined ? NO_MATCH : wordEnd(bytes, length, start, word)
}

/** Returns the end of a string; `start` is after its opening quote. */
function stringEnd(bytes: Uint8Array, length: number, start: number): number {
  const most = start + LONGEST
  let at = start
  for (;;) {
    const kind = KINDS[bytes[at] as number] as number
    if (kind <= BRACKET) at += 1
    else if (kind === ESCAPE && SHORT_ESCAPES.has(bytes[at + 1] as number)) at += 2
    else if (kind === ESCAPE && bytes[at + 1] === LONG_ESCAPE) {
      if (at + 6 > length) return TOO_SHORT
      if (!isHex(bytes, at + 2, at + 6)) return NO_MATCH
      at += 6
    } else break
    if (at > most) return NO_MATCH
  }
  if (at >= length) return TOO_SHORT
  return bytes[at] === QUOTE ? at + 1 : NO_MATCH
}

function isHex(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (!HEX.has(bytes[at] as number)) return false
  return true
}

/** Returns the end of a list or an object; `start` is its bracket. */
function insideEnd(bytes: Uint8Array, length: number, start: number, deepest: number): number {
  const isRecord = bytes[start] === RECORD
  const close = isRecord ? RECORD_END : LIST_END
  let at = pastSpaces(bytes, start + 1)
  if (bytes[at] === close) return at + 1
  for (;;) {
    if (isRecord) at = labelEnd(bytes, length, at)
    if (at < 0) return at
    at = valueEnd(bytes, length, at, deepest)
    if (at < 0) return at
    at = pastSpaces(bytes, at)
    if (at >= length) return TOO_SHORT
    if (bytes[at] === close) return at + 1
    if (bytes[at] !== COMMA) return NO_MATCH
    at = pastSpaces(bytes, at + 1)
  }
}

/** Reads a name and its colon. Returns where the value begins. */
function labelEnd(bytes: Uint8Array, length: number, start: number): number {
  if (start >= length) return TOO_SHORT
  if (bytes[start] !== QUOTE) return NO_MATCH
  const name = stringEnd(bytes, length, start + 1)
  if (name < 0) return name
  const at = pastSpaces(bytes, name)
  if (at >= length) return TOO_SHORT
  return bytes[at] === COLON ? pastSpaces(bytes, at + 1) : NO_MATCH
}

export function pastSpaces(bytes: Uint8Array, start: number): number {
  let at = start
  while (bytes[at] === SPACE) at += 1
  return at
}

function wordEnd(bytes: Uint8Array, length: number, start: number, word: Uint8Array): number {
  for (let i = 0; i < word.length; i += 1) {
    if (start + i >= length) return TOO_SHORT
    if (bytes[start + i] !== word[i]) return NO_MATCH
  }
  return start + word.length
}

function pastDigits(bytes: Uint8Array, start: number): number {
  let at = start
  while ((bytes[at] as number) >= ZERO && (bytes[at] as number) <= NINE) at += 1
  return at
}

function numberEnd(bytes: Uint8Array, length: number, start: number): number {
  const whole = bytes[start] === MINUS ? start + 1 : start
  let at = pastDigits(bytes, whole)
  if (at >= length) return TOO_SHORT
  if (at === whole || (bytes[whole] === ZERO && at > whole + 1)) return NO_MATCH
  if (bytes[at] === POINT) at = someDigits(bytes, length, at + 1)
  if (at < 0 || (bytes[at] !== SMALL_E && bytes[at] !== LARGE_E)) return at
  const signed = bytes[at + 1] === PLUS || bytes[at + 1] === MINUS
  return someDigits(bytes, length, signed ? at + 2 : at + 1)
}

function someDigits(bytes: Uint8Array, length: number, start: number): number {
  const at = pastDigits(bytes, start)
  if (at >= length) return TOO_SHORT
  return at === start ? NO_MATCH : at
}
