import type { GatewayError } from '../../protocol/error.ts'
import { failureOf, httpFailureOf, VERDICTS, type Words } from '../failures.ts'
import type { Wire } from '../wire.ts'

/** Their words, from `error_type`; the last one is a finish_reason. */
const WORDS: Words = {
  TOO_MANY_TOKENS: VERDICTS.tooLong,
  // The model, not the client, made a call that cannot be read: another try may go well.
  INVALID_TOOL_GENERATION: VERDICTS.broken,
  TIMEOUT: VERDICTS.timedOut,
}

/** A failure told inside a 200. */
export const upstreamErrorOf = (error: unknown): GatewayError => failureOf(error, WORDS)

export const decodeError: Wire['decodeError'] = (status, headers, body) => httpFailureOf(status, headers, body, WORDS)
