import { guardWire } from '../engine/hooks.ts'
import { checkBaseUrl, checkOptions } from '../validation/arguments.ts'
import { checkedValues } from '../validation/option-values.ts'
import type { Wire, WireName } from '../wires/contract.ts'
import type { Quirks } from '../wires/quirks.ts'
import { isOwnWire, otherWire, quirksOfVendor, type VendorInput, vendorNamed, wireGiven } from './names.ts'
import { checkQuirkValues } from './quirk-values.ts'
import { UPSTREAM_SETTINGS, type UpstreamObject, type UpstreamSettings } from './upstream-route.ts'

/** The upstream that requests go to. */
export interface UpstreamOptions extends UpstreamSettings {
  /**
   * A vendor of docs/vendors.md, for its wire, base URL and quirks; or one of the program: an object, or any name if
   * `wire` and `baseUrl` are given. It may be left out with both: its name is that of the wire.
   */
  readonly vendor?: VendorInput
  /** Replaces the vendor's base URL. Required if that depends on an account or a region. */
  readonly baseUrl?: string | undefined
  /** Replaces the vendor's wire. A further wire of the vendor has a base URL and quirks of its own. */
  readonly wire?: WireName | Wire | undefined
}

export const UPSTREAM_OPTIONS = [...UPSTREAM_SETTINGS, 'vendor', 'baseUrl', 'wire']

/** Throws a TypeError for a quirk or a value that does not exist; a wire of the program may have others. */
export function checkQuirks(quirks: Quirks | undefined, wire: Wire | { readonly name: string }, option: string): void {
  if (quirks !== undefined) checkQuirkValues(quirks, option, isOwnWire(wire as Wire))
}

interface Naming {
  /** Whether it is the vendor itself, whose further wires have quirks of their own. Default: it is without a base URL. */
  readonly isVendors?: boolean
  /** The option that holds the options. Default: they are options themselves. */
  readonly place?: string
}

/**
 * The upstream of options with names.
 *
 * @throws TypeError for an unknown vendor or wire, and for a vendor without a base URL.
 */
export function namedUpstream(options: UpstreamOptions, { isVendors, place }: Naming = {}): UpstreamObject {
  const at = (name: string): string => (place === undefined ? name : `${place}.${name}`)
  const { vendor: given, baseUrl, headers, quirks, wire: named, model, apiKey, passthrough, cache, body } = options
  const isOwn = isOwnWire(named) || (named !== undefined && baseUrl !== undefined)
  const vendor = vendorNamed(given ?? (isOwn ? { name: nameOf(named) } : undefined), isOwn, at('vendor'))
  const chosen = named ?? vendor.wire
  if (chosen === undefined) throw new TypeError(`${at('vendor.wire')}: required`)
  const wire = wireGiven(at(named === undefined ? 'vendor.wire' : 'wire'), chosen)
  // With its own base URL, an upstream is not that of the table.
  const isTable = isVendors ?? baseUrl === undefined
  const base = baseUrl ?? (isTable ? otherWire(vendor, wire.name) : undefined)?.baseUrl ?? vendor.baseUrl ?? null
  if (base === null || base.includes('{'))
    throw new TypeError(
      `${at('baseUrl')}: required${vendor.baseUrl === undefined ? '' : `, because the base URL of ${vendor.name} depends on an account or region`}`,
    )
  const ofVendor = quirksOfVendor(vendor, wire.name, isTable)
  return {
    wire: guardWire(wire),
    baseUrl: base,
    vendor: vendor.name,
    // The same object, because what depends on quirks alone is kept with them.
    quirks: quirks === undefined ? ofVendor : { ...ofVendor, ...quirks },
    headers: { ...vendor.headers, ...headers },
    keyVariable: vendor.keyVariable ?? undefined,
    model,
    apiKey,
    passthrough,
    cache,
    body,
  }
}

/**
 * The same with checked values. A gateway does not need it, because the schema of its configuration has them.
 */
export function checkedUpstream(options: UpstreamOptions, naming: Naming = {}): UpstreamObject {
  const { place } = naming
  checkOptions(options, UPSTREAM_OPTIONS, place)
  const before = place === undefined ? '' : `${place}.`
  const given = checkedVendor(checkedValues(options, place), `${before}vendor`)
  const upstream = namedUpstream(given, naming)
  checkQuirks(given.quirks, upstream.wire, `${before}quirks`)
  if (given.baseUrl !== undefined) checkBaseUrl(given.baseUrl, `${before}baseUrl`)
  const { vendor } = given
  if (typeof vendor === 'object') {
    checkQuirks(vendor.quirks, upstream.wire, `${before}vendor.quirks`)
    if (vendor.baseUrl !== undefined) checkBaseUrl(vendor.baseUrl, `${before}vendor.baseUrl`)
  }
  return upstream
}

/** The options with the checked values of a vendor of the program. */
function checkedVendor(options: UpstreamOptions, place: string): UpstreamOptions {
  const { vendor } = options
  return typeof vendor === 'object' && vendor !== null ? { ...options, vendor: checkedValues(vendor, place) } : options
}

const nameOf = (wire: UpstreamOptions['wire']): string => (typeof wire === 'object' ? wire.name : (wire ?? ''))
