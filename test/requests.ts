import type { Request } from '../src/protocol/request.ts'
import { validateRequest } from '../src/validation/request.ts'

/** A request that must be right, with these fields. */
export function requestOf(fields: Readonly<Record<string, unknown>> = {}): Request {
  const result = validateRequest({ model: 'vendor/model', input: 'Hi', ...fields })
  if (!result.ok) throw new Error(result.error.message)
  return result.request
}
