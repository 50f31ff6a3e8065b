import type { MountDescription, ServerDescription } from '../../../page-api/description.ts'
import { LIVE_PROTOCOLS, type LiveProtocol, ofEachWire } from './answer/protocols.ts'

/** The address of a request, and the headers that its protocol needs there. */
interface LiveAddress {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

/** The wire of a protocol, and the dialect of its answers if it has one. */
const WIRE_OF: Readonly<Record<LiveProtocol, readonly [wire: string, dialect: string | null]>> = {
  'responses-openai': ['openai-responses', 'openai'],
  'responses-beta': ['openai-responses', 'beta'],
  ...ofEachWire((wire) => [wire, null] as const),
}

export const wireOfProtocol = (protocol: LiveProtocol): string => WIRE_OF[protocol][0]

const pathIn = ({ clients }: MountDescription, wire: string): string | undefined =>
  clients.find(({ protocol }) => protocol === wire)?.path

export const protocolsOf = ({ mounts }: ServerDescription): readonly LiveProtocol[] =>
  LIVE_PROTOCOLS.filter((protocol) => mounts.some((mount) => pathIn(mount, wireOfProtocol(protocol)) !== undefined))

/** Finds the mount whose answers have the dialect of the protocol; at any other a header selects it. */
export function findLiveAddress(
  { mounts }: ServerDescription,
  protocol: LiveProtocol,
  model: string,
): LiveAddress | null {
  const [wire, dialect] = WIRE_OF[protocol]
  const fitting = mounts.filter((mount) => pathIn(mount, wire) !== undefined)
  const mount = fitting.find((one) => one.dialect === dialect) ?? fitting[0]
  const path = mount === undefined ? undefined : pathIn(mount, wire)
  if (mount === undefined || path === undefined) return null
  const headers: Record<string, string> =
    dialect === null || mount.dialect === dialect ? {} : { 'x-responses-dialect': dialect }
  const name = model.split('/').map(encodeURIComponent).join('/')
  return { path: path.replace('{model}', name), headers }
}

/** The vendor of a model, by its name `<vendor>/<model>`, and the wires of its upstream, the main one first. */
export function upstreamOf({ vendors }: ServerDescription, model: string): ServerDescription['vendors'][number] | null {
  return vendors.find(({ name }) => model.startsWith(`${name}/`)) ?? null
}
