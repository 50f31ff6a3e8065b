import type { Dialect, DialectName } from '../dialects/dialect.ts'
import { DIALECTS, findDialect } from '../dialects/registry.ts'
import { type ClientTargetOptions, type ClientWire, wireTarget } from '../engine/client-target.ts'
import { dialectTarget, type Target } from '../engine/target.ts'
import { findVendor, VENDOR_NAMES } from '../vendors/registry.ts'
import type { Vendor } from '../vendors/vendor.ts'
import type { Wire } from '../wires/contract.ts'
import { CLIENT_WIRES, findWire } from '../wires/find-wire.ts'
import type { ClientWireName } from '../wires/names.ts'
import { WIRES } from '../wires/registry.ts'

/** The dialects and protocols in which answers can be written. Clients of `openai-responses` receive the dialect `openai`. */
export type TargetName = DialectName | ClientWireName

/** A protocol of clients: a dialect of the Responses API, or a wire that has clients. */
export type NamedClient =
  | { readonly dialect: Dialect; readonly wire: null }
  | { readonly dialect: null; readonly wire: ClientWire }

/** Names come from programs, so that an unknown one is an error of the program. */
function unknown(option: string, name: string, names: readonly string[]): never {
  throw new TypeError(`${option}: expected one of ${names.join(', ')}, got ${JSON.stringify(name)}`)
}

/** Throws a TypeError that lists the names if there is no wire of this name. */
export const wireNamed = (option: string, name: string): Wire =>
  findWire(name) ?? unknown(option, name, Object.keys(WIRES))

/** Throws a TypeError that lists the names if there is no vendor of this name. */
export const vendorNamed = (name: string): Vendor => findVendor(name) ?? unknown('vendor', name, VENDOR_NAMES)

const CLIENT_NAMES = [...Object.keys(DIALECTS), ...CLIENT_WIRES]

/** Throws a TypeError that lists the names if there is no dialect of this name. */
export const dialectNamed = (option: string, given: string | Dialect): Dialect =>
  typeof given === 'string' ? (findDialect(given) ?? unknown(option, given, Object.keys(DIALECTS))) : given

/** Throws a TypeError that lists the names if no client speaks a protocol of this name. */
export function clientNamed(option: string, given: string | Dialect | ClientWire): NamedClient {
  if (typeof given !== 'string') return 'events' in given ? ofDialect(given) : { dialect: null, wire: given }
  const dialect = findDialect(given)
  if (dialect !== undefined) return ofDialect(dialect)
  const wire = findWire(given)
  const own = wire?.dialect === undefined ? undefined : findDialect(wire.dialect)
  if (own !== undefined) return ofDialect(own)
  if (wire?.client === undefined) return unknown(option, given, CLIENT_NAMES)
  return { dialect: null, wire: { name: wire.name, client: wire.client } }
}

const ofDialect = (dialect: Dialect): NamedClient => ({ dialect, wire: null })

export const targetOf = ({ dialect, wire }: NamedClient, options?: ClientTargetOptions): Target =>
  dialect === null ? wireTarget(wire, options) : dialectTarget(dialect)
