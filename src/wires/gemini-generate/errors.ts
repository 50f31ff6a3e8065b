import type { GatewayError } from '../../protocol/error.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { isObject, parseJson, toArray } from '../../text/json.ts'
import { lookup } from '../../text/lookup.ts'
import type { Client } from '../client-contract.ts'
import type { Wire } from '../contract.ts'
import { failureOf, httpFailureOf, VERDICTS, type Words } from '../shared/upstream/error-map.ts'
import type { GenerateContentResponse } from './json.ts'
import { STATUS_WORDS } from './terms.ts'

/**
 * Google's canonical codes, in the field `status`. `INVALID_ARGUMENT` and similar codes add nothing to the HTTP status.
 */
const WORDS: Words = {
  UNAUTHENTICATED: VERDICTS.badKey,
  PERMISSION_DENIED: VERDICTS.badKey,
  NOT_FOUND: VERDICTS.noModel,
  RESOURCE_EXHAUSTED: VERDICTS.tooFast,
  UNAVAILABLE: VERDICTS.overloaded,
  DEADLINE_EXCEEDED: VERDICTS.timedOut,
  CANCELLED: VERDICTS.broken,
  ABORTED: VERDICTS.broken,
  INTERNAL: VERDICTS.broken,
  UNKNOWN: VERDICTS.broken,
  DATA_LOSS: VERDICTS.broken,
}

/** Decodes a failure inside an answer of status 200. */
export const upstreamErrorOf = (error: unknown): GatewayError => failureOf(error, WORDS)

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
  httpFailureOf(status === 400 && blamesTheKey(body) ? 401 : status, headers, body, WORDS)

// ---------------------------------------------------------------- client side

type Told = NonNullable<GenerateContentResponse['error']>

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

const tell = (error: GatewayError, status: number): Told => ({
  code: status,
  message: error.message,
  status: wordFor(status),
  details: detailsOf(error),
})

const STATUS_OF: ReadonlyMap<string, number> = new Map(
  Object.values(VERDICTS).map(({ code, status }) => [code, status] as const),
)

/** Encodes a failure inside a stream. The HTTP status is already sent there, so the code determines the status. */
export const errorOf = (error: GatewayError): Told => tell(error, STATUS_OF.get(error.code) ?? error.status)

export const encodeError: Client['encodeError'] = (error, requestId) => {
  const told = tell(error, error.status)
  const details = [...(told.details ?? []), { '@type': `${RPC}.RequestInfo`, requestId }]
  return { status: error.status, body: { error: { ...told, details } } as unknown as JsonObject }
}
