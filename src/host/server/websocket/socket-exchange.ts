import type { IncomingMessage } from 'node:http'
import { removeLast } from '../../../collections/remove-last.ts'
import type { ClientApi } from '../../../gateway/clients/client-api.ts'
import { recordExchange, reportBug } from '../../../gateway/endpoints/exchange-end.ts'
import { postRequest } from '../../../gateway/endpoints/post-request.ts'
import { toRequestId } from '../../../gateway/exchange/ids.ts'
import { countsEvents } from '../../../gateway/exchange/keep-alive-events.ts'
import type { BodySource } from '../../../gateway/exchange/reply.ts'
import { GONE, type RequestContext, STALLED, StartedExchange } from '../../../gateway/exchange/request-context.ts'
import type { Gateway } from '../../../gateway/gateway.ts'
import type { Log } from '../../../gateway/telemetry/log.ts'
import type { ServerMetrics } from '../../telemetry/metrics.ts'
import { isRefused } from '../refusal-price.ts'
import type { ContinuedRequest } from './continued-request.ts'
import type { SocketOutlet } from './socket-outlet.ts'
import { SocketReply } from './socket-reply.ts'
import { warmUp } from './warm-up.ts'

interface SocketExchange {
  readonly request: IncomingMessage
  readonly outlet: SocketOutlet
  readonly reply: SocketReply
  readonly body: BodySource
  readonly path: string
}

export interface SocketExchangeOptions {
  readonly gateway: Gateway
  readonly metrics: ServerMetrics
  readonly api: ClientApi
  readonly path: string
  /** The handshake. */
  readonly request: IncomingMessage
  readonly outlet: SocketOutlet
  readonly log: Log
}

/**
 * Answers one request, and records it as one that arrived over HTTP. Resolves when the answer has ended: with true if
 * the request was refused without a call of an upstream. `open`: the list of the exchanges that are open.
 */
export async function answerMessage(
  { gateway, metrics, api, path, request, outlet, log }: SocketExchangeOptions,
  continued: ContinuedRequest,
  open: RequestContext[],
): Promise<boolean> {
  const reply = new SocketReply(outlet, {
    streamId: continued.streamId(),
    previousId: continued.previousId(),
    keepAliveMs: countsEvents(request) ? gateway.config.keep_alive_seconds * 1000 : 0,
    onEnd: (end) => continued.end(end),
  })
  const id = toRequestId(undefined, gateway.random)
  const context = createSocketContext({ request, outlet, reply, body: continued, path }, id)
  open.push(context)
  try {
    if (!outlet.isClosed()) await (continued.generates() ? postRequest : warmUp)(gateway, api, context)
    await context.delivery
  } catch (error) {
    reportBug(context, error, log)
  }
  reply.close()
  await context.closed
  continued.release()
  removeLast(open, context)
  metrics.noteMessages('sent', outlet.takeSent())
  recordExchange(gateway, context, log)
  return isRefused(context.journal)
}

/** The method in the log of a request that arrived as a message. */
const METHOD = 'WS'

/** One message of a client with its answer. The exchange ends when its reply closes. */
function createSocketContext({ request, outlet, reply, body, path }: SocketExchange, id: string): RequestContext {
  const started = new StartedExchange(id, METHOD)
  const { journal } = started
  journal.add({ type: 'matched', path })
  const closed = new Promise<void>((resolve) => {
    const onClose = (): void => {
      journal.mark('ended')
      if (reply.isCut()) {
        const reason = outlet.isStalled ? STALLED : GONE
        journal.mark('gone')
        started.abort(reason)
        if (outlet.isStalled) journal.add({ type: 'cut', code: reason.code, party: reason.party })
      }
      resolve()
    }
    reply.onClose({ onClose })
  })
  reply.setHeader('x-request-id', id)
  return Object.assign(started, { request, body, reply, closed })
}
