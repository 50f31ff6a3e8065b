import type { AccountLimit } from '../../../protocol/error.ts'

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

/** Seconds of a unit, by the beginnings of its names. Milliseconds come before minutes. */
const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(?:ms|milli)/i, 0.001],
  [/^s/i, 1],
  [/^m/i, 60],
  [/^h/i, 3600],
  [/^d/i, 86_400],
]

/** The most parts of a duration: days, hours, minutes, seconds, and one more. */
const MOST_PARTS = 5

/** Returns the seconds of a duration such as `6m0s`, `1.5s`, `20ms` or `2 hours, 5 minutes` at a place; NaN for none. */
function durationAt(text: string, at: number): number {
  const part =
    /\s?,?(?: and)? ?(\d{1,9}(?:\.\d{1,9})?) ?(ms|milliseconds?|[smhd]|sec(?:ond)?s?|min(?:ute)?s?|hours?|days?)(?![a-z])/iy
  part.lastIndex = at
  let seconds = Number.NaN
  for (let count = 0; count < MOST_PARTS; count += 1) {
    const found = part.exec(text)
    if (found === null) break
    const [, amount = '', unit = ''] = found
    const size = UNITS.find(([name]) => name.test(unit))?.[1] ?? Number.NaN
    seconds = (Number.isNaN(seconds) ? 0 : seconds) + Number(amount) * size
  }
  return seconds
}

const AGAIN = /(?:try again|retry|resets?) (?:in|after)(?= )/gi

/** Returns whole seconds of a message such as OpenAI's "Please try again in 6m0s."; null if it names no time. */
export function retryAfterIn(message: string): number | null {
  for (const { index, 0: words } of message.matchAll(AGAIN)) {
    const seconds = durationAt(message, index + words.length)
    if (!Number.isNaN(seconds)) return toRetryAfter(seconds)
  }
  return null
}

/** Numbers above it are times since 1970, in seconds or, above its thousandfold, in milliseconds. */
const EARLIEST = 1e9

type Headers = Readonly<Record<string, string | undefined>>

/** Returns the seconds until a time since 1970, measured by the upstream's own clock. */
function untilTime(time: number, { date }: Headers): number {
  const now = date !== undefined && HTTP_DATE.test(date) ? Date.parse(date) / 1000 : Number.NaN
  return (time >= EARLIEST * 1000 ? time / 1000 : time) - now
}

/** Returns the seconds until a limit is reset: a duration, a number of seconds, or a time. */
function secondsUntil(value: string, headers: Headers): number {
  const text = value.trim()
  if (/^\d{1,16}(?:\.\d{1,9})?$/.test(text))
    return Number(text) >= EARLIEST ? untilTime(Number(text), headers) : Number(text)
  const time = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? durationAt(text, 0) : untilTime(time / 1000, headers)
}

const RESET = /^(?:x-ratelimit-|anthropic-ratelimit-|ratelimit-)(?:[a-z-]{1,60}-)?reset(?:-[a-z-]{1,60})?$/

/**
 * Returns whole seconds until the limits that the headers show as used up are reset. If none is shown so, the limit that
 * is reset first may be the one, among those of which no header shows what remains; null if the headers name no such
 * time.
 */
export function resetOf(headers: Headers): number | null {
  const limits = Object.keys(headers)
    .filter((name) => RESET.test(name))
    .map((name) => ({
      seconds: secondsUntil(headers[name] ?? '', headers),
      remaining: headers[name.replace('reset', 'remaining')]?.trim(),
    }))
    .filter(({ seconds }) => seconds > 0)
  const usedUp = limits.filter(({ remaining = '' }) => /^0+(?:\.0+)?$/.test(remaining))
  if (usedUp.length > 0) return toRetryAfter(Math.max(...usedUp.map(({ seconds }) => seconds)))
  const unknown = limits.filter(({ remaining }) => remaining === undefined)
  return unknown.length === 0 ? null : toRetryAfter(Math.min(...unknown.map(({ seconds }) => seconds)))
}

/** Returns whole seconds until the end of the limit of an account; null if it names none. */
export function limitEndOf({ resets_in_seconds: left, resets_at: at }: AccountLimit, headers: Headers): number | null {
  return toRetryAfter(left ?? (at === undefined ? Number.NaN : untilTime(at, headers)))
}
