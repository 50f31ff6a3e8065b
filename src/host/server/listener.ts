import type { RequestListener } from 'node:http'
import { clientError, type GatewayError, gatewayError } from '../../protocol/error.ts'
import type { Gateway } from '../gateway.ts'
import { type Log, toLogLine } from '../telemetry/log.ts'
import { createCrossSiteCheck } from './cross-site.ts'
import { type Drain, removeLast } from './drain.ts'
import { refuseWith } from './endpoints/refusals.ts'
import { findEndpoint } from './find-endpoint.ts'
import { faultOf } from './http-errors.ts'
import { toRequestId } from './ids.ts'
import { createRequestContext, GONE, type HttpContext, type RequestContext } from './request-context.ts'
import { createRequestOrder } from './request-order.ts'
import { toRoutes } from './routes.ts'
import { sendError } from './send.ts'

const NO_EXPECTATION = clientError(
  'expectation_failed',
  'Expect: expected "100-continue". Send this value, or omit the header.',
)

export interface Listener {
  readonly onRequest: RequestListener
  /** Handles an `Expect` header that Node does not support. */
  readonly onExpectation: RequestListener
}

/** Handles every request of the server, and logs one line for each. */
export function createListener(gateway: Gateway, open: HttpContext[], drain: Drain, log: Log): Listener {
  const routes = toRoutes(gateway)
  const crossSiteFault = createCrossSiteCheck(gateway.config.listen)
  const turns = createRequestOrder()
  const stalledMs = gateway.config.timeouts.stalled_client_seconds * 1000
  const answer = async (fault: GatewayError | null, ...[request, response]: Parameters<RequestListener>) => {
    const { socket } = request
    const turn = turns.take(socket)
    if (turn !== null) await turn
    const id = toRequestId(request.headers['x-request-id'], gateway.random)
    const context = createRequestContext(request, response, id, stalledMs)
    open.push(context)
    turns.onBlocked(socket, context.onBlocked)
    if (gateway.isDraining()) response.shouldKeepAlive = false
    try {
      const endpoint = fault === null ? findEndpoint(routes, context) : refuseWith(fault)
      if (context.signal.aborted) sendError(context, GONE)
      else await endpoint(gateway, context)
    } catch (error) {
      reportBug(context, error, log)
    }
    await context.closed
    turns.release(socket)
    removeLast(open, context)
    drain.release(context)
    log(toLogLine(context.entry))
    gateway.metrics.note(context.entry)
    gateway.observability.finish(context)
  }
  return {
    onRequest: (request, response) => answer(faultOf(request) ?? crossSiteFault(request), request, response),
    onExpectation: (request, response) => answer(NO_EXPECTATION, request, response),
  }
}

/**
 * Logs an exception, which is a bug of the gateway. Its message may contain anything, so only the stack positions are
 * logged.
 */
function reportBug(context: RequestContext, error: unknown, log: Log): void {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const calls = stack.split('\n').filter((line) => /^ +at /.test(line))
  log({
    event: 'bug',
    request_id: context.id,
    name: error instanceof Error ? error.name : typeof error,
    places: calls.map((line) => line.trim()),
  })
  if (context.reply.hasStarted()) context.reply.destroy()
  else
    sendError(
      context,
      gatewayError('server_error', 'The gateway failed. Its log describes the failure under the id of this request.'),
    )
}
