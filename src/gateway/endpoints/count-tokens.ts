import { measureRequest } from '../../engine/token-counts/request-size.ts'
import type { GatewayError } from '../../protocol/error.ts'
import type { InputItem, Request } from '../../protocol/request.ts'
import { ok, type Result } from '../../protocol/result.ts'
import { createSourceMap } from '../../protocol/source-map.ts'
import { isObject } from '../../text/json.ts'
import type { ClientCounts } from '../../wires/count-contract.ts'
import { toTurns } from '../../wires/shared/upstream/conversation.ts'
import { type Encodable, encodeCall, type Prepared } from '../call/prepare-request.ts'
import type { ClientApi } from '../clients/client-api.ts'
import { isLasting, requestCount, type UpstreamCount } from '../counts/request-count.ts'
import { noteLosses } from '../exchange/loss-header.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import { sendError, sendJson } from '../exchange/send.ts'
import type { Gateway } from '../gateway.ts'
import { runInSlices, type Work } from '../run-in-slices.ts'
import { shownFailure } from '../upstream/explain-failure.ts'
import { fallsBack } from '../upstream/retry.ts'
import { noteRoute, planExchange } from './plan-request.ts'
import { isSameModel } from './route-fit.ts'

/** The header of an estimate; a count of the upstream has none. */
const ESTIMATE_HEADER = 'x-responses-estimate'

/**
 * Handles a request for the tokens of another request, of any client API. The upstream counts if it can; otherwise the
 * number is an estimate, which a header and the log name. Resolves when the number or the error has been sent.
 */
export async function countTokens(
  gateway: Gateway,
  api: ClientApi,
  counts: ClientCounts,
  context: RequestContext,
): Promise<void> {
  const { counting, member } = withCounts(api, counts)
  const planned = await runInSlices(planExchange(gateway, counting, context, encodeAny))
  // Nothing is generated, so that there is nothing to trace.
  context.trace = null
  const paths = createSourceMap((path) => (member() === null ? path : `${member()}.${path}`))
  const refuse = (error: GatewayError): void => sendError(context, paths.toClientError(error))
  if (!planned.ok) return refuse(planned.error)
  noteLosses(context, { ...planned.value, losses: paths.toClientLosses(planned.value.losses) })
  const { prepared, counted } = await countByOne(gateway, planned.value, context)
  context.journal.mark('head')
  const { options, routed } = prepared
  if (!counted.ok) {
    // Most upstreams that count accept whole conversations only.
    const isIncomplete = counted.error.status === 400 && isFragment(routed.client.request)
    if (isIncomplete) return sendEstimate(gateway, counts, context, prepared, String(counted.error.status))
    return refuse(shownFailure(counted.error, options.redact, routed.route))
  }
  const { tokens } = counted.value
  if (tokens === null) return sendEstimate(gateway, counts, context, prepared, counted.value.reason)
  context.journal.add({ type: 'counted', basis: 'upstream' })
  sendJson(context, 200, counts.answer(tokens))
}

interface Counted {
  readonly prepared: Prepared
  readonly counted: Result<UpstreamCount>
}

/** The most members of a pool that are asked for one count. */
const MOST_ASKED = 3

/** Asks the members of a pool one after the other, until one of them counts. Another vendor would count otherwise. */
async function countByOne(gateway: Gateway, first: Prepared, context: RequestContext): Promise<Counted> {
  const members = first.further.filter((one) => isSameModel(one, first))
  let last: Counted = { prepared: first, counted: await requestCount(gateway, first, context) }
  for (const member of members.slice(0, MOST_ASKED - 1)) {
    if (!mayCountElsewhere(last.counted) || context.signal.aborted) break
    const prepared = await member.prepare()
    if (!prepared.ok) break
    noteRoute(context, prepared.value.routed.route)
    last = { prepared: prepared.value, counted: await requestCount(gateway, prepared.value, context) }
  }
  return last
}

/** Whether another account may count a request that one has not: what is no fault of the request or of the model. */
const mayCountElsewhere = (counted: Result<UpstreamCount>): boolean =>
  counted.ok ? counted.value.tokens === null && !isLasting(counted.value.reason) : fallsBack(counted.error)

/** Encodes a request, also if it is a part of a conversation that its wire cannot express alone. */
function* encodeAny(plan: Encodable): Work<Result<Prepared>> {
  const prepared = yield* encodeCall(plan)
  const { routed } = plan
  const { client, route } = routed
  const mayPass = route.wire.counts?.takesFragments === true && route.wire.name === client.sent.wire
  if ((prepared.ok && !mayPass) || !isFragment(client.request)) return prepared
  // In place of the client's request, so that a body in the protocol of its upstream still goes there as it is.
  const request = completeFragment(client.request)
  const fragment = { ...client, request, sent: { ...client.sent, isFragment: true as const } }
  const completed = yield* encodeCall({ ...plan, routed: { ...routed, client: fragment } })
  // The hub encodes a fragment by the rules of its upstream where it can.
  const isBetter = completed.ok && (!prepared.ok || completed.value.edits !== null)
  return isBetter ? ok({ ...completed.value, routed }) : prepared
}

async function sendEstimate(
  gateway: Gateway,
  counts: ClientCounts,
  context: RequestContext,
  { call, options }: Prepared,
  reason: string,
): Promise<void> {
  const size = await runInSlices(measureRequest(call.json))
  const { tokens, basis, answers } = gateway.counts.calibration.estimate(options.origin, size)
  context.journal.add({ type: 'counted', basis })
  sendJson(context, 200, counts.answer(tokens), { [ESTIMATE_HEADER]: `${basis}; answers=${answers}; reason=${reason}` })
}

/** The client API whose requests contain the request that is counted. `member`: its member, once the body is read. */
function withCounts(api: ClientApi, counts: ClientCounts) {
  let member: string | null = null
  const requestIn = (body: unknown): unknown => {
    if (!isObject(body)) return body
    const found = counts.read(body)
    member = found.member
    return found.request
  }
  const counting: ClientApi = {
    ...api,
    open(context) {
      const opened = api.open(context)
      if (!opened.ok) return opened
      const codec = opened.value
      return ok({
        ...codec,
        modelOf: (body) => codec.modelOf(requestIn(body)),
        read: (body, sealing) => codec.read(requestIn(body), sealing, true),
      })
    },
  }
  return { counting, member: () => member }
}

/** The indices of outputs whose calls are not in the input. */
const orphansIn = ({ input }: Request): ReadonlySet<number> =>
  new Set(toTurns(input).flatMap((turn) => (turn.kind === 'orphan' ? [turn.at] : [])))

/** A call without an output is a fragment as well: its output is counted with a later request. */
const hasOpenCall = ({ input }: Request): boolean =>
  toTurns(input).some((turn) => turn.kind === 'assistant' && turn.outputs.length < turn.calls.length)

/** Whether the request is a part of a conversation, which its upstream may refuse to count. */
function isFragment(request: Request): boolean {
  const [first] = request.input
  const begins = first?.type === 'message' && first.role !== 'assistant'
  return !begins || hasOpenCall(request) || orphansIn(request).size > 0
}

const PROMPT: InputItem = { type: 'message', role: 'user', content: [{ type: 'input_text', text: '…' }] }

const callOf = ({ call_id }: { readonly call_id: string }): InputItem => ({
  type: 'function_call',
  call_id,
  name: 'tool',
  arguments: '{}',
})

/** The same request as a conversation that every wire can encode: a prompt, and a call before each output. */
function completeFragment(request: Request): Request {
  const orphans = orphansIn(request)
  const input = request.input.flatMap((item, at) =>
    orphans.has(at) && 'call_id' in item ? [callOf(item), item] : [item],
  )
  return { ...request, input: input.length === 0 ? [PROMPT] : input }
}
