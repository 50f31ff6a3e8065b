import type { GatewayError } from '../../protocol/error.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import { type Attempt, type Attempted, formatAttempt, formatUpstream } from '../telemetry/attempt.ts'
import { recordCallEnd } from '../telemetry/request-record.ts'
import type { UpstreamGuard, UpstreamState } from '../upstream/upstream-guard.ts'

const HEADER = 'x-responses-attempts'
const LONGEST_HEADER = 1000

/** Records an attempt that is over, or one that is not made. */
export function noteAttempt(context: RequestContext, attempt: Attempt): void {
  const { entry } = context
  if (!attempt.isSkipped) recordCallEnd(context)
  entry.attempts = [...entry.attempts, attempt]
}

/** Records the outcome of a call: null, or the reason why nothing was sent to the client. */
export function noteCallEnd(
  { guard }: { readonly guard: Pick<UpstreamGuard, 'note'> },
  context: RequestContext,
  { vendor, model }: Pick<UpstreamState, 'vendor' | 'model'>,
  error: GatewayError | null,
): void {
  const { member } = context.entry
  if (context.signal.reason === null) guard.note({ vendor, member, model }, error)
  noteAttempt(context, { vendor, member, model, error: error?.code ?? context.entry.error, isSkipped: false })
}

/** Writes the header of an answer that has more than one attempt. `next`: the attempt that is made now. */
export function writeAttempts({ entry, reply }: RequestContext, next: Attempted | null): void {
  const words = [...entry.attempts.map(formatAttempt), ...(next === null ? [] : [formatUpstream(next)])]
  if (words.length > 1 && !reply.hasStarted()) reply.setHeader(HEADER, words.join(', ').slice(0, LONGEST_HEADER))
}
