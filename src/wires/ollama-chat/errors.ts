import type { GatewayError } from '../../protocol/error.ts'
import { failureOf, httpFailureOf, type Words } from '../failures.ts'
import type { Wire } from '../wire.ts'

/** It has texts and statuses, and no words of its own. */
const WORDS: Words = {}

/** A failure told inside a 200: the line `{error: "text"}`, where the cloud may tell a status, too. */
export const upstreamErrorOf = (line: unknown): GatewayError => failureOf(line, WORDS)

export const decodeError: Wire['decodeError'] = (status, headers, body) => httpFailureOf(status, headers, body, WORDS)
