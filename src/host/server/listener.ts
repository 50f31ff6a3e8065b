import type { RequestListener } from 'node:http'
import { clientError, type GatewayError, gatewayError } from '../../protocol/error.ts'
import type { Gateway } from '../gateway.ts'
import { type Log, toLine } from '../telemetry/log.ts'
import { openCrossSiteCheck } from './cross-site.ts'
import { type Drain, leave } from './drain.ts'
import { faultOf } from './http-errors.ts'
import { toRequestId } from './ids.ts'
import { type Exchange, GONE, openExchange } from './request-context.ts'
import { openTurns } from './request-order.ts'
import { findEndpoint, refuseWith, toRoutes } from './routes.ts'
import { sendError } from './send.ts'

const NO_EXPECTATION = clientError('expectation_failed', 'No expectation but "100-continue" can be met.')

export interface Door {
  readonly onRequest: RequestListener
  /** Handles an `Expect` header that Node does not support. */
  readonly onExpectation: RequestListener
}

/** Handles every request of the server, and logs one line for each. */
export function openDoor(gateway: Gateway, open: Exchange[], drain: Drain, log: Log): Door {
  const routes = toRoutes(gateway)
  const crossSiteFault = openCrossSiteCheck(gateway.config.listen)
  const turns = openTurns()
  const stalledMs = gateway.config.timeouts.stalled_client_seconds * 1000
  const answer = async (fault: GatewayError | null, ...[request, response]: Parameters<RequestListener>) => {
    const { socket } = request
    const turn = turns.take(socket)
    if (turn !== null) await turn
    const id = toRequestId(request.headers['x-request-id'], gateway.random)
    const exchange = openExchange(request, response, id, stalledMs)
    open.push(exchange)
    turns.onBlocked(socket, exchange.onBlocked)
    if (gateway.isDraining()) response.shouldKeepAlive = false
    try {
      const endpoint = fault === null ? findEndpoint(routes, exchange) : refuseWith(fault)
      if (exchange.signal.aborted) sendError(exchange, GONE)
      else await endpoint(gateway, exchange)
    } catch (error) {
      reportBug(exchange, error, log)
    }
    await exchange.closed
    turns.release(socket)
    leave(open, exchange)
    drain.release(exchange)
    log(toLine(exchange.entry))
    gateway.metrics.note(exchange.entry)
    gateway.observability.finish(exchange)
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
function reportBug(exchange: Exchange, error: unknown, log: Log): void {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const places = stack.split('\n').filter((line) => /^ +at /.test(line))
  log({
    event: 'bug',
    request_id: exchange.id,
    name: error instanceof Error ? error.name : typeof error,
    places: places.map((line) => line.trim()),
  })
  if (exchange.response.headersSent) exchange.response.destroy()
  else sendError(exchange, gatewayError('server_error', 'The gateway failed.'))
}
