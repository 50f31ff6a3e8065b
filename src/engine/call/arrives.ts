import type { JsonObject } from '../../protocol/json.ts'
import { type Loss, ROUNDED } from '../../protocol/loss.ts'
import { firstDifference } from '../../text/json-diff.ts'
import { valueAt } from '../../text/json-path.ts'
import type { Wire } from '../../wires/contract.ts'
import type { ClientRequest } from '../client-request.ts'

/**
 * A field that reaches an upstream of the client's own wire under the same path and with the same value was not mapped.
 * A number that was rounded has the same value here, because the client's body is compared after it was parsed.
 */
export function arrives({ sent }: ClientRequest, wire: Wire, body: JsonObject, { action, path, why }: Loss): boolean {
  if (action !== 'mapped' || sent.wire !== wire.name || why.includes(ROUNDED)) return false
  const value = valueAt(sent.body, path)
  return value !== undefined && firstDifference(value, valueAt(body, path)) === null
}
