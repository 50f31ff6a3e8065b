import { jsonOf } from '../../../framing/frame.ts'
import { splitFrame } from '../../../framing/json-array.ts'
import { type AccountLimit, type GatewayError, upstreamError } from '../../../protocol/error.ts'
import { isObject, parseJson, toArray } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import { type ReceivedError, readError } from './answers/read-error.ts'
import { type ErrorKind, errorKindIn, ownText } from './error-messages.ts'
import { limitEndOf, resetOf, retryAfterIn, retryAfterOf, toRetryAfter } from './retry-after.ts'

/** The error as our client receives it: the HTTP status, if no byte was sent yet, and the error code. */
export interface ErrorMapping {
  readonly status: number
  readonly code: string
}

const BAD_REQUEST: ErrorMapping = { status: 400, code: 'invalid_prompt' }
const BROKEN: ErrorMapping = { status: 502, code: 'server_error' }
// The upstream's URL is set by the operator; a client cannot correct it.
const BAD_ADDRESS: ErrorMapping = { status: 502, code: 'upstream_not_found' }

/** Errors that codes of several wires map to. */
export const ERROR_MAPPINGS = {
  badRequest: BAD_REQUEST,
  tooLong: { status: 400, code: 'context_length_exceeded' },
  filtered: { status: 400, code: 'content_filter' },
  /** The upstream cannot read encrypted reasoning in the request: the request may be retried without it. */
  badSeal: { status: 400, code: 'invalid_encrypted_content' },
  noModel: { status: 404, code: 'model_not_found' },
  noMoney: { status: 429, code: 'insufficient_quota' },
  tooLarge: { status: 413, code: 'request_too_large' },
  tooFast: { status: 429, code: 'rate_limit_exceeded' },
  /** A subscription has used what its period includes. */
  usedUp: { status: 429, code: 'usage_limit_reached' },
  broken: BROKEN,
  overloaded: { status: 503, code: 'server_is_overloaded' },
  timedOut: { status: 504, code: 'upstream_timeout' },
  /** A network in front of the vendor answers in its place. */
  blocked: { status: 502, code: 'upstream_unreachable' },
  // The upstream's key is the operator's, too: a client must not mistake it for its own.
  badKey: { status: 502, code: 'upstream_authentication' },
} as const satisfies Record<string, ErrorMapping>

/** A wire's error codes, from `code`, `type` or `status` of its errors. They are more specific than an HTTP status. */
export type ErrorSchema = Readonly<Record<string, ErrorMapping>>

const STATUSES: Readonly<Record<string, ErrorMapping>> = {
  401: ERROR_MAPPINGS.badKey,
  402: { status: 402, code: 'insufficient_quota' },
  403: ERROR_MAPPINGS.badKey,
  404: ERROR_MAPPINGS.noModel,
  405: BAD_ADDRESS,
  408: ERROR_MAPPINGS.timedOut,
  // The official clients retry a conflict.
  409: ERROR_MAPPINGS.overloaded,
  413: ERROR_MAPPINGS.tooLarge,
  425: ERROR_MAPPINGS.overloaded,
  429: ERROR_MAPPINGS.tooFast,
  // Groq: no capacity for the tier "flex".
  498: ERROR_MAPPINGS.overloaded,
  503: ERROR_MAPPINGS.overloaded,
  504: ERROR_MAPPINGS.timedOut,
  524: ERROR_MAPPINGS.timedOut,
  529: ERROR_MAPPINGS.overloaded,
}

/** Faults that only the message names, if status and code are too general. */
const FAULTS = {
  key: ERROR_MAPPINGS.badKey,
  model: ERROR_MAPPINGS.noModel,
  length: ERROR_MAPPINGS.tooLong,
  seal: ERROR_MAPPINGS.badSeal,
} as const satisfies Record<ErrorKind, ErrorMapping>

/** HTTP statuses that vendors also use for a wrong key, an unknown model or a prompt that is too long. */
const VAGUE: ReadonlySet<number> = new Set([400, 403, 404, 413, 422])

/** Equally general error codes, for failures without a status inside an HTTP 200. */
const VAGUE_WORDS: ReadonlySet<string> = new Set([
  'invalid_request_error',
  'invalid_request',
  'invalid_prompt',
  'invalid-argument',
  'INVALID_ARGUMENT',
  'BadRequestError',
])

/** Go servers answer an unknown path with `404 page not found`. */
const NO_SUCH_PATH = /^(?:404 page )?not found\W*$/i

/** Bounds of messages, in UTF-16 units: a raw body may have any length, and a client needs only its beginning. */
const LONGEST_TEXT = 2000
const LONGEST_PAGE = 10_000
const LONGEST_TITLE = 200

/**
 * Codes of all protocols and of SDKs, without case and separators: a failure inside an HTTP 200 is often that of another
 * upstream, which a gateway passes on. Beside an HTTP status they decide nothing.
 */
const OTHER_WORDS: ErrorSchema = {
  ratelimit: ERROR_MAPPINGS.tooFast,
  ratelimited: ERROR_MAPPINGS.tooFast,
  ratelimiterror: ERROR_MAPPINGS.tooFast,
  ratelimitexceeded: ERROR_MAPPINGS.tooFast,
  toomanyrequests: ERROR_MAPPINGS.tooFast,
  requestlimitexceeded: ERROR_MAPPINGS.tooFast,
  resourceexhausted: ERROR_MAPPINGS.tooFast,
  throttling: ERROR_MAPPINGS.tooFast, // Alibaba
  throttlingexception: ERROR_MAPPINGS.tooFast,
  overloaded: ERROR_MAPPINGS.overloaded,
  overloadederror: ERROR_MAPPINGS.overloaded,
  engineoverloadederror: ERROR_MAPPINGS.overloaded, // Moonshot
  serveroverloaded: ERROR_MAPPINGS.overloaded, // Volcengine
  serverisoverloaded: ERROR_MAPPINGS.overloaded,
  modeloverloaded: ERROR_MAPPINGS.overloaded,
  serviceunavailable: ERROR_MAPPINGS.overloaded,
  serviceunavailableerror: ERROR_MAPPINGS.overloaded,
  serviceunavailableexception: ERROR_MAPPINGS.overloaded,
  unavailable: ERROR_MAPPINGS.overloaded,
  insufficientquota: ERROR_MAPPINGS.noMoney,
  insufficientbalance: ERROR_MAPPINGS.noMoney,
  quotaexceeded: ERROR_MAPPINGS.noMoney,
  arrearage: ERROR_MAPPINGS.noMoney, // Alibaba
  accountoverdueerror: ERROR_MAPPINGS.noMoney, // Volcengine
  contextlengthexceeded: ERROR_MAPPINGS.tooLong,
  contextwindowexceedederror: ERROR_MAPPINGS.tooLong, // LiteLLM
  contentfilter: ERROR_MAPPINGS.filtered,
  contentpolicyviolation: ERROR_MAPPINGS.filtered,
  contentpolicyviolationerror: ERROR_MAPPINGS.filtered, // LiteLLM
  datainspectionfailed: ERROR_MAPPINGS.filtered,
  sensitivecontentdetected: ERROR_MAPPINGS.filtered, // Volcengine
  outputtextsensitivecontentdetected: ERROR_MAPPINGS.filtered,
  authenticationerror: ERROR_MAPPINGS.badKey,
  invalidapikey: ERROR_MAPPINGS.badKey,
  permissiondenied: ERROR_MAPPINGS.badKey,
  permissiondeniederror: ERROR_MAPPINGS.badKey,
  permissionerror: ERROR_MAPPINGS.badKey,
  unauthenticated: ERROR_MAPPINGS.badKey,
  unauthorized: ERROR_MAPPINGS.badKey,
  accessdeniedexception: ERROR_MAPPINGS.badKey,
  modelnotfound: ERROR_MAPPINGS.noModel,
  invalidendpointormodel: ERROR_MAPPINGS.noModel, // Volcengine
  deadlineexceeded: ERROR_MAPPINGS.timedOut,
  timeouterror: ERROR_MAPPINGS.timedOut,
  apitimeouterror: ERROR_MAPPINGS.timedOut,
  gatewaytimeout: ERROR_MAPPINGS.timedOut,
  modeltimeoutexception: ERROR_MAPPINGS.timedOut,
}

/** A code, and its first and its last part where points divide it, as those of Alibaba and LiteLLM. */
function spellingsOf(code: string): readonly string[] {
  const word = code.slice(0, LONGEST_TITLE).toLowerCase()
  const parts = word.split('.')
  return [word, parts[0] ?? '', parts.at(-1) ?? ''].map((part) => part.replaceAll(SEPARATORS, ''))
}

const SEPARATORS = /[^a-z0-9]/g

/** Returns the error of the first code that a table contains; null if it contains none of them. */
function mappingOfWords(found: readonly string[], words: ErrorSchema): ErrorMapping | null {
  for (const word of found) {
    const mapping = lookup(words, word)
    if (mapping !== undefined) return mapping
  }
  return null
}

const mappingOfOthers = ({ words }: ReceivedError): ErrorMapping | null =>
  mappingOfWords(words.flatMap(spellingsOf), OTHER_WORDS)

/** Codes for any text that is too long. */
const LENGTHS: ReadonlySet<string> = new Set(['string_above_max_length', 'string_too_long'])

/** The paths of a conversation and of its texts, in the requests of all wires. */
const CONVERSATION =
  /^(?:input|messages|contents|prompt|instructions|system)(?:\[\d+\])?(?:\.(?:content|output|parts|text|arguments)(?:\[\d+\])?)*$/

/** A client that takes a long name or id for a long conversation would compact the conversation, in vain. */
const isLongField = ({ words, param }: ReceivedError): boolean =>
  param !== null && !CONVERSATION.test(param) && words.some((word) => LENGTHS.has(word))

/** Whether only the message can name the fault. Gateways send a refusal of the vendor behind them as a failure of theirs. */
function isVague({ words }: ReceivedError, given: number | null, named: ErrorMapping | null): boolean {
  const isGeneral = words.some((word) => VAGUE_WORDS.has(word))
  if (given === null) return isGeneral
  return VAGUE.has(given) || ((isGeneral || named === BAD_REQUEST) && lookup(STATUSES, String(given)) === undefined)
}

/** `given` is the HTTP status; null for a failure without one inside an HTTP 200. */
function mappingOf(received: ReceivedError, given: number | null, words: ErrorSchema): ErrorMapping {
  if (isLongField(received)) return BAD_REQUEST
  const named = mappingOfWords(received.words, words) ?? (given === null ? mappingOfOthers(received) : null)
  // A code for bad requests of any kind is no more specific than the status.
  if (named !== null && named !== BAD_REQUEST) return named
  const fault = received.text !== null && isVague(received, given, named) ? errorKindIn(received.text) : null
  if (fault !== null) return FAULTS[fault]
  if (named !== null) return named
  const status = given ?? 500
  // A 404 without details means that the upstream's URL is wrong; a 404 that names what is missing means an unknown
  // model.
  if (status === 404 && (received.text === null || NO_SUCH_PATH.test(received.text))) return BAD_ADDRESS
  return lookup(STATUSES, String(status)) ?? (status >= 400 && status < 500 ? BAD_REQUEST : BROKEN)
}

/** Shortens a text without splitting a surrogate pair. `redactor` finds the beginning of a secret before the ellipsis. */
const clip = (text: string, most = LONGEST_TEXT): string =>
  text.length <= most ? text : `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`

/** Only a request that can be corrected has a path. */
const failure = (
  mapping: ErrorMapping,
  text: string,
  { param }: Pick<ReceivedError, 'param'>,
  retryAfter: number | null,
): GatewayError => ({
  ...upstreamError(mapping.code, clip(text), mapping.status, retryAfter),
  param: mapping === BAD_REQUEST ? param : null,
})

/** Maps a failure inside an HTTP 200: `{message, code, type, metadata}`, the same inside `error`, or a bare string. */
export function mapError(given: unknown, words: ErrorSchema): GatewayError {
  const error = typeof given === 'string' ? (firstOf(given) ?? given) : given
  const received = readError(error)
  const mapping = mappingOf(received, received.status, words)
  const word = received.words[0]
  const silent = word === undefined ? 'The upstream failed without a message.' : `The upstream failed: ${word}.`
  return limited(failure(mapping, received.text ?? silent, received, null), received, error, {})
}

/** The first of several objects in one text, of which another may have text of the answer. */
const firstOf = (text: string): unknown =>
  splitFrame({ event: '', data: text.slice(0, LONGEST_OBJECT) })
    .slice(0, 1)
    .map(jsonOf)[0]

/** In UTF-16 units, of the first of several objects that may be a failure. */
const LONGEST_OBJECT = 1024 * 1024

/** Returns the title of an HTML page; empty if it has none. */
export function pageTitle(page: string): string {
  const tag = page.toLowerCase().indexOf('<title')
  const start = tag < 0 ? -1 : page.indexOf('>', tag)
  if (start < 0) return ''
  const end = page.indexOf('<', start)
  return clip(page.slice(start + 1, end < 0 ? page.length : end).trim(), LONGEST_TITLE)
}

const isPage = (body: string): boolean => body.trimStart().startsWith('<')

/** Returns the message of a body that is not JSON. An HTML page is for browsers: only its title is used. */
function pageText(status: number, body: string): string {
  const text = body.slice(0, LONGEST_PAGE).trim()
  if (text === '') return `The upstream returned HTTP ${status} without a message.`
  if (!isPage(text)) return text
  const title = pageTitle(text)
  return `The upstream returned HTTP ${status} with a web page${title === '' ? '' : `: ${title}`}.`
}

/** Returns seconds from `details[].retryDelay` ("36s"), which Google sends. */
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

/** The limit of an account of ChatGPT, whose body names its end: `resets_at`, `resets_in_seconds`. */
function limitOf(body: unknown): AccountLimit | null {
  const error = isObject(body) && isObject(body.error) ? body.error : body
  if (!isObject(error) || (error.type !== USED_UP && error.code !== USED_UP)) return null
  const { plan_type, resets_at, resets_in_seconds } = error
  return {
    type: USED_UP,
    ...(typeof plan_type === 'string' && plan_type.length <= LONGEST_PLAN ? { plan_type } : {}),
    ...(typeof resets_at === 'number' ? { resets_at } : {}),
    ...(typeof resets_in_seconds === 'number' ? { resets_in_seconds } : {}),
  }
}

const USED_UP = 'usage_limit_reached'

const LONGEST_PLAN = 64

/** Limits and failures that pass by themselves, of which a message or a header may name the time. */
const PASSING: ReadonlySet<string> = new Set([
  ERROR_MAPPINGS.tooFast.code,
  ERROR_MAPPINGS.overloaded.code,
  ERROR_MAPPINGS.usedUp.code,
])

/** Adds what the vendor says about a limit: its time, if no place for that alone has named it, and its members. */
function limited(
  error: GatewayError,
  { text }: ReceivedError,
  body: unknown,
  headers: Readonly<Record<string, string | undefined>>,
): GatewayError {
  if (!PASSING.has(error.code)) return error
  const limit = limitOf(body)
  const ofLimit = limit === null ? null : limitEndOf(limit, headers)
  // Only the part of a message that the vendor wrote names the wait.
  const wait = ofLimit ?? (text === null ? null : retryAfterIn(ownText(text)))
  const retryAfter = error.retryAfter ?? wait ?? (limit === null ? resetOf(headers) : null)
  return { ...error, retryAfter, ...(limit === null ? {} : { limit }) }
}

/** Maps an HTTP status ≥ 400 with its body to the failure that our client receives. */
export function mapHttpError(
  status: number,
  headers: Readonly<Record<string, string | undefined>>,
  body: string,
  words: ErrorSchema,
): GatewayError {
  const json = parseJson(body)
  const received = readError(json)
  const isReadable = isObject(json) || Array.isArray(json) || typeof json === 'string'
  const silent = pageText(status, isReadable ? '' : body)
  const found = mappingOf(received, status, words)
  // A page with 403 is a challenge of a network in front of the vendor, which has not seen the key. With 401, servers such
  // as openresty answer for a vendor that has.
  const mapping = status === 403 && !isReadable && isPage(body) ? ERROR_MAPPINGS.blocked : found
  const named = retryAfterOf(headers) ?? retryDelayOf(json)
  return limited(failure(mapping, received.text ?? silent, received, named), received, json, headers)
}
