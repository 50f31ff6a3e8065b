import type { GatewayError } from '../../protocol/error.ts'
import { type Attempted, summaryOf } from '../exchange/journal.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import { formatAttempt, formatUpstream } from '../telemetry/log.ts'
import type { UpstreamGuard, UpstreamState } from '../upstream/upstream-guard.ts'

const HEADER = 'x-responses-attempts'
const LONGEST_HEADER = 1000

/** Records the outcome of a call: null, or the reason why nothing was sent to the client. */
export function noteCallEnd(
  { guard }: { readonly guard: Pick<UpstreamGuard, 'note'> },
  context: RequestContext,
  { vendor, model }: Pick<UpstreamState, 'vendor' | 'model'>,
  error: GatewayError | null,
): void {
  const { journal, signal } = context
  const member = journal.last('routed')?.member ?? null
  const earlier = error === null && journal.hasFailed() ? summaryOf(journal).error : null
  if (signal.reason === null) guard.note({ vendor, member, model }, error)
  journal.add({ type: 'attempted', vendor, member, model, error: error?.code ?? earlier, isSkipped: false })
}

/** Writes the header of an answer that has more than one attempt. `next`: the attempt that is made now. */
export function writeAttempts({ journal, reply }: RequestContext, next: Attempted | null): void {
  const over = journal.facts.filter((fact) => fact.type === 'attempted')
  if (over.length + (next === null ? 0 : 1) < 2 || reply.hasStarted()) return
  const words = [...over.map(formatAttempt), ...(next === null ? [] : [formatUpstream(next)])]
  reply.setHeader(HEADER, words.join(', ').slice(0, LONGEST_HEADER))
}
