import type { GatewayError } from '../../protocol/error.ts'
import { noteCallEnd } from '../call/attempts.ts'
import type { Prepared } from '../call/prepare-request.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import type { Continuation } from './continued-turns.ts'
import { delivering } from './delivery.ts'
import { requestAnswer } from './open-answer.ts'
import { bodyTurns, type Deliverer, type Exchange, streamTurns } from './open-turns.ts'
import { BodySink, StreamSink } from './response-sink.ts'

/**
 * Calls the upstream, turn by turn if the gateway searches the web between the turns. Resolves with null when the
 * client has its answer or the beginning of it (`RequestContext.delivery`), else with the reason why it has none.
 * `onAccepted`: called when the upstream has accepted the request, before anything of its answer is sent.
 */
export async function callUpstream(
  gateway: Deliverer,
  prepared: Prepared,
  context: RequestContext,
  onAccepted: () => void,
  further: Continuation | null = null,
): Promise<GatewayError | null> {
  const opening = requestAnswer(prepared, context, gateway.config.timeouts)
  // Made while the upstream works, so that its first bytes need not wait for it.
  const exchange: Exchange = { gateway, prepared, context, further }
  const deliver = prepared.call.stream
    ? delivering(exchange, streamTurns(exchange), (owner) => new StreamSink(owner))
    : delivering(exchange, bodyTurns(exchange), (owner) => new BodySink(owner))
  const opened = await opening
  context.journal.mark('head')
  if (opened.ok) {
    onAccepted()
    return deliver(opened.value)
  }
  noteCallEnd(gateway, context, prepared.options.origin, opened.error)
  return opened.error
}
