import { FRAMINGS } from '../framing/registry.ts'
import type { JsonObject } from '../protocol/json.ts'
import { dropped, joinLosses, type Loss, ROUNDED } from '../protocol/loss.ts'
import type { InputItem, Request } from '../protocol/request.ts'
import type { Head } from '../protocol/response.ts'
import { err, ok, type Result } from '../protocol/result.ts'
import { toEcho } from '../responses/echo.ts'
import { type Origin, openOwnReasoning, openReasoning, type Sign } from '../responses/encrypted-content.ts'
import { firstDifference } from '../text/json-diff.ts'
import { valueAt } from '../text/json-path.ts'
import type { Steps } from '../text/steps.ts'
import type { Encoded, Wire } from '../wires/contract.ts'
import type { Quirks } from '../wires/quirks.ts'
import { withCustomTools } from '../wires/shared/upstream/custom-tools.ts'
import { NO_PATH } from '../wires/shared/upstream/model-paths.ts'
import { upstreamUrl } from '../wires/shared/upstream/upstream-url.ts'
import type { ClientRequest } from './client-request.ts'

/** The upstream of a request, and the credentials for it. */
export interface UpstreamRoute {
  readonly wire: Wire
  readonly quirks: Quirks
  readonly vendor: string
  /** The upstream's own name of the model. */
  readonly model: string
  readonly baseUrl: string
  readonly key: string | null
  /** Added to every call; they replace headers of the same name. Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** Signs and verifies encrypted reasoning. Left out: envelopes have no signature. */
  readonly sign?: Sign
}

/** A client's request with its upstream. */
export interface RoutedRequest {
  /** The history is readable, as far as no upstream encrypted it. */
  readonly client: ClientRequest
  /** The wire sends custom tools as functions if the upstream has none. */
  readonly route: UpstreamRoute
  /** The origin of the reasoning that this upstream encrypts. */
  readonly origin: Origin
}

export const originOf = ({ wire, vendor, model }: Pick<UpstreamRoute, 'wire' | 'vendor' | 'model'>): Origin => ({
  wire: wire.name,
  vendor,
  model,
})

export function routeRequest(client: ClientRequest, route: UpstreamRoute): RoutedRequest {
  const { wire, quirks, sign } = route
  const { request } = client
  return {
    client: { ...client, request: { ...request, input: openOwnReasoning(request.input, sign) } },
    route: { ...route, wire: withCustomTools(wire, request, quirks) },
    origin: originOf(route),
  }
}

/** One call of an upstream, as data: a POST request. */
export interface UpstreamCall {
  readonly url: URL
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: JsonObject
  /** Whether the upstream is requested to stream its answer. */
  readonly stream: boolean
  /** All losses between the client and its upstream, with the client's own paths. */
  readonly losses: readonly Loss[]
}

/**
 * Encodes the call for an upstream, in slices. `request`: the request to encode if it is a later one of the same
 * exchange; `changes`: its losses, with paths of `request`. Errors and losses have the client's own paths.
 */
export function* encodeUpstreamCall(
  { client, route, origin }: RoutedRequest,
  request: Request = client.request,
  changes: readonly Loss[] = [],
): Steps<Result<UpstreamCall>> {
  const { wire, quirks, model, baseUrl, sign } = route
  const open = (sealed: string) => openReasoning(origin, sealed, sign)
  const encoded = yield* wire.encodeSteps(request, { model, quirks, open })
  const sourceMap = client.sourceMap.withTools(request.tools)
  if (!encoded.ok) return err(sourceMap.toClientError(encoded.error))
  const url = upstreamUrl(baseUrl, encoded.path)
  if (url === null) return err(NO_PATH)
  const { stream } = request
  const found = joinLosses(client.losses, sourceMap.toClientLosses(encoded.losses))
  const losses = found.filter((loss) => !arrives(client, wire, encoded.body, loss))
  return ok({
    url,
    headers: headersOf(route, encoded.headers, stream),
    body: encoded.body,
    stream,
    losses: joinLosses(losses, sourceMap.toClientLosses(changes)),
  })
}

/**
 * A field that reaches an upstream of the client's own wire under the same path and with the same value was not mapped.
 * A number that was rounded has the same value here, because the client's body is compared after it was parsed.
 */
function arrives({ sent }: ClientRequest, wire: Wire, body: JsonObject, { action, path, why }: Loss): boolean {
  if (action !== 'mapped' || sent.wire !== wire.name || why.includes(ROUNDED)) return false
  const value = valueAt(sent.body, path)
  return value !== undefined && firstDifference(value, valueAt(body, path)) === null
}

const headersOf = (
  { wire, quirks, key, headers }: UpstreamRoute,
  versions: Extract<Encoded, { readonly ok: true }>['headers'],
  stream: boolean,
): Readonly<Record<string, string>> => ({
  'content-type': 'application/json',
  'accept-encoding': 'identity',
  accept: stream ? FRAMINGS[wire.framing].mediaTypes[0] : 'application/json',
  'user-agent': 'millrace',
  ...versions,
  ...(key === null ? {} : wire.authorize(key, quirks)),
  ...headers,
})

// ---------------------------------------------------------------- requests without encrypted reasoning

/** A request that replaces another one of its exchange, and the losses of the replacement. */
export interface ChangedRequest {
  readonly request: Request
  readonly losses: readonly Loss[]
}

/** Removes encrypted reasoning, which the upstream could not read; null if the request has none. */
export function withoutEncryptedReasoning(request: Request): ChangedRequest | null {
  const paths = request.input.flatMap((item, at) => (isSealed(item) ? [`input[${at}].encrypted_content`] : []))
  if (paths.length === 0) return null
  return {
    request: { ...request, input: request.input.map(unseal) },
    losses: paths.map((path) => dropped(path, 'the upstream rejected the encrypted content')),
  }
}

const isSealed = (item: InputItem): boolean => item.type === 'reasoning' && item.encrypted_content !== null

const unseal = (item: InputItem): InputItem => (item.type === 'reasoning' ? { ...item, encrypted_content: null } : item)

// ---------------------------------------------------------------- the answer

/** The parts of a request on which the translation of its answer depends. */
export interface AnswerContext {
  readonly wire: Wire
  readonly quirks: Quirks
  readonly head: Head
  readonly origin: Origin
  readonly sign?: Sign
}

/** `id`: the id of the response, with its prefix. `createdAt`: Unix seconds. */
export function answerContext({ client, route, origin }: RoutedRequest, id: string, createdAt: number): AnswerContext {
  const { request } = client
  const { wire, quirks, sign } = route
  return {
    wire,
    quirks: requestsJson(request) ? { ...quirks, jsonAnswer: true } : quirks,
    head: {
      id,
      created_at: createdAt,
      model: request.model,
      reported: quirks.ownModelNames === true ? 'ignored' : 'below-vendor',
      echo: toEcho(request),
      names: request.names,
    },
    origin,
    ...(sign === undefined ? {} : { sign }),
  }
}

const requestsJson = ({ text }: Request): boolean => (text?.format?.type ?? 'text') !== 'text'
