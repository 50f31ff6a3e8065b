import type { GatewayError } from '../../protocol/error.ts'
import { type Attempted, summaryOf } from '../exchange/journal.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import { formatAttempt, formatUpstream } from '../telemetry/log.ts'
import type { GuardedCall } from '../upstream/upstream-guard.ts'

const HEADER = 'x-responses-attempts'
const LONGEST_HEADER = 1000

/** The call whose answer is delivered: the last one, if further upstreams continue its text. */
export interface CurrentCall {
  guarded: GuardedCall
}

/** Records the outcome of a call: null, or the reason why nothing was sent to the client. */
export function noteCallEnd(
  { journal, signal }: RequestContext,
  { guarded }: CurrentCall,
  error: GatewayError | null,
): void {
  if (signal.reason === null) guarded.end(error)
  else guarded.cancel()
  const routed = journal.last('routed')
  if (routed === undefined) return
  const { vendor, member, model } = routed
  const earlier = error === null && journal.hasFailed() ? summaryOf(journal).error : null
  journal.add({ type: 'attempted', vendor, member, model, error: error?.code ?? earlier, isSkipped: false })
}

/** Writes the header of an answer that has more than one attempt. `next`: the attempt that is made now. */
export function writeAttempts({ journal, reply }: RequestContext, next: Attempted | null): void {
  const over = journal.facts.filter((fact) => fact.type === 'attempted')
  if (over.length + (next === null ? 0 : 1) < 2 || reply.hasStarted()) return
  const words = [...over.map(formatAttempt), ...(next === null ? [] : [formatUpstream(next)])]
  reply.setHeader(HEADER, words.join(', ').slice(0, LONGEST_HEADER))
}
