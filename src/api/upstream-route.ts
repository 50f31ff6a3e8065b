import type { UpstreamRoute } from '../engine/upstream-call.ts'
import type { Sign } from '../responses/encrypted-content.ts'
import { lookup } from '../text/lookup.ts'
import { checkBaseUrl, checkOptions } from '../validation/arguments.ts'
import { findVendor, type VendorName } from '../vendors/registry.ts'
import type { CachePolicy, Wire, WireName } from '../wires/contract.ts'
import type { Quirks } from '../wires/quirks.ts'
import { vendorNamed, wireNamed } from './names.ts'

/** The upstream that requests go to. */
export interface UpstreamOptions {
  /** A vendor of docs/vendors.md, for its wire, base URL and quirks; or any name if `wire` and `baseUrl` are given. */
  readonly vendor: VendorName
  /** The vendor's name of the model. Default: the model that the client requests. */
  readonly model?: string
  /** Left out: requests have no credentials but those in `headers`. */
  readonly apiKey?: string | undefined
  /** Replaces the vendor's base URL. Required if that depends on an account or a region. */
  readonly baseUrl?: string | undefined
  /** Added to every request; they replace headers of the same name. */
  readonly headers?: Readonly<Record<string, string>>
  /** Replaces the vendor's wire. A further wire of the vendor has a base URL and quirks of its own. */
  readonly wire?: WireName | Wire
  /** Added to the vendor's quirks. */
  readonly quirks?: Quirks
  /** False if the hub translates the requests of clients of the same protocol as well. Default: true. */
  readonly passthrough?: boolean
  /**
   * `auto` (default): cache breakpoints are placed for clients whose own vendor caches prompts without them. `client`:
   * only those of the client are sent. `off`: none is sent.
   */
  readonly cache?: CachePolicy
}

/** A route whose model may still depend on the request. */
export interface OpenRoute extends Omit<UpstreamRoute, 'model'> {
  readonly model: string | null
}

/**
 * `isVendors`: whether the upstream is the vendor itself, whose further wires have quirks of their own. Default: it is
 * without a base URL.
 *
 * @throws TypeError for an unknown vendor or wire, and for a vendor without a base URL.
 */
export function toRoute(options: UpstreamOptions, sign?: Sign, isVendors?: boolean): OpenRoute {
  checkOptions(options, 'upstream')
  const { vendor, model = null, apiKey = null, baseUrl, headers, quirks, passthrough = true, cache = 'auto' } = options
  const isOwn = options.wire !== undefined && baseUrl !== undefined
  const row = isOwn ? findVendor(vendor) : vendorNamed(vendor)
  const named = options.wire ?? row?.wire ?? ''
  const wire = typeof named === 'string' ? wireNamed('upstream.wire', named) : named
  // With its own base URL, an upstream is not that of the table.
  const other = (isVendors ?? baseUrl === undefined) ? lookup(row?.wires ?? {}, wire.name) : undefined
  const base = baseUrl ?? other?.baseUrl ?? row?.baseUrl ?? null
  if (base === null || base.includes('{'))
    throw new TypeError(`upstream.baseUrl: required, because the base URL of ${vendor} depends on an account or region`)
  checkBaseUrl(base, 'upstream.baseUrl')
  return {
    wire,
    quirks: { ...(other ?? row)?.quirks, ...quirks },
    vendor,
    model,
    baseUrl: base,
    // A program may pass the empty value of a variable that is not set.
    key: apiKey === '' ? null : apiKey,
    passthrough,
    cache,
    headers: toLowerCase({ ...row?.headers, ...headers }),
    ...(sign === undefined ? {} : { sign }),
  }
}

const toLowerCase = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
