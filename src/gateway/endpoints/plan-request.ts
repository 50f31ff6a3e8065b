import { readSearch } from '../../engine/call/read-search.ts'
import type { ClientRequest, SealContext } from '../../engine/client-request.ts'
import { continuedRequest, isContinuable, SEARCHES } from '../../engine/continued-request.ts'
import { originOf, type RoutedRequest, routeRequest, type UpstreamRoute } from '../../engine/upstream-call.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import { createSourceMap, mapThrough, type PathMap } from '../../protocol/source-map.ts'
import type { Sign } from '../../responses/encrypted-content.ts'
import type { ParseContext } from '../../search/options.ts'
import { requireModel, requireNoFurther } from '../auth/auth.ts'
import type { Writing } from '../body/receive-request.ts'
import type { ClientApi, RequestCodec } from '../clients/client-api.ts'
import type { ModelRoute } from '../config/vendor-registry.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import type { Gateway } from '../gateway.ts'
import { nextTurn, runInSlices } from '../run-in-slices.ts'
import { recordClient, recordSecrets } from '../telemetry/request-record.ts'
import { recordRequest, recordWire } from '../telemetry/trace-builder.ts'
import { orderMembers } from '../upstream/pool-order.ts'
import { admitRequest } from './admit-request.ts'
import { type ExchangeOptions, toExchangeOptions } from './answer-options.ts'

/** Lessons of refusals that are not yet known to be true. */
type Tried = Parameters<Gateway['lessons']['quirksFor']>[2]

/** A request that has passed every check, with its upstream and the target of its answer. */
export interface Plan {
  readonly routed: RoutedRequest
  readonly source: ModelRoute['account']['source']
  readonly writing: Writing
  readonly options: ExchangeOptions
  /** A web search that the gateway makes itself. */
  readonly search: RoutedRequest['search']
  /** The upstreams that are called if this one fails, in their order. */
  readonly further: readonly FurtherUpstream[]
  /** Plans the same request for the same upstream, with lessons that are not yet known to be true; null if nothing is learned. */
  readonly again: ((lessons: Tried) => Result<Plan>) | null
  /** A further upstream continues the text of a stream in the middle of which this one dies. */
  readonly continues: boolean
}

export interface FurtherUpstream {
  readonly vendor: string
  /** The member of the vendor's pool; null if it has none. */
  readonly member: string | null
  /** The upstream's own name of the model. */
  readonly model: string
  /** Plans the same request for it. `begun`: left out, the whole answer; else the texts that it continues. */
  readonly plan: (begun?: readonly string[]) => Promise<Result<Plan>>
}

/** A request that was read, whichever upstream it goes to. */
interface ReadRequest {
  readonly gateway: Gateway
  readonly context: RequestContext
  readonly codec: RequestCodec
  readonly body: unknown
  readonly writing: Writing
  readonly sign: Sign
  /** The request after the functions of the operator; null if they have not changed it. */
  readonly changed: ClientRequest | null
}

/** Does every step before the request is encoded for its upstream. The first failure is returned to the client. */
export async function planExchange(gateway: Gateway, api: ClientApi, context: RequestContext): Promise<Result<Plan>> {
  const { entry } = context
  const admitted = await admitRequest(gateway, api, context)
  if (!admitted.ok) return admitted
  const opened = api.open(context)
  if (!opened.ok) return opened
  const codec = opened.value
  entry.dialect = codec.name
  recordClient(context, codec.wire)

  const received = await context.body.read(gateway)
  if (!received.ok) return received
  const { body, ...writing } = received.value
  const sign = gateway.signFor(admitted.value)
  const sealing = await sealingFor(gateway, codec, body, sign)
  const sent = withClientPaths(await runInSlices(codec.read(body, sealing)), context.body.toClientPath)
  if (!sent.ok) return sent
  const read = gateway.hooks === null ? sent : await gateway.hooks.change(sent.value, context)
  if (!read.ok) return read
  entry.stream = read.value.request.stream
  recordRequest(context, read.value.request, body)

  const searching = readSearch(read.value)
  if (!searching.ok) return searching
  const { model } = searching.value.request
  const permitted = requireModel(admitted.value, model)
  const alone = permitted.ok ? requireNoFurther(admitted.value, body) : permitted
  if (!alone.ok) return alone
  const found = await gateway.accounts.findAll(model, codec.wire)
  if (!found.ok) return found
  const ordered = orderMembers(gateway, found.value, searching.value.request, context.request.headers)
  entry.preferred = ordered.preferred
  const [first, ...others] = ordered.routes
  const changed = read.value === sent.value ? null : read.value
  const request: ReadRequest = { gateway, context, codec, body, writing, sign, changed }
  noteRoute(context, toRoute(gateway, first, sign))
  const further = others.map((route) => toFurther(request, route))
  const planned = planRoute(request, first, read.value, searching.value, further)
  if (!planned.ok) return planned
  if (writing.isLarge) await nextTurn()
  noteDeprecated(context, searching.value.notices)
  return planned
}

/**
 * If reading depends on the upstream, the request is read again: reasoning that the client's own vendor encrypted
 * belongs to the upstream that is called.
 */
const toFurther = (request: ReadRequest, route: ModelRoute): FurtherUpstream => ({
  vendor: route.account.name,
  member: route.account.member,
  model: route.model,
  async plan(begun = []) {
    const { codec, context, body, sign, changed } = request
    const origin = originOf(toRoute(request.gateway, route, sign))
    const read =
      changed === null
        ? withClientPaths(await runInSlices(codec.read(body, { origin, sign })), context.body.toClientPath)
        : ok(changed)
    if (!read.ok) return read
    const upstream = toRoute(request.gateway, route, sign)
    const client = begun.length === 0 ? read.value : continuedRequest(read.value, begun, upstream)
    const searching = readSearch(client)
    if (!searching.ok) return searching
    const planned = planRoute(request, route, client, searching.value, [])
    // The turns of a search are those of another answer.
    if (begun.length > 0 && planned.ok && planned.value.search !== null) return err(SEARCHES)
    return planned
  },
})

function planRoute(
  request: ReadRequest,
  found: ModelRoute,
  read: ClientRequest,
  parsed: ParseContext,
  further: Plan['further'],
  tried: Tried = [],
): Result<Plan> {
  const { gateway, context, codec, writing, sign } = request
  const { account } = found
  recordSecrets(context, account.redact)
  const route = toRoute(gateway, found, sign, tried)
  context.entry.learned = route.learned ?? null
  const routed = routeRequest(read, route, context.request.headers, { parsed, policy: gateway.search })
  if (routed.refusal !== null) return err(routed.refusal)
  const machines = gateway.hooks === null ? NO_MACHINES : gateway.hooks.machinesFor(routed, context)
  if (!machines.ok) return machines
  const options = toExchangeOptions(gateway, routed, {
    target: codec.target(routed.client),
    redact: account.redact,
    machines: machines.value,
  })
  const again = account.learns ? (lessons: Tried) => planRoute(request, found, read, parsed, further, lessons) : null
  // The next upstream would write again the text that a machine holds back.
  const isPlain = routed.search === null && machines.value.length === 0
  const continues = found.continues === true && isPlain && isContinuable(read)
  return ok({ routed, source: account.source, writing, options, search: routed.search, further, again, continues })
}

const NO_MACHINES = ok([])

/** Records the upstream that the request goes to. */
export function noteRoute(context: RequestContext, { vendor, member, model, wire }: UpstreamRoute): void {
  context.entry.vendor = vendor
  context.entry.member = member ?? null
  context.entry.model = model
  recordWire(context, wire)
}

/** Translates the paths of a body that was made from a message of the client to those of the message. */
function withClientPaths(read: Result<ClientRequest>, toClientPath: PathMap | undefined): Result<ClientRequest> {
  if (toClientPath === undefined) return read
  const outer = createSourceMap(toClientPath)
  if (!read.ok) return err(outer.toClientError(read.error))
  const { losses, sourceMap, untranslatable, required } = read.value
  return ok({
    ...read.value,
    losses: outer.toClientLosses(losses),
    untranslatable: untranslatable === null ? null : outer.toClientError(untranslatable),
    required: required === null ? null : { ...required, error: outer.toClientError(required.error) },
    sourceMap: mapThrough(sourceMap, toClientPath),
  })
}

async function sealingFor(
  gateway: Gateway,
  { modelOf, wire }: RequestCodec,
  body: unknown,
  sign: Sign,
): Promise<SealContext | null> {
  const model = modelOf(body)
  const found = model === null ? null : await gateway.accounts.find(model, wire)
  return found === null || !found.ok ? null : { origin: originOf(toRoute(gateway, found.value, sign)), sign }
}

function toRoute(
  { lessons }: Gateway,
  { account, model, reported }: ModelRoute,
  sign: Sign,
  tried: Tried = [],
): UpstreamRoute {
  const { name: vendor, member, wire, baseUrl, key, headers, bodyEdits, passthrough, cache, learns } = account
  const lines = learns ? lessons.linesFor({ vendor, model }) : []
  const isPlain = lines.length === 0 && tried.length === 0
  const quirks = isPlain ? account.quirks : lessons.quirksFor({ vendor, model }, account.quirks, tried)
  const shown = {
    ...(member === null ? {} : { member }),
    ...(reported === undefined ? {} : { reported }),
    ...(lines.length === 0 ? {} : { learned: lines }),
  }
  return { wire, quirks, vendor, model, baseUrl, key, headers, passthrough, cache, sign, ...shown, ...bodyEdits }
}

/** Announces deprecated fields of a request in headers of its answer. */
function noteDeprecated({ reply }: RequestContext, notices: readonly string[]): void {
  if (notices.length === 0) return
  reply.setHeader('deprecation', 'true')
  reply.setHeader('x-deprecation-notice', notices.join('; '))
}
