/** Seconds. Nobody waits longer, and a number that is longer is none that was meant. */
const LONGEST = 86_400

/** Whole seconds, a day at most; null for what is no time. */
export const toRetryAfter = (seconds: number): number | null =>
  Number.isNaN(seconds) ? null : Math.min(LONGEST, Math.max(0, Math.ceil(seconds)))

const MONTHS = /^[A-Z][a-z]{2}, /

/** Milliseconds between two HTTP dates; NaN where one is none. */
const between = (from: string, to: string): number => Date.parse(to) - Date.parse(from)

function secondsOf(value: string, date: string | undefined): number {
  const text = value.trim()
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text)
  // No clock in here: the time that the upstream's own Date header tells is the one that its date is meant by.
  return date !== undefined && MONTHS.test(text) ? between(date, text) / 1000 : Number.NaN
}

/** Whole seconds after which a retry may work, a day at most; null where the upstream does not say. */
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
