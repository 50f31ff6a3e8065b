import { operatorText } from '../../engine/rules/client-text.ts'
import { maskKeys } from '../../observability/mask-keys.ts'
import type { GatewayError } from '../../protocol/error.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import type { Gateway } from '../gateway.ts'
import { runInSlices } from '../run-in-slices.ts'
import type { UnsentRequest } from './send-request.ts'

/** Characters of a message that an operator reads. */
const LONGEST_MESSAGE = 500

/** Characters of a message that are compared with the request. The rest is cut. */
const LONGEST_COMPARED = 4000

/**
 * Keeps the message with which an upstream refused a request for its operator, who reads it on the page or in the log:
 * without secrets, and without the words of the client that vendors like to quote. `error`: without the credentials of
 * the upstream. Costs nothing where the operator reads neither.
 */
export async function explainAttempt(
  { config }: Pick<Gateway, 'config'>,
  { row, journal }: Pick<RequestContext, 'row' | 'journal'>,
  { party, message }: GatewayError,
  { json: body }: Pick<UnsentRequest, 'json'>,
): Promise<void> {
  const isRead = config.log.upstream_messages || (row?.content ?? null) !== null
  if (!isRead || party !== 'upstream') return
  const own = maskKeys(await runInSlices(operatorText({ text: message.slice(0, LONGEST_COMPARED), body })))
  const isCut = own.length > LONGEST_MESSAGE || message.length > LONGEST_COMPARED
  journal.add({ type: 'explained', message: isCut ? `${own.slice(0, LONGEST_MESSAGE - 1)}…` : own })
}
