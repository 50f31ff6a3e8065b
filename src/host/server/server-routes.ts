import { authenticate, bearerOf, requireKind } from '../../gateway/auth/auth.ts'
import { sendError, sendText } from '../../gateway/exchange/send.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { Endpoint } from '../../gateway/routing/refusals.ts'
import { type HostRoutes, type Routes, toRoutes } from '../../gateway/routing/routes.ts'
import { gatewayError } from '../../protocol/error.ts'
import type { ServerMetrics } from '../telemetry/metrics.ts'
import { admitSocket } from './websocket/admit-socket.ts'
import type { SocketRegistry } from './websocket/socket-registry.ts'

/** The parts of a server that its gateway does without. */
export interface ServerParts {
  /** Further paths: those of the page. */
  readonly paths: HostRoutes['paths']
  /** The open WebSockets. */
  readonly sockets: SocketRegistry
  readonly metrics: ServerMetrics
}

/** The routes of the gateway, and those of the server: metrics, further paths, and WebSockets. */
export function toServerRoutes(gateway: Gateway, { metrics, paths, sockets }: ServerParts): Routes {
  const endpoint = getMetrics(metrics)
  return toRoutes(gateway, {
    paths: [['/metrics', { endpoints: { GET: endpoint, HEAD: endpoint } }], ...paths],
    admitSocket: (api, request) => admitSocket(gateway, sockets, api, request),
  })
}

const NO_SUM = gatewayError(
  'server_is_overloaded',
  'A worker of the server does not answer, and the sums would lack its share. Retry the request.',
  503,
)

/** `GET /metrics`: the metrics for Prometheus. */
const getMetrics =
  (metrics: ServerMetrics): Endpoint =>
  async (gateway, context) => {
    if (gateway.config.metrics.management_key) {
      const key = authenticate(gateway, bearerOf(context.request))
      const fit = key.ok ? requireKind(key.value, 'management') : key
      if (!fit.ok) return sendError(context, fit.error)
      context.journal.add({ type: 'admitted', key: fit.value.name })
    }
    const text = await metrics.text()
    if (text === null) sendError(context, NO_SUM)
    else sendText(context, 200, text, metrics.contentType)
  }
