import { operatorText } from '../../engine/rules/client-text.ts'
import { maskKeys } from '../../observability/mask-keys.ts'
import type { GatewayError } from '../../protocol/error.ts'
import type { Config } from '../config/config.ts'
import { type Attempted, summaryOf } from '../exchange/journal.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import { runInSlices } from '../run-in-slices.ts'
import { formatAttempt, formatUpstream } from '../telemetry/log.ts'
import type { UnsentRequest } from '../upstream/send-request.ts'
import type { GuardedCall } from '../upstream/upstream-guard.ts'

const HEADER = 'x-responses-attempts'
const LONGEST_HEADER = 1000

/** The call whose answer is delivered: the last one, if further upstreams continue its text. */
export interface CurrentCall {
  guarded: GuardedCall
  /** The failure of the call if the client may receive that of an earlier one. */
  failure: GatewayError | null
}

/**
 * Records the outcome of a call. `error`: the reason why nothing was sent to the client. `broken`: the failure in the middle
 * of the answer, which shows as much about the upstream.
 */
export function noteCallEnd(
  { journal, signal }: RequestContext,
  { guarded, failure }: CurrentCall,
  error: GatewayError | null,
  broken: GatewayError | null = null,
): void {
  if (signal.reason === null) guarded.end(error ?? failure ?? broken)
  else guarded.cancel()
  const routed = journal.last('routed')
  if (routed === undefined) return
  const { vendor, member, model } = routed
  const own = error ?? failure
  const code = own === null && journal.hasFailed() ? summaryOf(journal).error : null
  journal.add({ type: 'attempted', vendor, member, model, error: own?.code ?? code, isSkipped: false })
}

/** Writes the header of an answer that has more than one attempt. `next`: the attempt that is made now. */
export function writeAttempts({ journal, reply }: RequestContext, next: Attempted | null): void {
  const over = journal.entries.filter((entry) => entry.type === 'attempted')
  if (over.length + (next === null ? 0 : 1) < 2 || reply.hasStarted()) return
  const words = [...over.map(formatAttempt), ...(next === null ? [] : [formatUpstream(next)])]
  reply.setHeader(HEADER, words.join(', ').slice(0, LONGEST_HEADER))
}

/** Characters of a message that an operator reads. */
const LONGEST_MESSAGE = 500

/** Characters of a message that are compared with the request. The rest is cut. */
const LONGEST_COMPARED = 4000

/** Whether the operator has switched on that a message of an upstream is read. */
export const readsMessages = (
  { config }: { readonly config: Pick<Config, 'log'> },
  { row }: Pick<RequestContext, 'row'>,
): boolean => config.log.upstream_messages || (row?.content ?? null) !== null

/**
 * Keeps the message of a failed attempt, refused at once or broken off in the middle of its stream, for its operator, who reads it on the page or in the log:
 * without secrets, and without the words of the client that vendors like to quote. `error`: without the credentials of
 * the upstream. Costs nothing where the operator reads neither.
 */
export async function explainAttempt(
  gateway: { readonly config: Pick<Config, 'log'> },
  context: Pick<RequestContext, 'row' | 'journal'>,
  { party, message }: GatewayError,
  { json: body }: Pick<UnsentRequest, 'json'>,
): Promise<void> {
  if (party !== 'upstream' || !readsMessages(gateway, context)) return
  const own = maskKeys(await runInSlices(operatorText({ text: message.slice(0, LONGEST_COMPARED), body })))
  const isCut = own.length > LONGEST_MESSAGE || message.length > LONGEST_COMPARED
  context.journal.add({ type: 'explained', message: isCut ? `${own.slice(0, LONGEST_MESSAGE - 1)}…` : own })
}
