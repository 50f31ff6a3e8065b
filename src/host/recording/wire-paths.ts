import type { WireName } from '../../wires/contract.ts'
import type { WireTraits } from '../../wires/traits.ts'
import { WIRE_TRAITS } from '../../wires/traits-registry.ts'

/** The wire to which the path of a request belongs; null if it belongs to none. */
export function wireOfPath(path: string): WireName | null {
  const [name = ''] = path.split('?', 1)
  const found = Object.entries<WireTraits>(WIRE_TRAITS).find(([, { requestPath }]) => requestPath.test(name))
  return (found?.[0] as WireName | undefined) ?? null
}
