import type { Dialect, DialectName } from '../dialects/dialect.ts'
import { DIALECTS, findDialect } from '../dialects/registry.ts'
import type { ClientWire } from '../engine/client-target.ts'
import type { JsonObject } from '../protocol/json.ts'
import { FRONT_END_SETTINGS, FRONT_ENDS, type FrontEndName } from '../targets/names.ts'
import { findFrontEnd } from '../targets/registry.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import { lookup } from '../text/lookup.ts'
import { checkNames, checkProtocol, checkText } from '../validation/arguments.ts'
import { describeValue } from '../validation/messages.ts'
import type { OtherWire, OtherWires } from '../vendors/other-wires.ts'
import { findVendor, VENDOR_NAMES, type VendorName } from '../vendors/registry.ts'
import { quirksOfRow } from '../vendors/vendor.ts'
import type { KnownWire, StreamWire, Wire, WireName } from '../wires/contract.ts'
import { CLIENT_WIRES, findWire } from '../wires/find-wire.ts'
import type { ClientWireName } from '../wires/names.ts'
import type { Quirks } from '../wires/quirks.ts'
import { WIRES } from '../wires/registry.ts'
import { type AnswerProtocol, checkForm, isDialect, type NamedClient, toClient } from './client-protocol.ts'

/** The dialects and protocols in which answers can be written. Clients of `openai-responses` receive the dialect `openai`. */
export type TargetName = DialectName | ClientWireName

/** Clients of the Responses API with the events of OpenAI's, whose types are known. */
export type ResponsesClient = 'openai' | 'openai-responses' | Dialect

/** A vendor of a program, with the members of a row of docs/vendors.md. */
export interface OwnVendor {
  /** Reasoning that it encrypts comes back only to a vendor of this name. */
  readonly name: string
  /** Required where no other option names the wire. */
  readonly wire?: WireName | Wire
  /** Required where requests are sent, and no other option names it. */
  readonly baseUrl?: string
  /** The environment variable that usually holds its key, for the remedy of a refused key. */
  readonly keyVariable?: string
  readonly quirks?: Quirks
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A vendor by its name, or as an object. */
export type VendorInput = VendorName | OwnVendor

/** A vendor of the table or of a program. */
export interface KnownVendor {
  readonly name: string
  readonly wire?: WireName | Wire
  readonly baseUrl?: string | null
  readonly keyVariable?: string | null
  readonly quirks?: Quirks
  readonly headers?: Readonly<Record<string, string>>
  readonly wires?: OtherWires
}

/** Names come from programs, so that an unknown one is an error of the program. */
function unknown(option: string, name: unknown, names: readonly string[]): never {
  const expected = `${option}: expected one of ${names.join(', ')}`
  // In plain JavaScript, the name may be missing.
  const suggestion = typeof name === 'string' ? didYouMean(name, names) : ''
  throw new TypeError(`${expected}, got ${describeValue(name)}${suggestion === '' ? '' : `.${suggestion}`}`)
}

/** Throws a TypeError that lists the names if there is no wire of this name. */
export const wireNamed = (option: string, given: string): Wire =>
  (typeof given === 'string' ? findWire(given) : undefined) ?? unknown(option, given, Object.keys(WIRES))

/** The wire of an option, by its name or as an object. */
export function wireGiven(option: string, given: string | Wire): Wire {
  if (typeof given !== 'object' || given === null) return wireNamed(option, given)
  checkProtocol(given, option, 'a wire, such as openaiChat', ['name', 'decodeStream', 'encodeRequest'])
  return given
}

const OWN_VENDOR = ['name', 'wire', 'baseUrl', 'keyVariable', 'quirks', 'headers']

/**
 * The vendor of this name. `isOwn`: a wire or a server of the program, which no row of the table describes, so that any
 * name is one. Throws a TypeError that lists the names if there is no such vendor.
 */
export function vendorNamed(given: VendorInput | undefined, isOwn = false, option = 'vendor'): KnownVendor {
  if (typeof given === 'object' && given !== null) {
    checkNames(given, option, OWN_VENDOR)
    checkText(given.name, `${option}.name`)
    return given
  }
  if (typeof given !== 'string') return unknown(option, given, VENDOR_NAMES)
  return findVendor(given) ?? (isOwn ? { name: given } : unknown(option, given, VENDOR_NAMES))
}

/** Whether a wire is none of the project's own. */
export const isOwnWire = (given: string | StreamWire | undefined): boolean =>
  typeof given === 'object' && given !== null && findWire(given.name) === undefined

/** A vendor's further wire; undefined for the one of its row, and for a wire that it does not have. */
export const otherWire = ({ wires = {} }: KnownVendor, wire: string): OtherWire | undefined => lookup(wires, wire)

/** One object, because what depends on quirks alone is kept with them. */
const NO_QUIRKS: Quirks = {}

/** The quirks of a vendor on one of its wires. `isTable`: the wires of the table are its own. */
export function quirksOfVendor(vendor: KnownVendor, wire: string, isTable = true): Quirks {
  const { quirks = NO_QUIRKS, wire: own } = vendor
  const main = typeof own === 'string' ? own : (own?.name ?? wire)
  return (isTable ? otherWire(vendor, wire) : undefined)?.quirks ?? quirksOfRow({ wire: main, quirks }, wire)
}

const CLIENT_NAMES = [...Object.keys(DIALECTS), ...CLIENT_WIRES]

/** Throws a TypeError that lists the names if there is no dialect of this name. */
export const dialectNamed = (option: string, given: string | Dialect): Dialect =>
  typeof given === 'string' ? (findDialect(given) ?? unknown(option, given, Object.keys(DIALECTS))) : given

/** Throws a TypeError that lists the names if no client speaks a protocol of this name. */
export function clientNamed(
  option: string,
  given: string | Dialect | ClientWire,
  names: readonly string[] = CLIENT_NAMES,
): NamedClient {
  if (typeof given !== 'string') return toClient(given, option)
  const dialect = findDialect(given)
  if (dialect !== undefined) return toClient(dialect)
  const wire = findWire(given)
  const own = wire?.dialect === undefined ? undefined : findDialect(wire.dialect)
  if (own !== undefined) return toClient(own)
  // The wire itself, because what depends on a protocol alone is kept with its object.
  return wire !== undefined && hasClients(wire) ? toClient(wire) : unknown(option, given, names)
}

const hasClients = (wire: Wire): wire is Wire & ClientWire => wire.client !== undefined

/** The settings of all answers, so that a program may have the same for several. Each ignores those of the others. */
const namesOfSettings = (): readonly string[] => [
  ...new Set<string>([
    ...FRONT_END_SETTINGS,
    ...Object.values<KnownWire>(WIRES).flatMap(({ client }) => client?.settings ?? []),
  ]),
]

const FORM_NAMES = [...CLIENT_NAMES, ...FRONT_ENDS]

/**
 * The form of an answer. `settings` are those of a user interface. Throws a TypeError that lists the names if there is
 * none of this name.
 */
export function formNamed(
  option: string,
  given: TargetName | FrontEndName | AnswerProtocol,
  settings: JsonObject | undefined,
): AnswerProtocol {
  // A protocol of the program may have others.
  const isOwn = typeof given === 'object' && given !== null && !isDialect(given) && findWire(given.name) === undefined
  if (settings !== undefined && !isOwn) checkNames(settings, 'settings', namesOfSettings())
  if (typeof given !== 'string') {
    checkForm(given, option)
    return given
  }
  const frontEnd = findFrontEnd(given, settings)
  if (frontEnd !== undefined) return frontEnd
  const { dialect, wire } = clientNamed(option, given, FORM_NAMES)
  return dialect ?? wire
}
