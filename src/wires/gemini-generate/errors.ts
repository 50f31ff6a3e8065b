import type { GatewayError } from '../../protocol/error.ts'
import { isObject, parseJson, toArray } from '../../text/json.ts'
import { failureOf, httpFailureOf, VERDICTS, type Words } from '../failures.ts'
import type { Wire } from '../wire.ts'

/** Google's canonical codes, from `status`. INVALID_ARGUMENT and its kin say no more than their HTTP status. */
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

/** A failure told inside a 200. */
export const upstreamErrorOf = (error: unknown): GatewayError => failureOf(error, WORDS)

/** A key that is wrong is an INVALID_ARGUMENT like any other: only the reason beside it tells. */
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
