import { parseJson } from './json.ts'
import { runSteps, type Steps } from './steps.ts'

export const escapeControl = (text: string): string => JSON.stringify(text).slice(1, -1)

/** Text with its control characters up to U+001F as escapes. */
export const escapeControls = (text: string): string =>
  text.replace(/\p{Cc}/gu, (char) => (char < ' ' ? escapeControl(char) : char))

/** Values of Python and JavaScript that JSON does not have, and a comma behind the last member. */
const NO_JSON = /-?\b(?:NaN|Infinity)\b|\b(?:None|undefined|True|False)\b|,(?=\s{0,64}[}\]])/g

const asJson = (found: string): string =>
  found === ',' ? '' : found === 'True' || found === 'False' ? found.toLowerCase() : 'null'

/** The escapes of JSON, a backslash that begins none, and raw control characters. */
const IN_STRING = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4}|'|)|\p{Cc}+/gu

const asEscape = (found: string): string =>
  found === '\\' ? '\\\\' : found === "\\'" ? "'" : found.startsWith('\\') ? found : escapeControl(found)

/** The characters that one slice rewrites. */
const SLICE = 64 * 1024

const [QUOTE, ZERO, BACKSLASH] = [34, 48, 92] as const

/**
 * The index after the string whose rest begins at `from`, or inside of a long one: never inside of an escape, and not
 * behind a quotation mark.
 */
function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    const isEscape = code === BACKSLASH
    if (at - from >= SLICE && (isEscape || code < ZERO) && text.charCodeAt(at - 1) !== QUOTE) return at
    if (isEscape) at += 1
  }
  return text.length
}

const BEGINS = /^\s*[[{]/

/** The text of a list or an object that `parseLenientJson` reads, as strict parsers read it. O(n), in slices. */
export function* toStrictJson(text: string): Steps<string> {
  if (!BEGINS.test(text.slice(0, 64))) return text
  let out = ''
  let at = 0
  let next = SLICE
  let inString = false
  while (at < text.length) {
    const quote: number = inString ? at : text.indexOf('"', at)
    const begin = quote < 0 ? text.length : quote
    const end: number = quote < 0 ? begin : endOfString(text, inString ? at : begin + 1)
    out += text.slice(at, begin).replace(NO_JSON, asJson) + text.slice(begin, end).replace(IN_STRING, asEscape)
    inString = text.charCodeAt(end - 1) !== QUOTE
    at = end
    if (at < next) continue
    next = at + SLICE
    yield
  }
  return out
}

/**
 * The value of a JSON text as some servers write it: with raw control characters and lone backslashes inside strings, the
 * words of Python and JavaScript for null, true, and numbers that are none, or a comma behind the last member. Undefined
 * if it is no JSON otherwise. O(n).
 */
export const parseLenientJson = (text: string): unknown => parseJson(text) ?? parseJson(runSteps(toStrictJson(text)))
