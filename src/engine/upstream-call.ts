import { upstreamModel } from '../models/model-facts.ts'
import { dropped, joinLosses, type Loss } from '../protocol/loss.ts'
import type { InputItem, Request } from '../protocol/request.ts'
import type { Head } from '../protocol/response.ts'
import { err, ok, type Result } from '../protocol/result.ts'
import { createOpen, type Origin, type Sign } from '../responses/encrypted-content.ts'
import type { Steps } from '../text/steps.ts'
import type { CachePolicy, UpstreamContext, Wire } from '../wires/contract.ts'
import type { Quirks } from '../wires/quirks.ts'
import { callUrl } from '../wires/shared/upstream/upstream-url.ts'
import { type BodyEdits, type EncodedBody, editBody } from './call/body-edits.ts'
import {
  callHeaders,
  imageHeaders,
  pickClientHeaders,
  type ReceivedHeaders,
  withClientHeaders,
} from './call/call-headers.ts'
import { translationFault } from './call/translation-fault.ts'
import type { ClientRequest } from './client-request.ts'
import { answerWire, encodeAfter } from './passes/apply-passes.ts'
import type { PassContext } from './passes/pass.ts'
import { type PlannedPasses, planPasses } from './passes/passes.ts'
import { passBody, passesThrough } from './passthrough/request.ts'
import { carryOwn, originsFor } from './unread/carry-own.ts'

/** The upstream of a request, the credentials for it, and the operator's changes to each body. */
export interface UpstreamRoute extends BodyEdits {
  readonly wire: Wire
  readonly quirks: Quirks
  readonly vendor: string
  /** The member of the vendor's pool. Left out: it has none. */
  readonly member?: string
  /** The upstream's own name of the model. */
  readonly model: string
  readonly baseUrl: string
  readonly key: string | null
  /** Added to every call; they replace headers of the same name. Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** Signs and verifies encrypted reasoning. Left out: envelopes have no signature. */
  readonly sign?: Sign
  /** False if the hub translates every request, also of clients of the same protocol. Default: true. */
  readonly passthrough?: boolean
  /** Default: `auto`. */
  readonly cache?: CachePolicy
  /** Lines of configuration for what the gateway has learned about the model; `quirks` has it. Left out: nothing. */
  readonly learned?: readonly string[]
  /** How the answer shows the name of the model that the upstream reports. Default: `below-vendor`. */
  readonly reported?: Head['reported']
}

/** A client's request with its upstream. */
export interface RoutedRequest extends PlannedPasses {
  readonly route: UpstreamRoute
  /** Decodes the answer, and reverses the passes. */
  readonly answers: Wire
  /** The origin of the reasoning that this upstream encrypts. */
  readonly origin: Origin
  /** The client's headers that reach the upstream. Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
}

export const originOf = ({ wire, vendor, model }: Pick<UpstreamRoute, 'wire' | 'vendor' | 'model'>): Origin => ({
  wire: wire.name,
  vendor,
  model,
})

/** `received`: the headers of the client's request. `search`: left out, the request has no web search to plan. */
export function routeRequest(
  client: ClientRequest,
  given: UpstreamRoute,
  received: ReceivedHeaders = {},
  search: PassContext['search'] = null,
): RoutedRequest {
  const model = upstreamModel(given.model)
  const route = model === given.model ? given : Object.assign({}, given, { model })
  const { wire, quirks, sign } = route
  const planned = planPasses(client, { wire, quirks, model, sign, search })
  return {
    client: planned.client,
    passes: planned.passes,
    search: planned.search,
    refusal: planned.refusal,
    route,
    answers: answerWire(wire, planned.passes),
    origin: originOf(route),
    headers: client.sent.wire === wire.name ? pickClientHeaders(wire, quirks, received) : {},
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
  const { client, route, passes, answers, refusal, origin } = routed
  if (refusal !== null) return err(refusal)
  const { wire, quirks, model, baseUrl, sign } = route
  const open = createOpen(origin, sign)
  // A later request of the exchange is not the one that the client sent.
  const isFirst = request === client.request
  const { passthrough } = answers
  const passed = isFirst && passthrough !== undefined && (yield* passesThrough(client, route))
  const fault = passed ? null : translationFault(client, wire)
  if (fault !== null) return err(fault)
  const origins = recorder ?? (passed ? undefined : originsFor(client, wire))
  const target = {
    model,
    quirks,
    open,
    cache: cachePolicyFor(client, route),
    ...(origins === undefined ? {} : { origins }),
  }
  const whole = yield* encodeAfter(passes, wire, request, target)
  // The edits read only the settings, where the hub cannot encode the conversation.
  const encoded = whole.ok || !passed ? whole : yield* encodeAfter(passes, wire, withoutConversation(request), target)
  const sourceMap = client.sourceMap.withTools(request.tools)
  if (!encoded.ok) return err(sourceMap.toClientError(encoded.error))
  const address = callUrl(baseUrl, encoded.path)
  if (!address.ok) return address
  const { value: url } = address
  const { stream } = request
  const own = sourceMap.toClientLosses(encoded.losses)
  const versions = { ...encoded.headers, ...imageHeaders(request, quirks) }
  const headers = callHeaders(route, withClientHeaders(wire, versions, routed.headers), stream)
  const { body: sent } = client.sent
  if (passed && passthrough !== undefined) {
    const context = { model, quirks, open, encoded: encoded.body, losses: own, unread: client.losses }
    const { edits, ...edited } = yield* passBody(sent as EncodedBody['body'], passthrough.request, context)
    const refused = { paths: quirks.refusesMembers ?? [], toClientPath: null }
    return ok({ url, headers, stream, edits, ...editBody(edited, sent, route, refused) })
  }
  const {
    body,
    losses: numbers,
    has,
  } = yield* carryOwn(client, route, {
    body: encoded.body,
    losses: own,
    origins,
    sourceMap,
  })
  const { required } = client
  if (required !== null && [...required.paths].some((path) => !has(dropped(path, '')))) return err(required.error)
  const found = joinLosses(client.losses, own)
  const lost = found.filter((loss) => !has(loss))
  const losses = joinLosses([...lost, ...numbers], sourceMap.toClientLosses(changes))
  return ok({
    url,
    headers,
    stream,
    edits: null,
    ...editBody({ body, losses }, client.sent.body, route, {
      paths: quirks.refusesMembers ?? [],
      toClientPath: sourceMap.toClientPath,
    }),
  })
}

const HELLO: InputItem = { type: 'message', role: 'user', content: [{ type: 'input_text', text: '.' }] }

/** The settings of a request, with a conversation and tools that every upstream accepts. */
const withoutConversation = (request: Request): Request => ({
  ...request,
  input: [HELLO],
  tools: [],
  tool_choice: null,
})

/** A client that places breakpoints itself gets no others. */
const cachePolicyFor = ({ sent }: ClientRequest, { cache = 'auto' }: UpstreamRoute): CachePolicy =>
  cache === 'auto' && !sent.cachesImplicitly ? 'client' : cache

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
