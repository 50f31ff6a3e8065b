import type { JsonRecord } from '../../protocol/json.ts'

const [QUOTE, BACKSLASH, MINUS, PLUS, POINT, ZERO, NINE] = [34, 92, 45, 43, 46, 48, 57]
const [LOWER_E, UPPER_E] = [101, 69]

/** Any text without this has no number that changes: 15 digits are exact. It costs less than to find the numbers. */
const MAY_CHANGE = /[\d.]{16}|\d[eE]/

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE

const isInNumber = (code: number): boolean =>
  isDigit(code) || code === POINT || code === LOWER_E || code === UPPER_E || code === PLUS || code === MINUS

function afterString(json: string, start: number): number {
  let at = start + 1
  while (at < json.length && json.charCodeAt(at) !== QUOTE) at += json.charCodeAt(at) === BACKSLASH ? 2 : 1
  return at + 1
}

/** The digits of a number without zeros at either end, and the power of ten of the last one: `12e3` for `12000.0`. */
function toDecimal(written: string): string {
  const exponentAt = written.search(/[eE]/)
  const mantissa = exponentAt < 0 ? written : written.slice(0, exponentAt)
  const point = mantissa.indexOf('.')
  const digits = mantissa.replace(/[.-]/g, '')
  let [start, end] = [0, digits.length]
  while (start < end && digits.charCodeAt(start) === ZERO) start += 1
  while (end > start && digits.charCodeAt(end - 1) === ZERO) end -= 1
  if (start === end) return '0'
  const fraction = point < 0 ? 0 : mantissa.length - point - 1
  const power = (exponentAt < 0 ? 0 : Number(written.slice(exponentAt + 1))) - fraction + digits.length - end
  return `${written.startsWith('-') ? '-' : ''}${digits.slice(start, end)}e${power}`
}

/** Whether `JSON.parse` and `JSON.stringify` change the value of a number. */
const isInexact = (written: string): boolean => toDecimal(written) !== toDecimal(String(Number(written)))

/**
 * Whether a JSON text has a number that a double cannot hold: an integer beyond 2^53, or one with too many digits. Its
 * value changes where the text is parsed and written again. O(n); texts without a long number are only searched.
 */
export function hasInexactNumber(json: string): boolean {
  if (!MAY_CHANGE.test(json)) return false
  let at = 0
  while (at < json.length) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) at = afterString(json, at)
    else if (!isDigit(code) && code !== MINUS) at += 1
    else {
      const start = at
      while (at < json.length && isInNumber(json.charCodeAt(at))) at += 1
      if (isInexact(json.slice(start, at))) return true
    }
  }
  return false
}

/** Whether a parsed number is an integer beyond 2^53, or infinite: its text may have been another number. */
export const isLargeNumber = (value: number): boolean =>
  Math.abs(value) > Number.MAX_SAFE_INTEGER && (Number.isInteger(value) || !Number.isFinite(value))

/**
 * Whether a parsed value contains an integer beyond 2^53, which may have been another one in the text. O(n); the depth
 * of the value is not bounded.
 */
export function hasLargeNumber(value: unknown): boolean {
  const waiting: object[] = []
  const visit = (inner: unknown): boolean => {
    if (typeof inner === 'object' && inner !== null) waiting.push(inner)
    return typeof inner === 'number' && isLargeNumber(inner)
  }
  if (visit(value)) return true
  for (let found = waiting.pop(); found !== undefined; found = waiting.pop()) {
    if (Array.isArray(found)) {
      if (found.some(visit)) return true
    } else for (const name in found) if (visit((found as JsonRecord)[name])) return true
  }
  return false
}
