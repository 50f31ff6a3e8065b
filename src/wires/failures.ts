import { type GatewayError, upstreamError } from '../protocol/error.ts'
import { isObject, isText, parseJson, toArray } from '../text/json.ts'
import { lookup } from '../text/lookup.ts'
import { type Fault, faultIn } from './fault-texts.ts'
import { retryAfterOf, toRetryAfter } from './retry-after.ts'

/** What our client is told: the status where no byte was sent yet, and the word. */
export interface Verdict {
  readonly status: number
  readonly code: string
}

const BAD_REQUEST: Verdict = { status: 400, code: 'invalid_prompt' }
const BROKEN: Verdict = { status: 502, code: 'server_error' }
// The address is the operator's: a client can do nothing about it.
const BAD_ADDRESS: Verdict = { status: 502, code: 'upstream_not_found' }

/** The verdicts that words of several wires lead to. */
export const VERDICTS = {
  badRequest: BAD_REQUEST,
  tooLong: { status: 400, code: 'context_length_exceeded' },
  filtered: { status: 400, code: 'content_filter' },
  /** Encrypted reasoning that the upstream cannot read: the request may be tried again without it. */
  badSeal: { status: 400, code: 'invalid_encrypted_content' },
  noModel: { status: 404, code: 'model_not_found' },
  noMoney: { status: 429, code: 'insufficient_quota' },
  tooLarge: { status: 413, code: 'request_too_large' },
  tooFast: { status: 429, code: 'rate_limit_exceeded' },
  broken: BROKEN,
  overloaded: { status: 503, code: 'server_is_overloaded' },
  timedOut: { status: 504, code: 'upstream_timeout' },
  // The key is the operator's, too, and a client must not take it for its own.
  badKey: { status: 502, code: 'upstream_authentication' },
} as const satisfies Record<string, Verdict>

/** A wire's own words for failures, from `code`, `type` or `status` of its errors: more exact than an HTTP status. */
export type Words = Readonly<Record<string, Verdict>>

const STATUSES: Readonly<Record<string, Verdict>> = {
  401: VERDICTS.badKey,
  402: { status: 402, code: 'insufficient_quota' },
  403: VERDICTS.badKey,
  404: VERDICTS.noModel,
  405: BAD_ADDRESS,
  408: VERDICTS.timedOut,
  413: VERDICTS.tooLarge,
  429: VERDICTS.tooFast,
  503: VERDICTS.overloaded,
  504: VERDICTS.timedOut,
  524: VERDICTS.timedOut,
  529: VERDICTS.overloaded,
}

/** Faults that only the text names, where status and words do not. */
const FAULTS = {
  key: VERDICTS.badKey,
  model: VERDICTS.noModel,
  length: VERDICTS.tooLong,
} as const satisfies Record<Fault, Verdict>

/** Statuses that vendors also use for a wrong key, an unknown model and a prompt that is too long. */
const VAGUE: ReadonlySet<number> = new Set([400, 403, 404, 413, 422])

/** The same in words, of failures inside a 200 that have no status. */
const VAGUE_WORDS: ReadonlySet<string> = new Set([
  'invalid_request_error',
  'invalid_prompt',
  'invalid-argument',
  'INVALID_ARGUMENT',
  'BadRequestError',
])

/** `404 page not found` is what servers in Go say by themselves. */
const NO_SUCH_PATH = /^(?:404 page )?not found\W*$/i

/** Texts are cut here: nobody reads more, and a raw body may be anything. */
const LONGEST_TEXT = 2000
const LONGEST_PAGE = 10_000

/** A failure as it was told, whatever its shape. */
interface Told {
  readonly text: string | null
  readonly words: readonly string[]
  readonly status: number | null
}

const FIELDS_WITH_WORDS = ['code', 'type', 'error_type', 'status'] as const
const FIELDS_WITH_STATUS = ['status_code', 'raw_status_code', 'http_code', 'status', 'code'] as const

const isStatus = (value: number): boolean => Number.isInteger(value) && value >= 400 && value <= 599

function statusOf(error: Readonly<Record<string, unknown>>): number | null {
  for (const field of FIELDS_WITH_STATUS) {
    const value = error[field]
    const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value
    if (typeof status === 'number' && isStatus(status)) return status
  }
  return null
}

/** OpenRouter repeats in `metadata.raw` what the vendor behind it said: a text, or that vendor's body as text. */
function rawTextOf(metadata: unknown): string | null {
  if (!isObject(metadata) || !isText(metadata.raw)) return null
  const body = parseJson(metadata.raw)
  return body === undefined ? metadata.raw : tell(body).text
}

function wordsOf(error: Readonly<Record<string, unknown>>): readonly string[] {
  const metadata = isObject(error.metadata) ? error.metadata : {}
  // OpenRouter answers a prompt that it holds for harmful with a 403 that has no word but its reasons.
  const flagged = Array.isArray(metadata.reasons) ? 'content_filter' : null
  return [metadata.error_type, flagged, ...FIELDS_WITH_WORDS.map((field) => error[field])].filter(isText)
}

function joined(message: string, raw: string | null): string {
  return raw === null || message.includes(raw) ? message : `${message}: ${raw}`
}

/** How deep errors are nested in errors; one that is deeper is nobody's. */
const DEEPEST = 4

/** Reads `{error: …}`, `{message}`, `{Message}`, `{detail}`, `{errors}`, `[{error}]`, a bare string, and each of them in another. */
function tell(error: unknown, depth = 0): Told {
  if (isText(error)) return { text: error, words: [], status: null }
  if (Array.isArray(error) && depth < DEEPEST) return tell(error[0], depth + 1)
  if (!isObject(error)) return { text: null, words: [], status: null }
  const own = [error.message, error.Message].find(isText) ?? null
  const text = own === null ? null : joined(own, rawTextOf(error.metadata))
  const told: Told = { text, words: wordsOf(error), status: statusOf(error) }
  const inner = own === null && depth < DEEPEST ? tell(innerOf(error), depth + 1) : null
  if (inner === null) return told
  return { text: inner.text, words: [...inner.words, ...told.words], status: inner.status ?? told.status }
}

/** The message of a failure of any shape; empty where it has none. */
export const textIn = (error: unknown): string => tell(error).text ?? ''

/** `errors` is Cloudflare's. */
const innerOf = ({ error, errors, detail, msg }: Readonly<Record<string, unknown>>): unknown =>
  error ?? errors ?? detail ?? msg

/** The first of its words that this wire knows; null where there is none. */
function verdictOfWords({ words: found }: Told, words: Words): Verdict | null {
  for (const word of found) {
    const verdict = lookup(words, word)
    if (verdict !== undefined) return verdict
  }
  return null
}

/** `given`: its HTTP status; null where a failure inside a 200 has none. */
function verdictOf(told: Told, given: number | null, words: Words): Verdict {
  const named = verdictOfWords(told, words)
  // A word for bad requests of any kind says no more than the status.
  if (named !== null && named !== BAD_REQUEST) return named
  const isVague = given === null ? told.words.some((word) => VAGUE_WORDS.has(word)) : VAGUE.has(given)
  const fault = told.text !== null && isVague ? faultIn(told.text) : null
  if (fault !== null) return FAULTS[fault]
  if (named !== null) return named
  const status = given ?? 500
  // A server that knows nothing but "not found" has no such address; one that says what it did not find has no such model.
  if (status === 404 && (told.text === null || NO_SUCH_PATH.test(told.text))) return BAD_ADDRESS
  return lookup(STATUSES, String(status)) ?? (status >= 400 && status < 500 ? BAD_REQUEST : BROKEN)
}

/** Cut at a whole character. */
const clip = (text: string): string =>
  text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT).replace(/[\ud800-\udbff]$/, '')}…`

const failure = (verdict: Verdict, text: string, retryAfter: number | null): GatewayError =>
  upstreamError(verdict.code, clip(text), verdict.status, retryAfter)

/** A failure told inside a 200: `{message, code, type, metadata}`, the same inside `error`, or a bare string. */
export function failureOf(error: unknown, words: Words): GatewayError {
  const told = tell(error)
  const verdict = verdictOf(told, told.status, words)
  const word = told.words[0]
  const silent = word === undefined ? 'the upstream failed without saying why' : `the upstream failed: ${word}`
  return failure(verdict, told.text ?? silent, null)
}

const LONGEST_TITLE = 200

/** What a page calls itself; empty where it does not say. */
function titleOf(page: string): string {
  const tag = page.toLowerCase().indexOf('<title')
  const start = tag < 0 ? -1 : page.indexOf('>', tag)
  if (start < 0) return ''
  const end = page.indexOf('<', start)
  return page
    .slice(start + 1, end < 0 ? page.length : end)
    .slice(0, LONGEST_TITLE)
    .trim()
}

/** What a body says that is no JSON. A page is for people with a browser: only its title is told. */
function pageText(status: number, body: string): string {
  const text = body.slice(0, LONGEST_PAGE).trim()
  if (text === '') return `the upstream answered HTTP ${status} without saying why`
  if (!text.startsWith('<')) return text
  const title = titleOf(text)
  return `the upstream answered HTTP ${status} with a web page${title === '' ? '' : `: ${title}`}`
}

/** Seconds, from Google's `details[].retryDelay` ("36s"). */
function retryDelayOf(body: unknown): number | null {
  const outer = Array.isArray(body) ? body[0] : body
  const error = isObject(outer) ? outer.error : null
  for (const detail of toArray(isObject(error) ? error.details : null)) {
    const delay = isObject(detail) ? detail.retryDelay : null
    const seconds = typeof delay === 'string' ? Number.parseFloat(delay) : Number.NaN
    if (seconds >= 0) return toRetryAfter(seconds)
  }
  return null
}

/** An HTTP status ≥ 400 with its body: the failure that our client is told. */
export function httpFailureOf(
  status: number,
  headers: Readonly<Record<string, string | undefined>>,
  body: string,
  words: Words,
): GatewayError {
  const json = parseJson(body)
  const told = tell(json)
  const retryAfter = retryAfterOf(headers) ?? retryDelayOf(json)
  const silent = isObject(json) || Array.isArray(json) ? pageText(status, '') : pageText(status, body)
  return failure(verdictOf(told, status, words), told.text ?? silent, retryAfter)
}
