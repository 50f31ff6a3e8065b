import type { IncomingMessage } from 'node:http'
import type { TransportTap } from '../../gateway/upstream/tap.ts'

/** Takes part in every exchange of a server with its upstreams. */
export interface UpstreamTap extends TransportTap {
  /** Called with each request of a client, before it is processed. */
  admit(request: IncomingMessage): void
}
