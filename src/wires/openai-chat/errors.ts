import type { GatewayError } from '../../protocol/error.ts'
import { toErrorType } from '../../protocol/error-body.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { ClientCodec } from '../client-contract.ts'
import type { Wire } from '../contract.ts'
import { mapError, mapHttpError } from '../shared/upstream/error-map.ts'
import { OPENAI_ERRORS } from '../shared/upstream/openai-errors.ts'

/**
 * Decodes an error in an answer with status 200: `{message, code, type, metadata}`, the same inside `error`, or a bare
 * string.
 */
export const upstreamErrorOf = (error: unknown): GatewayError => mapError(error, OPENAI_ERRORS)

export const decodeError: Wire['decodeError'] = (status, headers, body) =>
  mapHttpError(status, headers, body, OPENAI_ERRORS)

/** An error in OpenAI's format, for error bodies and for streams. */
export const toErrorObject = ({ message, code, param, status }: GatewayError): JsonObject => ({
  message,
  type: toErrorType(status),
  param,
  code,
})

export const encodeError: ClientCodec['encodeError'] = (error) => ({
  status: error.status,
  body: { error: toErrorObject(error) },
})
