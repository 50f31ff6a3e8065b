import { passingOf } from '../../engine/passthrough/answers.ts'
import type { Restriction } from '../../engine/rules/refusal.ts'
import {
  encodeUpstreamCall,
  type RoutedRequest,
  type UpstreamCall,
  withoutEncryptedReasoning,
} from '../../engine/upstream-call.ts'
import type { Loss } from '../../protocol/loss.ts'
import type { Request } from '../../protocol/request.ts'
import { ok, type Result } from '../../protocol/result.ts'
import type { Steps } from '../../text/steps.ts'
import type { AnswerPassthrough } from '../../wires/passthrough-contract.ts'
import type { Writing } from '../body/receive-request.ts'
import { type Awaitable, runInSlices, type Work } from '../run-in-slices.ts'
import type { LearningRequest } from '../upstream/restriction-memory.ts'
import type { UnsentRequest } from '../upstream/send-request.ts'
import type { Transport } from '../upstream/transport.ts'
import type { ExchangeOptions } from './answer-options.ts'

/** Restrictions of refusals that are not yet known to be true. */
export type Tried = readonly Restriction[]

/** A request that has passed every check, with its upstream call and the target of its answer. */
export interface Prepared {
  readonly routed: RoutedRequest
  readonly source: Transport
  readonly writing: Writing
  readonly options: ExchangeOptions
  /** A web search that the gateway makes itself. */
  readonly search: RoutedRequest['search']
  /** The upstreams that are called if this one fails, in their order. */
  readonly further: readonly FurtherUpstream[]
  /** The upstream and the conversation, as far as restrictions of refusals depend on them. */
  readonly learner: LearningRequest
  /** Prepares the same request for the same upstream, with these restrictions; null if nothing is learned. */
  readonly again: ((restrictions: Tried) => Awaitable<Result<Prepared>>) | null
  /** A further upstream continues the text of a stream in the middle of which this one dies. */
  readonly continues: boolean
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

export interface FurtherUpstream {
  readonly vendor: string
  /** The member of the vendor's pool; null if it has none. */
  readonly member: string | null
  /** The upstream's own name of the model. */
  readonly model: string
  /** As that of an origin: the name of the model at its vendor. */
  readonly family: string
  /** Prepares the same request for it. `earlier`: left out, the whole answer; else the texts that it continues. */
  readonly prepare: (earlier?: readonly string[]) => Awaitable<Result<Prepared>>
}

/** A request before it is encoded; one that is prepared already may be encoded again. */
export type Encodable = Omit<Prepared, 'call' | 'losses' | 'edits' | 'pass' | 'request'>

export type Encode = (plan: Encodable) => Work<Result<Prepared>>

/**
 * Encodes a request for its upstream. `request`: the client's one, or another one for the same answer; `changes`: the
 * losses of the replacement.
 */
export function* encodeCall(
  plan: Encodable,
  request: Request = plan.routed.client.request,
  changes: readonly Loss[] = [],
): Steps<Result<Prepared>> {
  const call = yield* encodeUpstreamCall(plan.routed, request, changes)
  return call.ok ? ok(toPrepared(plan, request, call.value)) : call
}

/** The same call without encrypted reasoning, which the upstream could not read; null if the request has none. */
export async function withoutReasoning(prepared: Prepared): Promise<Prepared | null> {
  const changed = withoutEncryptedReasoning(prepared.request, prepared.options.origin)
  const again = changed === null ? null : await runInSlices(encodeCall(prepared, changed.request, changed.losses))
  return again?.ok === true ? again.value : null
}

function toPrepared(
  { routed, source, writing, options, search, further, learner, again, continues }: Encodable,
  request: Request,
  { body: json, losses, edits, url, headers, stream }: UpstreamCall,
): Prepared {
  const { model } = routed.route
  const { size, onWritten } = writing
  // Machines of the operator, and a continuation, need the deltas of the answer.
  const answers = passingOf(routed, edits)
  const pass = answers !== null && options.machines.length === 0 && !(continues && stream) ? answers : null
  return {
    routed,
    source,
    writing,
    options,
    search,
    further,
    learner,
    again,
    continues,
    request,
    losses,
    edits,
    pass,
    call: { json, model, size, onWritten, url, headers, stream },
  }
}
