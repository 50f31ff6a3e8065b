import { type GatewayError, upstreamError } from '../../protocol/error.ts'
import { formatJson, isNonEmptyString, isObject, parseJson, scalarToString } from '../../text/json.ts'
import { lookup } from '../../text/lookup.ts'
import type { Wire } from '../contract.ts'
import { ERROR_MAPPINGS, type ErrorSchema, mapError, mapHttpError } from '../shared/upstream/error-map.ts'

/**
 * Error types as a stream spells them; an HTTP header begins them with a capital letter. `validationException` is left
 * out: its message decides what was wrong with the request.
 */
const WORDS: ErrorSchema = {
  throttlingException: ERROR_MAPPINGS.tooFast,
  tooManyRequestsException: ERROR_MAPPINGS.tooFast,
  serviceQuotaExceededException: ERROR_MAPPINGS.noMoney,
  accessDeniedException: ERROR_MAPPINGS.badKey,
  unrecognizedClientException: ERROR_MAPPINGS.badKey,
  invalidSignatureException: ERROR_MAPPINGS.badKey,
  incompleteSignatureException: ERROR_MAPPINGS.badKey,
  invalidClientTokenId: ERROR_MAPPINGS.badKey,
  missingAuthenticationTokenException: ERROR_MAPPINGS.badKey,
  expiredTokenException: ERROR_MAPPINGS.badKey,
  resourceNotFoundException: ERROR_MAPPINGS.noModel,
  modelTimeoutException: ERROR_MAPPINGS.timedOut,
  modelErrorException: ERROR_MAPPINGS.broken,
  modelStreamErrorException: ERROR_MAPPINGS.broken,
  internalServerException: ERROR_MAPPINGS.broken,
  internalFailure: ERROR_MAPPINGS.broken,
  modelNotReadyException: ERROR_MAPPINGS.overloaded,
  serviceUnavailableException: ERROR_MAPPINGS.overloaded,
  unknownOperationException: { status: 502, code: 'upstream_not_found' },
}

/** Status that an error in a stream would have had as an HTTP answer, if its type alone does not decide the mapping. */
const STATUSES: Readonly<Record<string, number>> = { validationException: 400 }

/** Status that the model's server returned to Bedrock → the error type, if a retry or a pause may help. */
const ORIGINALS: Readonly<Record<string, string>> = {
  408: 'modelTimeoutException',
  429: 'throttlingException',
  503: 'serviceUnavailableException',
  504: 'modelTimeoutException',
  529: 'serviceUnavailableException',
}

/** `ValidationException:http://…` or `com.amazon.coral.service#ValidationException` → `validationException`. */
function toWord(type: string): string {
  const name = type.split(':', 1)[0]?.split('#').at(-1)?.trim() ?? ''
  return name.slice(0, 1).toLowerCase() + name.slice(1)
}

const SIGNED = 'The Canonical String for this request should have been'

/**
 * Removes text that no client may see: AWS explains a refused signature with all that was signed, including the session
 * token.
 */
function clean(text: string): string {
  const at = text.indexOf(SIGNED)
  return at < 0 ? text : text.slice(0, at).trimEnd()
}

function messageOf(payload: Readonly<Record<string, unknown>>): string {
  const message = [payload.message, payload.Message].find(isNonEmptyString) ?? ''
  const original = scalarToString(payload.originalMessage)
  return clean(original === '' || message.includes(original) ? message : `${message} (${original})`)
}

/** Decodes an error in a stream from the type of its frame and its payload. */
export function streamFailureOf(type: string, data: string): GatewayError {
  const parsed = parseJson(data)
  const payload = isObject(parsed) ? parsed : {}
  const word = toWord(type)
  const code =
    lookup(ORIGINALS, scalarToString(payload.originalStatusCode)) ?? (lookup(WORDS, word) === undefined ? type : word)
  return mapError({ message: messageOf(payload), code, status_code: lookup(STATUSES, word) ?? 500 }, WORDS)
}

/** Decodes a failure without the type of an exception. */
export const upstreamErrorOf = (error: unknown): GatewayError => mapError(error, WORDS)

/** Decodes bytes of a stream that are not messages (`framing/eventstream.ts`). */
export function brokenFailureOf(data: string): GatewayError {
  const payload = parseJson(data)
  const { code, message } = isObject(payload) ? payload : {}
  return upstreamError(
    isNonEmptyString(code) ? code : 'upstream_invalid',
    isNonEmptyString(message) ? message : 'The event stream of the upstream is damaged.',
  )
}

/** Returns the type of an HTTP error: from the header, from the body, or derived from the status. */
function wordFor(status: number, header: string | undefined, body: Readonly<Record<string, unknown>>): string {
  const word = toWord(header ?? scalarToString(body.__type))
  return word === '' && status === 424 ? 'modelErrorException' : word
}

export const decodeError: Wire['decodeError'] = (status, headers, body) => {
  const parsed = parseJson(body)
  if (!isObject(parsed)) return mapHttpError(status, headers, body, WORDS)
  const code = wordFor(status, headers['x-amzn-errortype'], parsed)
  return mapHttpError(status, headers, formatJson({ message: messageOf(parsed), code }), WORDS)
}
