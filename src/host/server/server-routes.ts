import type { Gateway } from '../../gateway/gateway.ts'
import { type Routes, toRoutes } from '../../gateway/routing/routes.ts'
import { pageRoutes } from '../page/routes.ts'
import type { ServerParts } from '../server-parts.ts'
import { getMetrics } from '../telemetry/get-metrics.ts'
import { admitSocket } from './websocket/admit-socket.ts'

/** The routes of the gateway, and those of the server: metrics, the page, and WebSockets. */
export function toServerRoutes(gateway: Gateway, { metrics, page, sockets }: ServerParts): Routes {
  const endpoint = getMetrics(metrics)
  return toRoutes(gateway, {
    paths: [['/metrics', { endpoints: { GET: endpoint, HEAD: endpoint } }], ...pageRoutes(page)],
    admitSocket: (api, request) => admitSocket(gateway, sockets, api, request),
  })
}
