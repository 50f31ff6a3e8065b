import type { RateStore } from '../gateway/auth/rate-limit.ts'
import type { ServerPage } from './page/page.ts'
import type { SocketRegistry } from './server/websocket/socket-registry.ts'
import type { ServerMetrics } from './telemetry/metrics.ts'

/** The parts of a server that its gateway does without. */
export interface ServerParts {
  /** Null if the server has no page. */
  readonly page: ServerPage | null
  /** The open WebSockets. */
  readonly sockets: SocketRegistry
  readonly metrics: ServerMetrics
}

/** The parts that the workers of one server share. */
export interface WorkerGroup {
  /** The rate limits of all workers, counted by the primary process. */
  readonly rates: RateStore
  /** Returns the metrics of all workers. `own`: those of this one. */
  join(own: ServerMetrics): ServerMetrics
}
