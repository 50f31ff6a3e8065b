import { isNonEmptyString, isObject, scalarToString } from '../../../../text/json.ts'
import { lookup } from '../../../../text/lookup.ts'
import { hasErrorField, type ReceivedError, readError } from './read-error.ts'

/** Failures that an upstream reports in an answer of status 200, in place of the answer or beside it. */

type Fields = Readonly<Record<string, unknown>>

/** Codes of an answer that did not fail: iFlytek and MiniMax have them in every chunk. */
const SUCCESS: ReadonlySet<string> = new Set(['0', '200', 'ok', 'success', 'succeeded'])

const isSuccess = (word: string): boolean => SUCCESS.has(word.toLowerCase())

/** Types of frames that keep a connection alive or report progress, and their texts. */
const HARMLESS =
  /^(?:ping|pong|heart-?beat|keep[-_ ]?alive|progress|processing|queued?|pending|running|in_progress|waiting|loading|info|notice|log|debug|trace|warning|metadata)\b/i

const labelsOf = ({ type, event, object, status }: Fields): readonly string[] =>
  [type, event, object, status].filter(isNonEmptyString)

/** MiniMax's codes in `base_resp` → the status or the word of the same failure elsewhere. */
const BASE_RESP: Readonly<Record<string, number | 'content_filter'>> = {
  1000: 500,
  1001: 504,
  1002: 429,
  1004: 401,
  1008: 402,
  1013: 500,
  1024: 500,
  1026: 'content_filter',
  1027: 'content_filter',
  1033: 500,
  1039: 429,
  1042: 400,
  2013: 400,
  2049: 401,
}

/** A failure as the readers of errors accept it. */
export interface BareFailure {
  readonly message?: string
  readonly code?: string
  readonly status_code?: number
}

function toFailure({ text, words, status, code }: ReceivedError, given: number | string | undefined): BareFailure {
  const word = typeof given === 'string' ? given : words[0]
  const status_code = typeof given === 'number' ? given : status
  const named = code === '' || text === null || text.includes(code) ? text : `${text} (${code})`
  return {
    ...(named === null ? {} : { message: named }),
    ...(word === undefined ? {} : { code: word }),
    ...(status_code === null ? {} : { status_code }),
  }
}

/** Returns the failure in MiniMax's `base_resp`, which may stand beside an ordinary answer; null if there is none. */
export function failureBeside({ base_resp: found }: Fields): BareFailure | null {
  if (!isObject(found)) return null
  const code = scalarToString(found.status_code)
  return code === '' || isSuccess(code) ? null : toFailure(readError(found), lookup(BASE_RESP, code))
}

/**
 * Returns the failure that a frame or a body without any part of an answer reports; null if it reports none, as a
 * heartbeat, a count of tokens or the result of a filter.
 */
export function failureIn(record: unknown): BareFailure | null {
  if (!isObject(record)) return readError(record).text === null ? null : toFailure(readError(record), undefined)
  if (record.success !== false && !hasErrorField(record)) return null
  const beside = failureBeside(record)
  if (beside !== null) return beside
  const received = readError(isObject(record.base_resp) ? { ...record, base_resp: null } : record)
  const { text, status, code } = received
  if (isSuccess(code) && !record.error) return null
  if (status === null && code === '' && !record.error && record.success !== false) {
    if (text === null || HARMLESS.test(text) || isSuccess(text)) return null
    if (labelsOf(record).some((label) => HARMLESS.test(label))) return null
  }
  const isFailure = text !== null || status !== null || record.success === false || Boolean(record.error)
  return isFailure ? toFailure(received, undefined) : null
}
