import { lookup } from '../../../text/lookup.ts'
import { type ClientWireName, HAS_CLIENTS } from '../../../wires/names.ts'
import type { WireTraits } from '../../../wires/traits.ts'
import { WIRE_TRAITS } from '../../../wires/traits-registry.ts'

type Protocol = readonly [client: string, title: string]

/** The protocols of clients that can be explained, with the names that users see. */
export const CLIENT_PROTOCOLS: readonly Protocol[] = [
  ['openai', 'Responses (openai)'],
  ['beta', 'Responses (beta)'],
  ...(Object.keys(HAS_CLIENTS) as readonly ClientWireName[]).flatMap((wire): readonly Protocol[] =>
    HAS_CLIENTS[wire] && wire !== 'openai-responses' ? [[wire, WIRE_TRAITS[wire].title]] : [],
  ),
]

export const isClientProtocol = (client: string): boolean => CLIENT_PROTOCOLS.some(([name]) => name === client)

/** Whether requests of a protocol have the model in their path and not in their body. */
export const hasModelInPath = (client: string): boolean => lookup<WireTraits>(WIRE_TRAITS, client)?.modelInPath === true
