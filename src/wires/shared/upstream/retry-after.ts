/** Seconds. No client waits longer than a day; a larger number is treated as a mistake and reduced to this. */
const LONGEST = 86_400

/** Returns whole seconds, a day at most; null for NaN. */
export const toRetryAfter = (seconds: number): number | null =>
  Number.isNaN(seconds) ? null : Math.min(LONGEST, Math.max(0, Math.ceil(seconds)))

const HTTP_DATE = /^[A-Z][a-z]{2}, /

/** Milliseconds between two HTTP dates; NaN if one of them is invalid. */
const between = (from: string, to: string): number => Date.parse(to) - Date.parse(from)

function secondsOf(value: string, date: string | undefined): number {
  const text = value.trim()
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text)
  // Machines have no clock, so a date is measured against the upstream's own Date header, which its clock produced.
  return date !== undefined && HTTP_DATE.test(text) ? between(date, text) / 1000 : Number.NaN
}

/** `1h2m3.5s`, `450ms`, `20s`, `7 seconds`: seconds; NaN for another text. The whole text must be a duration. */
function secondsOfDuration(text: string): number {
  const units = [...text.matchAll(UNIT)]
  if (units.length === 0 || units.map(([all]) => all).join('') !== text) return Number.NaN
  return units.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * secondsOfUnit(unit), 0)
}

const UNIT = /(\d{1,9}(?:\.\d{1,9})?) ?(ms|s|m|h|d|milliseconds?|seconds?|minutes?|hours?|days?)(?![a-z]) ?/gi

/** By the first letter, and the second one of milliseconds. */
const SECONDS: readonly (readonly [unit: RegExp, seconds: number])[] = [
  [/^(?:ms|milli)/i, 0.001],
  [/^s/i, 1],
  [/^m/i, 60],
  [/^h/i, 3600],
  [/^d/i, 86_400],
]

const secondsOfUnit = (unit: string): number => SECONDS.find(([pattern]) => pattern.test(unit))?.[1] ?? Number.NaN

/** "Please try again in 6m0s." (OpenAI, Groq), "Please retry after 20 seconds." (Azure). */
const WAIT = /(?:try again in|retry (?:after|in)) ((?:\d{1,9}(?:\.\d{1,9})? ?[a-z]{1,12} ?){1,4})/i

/** Returns the wait that a message names; null if it names none. */
export function waitOf(message: string): number | null {
  return toRetryAfter(secondsOfDuration((WAIT.exec(message)?.[1] ?? '').trim()))
}

const LIMITED = ['requests', 'tokens'] as const

/** Returns the time until the limits that are used up are full again (`x-ratelimit-reset-tokens: 6m0s`); null without one. */
export function resetOf(headers: Readonly<Record<string, string | undefined>>): number | null {
  const resets = LIMITED.filter((what) => headers[`x-ratelimit-remaining-${what}`]?.trim() === '0')
    .map((what) => secondsOfDuration(headers[`x-ratelimit-reset-${what}`]?.trim() ?? ''))
    .filter((seconds) => !Number.isNaN(seconds))
  return resets.length === 0 ? null : toRetryAfter(Math.max(...resets))
}

/** The seconds from the upstream's own `Date` header to a time in seconds since 1970; null without the header. */
export function secondsUntil(time: number, headers: Readonly<Record<string, string | undefined>>): number | null {
  const now = Date.parse(headers.date ?? '')
  return toRetryAfter(time - now / 1000)
}

/** Returns whole seconds after which a retry may succeed, a day at most; null if the headers name no valid time. */
export function retryAfterOf(headers: Readonly<Record<string, string | undefined>>): number | null {
  const { 'retry-after-ms': milliseconds, 'retry-after': after, date } = headers
  const seconds =
    milliseconds !== undefined && /^\d+(?:\.\d+)?$/.test(milliseconds.trim())
      ? Number(milliseconds) / 1000
      : after === undefined
        ? Number.NaN
        : secondsOf(after, date)
  return toRetryAfter(seconds)
}
