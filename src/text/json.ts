/** Who watches what becomes of parsed values gives others in their place (`fields-read.ts`); null where nobody does. */
export const PARSED: { instead: ((value: unknown) => unknown) | null } = { instead: null }

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9
const isDigit = (code: number): boolean => code >= 48 && code <= 57
const CLOSING: ReadonlyMap<number, number> = new Map(
  ['{}', '[]', '""'].map((it) => [it.charCodeAt(0), it.charCodeAt(1)]),
)
const [MINUS, LOWER_A, LOWER_Z] = [45, 97, 122] as const

/** Do its ends look like those of JSON? An exception costs a thousand times as much as this look, and text may be cut anywhere. */
function mayBeJson(text: string): boolean {
  let start = 0
  let end = text.length - 1
  while (start < end && isSpace(text.charCodeAt(start))) start += 1
  while (end > start && isSpace(text.charCodeAt(end))) end -= 1
  const [first, last] = [text.charCodeAt(start), text.charCodeAt(end)]
  const closing = CLOSING.get(first)
  if (closing !== undefined) return last === closing && end > start
  if (first === MINUS || isDigit(first)) return isDigit(last)
  return first >= LOWER_A && first <= LOWER_Z && /^(?:true|false|null)$/.test(text.slice(start, end + 1))
}
/** A parsed value, or what is to be looked at in its place. */
export const observed = (value: unknown): unknown => (PARSED.instead === null ? value : PARSED.instead(value))

/** The value of a JSON text; undefined where it is none. */
export function parseJson(text: string): unknown {
  if (!mayBeJson(text)) return undefined
  try {
    return observed(JSON.parse(text))
  } catch {
    return undefined
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A string with something in it: `""` and null are what vendors send for "nothing". */
export const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

export const toArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** An untrusted value as a short word; empty where it is none. `String` would run what an object calls toString. */
export const wordOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? `${value}` : ''

/** A JSON value as text; empty where it is nested too deep to be written, though it could be read. */
export function formatJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return ''
  }
}

export const isCompleteJson = (text: string): boolean => parseJson(text) !== undefined

// Nothing that JSON escapes, and no surrogate (a lone one must be escaped): the literal is the text in quotes.
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/

/** What is longer is not looked through for nothing. */
const SHORT = 256

/** What JSON writes between the quotes of a string: faster for the short plain ones that streams are made of. */
export const escapeJson = (text: string): string =>
  text.length <= SHORT && PLAIN.test(text) ? text : JSON.stringify(text).slice(1, -1)

/** JSON.stringify of a string. */
export const quote = (text: string): string => (text.length <= SHORT ? `"${escapeJson(text)}"` : JSON.stringify(text))
