import type { Dialect } from '../dialects/dialect.ts'
import type { ClientWire } from '../engine/client-target.ts'
import type { DeltaMachine } from '../engine/hooks.ts'
import { withLimits } from '../engine/stream-translator.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Loss } from '../protocol/loss.ts'
import type { ResponseEvent, ResponseObject } from '../protocol/response-event.ts'
import { checkOptions } from '../validation/arguments.ts'
import { checkedValues } from '../validation/option-values.ts'
import type { CachePolicy, Wire, WireName } from '../wires/contract.ts'
import { encodeAnswered } from './answered-call.ts'
import type { CallAnswer } from './call-answer.ts'
import { checkedUpstream, type UpstreamOptions } from './named-upstream.ts'
import { clientNamed, type ResponsesClient, type TargetName, type VendorInput, wireGiven } from './names.ts'
import { REQUEST_SETTINGS, type RequestSettings } from './request-settings.ts'
import type { SharedOptions } from './stream-options.ts'
import type { TranslatorSettings } from './translator-types.ts'
import { routeTo } from './upstream-route.ts'

export interface RequestOptions extends RequestSettings, Pick<TranslatorSettings, 'sign' | 'limits'> {
  /** The protocol of the client. Default: `openai`, a dialect of the Responses API. */
  readonly from?: TargetName | Dialect | ClientWire
  /** The wire of the upstream. Default: the vendor's. */
  readonly to?: WireName | Wire
  /** The vendor of the upstream, for its wire and quirks. Encrypted reasoning comes back from the same vendor only. */
  readonly vendor?: VendorInput
  readonly quirks?: NonNullable<UpstreamOptions['quirks']>
  /** The vendor's name of the model. Default: the model that the client requests. */
  readonly model?: string
  /** The cache breakpoints that the upstream receives. Default: `auto`. */
  readonly cache?: CachePolicy
  /** False if the hub translates the requests of clients of the same protocol as well. Default: true. */
  readonly passthrough?: boolean
  /** The id of the response. Default: `resp_` and 32 random hexadecimal digits. */
  readonly id?: string
  /** Unix seconds. Default: now. */
  readonly createdAt?: number
  /** Machines between the decoder and the reducer of the answer, in this order. */
  readonly machines?: readonly DeltaMachine[]
  /** Is called once when the answer has ended or its consumer has left. */
  readonly onOutcome?: NonNullable<SharedOptions['onOutcome']>
}

const NAMES = [
  ...REQUEST_SETTINGS,
  'sign',
  'limits',
  'from',
  'to',
  'vendor',
  'quirks',
  'cache',
  'passthrough',
  'id',
  'createdAt',
  'machines',
  'onOutcome',
]

/** A request in the protocol of its upstream. */
interface EncodedForUpstream<Event = unknown, Body = unknown> {
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
  /**
   * Everything that the request has decided about its answer. The functions that read answers accept it in place of `from` and
   * `vendor`. Without it, custom tools, namespaces and mapped names of tools do not come back as the client knows them.
   */
  readonly answer: CallAnswer<Event, Body>
}

/** A request in the protocol of its upstream, or the failure to answer with. */
export type TranslatedRequest<Event = unknown, Body = unknown> =
  | EncodedForUpstream<Event, Body>
  | { readonly ok: false; readonly error: GatewayError }

/** Stands in for a base URL: only the path below it is used. */
export const NO_HOST = 'https://upstream.invalid'

const NO_VENDOR = { name: '' }

/**
 * Translates the body of a client's request, as text or as its JSON value, to the protocol of an upstream. No I/O.
 *
 * @throws TypeError for an unknown name in `from`, `to` or `vendor`, or if both `to` and `vendor` are left out.
 */
export function translateRequest(
  body: unknown,
  options: RequestOptions & { readonly from?: ResponsesClient },
): TranslatedRequest<ResponseEvent, ResponseObject>
export function translateRequest(body: unknown, options: RequestOptions): TranslatedRequest<JsonObject, JsonObject>
export function translateRequest(body: unknown, given: RequestOptions): TranslatedRequest<never, never> {
  checkOptions(given, NAMES)
  const options = checkedValues(given)
  const { from = 'openai', to, vendor, quirks, cache, passthrough, sign, limits } = options
  if (to === undefined && vendor === undefined) throw new TypeError('to: required without vendor')
  const wire = to === undefined ? undefined : wireGiven('to', to)
  const upstream = checkedUpstream(
    { vendor: vendor === undefined ? NO_VENDOR : vendor, baseUrl: NO_HOST, wire, quirks, cache, passthrough },
    { isVendors: true },
  )
  const parts = {
    client: clientNamed('from', from),
    route: routeTo(upstream),
    keyVariable: upstream.keyVariable,
    limits: withLimits(limits),
    ...(sign === undefined ? {} : { sign }),
  }
  const encoded = encodeAnswered(parts, body, options)
  if (!encoded.ok) return encoded
  const { url, headers, losses, stream, body: sent } = encoded.value.call
  return {
    ok: true,
    body: sent,
    path: url.pathname + url.search,
    headers,
    losses,
    stream,
    answer: encoded.value.answer as CallAnswer<never, never>,
  }
}
