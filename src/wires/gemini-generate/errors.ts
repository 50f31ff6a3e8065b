import type { GatewayError } from '../../protocol/error.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { isObject, parseJson, toArray } from '../../text/json.ts'
import { lookup } from '../../text/lookup.ts'
import type { ClientCodec } from '../client-contract.ts'
import type { Wire } from '../contract.ts'
import { failureIn } from '../shared/upstream/answers/failure-in-success.ts'
import { ERROR_MAPPINGS, type ErrorSchema, mapError, mapHttpError } from '../shared/upstream/error-map.ts'
import type { GenerateContentResponse } from './json.ts'
import { STATUS_WORDS } from './terms.ts'

/**
 * Google's canonical codes, in the field `status`. `INVALID_ARGUMENT` and similar codes add nothing to the HTTP status.
 */
const WORDS: ErrorSchema = {
  UNAUTHENTICATED: ERROR_MAPPINGS.badKey,
  PERMISSION_DENIED: ERROR_MAPPINGS.badKey,
  NOT_FOUND: ERROR_MAPPINGS.noModel,
  RESOURCE_EXHAUSTED: ERROR_MAPPINGS.tooFast,
  UNAVAILABLE: ERROR_MAPPINGS.overloaded,
  DEADLINE_EXCEEDED: ERROR_MAPPINGS.timedOut,
  CANCELLED: ERROR_MAPPINGS.broken,
  ABORTED: ERROR_MAPPINGS.broken,
  INTERNAL: ERROR_MAPPINGS.broken,
  UNKNOWN: ERROR_MAPPINGS.broken,
  DATA_LOSS: ERROR_MAPPINGS.broken,
}

/** Decodes a failure inside an answer of status 200. */
export const upstreamErrorOf = (error: unknown): GatewayError => mapError(error, WORDS)

/** The failure that a chunk or a body without any part of an answer reports; null if it reports none. */
export function upstreamErrorIn(found: unknown): GatewayError | null {
  const failure = failureIn(found)
  return failure === null ? null : upstreamErrorOf(failure)
}

/**
 * Whether the key is wrong. Google reports that as `INVALID_ARGUMENT`; only the reason in the details identifies it.
 */
function blamesTheKey(body: string): boolean {
  const json = parseJson(body)
  const outer = Array.isArray(json) ? json[0] : json
  const error = isObject(outer) ? outer.error : null
  return toArray(isObject(error) ? error.details : null).some(
    (detail) => isObject(detail) && detail.reason === 'API_KEY_INVALID',
  )
}

export const decodeError: Wire['decodeError'] = (status, headers, body) =>
  mapHttpError(status === 400 && blamesTheKey(body) ? 401 : status, headers, body, WORDS)

// ---------------------------------------------------------------- client side

type GoogleError = NonNullable<GenerateContentResponse['error']>

const RPC = 'type.googleapis.com/google.rpc'

const wordFor = (status: number): string =>
  lookup(STATUS_WORDS, String(status)) ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL')

/** Encodes the code, the path in the request and the delay before a retry in Google's formats. */
function detailsOf({ code, message, param, retryAfter }: GatewayError): readonly JsonObject[] {
  return [
    { '@type': `${RPC}.ErrorInfo`, reason: code.toUpperCase() },
    ...(param === null
      ? []
      : [{ '@type': `${RPC}.BadRequest`, fieldViolations: [{ field: param, description: message }] }]),
    ...(retryAfter === null ? [] : [{ '@type': `${RPC}.RetryInfo`, retryDelay: `${retryAfter}s` }]),
  ]
}

const googleError = (error: GatewayError, status: number): GoogleError => ({
  code: status,
  message: error.message,
  status: wordFor(status),
  details: detailsOf(error),
})

const STATUS_OF: ReadonlyMap<string, number> = new Map(
  Object.values(ERROR_MAPPINGS).map(({ code, status }) => [code, status] as const),
)

/** Encodes a failure inside a stream. The HTTP status is already sent there, so the code determines the status. */
export const errorOf = (error: GatewayError): GoogleError =>
  googleError(error, STATUS_OF.get(error.code) ?? error.status)

export const encodeError: ClientCodec['encodeError'] = (error, requestId) => {
  const encoded = googleError(error, error.status)
  const details = [...(encoded.details ?? []), { '@type': `${RPC}.RequestInfo`, requestId }]
  return { status: error.status, body: { error: { ...encoded, details } } as unknown as JsonObject }
}
