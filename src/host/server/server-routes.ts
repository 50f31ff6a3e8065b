import type { Gateway } from '../../gateway/gateway.ts'
import { type HostRoutes, type Routes, toRoutes } from '../../gateway/routing/routes.ts'
import { getMetrics } from '../telemetry/get-metrics.ts'
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
