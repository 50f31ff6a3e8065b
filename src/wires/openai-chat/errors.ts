import type { GatewayError } from '../../protocol/error.ts'
import { toErrorType } from '../../protocol/error-body.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Client } from '../client.ts'
import { failureOf, httpFailureOf } from '../failures.ts'
import { OPENAI_WORDS } from '../openai-words.ts'
import type { Wire } from '../wire.ts'

/** A failure told inside a 200: `{message, code, type, metadata}`, the same inside `error`, or a bare string. */
export const upstreamErrorOf = (error: unknown): GatewayError => failureOf(error, OPENAI_WORDS)

export const decodeError: Wire['decodeError'] = (status, headers, body) =>
  httpFailureOf(status, headers, body, OPENAI_WORDS)

/** A failure as OpenAI writes it, before the first byte and in a stream. */
export const toErrorObject = ({ message, code, param, status }: GatewayError): JsonObject => ({
  message,
  type: toErrorType(status),
  param,
  code,
})

export const encodeError: Client['encodeError'] = (error) => ({
  status: error.status,
  body: { error: toErrorObject(error) },
})
