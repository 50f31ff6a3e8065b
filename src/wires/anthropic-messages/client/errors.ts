import type { GatewayError } from '../../../protocol/error.ts'
import type { ClientCodec } from '../../client-contract.ts'

/** Anthropic's error type and HTTP status for a failure. */
interface ErrorReply {
  readonly type: string
  readonly status: number
}

/**
 * Codes that are more specific than their status. An exhausted quota does not recover by waiting, as a 429 would suggest.
 */
const CODES: ReadonlyMap<string, ErrorReply> = new Map([
  ['insufficient_quota', { type: 'billing_error', status: 402 }],
  ['server_is_overloaded', { type: 'overloaded_error', status: 529 }],
  ['previous_response_not_found', { type: 'not_found_error', status: 404 }],
])

/** Error codes to which Anthropic's clients react. */
const DETAILS: ReadonlyMap<string, string> = new Map([['previous_response_not_found', 'thread_not_found']])

const TYPES: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [408, 'timeout_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
])

const errorReplyOf = ({ code, status }: GatewayError): ErrorReply =>
  CODES.get(code) ?? { type: TYPES.get(status) ?? (status >= 500 ? 'api_error' : 'invalid_request_error'), status }

/** The phrase by which Anthropic's clients recognise that they must shorten the conversation. */
const TOO_LONG = 'prompt is too long'

function messageOf({ code, message }: GatewayError): string {
  const isRecognised = code !== 'context_length_exceeded' || message.toLowerCase().includes(TOO_LONG)
  return isRecognised ? message : `${TOO_LONG}: ${message}`
}

export const toError = (error: GatewayError): { readonly type: string; readonly message: string } => ({
  type: errorReplyOf(error).type,
  message: messageOf(error),
})

/** Encodes a failure that occurs before the first byte. */
export const encodeError: ClientCodec['encodeError'] = (error, requestId) => {
  const word = DETAILS.get(error.code)
  const encoded = word === undefined ? toError(error) : { ...toError(error), details: { error_code: word } }
  return { status: errorReplyOf(error).status, body: { type: 'error', error: encoded, request_id: requestId } }
}
