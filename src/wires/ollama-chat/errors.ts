import type { GatewayError } from '../../protocol/error.ts'
import { failureOf, httpFailureOf, type Words } from '../failures.ts'
import type { Wire } from '../wire.ts'

/** It has texts and statuses, and no words of its own. */
const WORDS: Words = {}

/** A failure told inside a 200: `{error: "text"}` as a line. */
export const upstreamErrorOf = (error: unknown): GatewayError => failureOf(error, WORDS)

export const decodeError: Wire['decodeError'] = (status, headers, body) => httpFailureOf(status, headers, body, WORDS)
