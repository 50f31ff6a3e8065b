import type { Request } from '../src/protocol/request.ts'
import { validateRequest } from '../src/validation/request.ts'

/** Returns a valid request with these fields, and throws if it is invalid. */
export function requestOf(fields: Readonly<Record<string, unknown>> = {}): Request {
  const result = validateRequest({ model: 'vendor/model', input: 'Hi', ...fields })
  if (!result.ok) throw new Error(result.error.message)
  return result.request
}
