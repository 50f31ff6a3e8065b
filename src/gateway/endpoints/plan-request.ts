import { readSearch } from '../../engine/call/read-search.ts'
import type { ClientRequest, SealContext } from '../../engine/client-request.ts'
import { continuedRequest, isContinuable, SEARCHES } from '../../engine/continued-request.ts'
import { originOf, routeRequest, type UpstreamRoute } from '../../engine/upstream-call.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import { createSourceMap, mapThrough, type PathMap } from '../../protocol/source-map.ts'
import type { Sign } from '../../responses/encrypted-content.ts'
import type { ParseContext } from '../../search/options.ts'
import { requireModel, requireNoFurther } from '../auth/auth.ts'
import { toExchangeOptions } from '../call/answer-options.ts'
import type { Encodable, Encode, FurtherUpstream, Prepared, Tried } from '../call/prepare-request.ts'
import type { ClientApi, RequestCodec } from '../clients/client-api.ts'
import { keepRequest } from '../exchange/kept-texts.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import type { Gateway } from '../gateway.ts'
import { nextTurn, runInSlices } from '../run-in-slices.ts'
import { orderMembers } from '../vendors/pool-order.ts'
import type { ModelRoute } from '../vendors/vendor-registry.ts'
import { admitRequest } from './admit-request.ts'

/** A request that was read, whichever upstream it goes to. */
interface ReadRequest {
  readonly gateway: Gateway
  readonly context: RequestContext
  readonly codec: RequestCodec
  readonly body: unknown
  readonly writing: Prepared['writing']
  readonly sign: Sign
  /** The request after the functions of the operator; null if they have not changed it. */
  readonly changed: ClientRequest | null
  readonly encode: Encode
}

/** Does every step before the request is sent to its upstream. The first failure is returned to the client. */
export async function planExchange(
  gateway: Gateway,
  api: ClientApi,
  context: RequestContext,
  encode: Encode,
): Promise<Result<Prepared>> {
  const { journal } = context
  const admitted = await admitRequest(gateway, api, context)
  if (!admitted.ok) return admitted
  const opened = api.open(context)
  if (!opened.ok) return opened
  const codec = opened.value
  journal.add({ type: 'opened', dialect: codec.name, client: codec.wire })

  const received = await context.body.read(gateway)
  if (!received.ok) return received
  const { body, ...writing } = received.value
  const sign = gateway.signFor(admitted.value)
  const sealing = await sealingFor(gateway, codec, body, sign)
  const sent = withClientPaths(await runInSlices(codec.read(body, sealing)), context.body.toClientPath)
  if (!sent.ok) return sent
  const read = gateway.hooks === null ? sent : await gateway.hooks.change(sent.value, context)
  if (!read.ok) return read
  const { stream, model: asked } = read.value.request
  journal.add({ type: 'read', stream, model: asked })
  keepRequest(context, context.request, read.value.request, body)

  const searching = readSearch(read.value)
  if (!searching.ok) return searching
  const { model } = searching.value.request
  const permitted = requireModel(admitted.value, model)
  const alone = permitted.ok ? requireNoFurther(admitted.value, body) : permitted
  if (!alone.ok) return alone
  const found = await gateway.accounts.findAll(model, codec.wire)
  if (!found.ok) return found
  const ordered = orderMembers(gateway, found.value, searching.value.request, context.request.headers)
  const [first, ...others] = ordered.routes
  const changed = read.value === sent.value ? null : read.value
  const request: ReadRequest = { gateway, context, codec, body, writing, sign, changed, encode }
  noteRoute(context, toRoute(gateway, first, sign), ordered.preferred)
  const further = others.map((route) => toFurther(request, route))
  const planned = planRoute(request, first, read.value, searching.value, further)
  if (!planned.ok) return planned
  if (writing.isLarge) await nextTurn()
  noteDeprecated(context, searching.value.notices)
  return encode(planned.value)
}

/**
 * If reading depends on the upstream, the request is read again: reasoning that the client's own vendor encrypted
 * belongs to the upstream that is called.
 */
const toFurther = (request: ReadRequest, route: ModelRoute): FurtherUpstream => ({
  vendor: route.account.name,
  member: route.account.member,
  model: route.model,
  async prepare(begun = []) {
    const { codec, context, body, sign, changed, encode } = request
    const upstream = toRoute(request.gateway, route, sign)
    const read =
      changed === null
        ? withClientPaths(
            await runInSlices(codec.read(body, { origin: originOf(upstream), sign })),
            context.body.toClientPath,
          )
        : ok(changed)
    if (!read.ok) return read
    const client = begun.length === 0 ? read.value : continuedRequest(read.value, begun, upstream)
    const searching = readSearch(client)
    if (!searching.ok) return searching
    const planned = planRoute(request, route, client, searching.value, [])
    if (!planned.ok) return planned
    // The turns of a search are those of another answer.
    return begun.length > 0 && planned.value.search !== null ? err(SEARCHES) : encode(planned.value)
  },
})

function planRoute(
  request: ReadRequest,
  found: ModelRoute,
  read: ClientRequest,
  parsed: ParseContext,
  further: Prepared['further'],
  tried: Tried = [],
): Result<Encodable> {
  const { gateway, context, codec, writing, sign, encode } = request
  const { account } = found
  context.row?.content?.redacts.push(account.redact)
  const route = toRoute(gateway, found, sign, tried)
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
  const again = async (lessons: Tried): Promise<Result<Prepared>> => {
    const planned = planRoute(request, found, read, parsed, further, lessons)
    return planned.ok ? encode(planned.value) : planned
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
function withClientPaths(read: Result<ClientRequest>, toClientPath: PathMap | undefined): Result<ClientRequest> {
  if (toClientPath === undefined) return read
  const outer = createSourceMap(toClientPath)
  if (!read.ok) return err(outer.toClientError(read.error))
  const { losses, sourceMap, untranslatable, required, sent } = read.value
  // A member at another place in the message cannot be put into the object that its own one has become: it stays a loss.
  const unread = new Set([...sent.unread].filter((path) => toClientPath(path) === path))
  return ok({
    ...read.value,
    sent: { ...sent, unread },
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
