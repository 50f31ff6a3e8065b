import type { Json, JsonObject } from '../../../protocol/json.ts'
import type { Steps } from '../../../text/steps.ts'
import type { Redact } from '../../redact.ts'

/** A longer text is searched in slices of this many UTF-16 units. */
const SLICE = 64 * 1024

/** The largest size of a secret in a text, with its escapes. */
const LONGEST = 4 * 1024

/** The number of attempts to end a slice outside of a secret. */
const ATTEMPTS = 16

/** Replaces the secrets in a text of any length, in slices. Returns the text itself if it quotes none. */
export function* redactLong(text: string, redact: Redact): Steps<string> {
  if (text.length <= SLICE + LONGEST) return redact(text)
  const pieces: string[] = []
  for (const slice of slicesOf(text, redact)) {
    pieces.push(redact(slice))
    yield
  }
  return pieces.join('')
}

/** Whether a text of any length quotes a secret, in slices. */
export function* quotesLong(text: string, redact: Redact): Steps<boolean> {
  if (text.length <= SLICE + LONGEST) return quotes(text, redact)
  for (const slice of slicesOf(text, redact)) {
    if (quotes(slice, redact)) return true
    yield
  }
  return false
}

/** Whether a text may quote a secret: true for every text that is too long to be searched at once. */
export const mayQuote = (text: string, redact: Redact): boolean => text.length > SLICE + LONGEST || quotes(text, redact)

const quotes = (text: string, redact: Redact): boolean => redact(text) !== text

function* slicesOf(text: string, redact: Redact): Iterable<string> {
  for (let at = 0; at < text.length; ) {
    const end = sliceEnd(text, at + SLICE, redact)
    yield text.slice(at, end)
    at = end
  }
}

/** An index at which no secret, and no beginning of one, is cut: at `end` or a little later. */
function sliceEnd(text: string, end: number, redact: Redact): number {
  for (let attempt = 0, at = end; attempt < ATTEMPTS && at < text.length; attempt += 1, at += LONGEST) {
    const around = text.slice(at - LONGEST, at + LONGEST)
    const before = around.slice(0, LONGEST)
    if (redact(around) === around && redact(before) === before) return at
  }
  return Math.min(end + ATTEMPTS * LONGEST, text.length)
}

/** This many values are searched in one step. */
const STEP = 64

/**
 * Replaces the secrets in every string, number and member name of a value, in slices. Returns the value itself if it
 * quotes none. Values below `deepest` levels are removed.
 */
export const redactValue = (value: Json, redact: Redact, deepest: number): Steps<Json> =>
  redactInside(value, redact, deepest, { left: STEP })

function* redactInside(value: Json, redact: Redact, deepest: number, step: { left: number }): Steps<Json> {
  if (typeof value === 'string') return yield* redactLong(value, redact)
  if (typeof value === 'number') return redactNumber(value, redact)
  if (typeof value !== 'object' || value === null) return value
  if (deepest === 0) return null
  const names = Array.isArray(value) ? null : Object.keys(value)
  const inner = Array.isArray(value) ? (value as readonly Json[]) : (Object.values(value) as readonly Json[])
  const redacted: Json[] = []
  for (const one of inner) {
    redacted.push(yield* redactInside(one, redact, deepest - 1, step))
    step.left -= 1
    if (step.left > 0) continue
    step.left = STEP
    yield
  }
  const shown = names?.map((name) => redact(name)) ?? null
  const isSame =
    redacted.every((one, at) => one === inner[at]) && (shown?.every((name, at) => name === names?.[at]) ?? true)
  if (isSame) return value
  return shown === null ? redacted : (Object.fromEntries(shown.map((name, at) => [name, redacted[at]])) as JsonObject)
}

function redactNumber(value: number, redact: Redact): Json {
  const text = String(value)
  const redacted = redact(text)
  return redacted === text ? value : redacted
}
