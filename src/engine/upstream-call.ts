import { upstreamModel } from '../models/model-facts.ts'
import { dropped, joinLosses, type Loss } from '../protocol/loss.ts'
import type { InputItem, Request } from '../protocol/request.ts'
import type { Head } from '../protocol/response.ts'
import { err, ok, type Result } from '../protocol/result.ts'
import { createSourceMap } from '../protocol/source-map.ts'
import { createIssuedBy, createOpen, type Origin, type Sign } from '../responses/encrypted-content.ts'
import type { Steps } from '../text/steps.ts'
import type { CachePolicy, UpstreamContext, Wire } from '../wires/contract.ts'
import type { EncodedSettings, RequestPassthrough } from '../wires/passthrough-contract.ts'
import type { Quirks } from '../wires/quirks.ts'
import { callUrl } from '../wires/shared/upstream/upstream-url.ts'
import { type BodyEdits, type EncodedBody, editBody } from './call/body-edits.ts'
import {
  callHeaders,
  conversationHeaders,
  imageHeaders,
  initiatorHeaders,
  pickClientHeaders,
  type ReceivedHeaders,
  traceHeaders,
  withClientHeaders,
  withoutRefusedBetas,
} from './call/call-headers.ts'
import { carryOwn, isOfClient, originsFor } from './carried-members/carry-own.ts'
import type { ClientRequest } from './client-request.ts'
import { answerWire, encodeAfter } from './passes/apply-passes.ts'
import type { PassContext } from './passes/pass.ts'
import { type PlannedPasses, planPasses } from './passes/passes.ts'
import { type PassPlan, passBody, planPassing } from './passthrough/request.ts'

/** The upstream of a request, the credentials for it, and the operator's changes to each body. */
export interface UpstreamRoute extends BodyEdits {
  readonly wire: Wire
  readonly quirks: Quirks
  readonly vendor: string
  /** The member of the vendor's pool. Left out: it has none. */
  readonly member?: string
  /** As `Origin.boundary` and `Origin.isShared`. */
  readonly boundary?: string
  readonly isShared?: boolean
  /** The upstream's own name of the model. */
  readonly model: string
  /** The name of the same model at other accounts that read its reasoning. Left out: they have the same name. */
  readonly family?: string
  readonly baseUrl: string
  readonly key: string | null
  /** Added to every call; they replace headers of the same name. Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** Signs and verifies encrypted reasoning. Left out: envelopes have no signature. */
  readonly sign?: Sign
  /** False if the hub translates every request, also of clients of the same protocol. Default: true. */
  readonly passthrough?: boolean
  /** Whether the trace of the client's request goes on. Default: false. */
  readonly traces?: boolean
  /** Default: `auto`. */
  readonly cache?: CachePolicy
  /** Lines of configuration for what the gateway has learned about the model; `quirks` has it. Left out: nothing. */
  readonly learned?: readonly string[]
  /** The rules of the program, which follow the known ones. Left out: none. */
  readonly rules?: NonNullable<PassContext['rules']>
  /** How the answer shows the name of the model that the upstream reports. Default: `below-vendor`. */
  readonly reported?: Head['reported']
}

export interface RoutedRequest extends PlannedPasses {
  readonly route: UpstreamRoute
  /** Decodes the answer, and reverses the passes. */
  readonly answers: Wire
  /** The origin of the reasoning that this upstream encrypts. */
  readonly origin: Origin
  /** The client's headers that reach the upstream. Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
}

export type OriginRoute = Pick<UpstreamRoute, 'wire' | 'vendor' | 'model' | 'boundary' | 'isShared' | 'family'>

export function originOf({ wire, vendor, model, boundary, isShared, family = model }: OriginRoute): Origin {
  const origin = { wire: wire.name, vendor, model: upstreamModel(family) }
  if (boundary === undefined && isShared !== true) return origin
  return { ...origin, ...(boundary === undefined ? {} : { boundary }), ...(isShared === true ? { isShared } : {}) }
}

/** `received`: the headers of the client's request. `search`: left out, the request has no web search to plan. */
export function routeRequest(
  client: ClientRequest,
  given: UpstreamRoute,
  received: ReceivedHeaders = {},
  search: PassContext['search'] = null,
): RoutedRequest {
  const model = upstreamModel(given.model)
  const route = model === given.model ? given : Object.assign({}, given, { model })
  const { wire, quirks, sign, rules } = route
  const origin = originOf(route)
  const own = client.sent.wire === wire.name ? pickClientHeaders(wire, quirks, received) : {}
  const planned = planPasses(client, { wire, quirks, model, open: createOpen(origin, sign), sign, search, rules })
  return {
    client: planned.client,
    passes: planned.passes,
    search: planned.search,
    refusal: planned.refusal,
    route,
    answers: answerWire(wire, planned.passes),
    origin,
    headers: route.traces === true ? { ...own, ...traceHeaders(received) } : own,
  }
}

/** One call of an upstream, as data: a POST request. */
export interface UpstreamCall extends EncodedBody {
  readonly url: URL
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** Whether the upstream is requested to stream its answer. */
  readonly stream: boolean
  /** The edits of the client's own body (docs/passthrough.md); null if the hub encoded the body. */
  readonly edits: readonly string[] | null
}

/**
 * Encodes the call for an upstream, in slices. `request`: the request to encode if it is a later one of the same
 * exchange; `changes`: its losses, with paths of `request`; `recorder`: records the origins of the body. Errors and
 * losses have the client's own paths.
 */
export function* encodeUpstreamCall(
  routed: RoutedRequest,
  request: Request = routed.client.request,
  changes: readonly Loss[] = [],
  recorder?: UpstreamContext['origins'],
): Steps<Result<UpstreamCall>> {
  const { client, route, answers, refusal } = routed
  if (refusal !== null) return err(refusal)
  // A later request of the exchange is not the one that the client sent.
  const isFirst = request === client.request
  const { passthrough } = answers
  if (isFirst && passthrough !== undefined) {
    const { open } = targetOf(routed)
    const plan = yield* planPassing(client, route, open)
    if (plan !== null) return yield* passCall(routed, passthrough.request, plan, open)
  }
  return yield* translateCall(routed, request, changes, recorder)
}

const targetOf = ({ client, route, origin }: RoutedRequest, origins?: UpstreamContext['origins']): UpstreamContext => ({
  model: route.model,
  quirks: route.quirks,
  open: createOpen(origin, route.sign),
  cache: cachePolicyFor(client, route),
  absent: client.absent,
  ...(origins === undefined ? {} : { origins }),
})

/** The client's own body after the edits. The hub encodes the settings if an edit reads them. */
function* passCall(
  routed: RoutedRequest,
  passthrough: RequestPassthrough,
  plan: PassPlan,
  open: UpstreamContext['open'],
): Steps<Result<UpstreamCall>> {
  const { client, route } = routed
  const { model, quirks } = route
  const sent = client.sent.body as EncodedBody['body']
  const known: KnownSettings = { encoded: null }
  const edited = yield* passBody(sent, { request: passthrough, wire: route.wire }, plan, {
    model,
    quirks,
    open,
    hasEnvelopes: plan.hasEnvelopes,
    settings: () => settingsOf(routed, plan.request, known),
    unsupported: client.losses,
  })
  if (known.encoded?.ok === false) return known.encoded
  const refused = { paths: quirks.refusesMembers ?? NO_MEMBERS, toClientPath: edited.toClientPath, encoded: null }
  const { body, losses } = editBody(edited, sent, route, refused)
  return addressed(routed, client.request, edited.edits, { body, losses: toOwnPlaces(client, losses) })
}

const NO_MEMBERS: readonly string[] = []

/** Null: no edit has read the settings yet. */
interface KnownSettings {
  encoded: Result<EncodedSettings> | null
}

function* settingsOf(routed: RoutedRequest, request: Request, known: KnownSettings): Steps<EncodedSettings> {
  known.encoded ??= yield* encodeSettings(routed, request)
  return known.encoded.ok ? known.encoded.value : { body: {}, losses: [] }
}

/** The losses of a body that was made from a message of the client, with the places of the message. */
const toOwnPlaces = ({ sent: { toClientPath } }: ClientRequest, losses: readonly Loss[]): readonly Loss[] =>
  toClientPath === undefined ? losses : createSourceMap(toClientPath).toClientLosses(losses)

/**
 * Encodes the settings and the tools of a request that obeys the rules, for edits. Where the hub cannot encode the tools either, as in a
 * body with tools that it does not have, the settings alone.
 */
function* encodeSettings(routed: RoutedRequest, request: Request): Steps<Result<EncodedSettings>> {
  const { client, route, passes } = routed
  const target = targetOf(routed)
  const whole = yield* encodeAfter(passes, route.wire, request, target, withoutInput)
  const encoded = whole.ok
    ? whole
    : yield* encodeAfter(passes, route.wire, { ...withoutInput(request), tools: [], tool_choice: null }, target)
  const sourceMap = client.sourceMap.withTools(request.tools)
  if (!encoded.ok) return err(sourceMap.toClientError(encoded.error))
  return ok({ body: encoded.body, losses: sourceMap.toClientLosses(encoded.losses) })
}

const HELLO: InputItem = { type: 'message', role: 'user', content: [{ type: 'input_text', text: '.' }] }

/** A request with a conversation that every upstream accepts. */
const withoutInput = (request: Request): Request => ({ ...request, input: [HELLO] })

/** The request as the hub encodes it, with the members of the client's body that it does not model. */
function* translateCall(
  routed: RoutedRequest,
  request: Request,
  changes: readonly Loss[],
  recorder: UpstreamContext['origins'],
): Steps<Result<UpstreamCall>> {
  const { client, route, passes } = routed
  const { wire, quirks } = route
  const { required, sent } = client
  const fault = client.untranslatable ?? (sent.wire === wire.name ? null : (required?.error ?? null))
  if (fault !== null) return err(fault)
  const origins = recorder ?? originsFor(client, route)
  const encoded = yield* encodeAfter(passes, wire, request, targetOf(routed, origins))
  const sourceMap = client.sourceMap.withTools(request.tools)
  if (!encoded.ok) return err(sourceMap.toClientError(encoded.error))
  const own = sourceMap.toClientLosses(encoded.losses)
  const {
    body,
    losses: numbers,
    has,
  } = yield* carryOwn(client, route, {
    request,
    body: encoded.body,
    losses: own,
    origins,
    sourceMap,
  })
  if (required !== null && [...required.paths].some((path) => !has(dropped(path, '')))) return err(required.error)
  const found = joinLosses(client.losses, own)
  const lost = found.filter((loss) => !has(loss))
  const losses = joinLosses([...lost, ...numbers], sourceMap.toClientLosses(changes))
  const { toClientPath, originsOf } = sourceMap
  const refused = {
    paths: quirks.refusesMembers ?? NO_MEMBERS,
    toClientPath,
    encoded: { origins, originsOf, sent, isOwn: isOfClient(client, wire) },
  }
  return addressed(routed, request, null, editBody({ body, losses }, sent.body, route, refused))
}

function addressed(
  { client, route, headers: received }: RoutedRequest,
  request: Request,
  edits: readonly string[] | null,
  edited: EncodedBody,
): Result<UpstreamCall> {
  const { wire, quirks, baseUrl } = route
  const { stream } = request
  const address = wire.address(edited.body, stream, route)
  const url = callUrl(baseUrl, address?.path ?? null)
  if (!url.ok) return url
  const versions = {
    ...address?.headers,
    ...imageHeaders(request, quirks),
    ...initiatorHeaders(request, quirks, client.sourceMap.toClientPath),
    ...conversationHeaders(request.prompt_cache_key ?? client.absent.cacheKey, quirks),
  }
  const own = withoutRefusedBetas(withClientHeaders(wire, versions, received), quirks)
  const headers = callHeaders(route, own, stream)
  return ok({ url: url.value, headers, stream, edits, ...edited })
}

/** A client that places breakpoints itself gets no others. */
const cachePolicyFor = ({ absent }: ClientRequest, { cache = 'auto' }: UpstreamRoute): CachePolicy =>
  cache === 'auto' && absent.cache === 'breakpoints' ? 'client' : cache

// ---------------------------------------------------------------- requests without encrypted reasoning

/** A request that replaces another one of its exchange, and the losses of the replacement. */
interface ChangedRequest {
  readonly request: Request
  readonly losses: readonly Loss[]
}

/**
 * Removes encrypted reasoning, which the upstream could not read; null if the request has none. What this gateway has
 * received from the same account stays, unless there is nothing else. `origin`: of the upstream.
 */
export function withoutEncryptedReasoning(request: Request, origin: Origin): ChangedRequest | null {
  const isOwn = createIssuedBy(origin)
  const sealed = request.input.flatMap((item) => sealOf(item) ?? [])
  if (sealed.length === 0) return null
  const foreign = new Set(sealed.filter((content) => !isOwn(content)))
  const removed = foreign.size > 0 ? foreign : new Set(sealed)
  const isRemoved = (item: InputItem): boolean => removed.has(sealOf(item) ?? '')
  return {
    request: {
      ...request,
      input: request.input.map((item) => (isRemoved(item) ? { ...item, encrypted_content: null } : item) as InputItem),
    },
    losses: request.input.flatMap((item, at) =>
      isRemoved(item) ? [dropped(`input[${at}].encrypted_content`, 'the upstream rejected the encrypted content')] : [],
    ),
  }
}

const sealOf = (item: InputItem): string | null => (item.type === 'reasoning' ? item.encrypted_content : null)
