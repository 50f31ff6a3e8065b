import type { Dialect } from '../dialects/dialect.ts'
import type { ClientWire } from '../engine/client-target.ts'
import { explainBody, explainCall } from '../engine/explain/explain-call.ts'
import type { Explanation } from '../engine/explain/explanation.ts'
import type { GatewayError } from '../protocol/error.ts'
import { err, ok, type Result } from '../protocol/result.ts'
import { splitOnline } from '../search/options.ts'
import { isNonEmptyString, isObject, parseJson } from '../text/json.ts'
import { runSteps, type Steps } from '../text/steps.ts'
import { checkObject, checkOptions } from '../validation/arguments.ts'
import { checkedValues } from '../validation/option-values.ts'
import { type CachePolicy, RESPONSES_WIRE, type Wire, type WireName } from '../wires/contract.ts'
import type { Quirks } from '../wires/quirks.ts'
import type { NamedClient } from './client-protocol.ts'
import { type EncodedRequest, encodeInSlices, type ServerContext } from './encode-for.ts'
import { checkedUpstream } from './named-upstream.ts'
import { clientNamed, otherWire, type TargetName, type VendorInput, vendorNamed } from './names.ts'
import type { RequestAddress } from './request-settings.ts'
import { NO_HOST } from './translate-request.ts'
import { type OpenRoute, routeTo } from './upstream-route.ts'

export interface ExplainOptions extends RequestAddress {
  /** The vendor of the upstream, for its wires and quirks. */
  readonly vendor: VendorInput
  /** The protocol of the client. Default: `openai`, a dialect of the Responses API. */
  readonly client?: TargetName | Dialect | ClientWire
  /** The wire of the upstream. Default: the one that a server chooses, which is the client's own where the vendor has it. */
  readonly wire?: WireName | Wire
  /** The vendor's name of the model. Default: the model that the client requests, without `<vendor>/`. */
  readonly model?: string
  /** Added to the vendor's quirks. */
  readonly quirks?: Quirks
  /** False if the hub translates the requests of clients of the same protocol as well. Default: true. */
  readonly passthrough?: boolean
  /** The cache breakpoints that the upstream receives. Default: `auto`. */
  readonly cache?: CachePolicy
  /** The headers of the client's request, with lower-case names: some name versions and features of the body. */
  readonly headers?: Readonly<Record<string, string>>
  /** An earlier request of the same client, as text or as its JSON value, for the prefix that both have in common. */
  readonly previous?: unknown
}

/** The explanation of a request, or the failure that a server would answer with. */
export type ExplainedRequest = Explanation | { readonly ok: false; readonly error: GatewayError }

/** An explanation of a request for a route of a server. */
export interface ExplainSettings extends RequestAddress, ServerContext {
  readonly previous?: unknown
}

const NAMES = [
  'client',
  'vendor',
  'wire',
  'model',
  'quirks',
  'passthrough',
  'cache',
  'headers',
  'stream',
  'format',
  'previous',
]

/**
 * Explains what an upstream receives for the body of a client's request, as text or as its JSON value: the body, its
 * differences, losses, cache breakpoints, and what the rules of the vendor are against. Nothing is sent. No I/O.
 *
 * @throws TypeError for an unknown name in `client`, `vendor` or `wire`.
 */
export function explainRequest(body: unknown, options: ExplainOptions): ExplainedRequest {
  checkOptions(options, NAMES)
  // The headers of a request have the names and values of its server.
  const { headers, ...others } = options
  const received = headers ?? undefined
  checkObject(received, 'headers')
  const {
    client: named = 'openai',
    vendor,
    wire,
    model,
    quirks,
    passthrough,
    cache,
    ...settings
  } = checkedValues(others)
  const client = clientNamed('client', named)
  const row = wire === undefined ? vendorNamed(vendor) : undefined
  const own =
    row !== undefined && otherWire(row, wireOf(client)) !== undefined ? (wireOf(client) as WireName) : row?.wire
  const chosen = wire ?? own
  const upstream = checkedUpstream(
    { vendor, baseUrl: NO_HOST, wire: chosen, model, quirks, passthrough, cache },
    { isVendors: true },
  )
  return explainFor(client, routeTo(upstream), body, {
    ...settings,
    ...(received === undefined ? {} : { received }),
  })
}

/** The wire whose client side a client speaks. */
export const wireOf = ({ dialect, wire }: NamedClient): string => (dialect === null ? wire.name : RESPONSES_WIRE)

/** Explains a request for a route without a key. */
export function explainFor(
  client: NamedClient,
  open: OpenRoute,
  body: unknown,
  settings: ExplainSettings,
): ExplainedRequest {
  const encoded = runSteps(encodeBoth(client, open, body, settings))
  return encoded.ok ? explainCall(...encoded.value) : encoded
}

/** Does the same without the changes and in slices, for programs that compare the bodies themselves. */
export function* explainBodyFor(
  client: NamedClient,
  open: OpenRoute,
  body: unknown,
  settings: ExplainSettings,
): Steps<ExplainedBody> {
  const encoded = yield* encodeBoth(client, open, body, settings)
  return encoded.ok ? yield* explainBody(...encoded.value) : encoded
}

/** The explanation of a request without the changes of its body, or the failure that a server would answer with. */
export type ExplainedBody = Omit<Explanation, 'changes'> | { readonly ok: false; readonly error: GatewayError }

function* encodeBoth(
  client: NamedClient,
  open: OpenRoute,
  body: unknown,
  { previous, received, search, ...address }: ExplainSettings,
): Steps<Result<[call: EncodedRequest, previous: EncodedRequest | null]>> {
  const context: ServerContext = {
    ...(received === undefined ? {} : { received }),
    ...(search === undefined ? {} : { search }),
  }
  const encode = (one: unknown) =>
    encodeInSlices(client, { ...open, model: open.model ?? modelOf(one, open.vendor) }, one, address, context)
  const encoded = yield* encode(body)
  if (!encoded.ok) return encoded
  const before = previous === undefined ? null : yield* encode(previous)
  if (before !== null && !before.ok) return err(inPrevious(before.error))
  return ok([encoded.value, before?.value ?? null])
}

/** The failure of the earlier request. */
export const inPrevious = (error: GatewayError): GatewayError => ({
  ...error,
  message: `previous request: ${error.message}`,
})

/** The vendor's name of the model that a body names: a server finds the vendor in it. Null if the body names none. */
function modelOf(body: unknown, vendor: string): string | null {
  const json = typeof body === 'string' ? parseJson(body) : body
  const named = isObject(json) ? json.model : undefined
  if (!isNonEmptyString(named)) return null
  const { model } = splitOnline(named.trim())
  return model.startsWith(`${vendor}/`) ? model.slice(vendor.length + 1) : model
}
