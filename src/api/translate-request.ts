import type { Dialect } from '../dialects/dialect.ts'
import type { ClientWire } from '../engine/client-target.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Loss } from '../protocol/loss.ts'
import { checkOptions } from '../validation/arguments.ts'
import type { VendorName } from '../vendors/registry.ts'
import type { CachePolicy, Wire, WireName } from '../wires/contract.ts'
import { encodeFor, type RequestAddress } from './encode-for.ts'
import { clientNamed, type TargetName, vendorNamed } from './names.ts'
import { toRoute, type UpstreamOptions } from './upstream-route.ts'

export interface RequestOptions extends RequestAddress {
  /** The protocol of the client. Default: `openai`, a dialect of the Responses API. */
  readonly from?: TargetName | Dialect | ClientWire
  /** The wire of the upstream. Default: the vendor's. */
  readonly to?: WireName | Wire
  /** The vendor of the upstream, for its wire and quirks. */
  readonly vendor?: VendorName
  readonly quirks?: NonNullable<UpstreamOptions['quirks']>
  /** The vendor's name of the model. Default: the model that the client requests. */
  readonly model?: string
  /** The cache breakpoints that the upstream receives. Default: `auto`. */
  readonly cache?: CachePolicy
}

/** A request in the protocol of its upstream, or the failure to answer with. */
export type TranslatedRequest =
  | {
      readonly ok: true
      readonly body: JsonObject
      /** Follows the base URL of the upstream, with a query if there is one. */
      readonly path: string
      /** Content type, versions and features, without credentials. Lower-case names. */
      readonly headers: Readonly<Record<string, string>>
      /** Requested features that cannot be carried unchanged, with the client's own paths. */
      readonly losses: readonly Loss[]
      /** Whether the client requested a stream. */
      readonly stream: boolean
    }
  | { readonly ok: false; readonly error: GatewayError }

/** Stands in for a base URL: only the path below it is used. */
export const NO_HOST = 'https://upstream.invalid'

/**
 * Translates the body of a client's request, as text or as its JSON value, to the protocol of an upstream. No I/O.
 *
 * @throws TypeError for an unknown name in `from`, `to` or `vendor`, or if both `to` and `vendor` are left out.
 */
export function translateRequest(body: unknown, options: RequestOptions): TranslatedRequest {
  checkOptions(options)
  const { from = 'openai', to, vendor, quirks, model, cache, stream, format } = options
  if (to === undefined && vendor === undefined) throw new TypeError('to: required without vendor')
  const row = vendor === undefined ? undefined : vendorNamed(vendor)
  const upstream: UpstreamOptions = {
    vendor: vendor ?? '',
    baseUrl: NO_HOST,
    wire: to ?? (row?.wire as WireName),
    ...(model === undefined ? {} : { model }),
    ...(quirks === undefined ? {} : { quirks }),
    ...(cache === undefined ? {} : { cache }),
  }
  const route = toRoute(upstream, undefined, true)
  const address = { ...(stream === undefined ? {} : { stream }), ...(format === undefined ? {} : { format }) }
  const encoded = encodeFor(clientNamed('from', from), route, body, address)
  if (!encoded.ok) return { ok: false, error: encoded.error }
  const { call } = encoded.value
  const { url, headers, losses } = call
  return { ok: true, body: call.body, path: url.pathname + url.search, headers, losses, stream: call.stream }
}
