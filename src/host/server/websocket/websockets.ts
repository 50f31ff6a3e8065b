import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Key } from '../../../gateway/auth/auth.ts'
import type { Gateway } from '../../../gateway/gateway.ts'
import type { SocketRoute } from '../../../gateway/routing/handshake.ts'
import type { Log } from '../../../gateway/telemetry/log.ts'
import type { SharedLoad } from '../refusal-price.ts'
import type { ServerParts } from '../server-routes.ts'
import { endReads } from '../sliced-reads.ts'
import { Connection, POLICY } from './connection.ts'
import { watchConnection } from './connection-limits.ts'
import { SocketOutlet } from './socket-outlet.ts'

export interface AdmittedSocket {
  readonly request: IncomingMessage
  readonly transport: Socket
  /** Bytes after the handshake. */
  readonly head: Buffer
  readonly route: SocketRoute
  readonly key: Key
}

/** Returns a function that upgrades a connection whose handshake was admitted, and serves its requests. */
export function createWebSockets(
  gateway: Gateway,
  { sockets, metrics }: ServerParts,
  log: Log,
  shared: SharedLoad,
): (admitted: AdmittedSocket) => void {
  const { limits, websocket, timeouts } = gateway.config
  const server = new WebSocketServer(withAllPongs(websocket.message_bytes ?? limits.request_body_bytes))
  const serve = ({ request, transport, route, key }: AdmittedSocket, socket: WebSocket): void => {
    const startedAt = performance.now()
    const outlet = new SocketOutlet(socket, transport, timeouts.stalled_client_seconds * 1000)
    const connection = new Connection({
      gateway,
      metrics,
      api: route.api,
      path: route.path,
      request,
      socket,
      transport,
      outlet,
      log,
      kept: sockets.kept,
      key,
      shared,
    })
    const open = {
      keyId: key.id,
      transport,
      exchanges: connection.exchanges,
      drain: () => connection.drain(),
    }
    sockets.add(open)
    watchConnection(connection, { socket, transport, outlet, config: gateway.config })
    // The library closes the connection after an error, such as a message that is too long.
    socket.on('error', () => undefined)
    socket.on('close', (code) => {
      sockets.remove(open)
      metrics.noteMessages('sent', outlet.takeSent())
      log({
        event: 'websocket_closed',
        path: route.path,
        key: key.name,
        // Of what the client has sent last, nothing is read.
        code: connection.isCut ? POLICY : code,
        ...(connection.refused === 0 ? {} : { refused: connection.refused }),
        duration_ms: Math.round(performance.now() - startedAt),
      })
    })
  }
  return (admitted) => {
    const { request, transport, head } = admitted
    server.handleUpgrade(request, transport, endReads(transport, head), (socket) => serve(admitted, socket))
  }
}

/**
 * Some writes of a busy process end in a later turn. The library would then end the connection of a client whose read
 * has more than sixty pings, such as one that fragments its messages. A connection is not read while its client is
 * behind (`arriving-messages.ts`), which bounds the answers to pings as well.
 */
const withAllPongs = (maxPayload: number) => ({
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload,
  maxPendingAutoPongs: 0,
})
