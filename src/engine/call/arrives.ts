import type { JsonObject } from '../../protocol/json.ts'
import type { Loss } from '../../protocol/loss.ts'
import { firstDifference } from '../../text/json-diff.ts'
import { valueAt } from '../../text/json-path.ts'
import type { Wire } from '../../wires/contract.ts'
import type { ClientRequest } from '../client-request.ts'

/**
 * A field that reaches an upstream of the client's own wire under the same path and with the same value was not mapped.
 */
export function arrives({ sent }: ClientRequest, wire: Wire, body: JsonObject, { action, path }: Loss): boolean {
  if (action !== 'mapped' || sent.wire !== wire.name) return false
  const value = valueAt(sent.body, path)
  return value !== undefined && firstDifference(value, valueAt(body, path)) === null
}
