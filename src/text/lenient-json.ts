import { parseJson } from './json.ts'

export const escapeControl = (char: string): string => JSON.stringify(char).slice(1, -1)

/** Text with its control characters up to U+001F as escapes. */
export const escapeControls = (text: string): string =>
  text.replace(/\p{Cc}/gu, (char) => (char < ' ' ? escapeControl(char) : char))

/** Values of Python and JavaScript that JSON does not have, and a comma behind the last member. */
const NO_JSON = /-?\b(?:NaN|Infinity)\b|\b(?:None|undefined|True|False)\b|,(?=\s{0,64}[}\]])/g

const asJson = (found: string): string =>
  found === ',' ? '' : found === 'True' || found === 'False' ? found.toLowerCase() : 'null'

/** The escapes of JSON, and a backslash that begins none. */
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4}|'|)/g

const asEscape = (found: string): string => (found === '\\' ? '\\\\' : found === "\\'" ? "'" : found)

const [QUOTE, BACKSLASH] = [34, 92] as const

/** The index after the string that begins at a quotation mark. */
function endOfString(text: string, begin: number): number {
  for (let at = begin + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code === BACKSLASH) at += 1
  }
  return text.length
}

function toStrict(text: string): string {
  let out = ''
  let at = 0
  while (at < text.length) {
    const quote = text.indexOf('"', at)
    const begin = quote < 0 ? text.length : quote
    const end = quote < 0 ? begin : endOfString(text, begin)
    out +=
      text.slice(at, begin).replace(NO_JSON, asJson) + escapeControls(text.slice(begin, end)).replace(ESCAPE, asEscape)
    at = end
  }
  return out
}

/**
 * The value of a JSON text as some servers write it: with raw control characters and lone backslashes inside strings, the
 * words of Python and JavaScript for null, true, and numbers that are none, or a comma behind the last member. Undefined
 * if it is no JSON otherwise. O(n).
 */
export function parseLenientJson(text: string): unknown {
  const value = parseJson(text)
  if (value !== undefined || !/^\s*[[{]/.test(text.slice(0, 64))) return value
  return parseJson(toStrict(text))
}
