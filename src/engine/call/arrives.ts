import type { JsonObject } from '../../protocol/json.ts'
import { CONTINUES_NOT, type Loss, ROUNDED } from '../../protocol/loss.ts'
import { firstDifference } from '../../text/json-diff.ts'
import { valueAt } from '../../text/json-path.ts'
import type { Wire } from '../../wires/contract.ts'
import type { ClientRequest } from '../client-request.ts'

/**
 * A field that reaches an upstream of the client's own wire under the same path and with the same value was not mapped.
 * A number that was rounded has the same value here, because the client's body is compared after it was parsed.
 */
export function arrives({ sent }: ClientRequest, wire: Wire, body: JsonObject, loss: Loss): boolean {
  const { action, path, why } = loss
  if (sent.wire !== wire.name || why.includes(ROUNDED) || why.includes(CONTINUES_NOT)) return false
  if (action !== 'mapped') return sent.unread.has(path) && staysWhole(sent.body, body, path)
  const value = valueAt(sent.body, path)
  return value !== undefined && firstDifference(value, valueAt(body, path)) === null
}

/** Whether the item of the input that has this path reaches the upstream as it is, with the members that are not read. */
function staysWhole(sent: unknown, body: JsonObject, path: string): boolean {
  const [item] = /^input\[\d+\]/.exec(path) ?? []
  if (item === undefined) return false
  const value = valueAt(sent, item)
  return value !== undefined && firstDifference(value, valueAt(body, item)) === null
}
