import type { WireUpstream } from '../../src/testing/scripted/wire-upstream.ts'
import { SCRIPTED_UPSTREAMS } from '../../src/testing/scripted/wires.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { withKits } from '../wires/with-kits.ts'

export const WIRE_UPSTREAMS: Readonly<Record<WireName, WireUpstream>> = withKits(
  SCRIPTED_UPSTREAMS,
  ({ upstream }) => upstream,
)
