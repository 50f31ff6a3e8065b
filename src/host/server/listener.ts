import type { IncomingMessage, RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import { recordExchange, reportBug } from '../../gateway/endpoints/exchange-end.ts'
import { toRequestId } from '../../gateway/exchange/ids.ts'
import { GONE } from '../../gateway/exchange/request-context.ts'
import { sendError } from '../../gateway/exchange/send.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import { createCrossSiteCheck } from '../../gateway/routing/cross-site.ts'
import { findEndpoint, socketRouteOf } from '../../gateway/routing/find-endpoint.ts'
import { refuseWith } from '../../gateway/routing/refusals.ts'
import type { Log } from '../../gateway/telemetry/log.ts'
import { clientError, type GatewayError } from '../../protocol/error.ts'
import type { Drain } from './drain.ts'
import { createHttpContext, type HttpContext } from './http-context.ts'
import { faultOf } from './http-errors.ts'
import { createSharedLoad, isRefused } from './refusal-price.ts'
import { createRequestOrder } from './request-order.ts'
import { type ServerParts, toServerRoutes } from './server-routes.ts'
import { admitSocket } from './websocket/admit-socket.ts'
import { type AdmittedSocket, createWebSockets } from './websocket/websockets.ts'

const NO_EXPECTATION = clientError(
  'expectation_failed',
  'Expect: expected "100-continue". Send this value, or omit the header.',
)

export interface Listener {
  readonly onRequest: RequestListener
  /** Handles an `Expect` header that Node does not support. */
  readonly onExpectation: RequestListener
  /** Whether the connection of this request becomes a WebSocket. All other upgrades are ordinary requests. */
  acceptsUpgrade(request: IncomingMessage): boolean
  onUpgrade(request: IncomingMessage, transport: Socket, head: Buffer): void
  /** How many messages and requests wait for a tick of the event loop. */
  turnsWaiting(): number
}

/** Pages cannot reach a socket of the file system: the name of its host is checked only if hosts are configured. */
const toCrossSite = ({ listen, mounts }: Gateway['config']): Parameters<typeof createCrossSiteCheck>[0] => ({
  ...listen,
  host: listen.path === undefined ? listen.host : null,
  mounts,
})

/** Handles every request of the server, and logs one line for each. */
export function createListener(
  gateway: Gateway,
  parts: ServerParts,
  open: HttpContext[],
  drain: Drain,
  log: Log,
): Listener {
  const routes = toServerRoutes(gateway, parts)
  const crossSiteFault = createCrossSiteCheck(toCrossSite(gateway.config))
  const shared = createSharedLoad(log, gateway.clock)
  const { price, logCut } = shared
  const turns = createRequestOrder(shared.queue)
  const stalledMs = gateway.config.timeouts.stalled_client_seconds * 1000
  const finish = (context: HttpContext): void => {
    const { journal, request } = context
    const { socket } = request
    if (isRefused(journal) && !price.isExhausted(socket) && !price.charge(socket)) logCut()
    turns.release(socket)
    drain.release(context)
    recordExchange(gateway, context, log)
  }
  const finishWhenClosed = (context: HttpContext): void => void context.closed.then(() => finish(context))
  /** An async function that waits for the rest of an answer would keep all its variables in memory meanwhile. */
  const finishAfter = (context: HttpContext, delivery: Promise<unknown>): void =>
    void delivery.then(
      () => finishWhenClosed(context),
      (bug) => {
        reportBug(context, bug, log)
        finishWhenClosed(context)
      },
    )
  const answer = async (fault: GatewayError | null, ...[request, response]: Parameters<RequestListener>) => {
    const { socket } = request
    const turn = turns.take(socket)
    if (turn !== null && !(await turn)) return
    const id = toRequestId(request.headers['x-request-id'], gateway.random)
    const context = createHttpContext(request, response, id, stalledMs)
    open.push(context)
    turns.onBlocked(socket, context)
    const isLast = price.isExhausted(socket)
    if (isLast) turns.close(socket)
    if (isLast || gateway.isDraining()) response.shouldKeepAlive = false
    try {
      const endpoint = fault === null ? findEndpoint(routes, context) : refuseWith(fault)
      if (context.signal.aborted) sendError(context, GONE)
      else await endpoint(gateway, context)
    } catch (error) {
      reportBug(context, error, log)
    }
    if (context.delivery === null) finishWhenClosed(context)
    else finishAfter(context, context.delivery)
  }
  const serveSocket = createWebSockets(gateway, parts, log, shared)
  const admit = (request: IncomingMessage): Omit<AdmittedSocket, 'head' | 'transport'> | null => {
    const route = socketRouteOf(routes, request)
    if (route === undefined || (faultOf(request) ?? crossSiteFault(request)) !== null) return null
    // Another answer on this connection would be written between the messages.
    if (open.some((one) => one.request.socket === request.socket)) return null
    const key = admitSocket(gateway, parts.sockets, route.api, request)
    return key.ok ? { request, route, key: key.value } : null
  }
  return {
    acceptsUpgrade: (request) => admit(request) !== null,
    onUpgrade(request, transport, head: Buffer) {
      const admitted = admit(request)
      if (admitted === null) transport.destroy()
      else serveSocket({ ...admitted, transport, head })
    },
    onRequest: (request, response) => answer(faultOf(request) ?? crossSiteFault(request), request, response),
    onExpectation: (request, response) => answer(NO_EXPECTATION, request, response),
    turnsWaiting: () => shared.queue.size(),
  }
}
