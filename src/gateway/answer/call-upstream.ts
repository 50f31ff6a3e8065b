import type { GatewayError } from '../../protocol/error.ts'
import type { Result } from '../../protocol/result.ts'
import { afterTick } from '../run-in-slices.ts'
import { sendRequest } from '../upstream/send-request.ts'
import type { UpstreamResponse } from '../upstream/transport.ts'
import { Delivery } from './delivery.ts'
import { bodyTurns, type Exchange, streamTurns } from './open-turns.ts'
import { BodySink, StreamSink } from './response-sink.ts'

/**
 * Calls the upstream, turn by turn if the gateway searches the web between the turns. Resolves with null when the
 * client has its answer or the beginning of it (`RequestContext.delivery`), else with the reason why it has none.
 * `onAccepted`: called when the upstream has accepted the request, before anything of its answer is sent. `opening`:
 * left out, the request is sent.
 */
export const callUpstream = (
  exchange: Exchange,
  onAccepted: () => void,
  opening: Promise<Result<UpstreamResponse>> = sendRequest(
    exchange.prepared.call,
    exchange.prepared.source,
    exchange.context.signal,
  ),
): Promise<GatewayError | null> =>
  new Promise((resolve, reject) => {
    const { prepared } = exchange
    let delivery: Pick<Delivery<never, never>, 'begin'> | null = null
    const open = (): typeof delivery => {
      try {
        delivery ??= prepared.call.stream
          ? new Delivery(exchange, streamTurns(exchange), (owner) => new StreamSink(owner), resolve, reject)
          : new Delivery(exchange, bodyTurns(exchange), (owner) => new BodySink(owner), resolve, reject)
      } catch (bug) {
        reject(bug)
      }
      return delivery
    }
    // While the upstream works, so that its first bytes need not wait for it: undici writes a request to a connection
    // that was used before at the end of the turn.
    afterTick(open)
    opening.then((opened) => open()?.begin(opened, onAccepted), reject)
  })

/** Sends the request of a call, and waits so long for the head of its answer, which may also arrive later. */
export async function openWithin(
  { prepared, context }: Pick<Exchange, 'prepared' | 'context'>,
  ms: number,
): Promise<{ readonly opening: Promise<Result<UpstreamResponse>>; readonly isInTime: boolean }> {
  const opening = sendRequest(prepared.call, prepared.source, context.signal)
  return { opening, isInTime: await isSettledWithin(opening, ms) }
}

const isSettledWithin = (promise: Promise<unknown>, ms: number): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms)
    const done = (): void => {
      clearTimeout(timer)
      resolve(true)
    }
    promise.then(done, done)
  })
