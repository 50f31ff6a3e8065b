import type { GatewayError } from '../../protocol/error.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { isNonEmptyString, isObject } from '../../text/json.ts'
import { lookup } from '../../text/lookup.ts'
import type { ClientCodec } from '../client-contract.ts'
import type { Wire } from '../contract.ts'
import { ERROR_MAPPINGS, type ErrorSchema, mapError, mapHttpError } from '../shared/upstream/error-map.ts'
import type { InteractionError } from './json.ts'

/** Codes of a blocked prompt or answer. */
const FILTERS = [
  'safety',
  'recitation',
  'language',
  'prohibited_content',
  'spii',
  'blocklist',
  'content_blocked',
  'image_safety',
  'image_prohibited_content',
  'image_recitation',
] as const

const FILTER_WORDS: ReadonlySet<unknown> = new Set(FILTERS)

/** Codes of failures (docs/wires/gemini-interactions.md, 6). Words of bad requests are no more exact than the status. */
const WORDS: ErrorSchema = {
  authentication: ERROR_MAPPINGS.badKey,
  permission_denied: ERROR_MAPPINGS.badKey,
  payment_required: { status: 402, code: 'insufficient_quota' },
  quota_exceeded: ERROR_MAPPINGS.noMoney,
  rate_limit_exceeded: ERROR_MAPPINGS.tooFast,
  too_many_requests: ERROR_MAPPINGS.tooFast,
  model_not_found: ERROR_MAPPINGS.noModel,
  not_found: ERROR_MAPPINGS.noModel,
  invalid_request: ERROR_MAPPINGS.badRequest,
  failed_precondition: ERROR_MAPPINGS.badRequest,
  parameter_unknown: ERROR_MAPPINGS.badRequest,
  out_of_range: ERROR_MAPPINGS.badRequest,
  already_exists: ERROR_MAPPINGS.badRequest,
  missing_thought_signature: ERROR_MAPPINGS.badSeal,
  malformed_function_call: ERROR_MAPPINGS.broken,
  malformed_tool_call: ERROR_MAPPINGS.broken,
  unexpected_tool_call: ERROR_MAPPINGS.broken,
  too_many_tool_calls: ERROR_MAPPINGS.broken,
  no_image: ERROR_MAPPINGS.broken,
  image_other: ERROR_MAPPINGS.broken,
  service_unavailable: ERROR_MAPPINGS.overloaded,
  deadline_exceeded: ERROR_MAPPINGS.timedOut,
  gateway_timeout: ERROR_MAPPINGS.timedOut,
  api_error: ERROR_MAPPINGS.broken,
  aborted: ERROR_MAPPINGS.broken,
  cancelled: ERROR_MAPPINGS.broken,
  unimplemented: ERROR_MAPPINGS.broken,
  ...Object.fromEntries(FILTERS.map((word) => [word, ERROR_MAPPINGS.filtered])),
}

/** Decodes a failure inside an answer of status 200. */
export const upstreamErrorOf = (error: unknown): GatewayError => mapError(error, WORDS)

/** Whether an event of the kind `error` has none: an answer goes on behind it. */
export const isEmptyError = (error: unknown): boolean =>
  error === undefined || error === null || (isObject(error) && Object.keys(error).length === 0)

/** Whether a failure is the verdict of a filter, which ends an answer that has begun. */
export const isFiltered = (error: unknown): boolean => isObject(error) && FILTER_WORDS.has(error.code)

/** A failure of status 400 may come as a server-sent event, whose data is the body. */
const unframed = (body: string): string =>
  /^\s*(?:event|data|id)?:/.test(body)
    ? body
        .split(/\r?\n/)
        .flatMap((line) => (line.startsWith('data:') ? [line.slice('data:'.length)] : []))
        .join('\n')
    : body

export const decodeError: Wire['decodeError'] = (status, headers, body) =>
  mapHttpError(status, headers, unframed(body), WORDS)

// ---------------------------------------------------------------- client side

/** The code of a failure → Google's. */
const CODES: Readonly<Record<string, string>> = {
  invalid_api_key: 'authentication',
  missing_authentication: 'authentication',
  wrong_key_kind: 'permission_denied',
  host_not_allowed: 'permission_denied',
  origin_not_allowed: 'permission_denied',
  insufficient_quota: 'quota_exceeded',
  rate_limit_exceeded: 'rate_limit_exceeded',
  model_not_found: 'model_not_found',
  not_found: 'not_found',
  method_not_allowed: 'unimplemented',
  not_implemented: 'unimplemented',
  content_filter: 'content_blocked',
  server_is_overloaded: 'service_unavailable',
  server_stopping: 'service_unavailable',
  upstream_timeout: 'gateway_timeout',
  search_timeout: 'gateway_timeout',
  invalid_encrypted_content: 'missing_thought_signature',
}

/** Encodes a failure: a code of Google, and the message. */
export const errorOf = ({ code, message, status }: GatewayError): InteractionError => ({
  code: lookup(CODES, code) ?? (status < 500 ? 'invalid_request' : 'api_error'),
  message: isNonEmptyString(message) ? message : code,
})

export const encodeError: ClientCodec['encodeError'] = (error) => ({
  status: error.status,
  body: { error: errorOf(error) } as unknown as JsonObject,
})
