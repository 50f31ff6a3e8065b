const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9
const isDigit = (code: number): boolean => code >= 48 && code <= 57
const CLOSING: ReadonlyMap<number, number> = new Map(
  ['{}', '[]', '""'].map((it) => [it.charCodeAt(0), it.charCodeAt(1)]),
)
const [QUOTE, MINUS, LOWER_A, LOWER_Z] = [34, 45, 97, 122] as const
const isCapital = (text: string, at: number): boolean => text.charCodeAt(at) >= 65 && text.charCodeAt(at) <= 90

/**
 * Checks both ends of a text, which may be cut anywhere. This costs a thousandth of an exception of `JSON.parse`. The
 * terminator `[DONE]` has the ends of a list, but no value begins with a capital.
 */
function mayBeJson(text: string): boolean {
  let start = 0
  let end = text.length - 1
  while (start < end && isSpace(text.charCodeAt(start))) start += 1
  while (end > start && isSpace(text.charCodeAt(end))) end -= 1
  const [first, last] = [text.charCodeAt(start), text.charCodeAt(end)]
  const closing = CLOSING.get(first)
  if (closing !== undefined) return last === closing && end > start && (last === QUOTE || !isCapital(text, start + 1))
  if (first === MINUS || isDigit(first)) return isDigit(last)
  return first >= LOWER_A && first <= LOWER_Z && /^(?:true|false|null)$/.test(text.slice(start, end + 1))
}
/** The value of a JSON text; undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  if (!mayBeJson(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** True for a non-empty string: vendors send `""` and null for a missing value. */
export const isNonEmptyString = (value: unknown): value is string => typeof value === 'string' && value !== ''

export const toArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** An untrusted string or number as text; otherwise empty. `String` would call the `toString` of an object. */
export const scalarToString = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? `${value}` : ''

/** A JSON value as text; empty if it is nested too deep to be written. Parsing accepts deeper values. */
export function formatJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return ''
  }
}

export const isCompleteJson = (text: string): boolean => parseJson(text) !== undefined

// Matches text that JSON does not escape. It has no surrogates, because a lone one must be escaped.
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/

/** True if a JSON string of this text has no escapes. A text with surrogates counts as one that may have some. */
export const isUnescaped = (text: string): boolean => PLAIN.test(text)

/** Longer texts are not tested, because the test would often be wasted. */
const SHORT = 256

/** The escaped text between the quotes of a JSON string. Faster for short plain texts, the most common in streams. */
export const escapeJson = (text: string): string =>
  text.length <= SHORT && PLAIN.test(text) ? text : JSON.stringify(text).slice(1, -1)

/** `JSON.stringify` of a string. */
export const quote = (text: string): string => (text.length <= SHORT ? `"${escapeJson(text)}"` : JSON.stringify(text))

/** True if a JSON value has more levels of nested lists and objects. Descends no deeper than `levels`. O(n). */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner))
}

/**
 * Converts a name in snake case. Linear time: the pattern matches each run of underscores once, whether or not a letter
 * follows it.
 */
export const toCamel = (name: string): string =>
  name.replace(/_+[a-z]?/g, (found) => (found.endsWith('_') ? found : found.slice(-1).toUpperCase()))
