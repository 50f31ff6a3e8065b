import { isNonEmptyString, isObject, parseJson, scalarToString, toArray } from '../../../../text/json.ts'

/** An error as the upstream sent it, independent of its JSON format. */
export interface ReceivedError {
  readonly text: string | null
  readonly words: readonly string[]
  readonly status: number | null
  /** The vendor's own code, whatever its kind; empty if there is none. */
  readonly code: string
  /** The path of the value that the vendor refuses, in its own request. */
  readonly param: string | null
}

type Fields = Readonly<Record<string, unknown>>

const FIELDS_WITH_WORDS = ['code', 'Code', 'type', 'error_type', 'status', 'error_code', 'errorCode'] as const
const FIELDS_WITH_STATUS = [
  'status_code',
  'statusCode',
  'raw_status_code',
  'http_code',
  'status',
  'code',
  'error_code',
] as const
const FIELDS_WITH_CODE = [
  'code',
  'Code',
  'error_code',
  'errorCode',
  'errcode',
  'err_code',
  'status_code',
  'statusCode',
] as const

/** Baidu, WeChat and MiniMax have names of their own. */
const FIELDS_WITH_TEXT = [
  'message',
  'Message',
  'error_msg',
  'error_message',
  'errorMessage',
  'errmsg',
  'err_msg',
  'status_msg',
  'faultstring',
] as const

/**
 * Fields with another error inside. Cloudflare has `errors`, FastAPI `detail`, Mistral `message.detail`, Tencent
 * `Response.Error`.
 */
const FIELDS_WITH_ERRORS = [
  'message',
  'error',
  'errors',
  'detail',
  'msg',
  'Response',
  'Error',
  'fault',
  'base_resp',
] as const

/** All members that are read. */
export const ERROR_FIELDS: readonly string[] = [
  ...new Set([
    ...FIELDS_WITH_WORDS,
    ...FIELDS_WITH_STATUS,
    ...FIELDS_WITH_CODE,
    ...FIELDS_WITH_TEXT,
    ...FIELDS_WITH_ERRORS,
    'metadata',
  ]),
]

/** Whether a record has a member that is read. Most frames without a part of an answer have none. */
export const hasErrorField = (record: Fields): boolean => ERROR_FIELDS.some((name) => record[name] !== undefined)

const isStatus = (value: number): boolean => Number.isInteger(value) && value >= 400 && value <= 599

function statusOf(error: Fields): number | null {
  for (const field of FIELDS_WITH_STATUS) {
    const value = error[field]
    const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value
    if (typeof status === 'number' && isStatus(status)) return status
  }
  return null
}

/** Whether a value is a message: an error of white space has none. */
const isMessage = (value: unknown): value is string => typeof value === 'string' && /\S/.test(value)

/** OpenRouter repeats the error of the vendor behind it in `metadata.raw`: a message, or that vendor's body as text. */
function rawTextOf(metadata: unknown): string | null {
  if (!isObject(metadata) || !isMessage(metadata.raw)) return null
  const body = parseJson(metadata.raw)
  return body === undefined ? metadata.raw : readError(body).text
}

/** Some vendors have numbers as codes (Z.AI: 1302). A smaller number is an HTTP status. */
const wordOf = (value: unknown): unknown => (typeof value === 'number' && value > 999 ? String(value) : value)

function wordsOf(error: Fields): readonly string[] {
  const metadata = isObject(error.metadata) ? error.metadata : {}
  // OpenRouter rejects a prompt that it considers harmful with a 403 that has no code, only `metadata.reasons`.
  const flagged = Array.isArray(metadata.reasons) ? 'content_filter' : null
  return [metadata.error_type, flagged, ...FIELDS_WITH_WORDS.map((field) => wordOf(error[field]))].filter(
    isNonEmptyString,
  )
}

function joined(message: string, raw: string | null): string {
  return raw === null || message.includes(raw) ? message : `${message}: ${raw}`
}

/** The depth to which errors nested in errors are read. No vendor nests deeper. */
const DEEPEST = 4

const NOTHING_READ: ReceivedError = { text: null, words: [], status: null, code: '', param: null }

/** A path that a vendor may name. Texts and values of the request are none. */
const PATH = /^[\w$-]+(?:\.[\w$-]+|\[\d+\])*$/
const LONGEST_PATH = 200

/** Google names the path in `details[].fieldViolations[].field`. */
const violatedField = (details: unknown): unknown =>
  toArray(details)
    .flatMap((detail) => (isObject(detail) ? toArray(detail.fieldViolations) : []))
    .map((violation) => (isObject(violation) ? violation.field : null))
    .find(isNonEmptyString)

/** OpenAI names the path in `param`, pydantic in `loc`: `["body", "tools", 0, "name"]`. */
function paramOf({ param, loc, details }: Fields): string | null {
  const path = Array.isArray(loc) ? joinedPath(loc) : (param ?? violatedField(details))
  return isNonEmptyString(path) && path.length <= LONGEST_PATH && PATH.test(path) ? path : null
}

const joinedPath = (steps: readonly unknown[]): string =>
  steps
    .slice(steps[0] === 'body' ? 1 : 0)
    .map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at === 0 ? '' : '.'}${scalarToString(step)}`))
    .join('')

/** A validator lists its faults with their paths, of which a request has to mend all. */
const MOST_DETAILS = 8

/** The first error of a list; where several name their paths, one line for each. */
function readDetails(list: readonly unknown[], depth: number): ReceivedError {
  const first = readError(list[0], depth)
  if (list.length === 1 || first.text === null || first.param === null) return first
  const all = list.slice(0, MOST_DETAILS).map((one) => readError(one, depth))
  const lines = all.flatMap(({ text, param }) => (text === null || param === null ? [] : [`${param}: ${text}`]))
  return { ...first, text: lines.join('\n') }
}

/**
 * Parses `{error: …}`, `{message}`, `{Message}`, `{detail}`, `{errors}`, `[{error}]`, a bare string, and any of them
 * nested in another.
 */
export function readError(error: unknown, depth = 0): ReceivedError {
  if (isMessage(error)) return { ...NOTHING_READ, text: error }
  if (Array.isArray(error) && depth < DEEPEST) return readDetails(error, depth + 1)
  if (!isObject(error)) return NOTHING_READ
  const own = FIELDS_WITH_TEXT.map((field) => error[field]).find(isMessage) ?? null
  const text = own === null ? null : joined(own, rawTextOf(error.metadata))
  const code = FIELDS_WITH_CODE.map((field) => scalarToString(error[field])).find((found) => found !== '') ?? ''
  const outer: ReceivedError = { text, words: wordsOf(error), status: statusOf(error), code, param: paramOf(error) }
  const inner = own === null && depth < DEEPEST ? innerOf(error, depth + 1) : null
  if (inner === null) return outer
  return {
    text: inner.text,
    words: [...inner.words, ...outer.words],
    status: inner.status ?? outer.status,
    code: inner.code || outer.code,
    param: inner.param ?? outer.param,
  }
}

/** Returns the first nested error with a text, else the first nested error. */
function innerOf(error: Fields, depth: number): ReceivedError | null {
  let first: ReceivedError | null = null
  for (const field of FIELDS_WITH_ERRORS) {
    const value = error[field]
    if (value === undefined || value === null) continue
    const inner = readError(value, depth)
    if (inner.text !== null) return inner
    first ??= inner
  }
  return first
}

/** Returns the message of a failure in any format; empty if it has none. */
export const errorText = (error: unknown): string => readError(error).text ?? ''
