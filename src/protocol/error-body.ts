import type { GatewayError } from './error.ts'
import type { JsonObject } from './json.ts'

/** The error type that clients expect for a status. Any other status gets a type by its first digit. */
const TYPES: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [402, 'insufficient_quota'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [429, 'rate_limit_error'],
  [502, 'upstream_error'],
  [503, 'overloaded_error'],
  [504, 'timeout_error'],
])

export const toErrorType = (status: number): string =>
  TYPES.get(status) ?? (status >= 500 ? 'server_error' : 'invalid_request_error')

/** The body of an answer that failed before its first byte (docs/description.md, 7). */
export function toErrorBody(error: GatewayError, requestId?: string): JsonObject {
  const { code, message, param, status, limit = {} } = error
  const fields = { code, message, type: toErrorType(status), param, ...limit }
  return { error: requestId === undefined ? fields : { ...fields, request_id: requestId }, metadata: null }
}
