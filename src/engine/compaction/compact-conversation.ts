import { pipe } from '../../machine/pipe.ts'
import { run } from '../../machine/run.ts'
import { mapped } from '../../protocol/loss.ts'
import type { Request } from '../../protocol/request.ts'
import { requestsCompaction, toSummaryRequest, triggersIn } from '../../responses/compaction/compaction.ts'
import { summaryToCompaction } from '../../responses/compaction/summary-to-compaction.ts'
import { runSteps, type Steps } from '../../text/steps.ts'
import type { Encoded, UpstreamContext, Wire } from '../../wires/contract.ts'
import type { Quirks } from '../../wires/quirks.ts'
import type { ClientRequest } from '../client-request.ts'

const REASON = 'this upstream has no compaction, so that its model is requested to summarise the conversation'

/**
 * Returns a wire that answers a request for a compaction with one item, which contains a summary by the same model.
 * Returns the wire itself if its upstream compacts conversations, or if the request does not request that.
 */
export function withCompaction(wire: Wire, { request, summarises }: ClientRequest, { compaction }: Quirks): Wire {
  const isOwn = summarises === true
  if (!requestsCompaction(request) || (compaction === true && !isOwn)) return wire
  function* encodeSteps(original: Request, target: UpstreamContext): Steps<Encoded> {
    const encoded = yield* wire.encodeSteps(toSummaryRequest(original), target)
    if (!encoded.ok || isOwn) return encoded
    const losses = triggersIn(original).map((at) => mapped(`input[${at}]`, REASON))
    return { ...encoded, losses: [...losses, ...encoded.losses] }
  }
  // The client's own body requests something else, and the fast path would learn text that is not written.
  const { passthrough: _, template: __, ...rest } = wire
  return {
    ...rest,
    encodeSteps,
    encodeRequest: (original, target) => runSteps(encodeSteps(original, target)),
    decodeStream: (quirks) => pipe(wire.decodeStream(quirks), summaryToCompaction),
    decodeBody: (body, quirks) => run(summaryToCompaction, wire.decodeBody(body, quirks)),
  }
}
