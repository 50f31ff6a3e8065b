import { readSearch } from '../../engine/call/read-search.ts'
import type { ClientRequest, SealContext } from '../../engine/client-request.ts'
import { continuedRequest, isContinuable, SEARCHES } from '../../engine/continued-request.ts'
import { originOf, routeRequest, type UpstreamRoute } from '../../engine/upstream-call.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import { createSourceMap, mapThrough } from '../../protocol/source-map.ts'
import type { ParseContext } from '../../search/options.ts'
import { type Key, requireModel, requireNoFurther } from '../auth/auth.ts'
import { LARGE } from '../body/receive-request.ts'
import { toExchangeOptions } from '../call/answer-options.ts'
import type { Encodable, Encode, FurtherUpstream, Prepared, Tried } from '../call/prepare-request.ts'
import type { ClientApi, RequestCodec } from '../clients/client-api.ts'
import { keepRequest } from '../exchange/kept-texts.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import type { Gateway } from '../gateway.ts'
import { type Awaitable, awaited, runInSlices, type Work, yieldToLoop } from '../run-in-slices.ts'
import { orderMembers } from '../vendors/pool-order.ts'
import type { ModelRoute } from '../vendors/vendor-registry.ts'
import { admitRequest } from './admit-request.ts'
import { conversationKeys, type LearningClient, learnerFor, originRouteOf, toKnownRoute } from './known-route.ts'

/** A request whose body has arrived. */
interface ReceivedRequest {
  readonly gateway: Gateway
  readonly context: RequestContext
  readonly codec: RequestCodec
  readonly body: unknown
  readonly writing: Prepared['writing']
  readonly sign: ReturnType<Gateway['signFor']>
  readonly encode: Encode
}

/** A request whose conversation is known, once something depends on it. */
interface IdentifiedRequest extends ReceivedRequest {
  readonly conversation: LearningClient['conversation']
}

/** A request that was read, whichever upstream it goes to. */
interface ReadRequest {
  readonly read: ClientRequest
  /** The request after the functions of the operator; null if they have not changed it. */
  readonly changed: ClientRequest | null
}

/** Does every step before the request is sent to its upstream. The first failure is returned to the client. */
export function* planExchange(
  gateway: Gateway,
  api: ClientApi,
  context: RequestContext,
  encode: Encode,
): Work<Result<Prepared>> {
  const admitted = yield* admitRequest(gateway, api, context)
  if (!admitted.ok) return admitted
  const opened = api.open(context)
  if (!opened.ok) return opened
  const codec = opened.value
  context.journal.add({ type: 'opened', dialect: codec.name, client: codec.wire })
  const received = yield* awaited(context.body.read(gateway))
  if (!received.ok) return received
  const { body, size, onWritten } = received.value
  const sign = gateway.signFor(admitted.value)
  const request = { gateway, context, codec, body, writing: { size, onWritten }, sign, encode }
  const sent = yield* readRequest(request, yield* sealingFor(request))
  if (!sent.ok) return sent
  const read = gateway.hooks === null ? sent : yield* awaited(gateway.hooks.change(sent.value, context))
  if (!read.ok) return read
  const changed = read.value === sent.value ? null : read.value
  return yield* planRead(request, admitted.value, { read: read.value, changed })
}

function* planRead(received: ReceivedRequest, key: Key, { read, changed }: ReadRequest): Work<Result<Prepared>> {
  const { gateway, context, codec, body, writing, encode } = received
  const { stream, model: asked } = read.request
  context.journal.add({ type: 'read', stream, model: asked })
  keepRequest(context, context.request, read.request, body)

  const searching = readSearch(read)
  if (!searching.ok) return searching
  const { model } = searching.value.request
  const permitted = requireModel(key, model)
  const alone = permitted.ok ? requireNoFurther(key, body) : permitted
  if (!alone.ok) return alone
  const found = yield* awaited(gateway.accounts.findAll(model, codec.wire))
  if (!found.ok) return found
  const parsed = searching.value
  const keys = conversationKeys(context, parsed.request, read.absent.cacheKey)
  const request = { conversation: keys.ofClient, ...received }
  const ordered = orderMembers(gateway, found.value, keys.shared)
  const [first, ...others] = ordered.routes
  const route = toKnownRoute(gateway, first, request)
  noteRoute(context, route, ordered.preferred)
  const further = others.map((one) => toFurther(request, changed, one))
  const planned = planRoute(request, first, route, read, parsed, further)
  if (!planned.ok) return planned
  if (writing.size > LARGE) yield yieldToLoop()
  noteDeprecated(context, parsed.notices)
  return yield* encode(planned.value)
}

/** Reads the body. `sealing`: null if reading does not depend on the upstream. */
function* readRequest(
  { context, codec, body }: ReceivedRequest,
  sealing: SealContext | null,
): Work<Result<ClientRequest>> {
  return withClientPaths(yield* codec.read(body, sealing), context.body)
}

/**
 * If reading depends on the upstream, the request is read again: reasoning that the client's own vendor encrypted
 * belongs to the upstream that is called.
 */
const toFurther = (request: IdentifiedRequest, changed: ClientRequest | null, route: ModelRoute): FurtherUpstream => ({
  vendor: route.account.name,
  member: route.account.member,
  model: route.model,
  family: originOf(originRouteOf(route)).model,
  async prepare(earlier = []) {
    const { sign, encode } = request
    const upstream = toKnownRoute(request.gateway, route, request)
    const sealing = { origin: originOf(upstream), sign }
    const read = changed === null ? await runInSlices(readRequest(request, sealing)) : ok(changed)
    if (!read.ok) return read
    const client = earlier.length === 0 ? read.value : continuedRequest(read.value, earlier, upstream)
    const searching = readSearch(client)
    if (!searching.ok) return searching
    const planned = planRoute(request, route, upstream, client, searching.value, [])
    if (!planned.ok) return planned
    // The turns of a search are those of another answer.
    return earlier.length > 0 && planned.value.search !== null ? err(SEARCHES) : runInSlices(encode(planned.value))
  },
})

function planRoute(
  request: IdentifiedRequest,
  found: ModelRoute,
  route: UpstreamRoute,
  read: ClientRequest,
  parsed: ParseContext,
  further: Prepared['further'],
): Result<Encodable> {
  const { gateway, context, codec, writing, encode } = request
  const { account } = found
  context.row?.content?.redacts.push(account.redact)
  const { learned = [] } = route
  if (learned.length > 0 || context.journal.last('learned') !== undefined)
    context.journal.add({ type: 'learned', lines: learned })
  const routed = routeRequest(read, route, context.request.headers, { parsed, policy: gateway.search })
  if (routed.refusal !== null) return err(routed.refusal)
  const machines = gateway.hooks === null ? NO_MACHINES : gateway.hooks.machinesFor(routed, context)
  if (!machines.ok) return machines
  const options = toExchangeOptions(gateway, routed, {
    target: codec.target(routed.client),
    redact: account.redact,
    machines: machines.value,
  })
  const learner = learnerFor(found, request)
  const again = (restrictions: Tried): Awaitable<Result<Prepared>> => {
    const planned = planRoute(
      request,
      found,
      toKnownRoute(gateway, found, request, restrictions),
      read,
      parsed,
      further,
    )
    return planned.ok ? runInSlices(encode(planned.value)) : planned
  }
  // The next upstream would write again the text that a machine holds back.
  const isPlain = routed.search === null && machines.value.length === 0
  const continues = found.continues === true && isPlain && isContinuable(read)
  return ok({
    routed,
    source: account.source,
    writing,
    options,
    search: routed.search,
    further,
    learner,
    again: account.learns ? again : null,
    continues,
  })
}

const NO_MACHINES = ok([])

/** Records the upstream that the request goes to. */
export function noteRoute(
  { journal }: RequestContext,
  { vendor, member, model, wire }: UpstreamRoute,
  preferred: string | null = null,
): void {
  journal.add({ type: 'routed', vendor, member: member ?? null, model, wire: wire.name, preferred })
}

/** Translates the paths of a body that was made from a message of the client to those of the message. */
function withClientPaths(
  read: Result<ClientRequest>,
  { toClientPath, toBodyPath }: RequestContext['body'],
): Result<ClientRequest> {
  if (toClientPath === undefined || toBodyPath === undefined) return read
  const outer = createSourceMap(toClientPath)
  if (!read.ok) return err(outer.toClientError(read.error))
  const { losses, sourceMap, untranslatable, required, sent } = read.value
  // A member at another place in the message cannot be put into the object that its own one has become: it stays a loss.
  const unsupported = new Set([...sent.unsupported].filter((path) => toClientPath(path) === path))
  return ok({
    ...read.value,
    sent: { ...sent, toBodyPath, toClientPath, unsupported },
    losses: outer.toClientLosses(losses),
    untranslatable: untranslatable === null ? null : outer.toClientError(untranslatable),
    required: required === null ? null : { ...required, error: outer.toClientError(required.error) },
    sourceMap: mapThrough(sourceMap, toClientPath),
  })
}

function* sealingFor({ gateway, codec, body, sign }: ReceivedRequest): Work<SealContext | null> {
  const model = codec.modelOf(body)
  if (model === null) return null
  const found = yield* awaited(gateway.accounts.find(model, codec.wire))
  return found.ok ? { origin: originOf(originRouteOf(found.value)), sign } : null
}

/** Announces deprecated fields of a request in headers of its answer. */
function noteDeprecated({ reply }: RequestContext, notices: readonly string[]): void {
  if (notices.length === 0) return
  reply.setHeader('deprecation', 'true')
  reply.setHeader('x-deprecation-notice', notices.join('; '))
}
