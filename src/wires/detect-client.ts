import { isObject } from '../text/json.ts'
import type { WireName } from './contract.ts'
import type { ClientBodies } from './traits.ts'
import { WIRE_TRAITS } from './traits-registry.ts'

type Body = readonly [wire: WireName, client: ClientBodies]

const BODIES: readonly Body[] = (Object.keys(WIRE_TRAITS) as readonly WireName[]).flatMap((wire): readonly Body[] => {
  const { client } = WIRE_TRAITS[wire]
  return client === undefined ? [] : [[wire, client]]
})

/** The protocol of a client's body by the members that only one has; null if the body fits none or several. */
export function detectClient(body: unknown): WireName | null {
  if (!isObject(body)) return null
  const conversation = (['contents', 'input'] as const).find((name) => Object.hasOwn(body, name)) ?? 'messages'
  const likely = BODIES.filter(([, client]) => client.conversation === conversation)
  const own = likely.filter(([, client]) => client.isOwn(body))
  const found = own.length > 0 ? own : likely.filter(([, { isUsual }]) => isUsual?.(body) === true)
  const [only, ...others] = found
  return only === undefined || others.length > 0 ? null : only[0]
}
