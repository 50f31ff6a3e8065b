import { encodeUpstreamCall } from '../../engine/upstream-call.ts'
import type { Loss } from '../../protocol/loss.ts'
import type { Request } from '../../protocol/request.ts'
import { ok, type Result } from '../../protocol/result.ts'
import type { AnswerPassthrough } from '../../wires/passthrough-contract.ts'
import { runInSlices } from '../run-in-slices.ts'
import type { UnsentRequest } from '../upstream/send-request.ts'
import type { Plan } from './plan-request.ts'

/** A planned request with its upstream call. */
export interface Prepared extends Plan {
  readonly call: UnsentRequest
  /** All losses between the client and its upstream, with the client's own paths. */
  readonly losses: readonly Loss[]
  /** The edits of the client's own body; null if the hub encoded the body. */
  readonly edits: readonly string[] | null
  /** How the answer is passed through; null if it is translated. */
  readonly pass: AnswerPassthrough | null
  /** The request for the upstream. */
  readonly request: Request
}

/**
 * Encodes a request of this plan for its upstream. `request`: the planned one, or another one for the same answer;
 * `changes`: the losses of the replacement.
 */
export async function encodeCall(
  plan: Plan,
  request: Request = plan.routed.client.request,
  changes: readonly Loss[] = [],
): Promise<Result<Prepared>> {
  const call = await runInSlices(encodeUpstreamCall(plan.routed, request, changes))
  if (!call.ok) return call
  const { body: json, losses, edits, ...unsent } = call.value
  const { model, wire } = plan.routed.route
  const { routed, source, writing, options, search, further, again, continues } = plan
  // Machines of the operator, and a continuation, need the deltas of the answer.
  const isPassed = edits !== null && options.machines.length === 0 && !(continues && unsent.stream)
  const pass = isPassed ? (wire.passthrough?.answer ?? null) : null
  const prepared = { json, model, ...writing, ...unsent }
  return ok({
    routed,
    source,
    writing,
    options,
    search,
    further,
    again,
    continues,
    request,
    losses,
    edits,
    pass,
    call: prepared,
  })
}
