import type { GatewayError } from '../../protocol/error.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Client } from '../client.ts'
import { failureOf, httpFailureOf, type Words } from '../failures.ts'
import type { Wire } from '../wire.ts'

/** It has texts and statuses, and no words of its own. */
const WORDS: Words = {}

/** A failure told inside a 200: the line `{error: "text"}`, where the cloud may tell a status, too. */
export const upstreamErrorOf = (line: unknown): GatewayError => failureOf(line, WORDS)

export const decodeError: Wire['decodeError'] = (status, headers, body) => httpFailureOf(status, headers, body, WORDS)

/** A failure as Ollama writes it: a text, before the first byte and in a stream. */
export const toErrorLine = ({ message }: GatewayError): JsonObject => ({ error: message })

export const encodeError: Client['encodeError'] = (error) => ({ status: error.status, body: toErrorLine(error) })
