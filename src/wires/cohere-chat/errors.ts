import type { GatewayError } from '../../protocol/error.ts'
import type { Wire } from '../contract.ts'
import { failureOf, httpFailureOf, VERDICTS, type Words } from '../shared/upstream/error-map.ts'

/** Cohere's words, from `error_type`. The last one is a `finish_reason`. */
const WORDS: Words = {
  TOO_MANY_TOKENS: VERDICTS.tooLong,
  // The model, not the client, wrote a call that cannot be parsed: a retry may succeed.
  INVALID_TOOL_GENERATION: VERDICTS.broken,
  TIMEOUT: VERDICTS.timedOut,
}

/** Decodes a failure inside an answer of status 200. */
export const upstreamErrorOf = (error: unknown): GatewayError => failureOf(error, WORDS)

export const decodeError: Wire['decodeError'] = (status, headers, body) => httpFailureOf(status, headers, body, WORDS)
