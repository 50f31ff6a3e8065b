import type { JsonObject } from '../../protocol/json.ts'
import type { Loss } from '../../protocol/loss.ts'
import { isObject } from '../../text/json.ts'
import type { Steps } from '../../text/steps.ts'
import type { Wire } from '../../wires/contract.ts'
import type { Quirks } from '../../wires/quirks.ts'
import { arrives } from '../call/arrives.ts'
import type { ClientRequest } from '../client-request.ts'
import { carryUnread } from './carry-unread.ts'

/**
 * Members of a body that no upstream receives from its client: those that the gateway manages or reads itself, and
 * credentials.
 */
const MANAGED = [
  'model',
  'models',
  'stream',
  'store',
  'background',
  'previous_response_id',
  'conversation',
  'plugins',
  'session_id',
  'trace',
  'api_key',
  'apiKey',
] as const

/** A body for an upstream. */
interface OwnBody {
  readonly body: JsonObject
  /** Whether the value at the path of a loss is in the body nevertheless. */
  readonly has: (loss: Loss) => boolean
}

/**
 * Puts the members of a client's body that the hub does not read into the body that it encoded, if the upstream speaks
 * the client's own protocol. In slices.
 */
export function* carryOwn(
  client: ClientRequest,
  { wire, quirks }: { readonly wire: Wire; readonly quirks: Quirks },
  encoded: JsonObject,
): Steps<OwnBody> {
  const { sent } = client
  if (sent.wire !== wire.name || sent.dialect !== (wire.dialect ?? null) || !isObject(sent.body)) {
    return { body: encoded, has: (loss) => arrives(client, wire, encoded, loss) }
  }
  const ofSome = wire.passthrough?.request.rules.settingsOfSome?.(quirks) ?? []
  const absent = ofSome.filter((name) => !Object.hasOwn(encoded, name))
  const withheld = new Set<string>([...MANAGED, ...absent, ...(quirks.refuses ?? [])])
  const body = sent.body as JsonObject
  const { body: whole, carried } = yield* carryUnread({ body, paths: sent.unread, withheld }, encoded)
  return { body: whole, has: (loss) => carried.has(loss.path) || arrives(client, wire, whole, loss) }
}
