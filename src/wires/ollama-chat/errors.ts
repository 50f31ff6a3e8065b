import type { GatewayError } from '../../protocol/error.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { ClientCodec } from '../client-contract.ts'
import type { Wire } from '../contract.ts'
import { type ErrorSchema, mapError, mapHttpError } from '../shared/upstream/error-map.ts'

/** Ollama's errors have a text and a status, but no codes. */
const WORDS: ErrorSchema = {}

/** Decodes a failure inside an answer of status 200: the line `{error: "text"}`. Ollama's cloud may add a status. */
export const upstreamErrorOf = (line: unknown): GatewayError => mapError(line, WORDS)

export const decodeError: Wire['decodeError'] = (status, headers, body) => mapHttpError(status, headers, body, WORDS)

/** Encodes a failure in Ollama's format, a text: the same as an HTTP body and as a line of a stream. */
export const toErrorLine = ({ message }: GatewayError): JsonObject => ({ error: message })

export const encodeError: ClientCodec['encodeError'] = (error) => ({ status: error.status, body: toErrorLine(error) })
