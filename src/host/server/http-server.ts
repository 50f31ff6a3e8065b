import { createServer, IncomingMessage, type Server, type ServerOptions } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Config } from '../../gateway/config/config.ts'
import type { Log } from '../../gateway/telemetry/log.ts'
import { type ConnectionEvents, type Connections, watchConnections } from './connections.ts'
import { readInSlices } from './sliced-reads.ts'
import type { TlsPair } from './tls-pair.ts'

const LONGEST_CHECK_MS = 10_000

interface HttpServerOptions extends ConnectionEvents {
  /** Whether an upgrade is accepted. Other upgrades are ordinary requests. */
  readonly acceptsUpgrade: (request: IncomingMessage) => boolean
  /** Default: a server without TLS. */
  readonly pair?: TlsPair | null
}

export interface WatchedServer {
  readonly server: Server
  readonly connections: Connections
}

export function createHttpServer(
  limits: Config['connections'],
  { acceptsUpgrade, pair = null, ...events }: HttpServerOptions,
): WatchedServer {
  const headersTimeout = limits.header_seconds * 1000
  const requestTimeout = headersTimeout + limits.body_seconds * 1000
  const options = {
    IncomingMessage: upgradableRequest(acceptsUpgrade),
    keepAliveTimeout: limits.idle_seconds * 1000,
    requireHostHeader: false,
    maxHeaderSize: limits.header_bytes,
    headersTimeout,
    requestTimeout,
    connectionsCheckingInterval: Math.min(LONGEST_CHECK_MS, headersTimeout / 2, limits.body_seconds * 500),
  }
  const server = pair === null ? createServer(options) : createSecure(options, pair)
  // Missing from the types, but present in every version of Node: a client that has ended its sending side may still
  // read. Bun reads no property of the request, so that it needs the callback.
  Object.assign(server, { httpAllowHalfOpen: true, shouldUpgradeCallback: acceptsUpgrade })
  // By default, Node silently drops headers beyond a certain number. Their bytes are limited already.
  server.maxHeadersCount = 0
  const connections = watchConnections(server, limits.most, events)
  readInSlices(server, pair === null ? 'connection' : 'secureConnection')
  return { server, connections }
}

function createSecure(options: ServerOptions & { readonly headersTimeout: number }, pair: TlsPair): Server {
  const server = createTlsServer({ ...options, ...pair, handshakeTimeout: options.headersTimeout })
  // By default, a failed handshake is answered like a malformed request, in plain text.
  server.removeAllListeners('tlsClientError')
  server.on('tlsClientError', (_, socket) => socket.destroy())
  return server
}

/**
 * By default, every upgrade is an event of its own once an upgrade is accepted, also one that is not for this server:
 * the bodies of such requests would be lost. Node reads from the request whether it is an upgrade. Bun and Node 24.9 call
 * a function of the server, which older versions of Node do not have.
 */
const upgradableRequest = (accepts: (request: IncomingMessage) => boolean): typeof IncomingMessage =>
  class extends IncomingMessage {
    declare private requested: boolean | null
    declare private accepted: boolean | undefined

    get upgrade(): boolean {
      if (this.requested !== true) return false
      this.accepted ??= this.method === 'CONNECT' || accepts(this)
      return this.accepted
    }

    set upgrade(requested: boolean | null) {
      this.requested = requested
    }
  }

const LOG_EVERY_MS = 10_000

/** Logs the first of such connections, then at most one line in ten seconds with the count. `clock`: milliseconds. */
export function createRefusedLog(
  log: Log,
  clock: () => number,
  event: 'connections_refused' | 'connections_cut' = 'connections_refused',
): () => void {
  let count = 0
  let last = Number.NEGATIVE_INFINITY
  return () => {
    count += 1
    if (clock() - last < LOG_EVERY_MS) return
    log({ event, count })
    last = clock()
    count = 0
  }
}
