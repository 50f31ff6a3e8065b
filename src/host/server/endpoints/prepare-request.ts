import { dialectFor } from '../../../dialects/for-request.ts'
import type { Target } from '../../../engine/target.ts'
import type { TranslateOptions } from '../../../engine/translate.ts'
import { FRAMINGS } from '../../../framing/registry.ts'
import { clientError, type GatewayError, mapErrorPath } from '../../../protocol/error.ts'
import { type Limits, maxBodyBytes } from '../../../protocol/limits.ts'
import { dropped, joinLosses, type Loss, mapLossPaths } from '../../../protocol/loss.ts'
import type { InputItem, Request } from '../../../protocol/request.ts'
import type { Head } from '../../../protocol/response.ts'
import { err, ok, type Result } from '../../../protocol/result.ts'
import { toEcho } from '../../../responses/echo.ts'
import { type Origin, openOwnReasoning, openReasoning, type Sign } from '../../../responses/encrypted-content.ts'
import { parseSearch } from '../../../search/options.ts'
import type { Encoded } from '../../../wires/contract.ts'
import type { Quirks } from '../../../wires/quirks.ts'
import { withCustomTools } from '../../../wires/shared/upstream/custom-tools.ts'
import { NO_PATH } from '../../../wires/shared/upstream/model-paths.ts'
import type { Redact } from '../../../wires/shared/upstream/redact.ts'
import { authenticate, type Key, requireKind } from '../../auth/auth.ts'
import { limitRate } from '../../auth/rate-limit.ts'
import type { ClientApi, ParsedRequest, RequestCodec, SealContext } from '../../clients/client-api.ts'
import { clientLosses, clientPaths } from '../../clients/source-map.ts'
import type { Config } from '../../config/config.ts'
import type { ModelRoute, VendorAccount } from '../../config/vendors.ts'
import type { Gateway } from '../../gateway.ts'
import { nextTurn, runInSlices } from '../../run-in-slices.ts'
import { noteDeprecated, planSearch, type SearchPlan } from '../../search/plan.ts'
import { recordRequest, recordWire } from '../../telemetry/trace-builder.ts'
import type { WholeLimits } from '../../upstream/read-response-body.ts'
import type { UnsentRequest } from '../../upstream/send-request.ts'
import type { Transport } from '../../upstream/transport.ts'
import { upstreamUrl } from '../../upstream/upstream-url.ts'
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

  const toPath = clientPaths(parsed.value)(parsed.value.request)
  const reading = parseSearch(parsed.value.request)
  if (!reading.ok) return err(mapErrorPath(reading.error, toPath))
  const destination = await gateway.accounts.find(reading.value.request.model)
  if (!destination.ok) return destination
  entry.vendor = destination.value.account.name
  entry.model = destination.value.model
  recordWire(context, destination.value.account.wire)
  const searched = planSearch(gateway.search, reading.value, destination.value)
  if (!searched.ok) return err(mapErrorPath(searched.error, toPath))
  const fault = requiresMissingTool(parsed.value.request, searched.value.request)
  if (fault !== null) return err(mapErrorPath(fault, toPath))
  if (isLarge) await nextTurn()
  noteDeprecated(context, reading.value.notices)
  const losses = joinLosses(parsed.value.losses, mapLossPaths(searched.value.losses, toPath))
  const { options } = reading.value
  const searchPath = options === null ? null : toPath(options.path)
  const pathsIn = clientPaths(parsed.value, searchPath)
  const search = inWords(searched.value.search, searchPath)
  return address(
    gateway,
    { ...parsed.value, ...searched.value, search, codec, losses, pathsIn, sign, isLarge, onWritten },
    destination.value,
  )
}

/** Sets the client's own path of the search, which later messages quote. */
const inWords = (plan: SearchPlan | null, path: string | null): SearchPlan | null =>
  plan === null || path === null ? plan : { ...plan, options: { ...plan.options, path } }

/** A required call without any tool is the client's error, which must not be reported as one of the upstream. */
const requiresMissingTool = ({ tools }: Request, planned: Request): GatewayError | null =>
  tools.length === 0 &&
  planned.tools.length === 0 &&
  planned.tool_choice === 'required' &&
  planned.x_search_filter === null
    ? clientError(
        'invalid_prompt',
        'tool_choice: "required" needs at least one tool, got none. Add a tool, or send "auto"',
        'tool_choice',
      )
    : null

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
  return found === null || !found.ok ? null : { origin: originOf(found.value), sign }
}

const originOf = ({ account, model }: ModelRoute): Origin => ({ wire: account.wire.name, vendor: account.name, model })

/** A client's request before it is encoded for its upstream. */
interface PlannedRequest extends ParsedRequest, Writing, Pick<Prepared, 'search'> {
  readonly codec: RequestCodec
  readonly pathsIn: ReturnType<typeof clientPaths>
  readonly sign: Sign
}

function address(gateway: Gateway, planned: PlannedRequest, destination: ModelRoute): Promise<Result<Prepared>> {
  const { account, model } = destination
  const { codec, search, sign, isLarge, onWritten } = planned
  const { quirks, source } = account
  const wire = withCustomTools(account.wire, planned.request, quirks)
  const origin = originOf(destination)
  const open = (sealed: string) => openReasoning(origin, sealed, sign)
  const head = toHead(planned.request, quirks, `resp_${gateway.random()}`, Math.floor(gateway.clock() / 1000))
  const options = {
    wire,
    quirks: requestsJson(planned.request) ? { ...quirks, jsonAnswer: true } : quirks,
    dialect: dialectFor(codec.dialect, planned.request),
    head,
    origin,
    redact: account.redact,
    sign,
    limits: toLimits(gateway.config.limits),
    wholeLimits: toWholeLimits(gateway.config.limits),
    coalesce: gateway.config.coalesce,
    // `host/server/sse-response.ts` copies borrowed output, or writes it at once.
    lend: true,
    slice: SLICE,
  }
  const target = codec.target(options, planned.settings)
  const withRequest = async (request: Request): Promise<Result<Prepared>> => {
    const encoded = await runInSlices(wire.encodeSteps(request, { model, quirks, open }))
    const toPath = planned.pathsIn(request)
    if (!encoded.ok) return err(mapErrorPath(encoded.error, toPath))
    const url = upstreamUrl(account.baseUrl, encoded.path)
    if (url === null) return err(NO_PATH)
    return ok({
      source,
      mapResponse: codec.mapResponse,
      target,
      options,
      request,
      search,
      withRequest,
      losses: clientLosses(planned, { ...encoded, wire: account.wire.name }, toPath),
      unsealed: () => withoutSeals(request, withRequest, toPath),
      call: { ...toCall(account, model, encoded, request.stream), url, isLarge, onWritten },
    })
  }
  return withRequest({ ...planned.request, input: openOwnReasoning(planned.request.input, sign) })
}

const requestsJson = ({ text }: Request): boolean => (text?.format?.type ?? 'text') !== 'text'

function toCall(
  account: VendorAccount,
  model: string,
  encoded: Extract<Encoded, { readonly ok: true }>,
  stream: boolean,
): Omit<UnsentRequest, 'url' | keyof Writing> {
  const { wire, quirks, key, headers } = account
  return {
    headers: {
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      accept: stream ? FRAMINGS[wire.framing].mediaTypes[0] : 'application/json',
      'user-agent': 'millrace',
      ...encoded.headers,
      ...(key === null ? {} : wire.authorize(key, quirks)),
      ...headers,
    },
    json: encoded.body,
    model,
    stream,
  }
}

async function withoutSeals(
  request: Request,
  withRequest: Prepared['withRequest'],
  toPath: (path: string) => string | null,
): Promise<Prepared | null> {
  const { input } = request
  const paths = input.flatMap((item, at) => (isSealed(item) ? [`input[${at}].encrypted_content`] : []))
  const again = paths.length === 0 ? null : await withRequest({ ...request, input: input.map(unseal) })
  if (again === null || !again.ok) return null
  const losses = paths.map((path) => dropped(path, 'the upstream rejected the encrypted content'))
  return { ...again.value, losses: joinLosses(again.value.losses, mapLossPaths(losses, toPath)) }
}

const isSealed = (item: InputItem): boolean => item.type === 'reasoning' && item.encrypted_content !== null

const unseal = (item: InputItem): InputItem => (item.type === 'reasoning' ? { ...item, encrypted_content: null } : item)

const toHead = (request: Request, { ownModelNames }: Quirks, id: string, created_at: number): Head => ({
  id,
  created_at,
  model: request.model,
  reported: ownModelNames === true ? 'ignored' : 'below-vendor',
  echo: toEcho(request),
  names: request.names,
})

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
