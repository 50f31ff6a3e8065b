import type { Dialect } from '../dialects/dialect.ts'
import { NO_ENGINES, planRequest, readSearch } from '../engine/call/plan-search.ts'
import { type ClientProtocol, type ClientRequest, readClientRequest } from '../engine/client-request.ts'
import type { ClientWire } from '../engine/client-target.ts'
import {
  encodeUpstreamCall,
  originOf,
  type RoutedRequest,
  routeRequest,
  type UpstreamCall,
  type UpstreamRoute,
} from '../engine/upstream-call.ts'
import type { FormatName } from '../framing/format.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import { REQUEST_LIMITS } from '../protocol/limits.ts'
import type { Loss } from '../protocol/loss.ts'
import { err, ok, type Result } from '../protocol/result.ts'
import { isNonEmptyString, isObject } from '../text/json.ts'
import { runSteps } from '../text/steps.ts'
import { checkFormat, checkOptions, checkRequestBody } from '../validation/arguments.ts'
import { parseBody } from '../validation/body.ts'
import { checkSize } from '../validation/size.ts'
import type { CachePolicy, Wire, WireName } from '../wires/contract.ts'
import { faultOfModel } from '../wires/shared/upstream/model-paths.ts'
import { clientNamed, type NamedClient, type TargetName, vendorNamed } from './names.ts'
import { type OpenRoute, toRoute, type UpstreamOptions } from './upstream-route.ts'

/** Properties of a request that its protocol has in the URL and not in the body, as `gemini-generate` does. */
export interface RequestAddress {
  readonly model?: string
  readonly stream?: boolean
  /** The format of the stream. Default: the usual one of the protocol. */
  readonly format?: FormatName
}

/** A client's request with the call of its upstream. */
export interface EncodedRequest {
  readonly routed: RoutedRequest
  readonly call: UpstreamCall
}

/** Reads a client's body and encodes it for the upstream. `body`: text, or the JSON value. */
export function encodeFor(
  client: NamedClient,
  open: OpenRoute,
  body: unknown,
  address: RequestAddress,
): Result<EncodedRequest> {
  checkRequestBody(body)
  checkFormat(address.format, client.dialect !== null)
  const parsed = typeof body === 'string' ? parseBody(body) : { ok: true as const, body }
  if (!parsed.ok) return parsed
  const excess = isObject(parsed.body) ? checkSize(parsed.body, REQUEST_LIMITS) : null
  if (excess !== null) return err(excess)
  const named = address.model ?? (isObject(parsed.body) ? parsed.body.model : undefined)
  const model = open.model ?? (isNonEmptyString(named) ? named.trim() : '')
  const route: UpstreamRoute = { ...open, model }
  const read = runSteps(readClientRequest(parsed.body, protocolOf(client, route, address)))
  const planned = read.ok ? plan(read.value, route) : read
  if (!planned.ok) return planned
  const routed = routeRequest(planned.value, route)
  const call = runSteps(encodeUpstreamCall(routed))
  return call.ok ? ok({ routed, call: call.value }) : call
}

const protocolOf = ({ dialect, wire }: NamedClient, route: UpstreamRoute, address: RequestAddress): ClientProtocol =>
  dialect === null
    ? {
        wire,
        sealing: { origin: originOf(route), ...(route.sign === undefined ? {} : { sign: route.sign }) },
        model: address.model ?? route.model,
        stream: address.stream ?? null,
      }
    : { dialect }

function plan(client: ClientRequest, route: UpstreamRoute): Result<ClientRequest> {
  const fault = faultOfModel(route.model, route.wire.name, route.quirks)
  if (fault !== null) return err(fault)
  const searching = readSearch(client)
  if (!searching.ok) return searching
  const planned = planRequest(client, searching.value, route, NO_ENGINES)
  return planned.ok ? ok(planned.value.client) : planned
}

/** Options of `translateRequest`. */
export interface RequestOptions extends RequestAddress {
  /** The protocol of the client. Default: `openai`, a dialect of the Responses API. */
  readonly from?: TargetName | Dialect | ClientWire
  /** The wire of the upstream. Default: the vendor's. */
  readonly to?: WireName | Wire
  /** The vendor of the upstream, for its wire and quirks. */
  readonly vendor?: string
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
const NO_HOST = 'https://upstream.invalid'

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
