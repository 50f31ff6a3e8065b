import type { GatewayError } from '../../protocol/error.ts'
import type { Wire } from '../contract.ts'
import { ERROR_MAPPINGS, type ErrorSchema, mapError, mapHttpError } from '../shared/upstream/error-map.ts'

/** Cohere's words, from `error_type`. The last one is a `finish_reason`. */
const WORDS: ErrorSchema = {
  TOO_MANY_TOKENS: ERROR_MAPPINGS.tooLong,
  // The model, not the client, wrote a call that cannot be parsed: a retry may succeed.
  INVALID_TOOL_GENERATION: ERROR_MAPPINGS.broken,
  TIMEOUT: ERROR_MAPPINGS.timedOut,
}

/** Decodes a failure inside an answer of status 200. */
export const upstreamErrorOf = (error: unknown): GatewayError => mapError(error, WORDS)

export const decodeError: Wire['decodeError'] = (status, headers, body) => mapHttpError(status, headers, body, WORDS)
