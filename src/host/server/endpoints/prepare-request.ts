import { dialectFor } from '../../../dialects/for-request.ts'
import { type PlannedRequest, planRequest, readSearch, type SealContext } from '../../../engine/client-request.ts'
import type { Target } from '../../../engine/target.ts'
import type { TranslateOptions } from '../../../engine/translate.ts'
import {
  answerContext,
  type ChangedRequest,
  encodeUpstreamCall,
  originOf,
  routeRequest,
  withoutEncryptedReasoning,
} from '../../../engine/upstream-call.ts'
import { type Limits, maxBodyBytes } from '../../../protocol/limits.ts'
import type { Loss } from '../../../protocol/loss.ts'
import type { Request } from '../../../protocol/request.ts'
import { ok, type Result } from '../../../protocol/result.ts'
import type { Origin, Sign } from '../../../responses/encrypted-content.ts'
import type { SearchPlan } from '../../../search/plan.ts'
import type { Redact } from '../../../wires/shared/upstream/redact.ts'
import { authenticate, type Key, requireKind } from '../../auth/auth.ts'
import { limitRate } from '../../auth/rate-limit.ts'
import type { ClientApi, RequestCodec } from '../../clients/client-api.ts'
import type { Config } from '../../config/config.ts'
import type { ModelRoute } from '../../config/vendors.ts'
import type { Gateway } from '../../gateway.ts'
import { nextTurn, runInSlices } from '../../run-in-slices.ts'
import { recordRequest, recordWire } from '../../telemetry/trace-builder.ts'
import type { WholeLimits } from '../../upstream/read-response-body.ts'
import type { UnsentRequest } from '../../upstream/send-request.ts'
import type { Transport } from '../../upstream/transport.ts'
import { receive, type Writing } from '../body/receive-request.ts'
import { checkContentType } from '../read-request-body.ts'
import type { RequestContext } from '../request-context.ts'

/** A request that has passed every check, with its upstream call and the target of its answer. */
export interface Prepared {
  readonly call: UnsentRequest
  readonly source: Transport
  readonly options: TranslateOptions & {
    readonly limits: Limits
    /** Limits of an answer that comes as one body. */
    readonly wholeLimits: WholeLimits
    readonly origin: Origin
    readonly redact: Redact
  }
  readonly losses: readonly Loss[]
  readonly mapResponse: RequestCodec['mapResponse']
  /** The target of the answer. */
  readonly target: Target
  /** The request for the upstream. */
  readonly request: Request
  /** A web search that the gateway makes itself. */
  readonly search: SearchPlan | null
  /** Prepares the same answer with another upstream request. */
  withRequest(request: Request): Promise<Result<Prepared>>
  /** Prepares the same request without encrypted reasoning, which the upstream could not read; null if it has none. */
  unsealed(): Promise<Prepared | null>
}

/** Events that one answer may write before other requests get their turn: a few milliseconds of work. */
const SLICE = 256

/** Does every step before the upstream call. The first failure is returned to the client. */
export async function prepare(gateway: Gateway, api: ClientApi, context: RequestContext): Promise<Result<Prepared>> {
  const { entry } = context
  const admitted = await admit(gateway, api, context)
  if (!admitted.ok) return admitted
  const opened = api.open(context)
  if (!opened.ok) return opened
  const codec = opened.value
  entry.dialect = codec.name

  const received = await receive(gateway, context)
  if (!received.ok) return received
  const { body, isLarge, onWritten } = received.value
  const sign = gateway.signFor(admitted.value)
  const parsed = await runInSlices(codec.read(body, await sealingFor(gateway, codec.modelOf(body), sign)))
  if (!parsed.ok) return parsed
  entry.stream = parsed.value.request.stream
  recordRequest(context, parsed.value.request, body)

  const reading = readSearch(parsed.value)
  if (!reading.ok) return reading
  const destination = await gateway.accounts.find(reading.value.request.model)
  if (!destination.ok) return destination
  const { account, model } = destination.value
  entry.vendor = account.name
  entry.model = model
  recordWire(context, account.wire)
  const planned = planRequest(parsed.value, reading.value, { ...account, model }, gateway.search)
  if (!planned.ok) return planned
  if (isLarge) await nextTurn()
  noteDeprecated(context, reading.value.notices)
  return address(gateway, { ...planned.value, codec, sign, isLarge, onWritten }, destination.value)
}

/** Announces deprecated fields of a request in headers of its answer. */
function noteDeprecated({ response }: RequestContext, notices: readonly string[]): void {
  if (notices.length === 0) return
  response.setHeader('deprecation', 'true')
  response.setHeader('x-deprecation-notice', notices.join('; '))
}

/** Authenticates, applies the rate limit and checks the headers before the body is read. */
async function admit(
  { keys, rates, observability }: Gateway,
  api: ClientApi,
  context: RequestContext,
): Promise<Result<Key>> {
  const { request, entry } = context
  const key = authenticate(keys, api.keyOf(request), api.keyPath)
  if (!key.ok) return key
  entry.key = key.value.name
  const fit = requireKind(key.value, 'inference')
  if (!fit.ok) return fit
  context.draft = observability.begin(key.value)
  const paced = await limitRate(rates, key.value, context)
  const readable = paced.ok ? checkContentType(request) : paced
  return readable.ok ? key : readable
}

async function sealingFor({ accounts }: Gateway, model: string | null, sign: Sign): Promise<SealContext | null> {
  const found = model === null ? null : await accounts.find(model)
  return found === null || !found.ok ? null : { origin: originOf(toRoute(found.value)), sign }
}

const toRoute = ({ account: { name: vendor, ...account }, model }: ModelRoute) => ({ ...account, vendor, model })

/** A client's request before it is encoded for its upstream. */
interface Planned extends PlannedRequest, Writing {
  readonly codec: RequestCodec
  readonly sign: Sign
}

function address(gateway: Gateway, planned: Planned, destination: ModelRoute): Promise<Result<Prepared>> {
  const { source, redact } = destination.account
  const { client, codec, search, sign, isLarge, onWritten } = planned
  const routed = routeRequest(client, { ...toRoute(destination), sign })
  const options = {
    ...answerContext(routed, `resp_${gateway.random()}`, Math.floor(gateway.clock() / 1000)),
    dialect: dialectFor(codec.dialect, client.request),
    redact,
    limits: toLimits(gateway.config.limits),
    wholeLimits: toWholeLimits(gateway.config.limits),
    coalesce: gateway.config.coalesce,
    // `host/server/sse-response.ts` copies borrowed output, or writes it at once.
    lend: true,
    slice: SLICE,
  }
  const target = codec.target(options, client.settings)
  const encode = async ({ request, losses: changes }: ChangedRequest): Promise<Result<Prepared>> => {
    const call = await runInSlices(encodeUpstreamCall(routed, request, changes))
    if (!call.ok) return call
    const { body: json, losses, ...unsent } = call.value
    return ok({
      source,
      mapResponse: codec.mapResponse,
      target,
      options,
      request,
      search,
      withRequest,
      losses,
      unsealed: async () => {
        const changed = withoutEncryptedReasoning(request)
        const again = changed === null ? null : await encode(changed)
        return again?.ok === true ? again.value : null
      },
      call: { ...unsent, json, model: destination.model, isLarge, onWritten },
    })
  }
  const withRequest = (request: Request): Promise<Result<Prepared>> => encode({ request, losses: [] })
  return withRequest(routed.client.request)
}

const toLimits = (limits: Config['limits']): Limits => ({
  requestBody: limits.request_body_bytes,
  upstreamEvent: limits.upstream_event_bytes,
  upstreamValues: limits.upstream_values,
  upstreamTotal: limits.upstream_total_bytes,
  upstreamBody: limits.upstream_body_bytes,
  answerSize: limits.answer_bytes,
  answerItems: limits.answer_items,
  answerParts: limits.answer_parts,
  answerCitations: limits.answer_citations,
})

const toWholeLimits = (limits: Config['limits']): WholeLimits => ({
  bytes: maxBodyBytes(toLimits(limits)),
  values: limits.upstream_values,
})
