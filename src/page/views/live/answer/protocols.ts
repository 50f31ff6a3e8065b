import { type ClientWireName, HAS_CLIENTS } from '../../../../wires/names.ts'
import { WIRE_TRAITS } from '../../../../wires/traits-registry.ts'

/** Answers of the Responses API are read in its two dialects. */
type LiveDialect = 'responses-openai' | 'responses-beta'

/** The client protocols that are wires of their own. */
type LiveWire = Exclude<ClientWireName, 'openai-responses'>

/** The protocols in which this view sends requests and reads answers. */
export type LiveProtocol = LiveDialect | LiveWire

const LIVE_WIRES: readonly LiveWire[] = (Object.keys(HAS_CLIENTS) as readonly LiveWire[]).filter(
  (wire: string) => wire !== 'openai-responses' && HAS_CLIENTS[wire as LiveWire],
)

export const ofEachWire = <Value>(make: (wire: LiveWire) => Value): Readonly<Record<LiveWire, Value>> =>
  Object.fromEntries(LIVE_WIRES.map((wire) => [wire, make(wire)])) as Readonly<Record<LiveWire, Value>>

export const PROTOCOL_LABELS: Readonly<Record<LiveProtocol, string>> = {
  'responses-openai': 'Responses (openai)',
  'responses-beta': 'Responses (beta)',
  ...ofEachWire((wire) => WIRE_TRAITS[wire].title),
}

export const LIVE_PROTOCOLS = Object.keys(PROTOCOL_LABELS) as readonly LiveProtocol[]
