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
