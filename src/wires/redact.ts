import type { Delta } from '../protocol/delta.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { HostedItem } from '../protocol/item.ts'
import type { Served } from '../protocol/served.ts'
import { bytesToBase64 } from '../text/base64.ts'
import { LINE_BREAK, readEscapedText, readEscapes, replaceTraced } from '../text/escapes.ts'
import { isNonEmptyString } from '../text/json.ts'

/** Replaces secrets that were sent to an upstream in a text that the upstream returned. */
export type Redact = (text: string) => string

/** A shorter secret could be an ordinary word. */
const SHORTEST = 6

/**
 * A text may be truncated inside a secret. At least this many characters must match to be hidden: the beginning of a secret
 * before the end or an ellipsis, and any part of it after an ellipsis.
 */
const SHORTEST_START = 8

/**
 * A sentence may also go on after a secret that was truncated without a mark. The first half of a secret is hidden
 * wherever it stands, if it has at least this many characters; less of it is common to many keys, such as
 * `sk-ant-api03-`.
 */
const SHORTEST_HALF = 12

const HIDDEN = '[secret]'

/** Nested escapes: a JSON string in a JSON string in a URL, in the JSON text of an event. */
const MOST_LEVELS = 4

/**
 * The forms of a secret in the base64 of a text that contains it, without the characters that also depend on
 * neighbouring bytes: one form for each position in a group of three bytes.
 */
function base64Forms(secret: string): readonly Form[] {
  const bytes = new TextEncoder().encode(secret)
  const half = new TextEncoder().encode(secret.slice(0, halfOf(secret))).length
  const digits = (count: number): number => Math.floor((8 * count) / 6)
  return [0, 1, 2].map((before) => {
    const padded = new Uint8Array(before + bytes.length)
    padded.set(bytes, before)
    const text = bytesToBase64(padded).slice(Math.ceil((8 * before) / 6), digits(before + bytes.length))
    return { text, beginning: text.slice(0, digits(before + half) - Math.ceil((8 * before) / 6)) }
  })
}

/** The secret, and the texts that result if parts of it are read as escapes. */
function readingsOf(secret: string, level = 0): readonly string[] {
  const read = level < MOST_LEVELS ? readEscapes(secret) : null
  return read === null ? [secret] : [secret, ...readingsOf(read.text, level + 1)]
}

/** The forms in which a secret may be returned, apart from escaped ones. */
function formsOf(secret: string): readonly Form[] {
  const base64 = base64Forms(secret).filter(({ text }) => text.length >= SHORTEST_START)
  const ofUrls = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_')
  return [
    ...readingsOf(secret).map(toForm),
    toForm(encodeURIComponent(secret.replaceAll(/\p{Surrogate}/gu, '\ufffd'))),
    ...base64,
    ...base64.map(({ text, beginning }) => ({ text: ofUrls(text), beginning: ofUrls(beginning) })),
  ]
}

/** A form of a secret, and the part of it that is enough to be hidden. */
interface Form {
  readonly text: string
  readonly beginning: string
}

const halfOf = (text: string): number => Math.max(SHORTEST_HALF, Math.ceil(text.length / 2))

const toForm = (text: string): Form => ({ text, beginning: text.slice(0, halfOf(text)) })

/** `end` exclusive. */
type SecretRange = readonly [start: number, end: number]

/** Returns the ranges of secrets in a text, in no particular order; they may overlap. */
type FindSecrets = (text: string) => readonly SecretRange[]

/**
 * Returns a function that finds these secrets in any text, escaped or not, and their beginnings where the text was
 * truncated. Linear in the length of the text for each secret.
 */
export function secretFinder(secrets: readonly string[]): FindSecrets {
  const all = secrets.filter(({ length }) => length >= SHORTEST).flatMap(formsOf)
  const forms = [...new Map(all.map((form) => [`${form.beginning.length} ${form.text}`, form])).values()]
  return forms.length === 0 ? () => [] : (text) => (hasForms(text, forms) ? findForms(text, forms) : [])
}

/** Returns a function that hides what `secretFinder` finds. */
export function redactor(secrets: readonly string[]): Redact {
  // Few answers have a text to search.
  let find: FindSecrets | null = null
  return (text) => {
    find ??= secretFinder(secrets)
    return hide(text, find(text))
  }
}

/** Whether a text or one of its unescaped readings has any of these forms: few texts have. */
function hasForms(text: string, forms: readonly Form[]): boolean {
  let readings: readonly string[] = [text, text]
  for (let level = 0; readings.length > 0; level += 1) {
    const [plain = '', joined = plain] = readings
    readings = [...new Set([plain, joined.replace(LINE_BREAK, '')])]
    if (readings.some((one) => rangesIn(one, forms).length > 0)) return true
    readings = level < MOST_LEVELS ? readings.flatMap((one) => readEscapedText(one) ?? []) : []
  }
  return false
}

/** The ranges of all forms in a text and in its unescaped readings, with and without line breaks, in no particular order. */
const findForms = (text: string, forms: readonly Form[]): readonly SecretRange[] =>
  [false, true].flatMap((joins) => findUnescaped(text, forms, joins))

/** `joins`: parts of a form may be in different lines. */
function findUnescaped(text: string, forms: readonly Form[], joins: boolean, level = 0): readonly SecretRange[] {
  const joined = joins ? replaceTraced(text, LINE_BREAK, () => '') : null
  if (joined === null) return findInside(text, forms, joins, level)
  // The text is joined once: what is left may look like line breaks again.
  return findInside(joined.text, forms, joins, level).map(([start, end]) => [
    joined.starts[start] ?? 0,
    (joined.starts[end - 1] ?? 0) + 1,
  ])
}

function findInside(text: string, forms: readonly Form[], joins: boolean, level: number): readonly SecretRange[] {
  const found = rangesIn(text, forms)
  const read = level < MOST_LEVELS ? readEscapes(text) : null
  if (read === null) return found
  const { starts } = read
  const inside = findUnescaped(read.text, forms, joins, level + 1)
  return [...found, ...inside.map(([start, end]): SecretRange => [starts[start] ?? 0, starts[end] ?? text.length])]
}

function rangesIn(text: string, forms: readonly Form[]): readonly SecretRange[] {
  const found: SecretRange[] = []
  const marks = marksIn(text)
  const ends = endsOf(text, marks)
  for (const { text: form, beginning } of forms) {
    for (let at = text.indexOf(beginning); at >= 0; at = text.indexOf(beginning, at + 1))
      found.push([at, at + commonLength(text, at, form, beginning.length)])
    for (const [cut, end] of ends) {
      const start = startAtEnd(text, cut, form)
      if (start < cut) found.push([start, end])
    }
    for (const [, start] of marks) {
      const end = endAtStart(text, start, form)
      if (end > start) found.push([start, end])
    }
  }
  return found
}

/** The length of the part of `form` that stands at a place of a text. `known`: the least length. */
function commonLength(text: string, at: number, form: string, known: number): number {
  let size = known
  while (size < form.length && text[at + size] === form[size]) size += 1
  return size
}

/** An incomplete escape at the end of a truncated text. */
const HALF_ESCAPE = /(?:\\{1,8}(?:u[0-9a-f]{0,3}|x[0-9a-f]?)?|%[0-9a-f]?|&#?\w{0,6})$/i

const ESCAPING = /[\\%&]/

/** The longest incomplete escapes of all levels, and a full stop. */
const LONGEST_ENDS = 64

/** Marks a part of a text that was truncated, or is hidden; also as the bytes that `readEscapes` reads in a URL. */
const MARK = /…|â\x80¦|\.{3,}|\*{3,}|•{3,}|(?:â\x80¢){3,}/g

/** The number of marks that are looked at. */
const MOST_MARKS = 64

function marksIn(text: string): readonly SecretRange[] {
  const marks: SecretRange[] = []
  for (const { 0: mark, index } of text.matchAll(MARK))
    if (marks.push([index, index + mark.length]) === MOST_MARKS) break
  return marks
}

/**
 * The positions at which a truncated text, or a part of it, may have ended, each with the end of what remains of it: it
 * may end inside an escape, and that inside another one.
 */
function endsOf(text: string, marks: readonly SecretRange[]): readonly SecretRange[] {
  const ends: SecretRange[] = []
  const add = (cut: number, end: number): void => {
    ends.push([cut, end])
    const before = Math.max(0, cut - LONGEST_ENDS)
    let rest = text.slice(before, cut)
    // Few texts end inside an escape.
    for (let level = 0; level < MOST_LEVELS && ESCAPING.test(rest); level += 1) {
      rest = rest.replace(HALF_ESCAPE, '')
      ends.push([before + rest.length, end])
    }
  }
  for (const [at] of marks) add(at, at)
  // A message that quotes a truncated text may add a full stop.
  if (text.endsWith('.') || text.endsWith('…')) add(text.length - 1, text.length)
  add(text.length, text.length)
  return ends
}

/** The start of the longest beginning of `form` that ends at `end`; `end` if there is none. */
function startAtEnd(text: string, end: number, form: string): number {
  // Few texts end with a part of a secret, and the search for its beginning is expensive.
  if (end < SHORTEST_START || !form.includes(text.slice(end - SHORTEST_START, end))) return end
  for (let size = Math.min(form.length - 1, end); size >= SHORTEST_START; size -= 1) {
    if (text.startsWith(form.slice(0, size), end - size)) return end - size
  }
  return end
}

/** The end of the longest part of `form` that begins at `start`; `start` if there is none. */
function endAtStart(text: string, start: number, form: string): number {
  const first = text.slice(start, start + SHORTEST_START)
  if (first.length < SHORTEST_START) return start
  let longest = 0
  for (let at = form.indexOf(first); at >= 0; at = form.indexOf(first, at + 1))
    longest = Math.max(longest, commonLength(text, start, form.slice(at), SHORTEST_START))
  return start + longest
}

function hide(text: string, ranges: readonly SecretRange[]): string {
  if (ranges.length === 0) return text
  const pieces: string[] = []
  let shown = 0
  for (const [start, end] of ranges.toSorted(([one], [other]) => one - other)) {
    if (start >= shown) pieces.push(text.slice(shown, start), HIDDEN)
    shown = Math.max(shown, end)
  }
  return pieces.join('') + text.slice(shown)
}

const KEY = /\b(?:(?:sk|gsk|xai|hf|fw|csk|tgp|nvapi|pplx)[-_]|AIza)([\w*.…-]+)/g
const SHORTEST_KEY = 6
const AWS_KEY = /\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b/g

/**
 * Hides everything that looks like a key, even if it was not sent by this gateway: some vendors repeat a rejected key
 * in their message.
 */
export const hideKeys = (error: GatewayError): GatewayError => ({
  ...error,
  message: hideAwsKeys(hideVendorKeys(error.message)),
})

const hideVendorKeys = (text: string): string =>
  text.replace(KEY, (key: string, rest: string): string => (rest.length < SHORTEST_KEY ? key : '[key]'))

const hideAwsKeys = (text: string): string => text.replace(AWS_KEY, '[key]')

/** Hides secrets, and everything that looks like a key, in a text that an upstream wrote about itself. */
export const redactText = (text: string, redact: Redact): string => hideAwsKeys(hideVendorKeys(redact(text)))

/** The failure with secrets hidden in its code and message. */
export const redactError = (error: GatewayError, redact: Redact): GatewayError =>
  // Secrets are hidden first: if `hideKeys` replaced a part of one, `redact` would not recognize the rest.
  hideKeys({
    ...error,
    code: redact(error.code),
    message: redact(error.message),
    ...(error.cause === undefined ? {} : { cause: redactText(error.cause, redact) }),
  })

/**
 * Hides secrets in the statements of an upstream about itself, which may quote what was sent to it. The text of the
 * answer is not changed.
 */
export function redactDelta(delta: Delta, redact: Redact): Delta {
  switch (delta.kind) {
    case 'start':
      return { ...delta, model: redact(delta.model) }
    case 'error':
    case 'cut':
      return { ...delta, error: redactError(delta.error, redact) }
    case 'loss':
      return { ...delta, feature: redact(delta.feature) }
    case 'served':
      return { ...delta, served: mapServed(delta.served, redact) }
    case 'hosted':
      return { ...delta, item: redactItem(delta.item, redact) }
    default:
      return delta
  }
}

const mapServed = (served: Served, redact: Redact): Served =>
  Object.fromEntries(Object.entries(served).map(([name, value]) => [name, redact(value)]))

/** The error of a hosted tool is the upstream's own text. */
function redactItem(item: HostedItem, redact: Redact): HostedItem {
  const { error } = item.fields
  return isNonEmptyString(error) ? { ...item, fields: { ...item.fields, error: redact(error) } } : item
}
