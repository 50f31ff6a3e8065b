import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import type { Config } from '../../../gateway/config/config.ts'
import { clientError } from '../../../protocol/error.ts'
import type { Connection } from './connection.ts'
import type { SocketOutlet } from './socket-outlet.ts'

interface Watched {
  readonly socket: WebSocket
  readonly transport: Socket
  readonly outlet: SocketOutlet
  readonly config: Config
}

/** Ends a connection that is too old, that is idle for too long, or whose client has left without a word. */
export function watchConnection(connection: Connection, { socket, transport, outlet, config }: Watched): void {
  const { age_seconds, idle_seconds } = config.websocket
  const ageing = setTimeout(() => connection.refuseAll(tooOld(age_seconds)), age_seconds * 1000)
  const idling = setInterval(
    () => {
      if (connection.isIdle() && connection.idleSince() + idle_seconds * 1000 <= performance.now())
        socket.close(GOING_AWAY, 'idle')
    },
    (idle_seconds * 1000) / IDLE_CHECKS,
  )
  const pinging = keepAlive(socket, transport, config)
  outlet.whenClosed(() => {
    clearTimeout(ageing)
    clearInterval(idling)
    clearInterval(pinging)
  })
}

/** RFC 6455, 7.4.1. */
const GOING_AWAY = 1001

/** How often a connection is checked within the time that it may be idle. */
const IDLE_CHECKS = 4

const tooOld = (seconds: number) =>
  clientError(
    'websocket_connection_limit_reached',
    `The connection has reached its limit of ${seconds} seconds. Create a new connection to continue.`,
  )

/** Sends pings, which keep proxies from closing a silent connection. A client that answers none of them has left. */
function keepAlive(
  socket: WebSocket,
  transport: Socket,
  { keep_alive_seconds, timeouts }: Config,
): NodeJS.Timeout | undefined {
  if (keep_alive_seconds === 0) return undefined
  let lastSign = performance.now()
  const note = (): void => {
    lastSign = performance.now()
  }
  socket.on('pong', note)
  socket.on('message', note)
  // A client cannot answer a ping inside a long frame.
  transport.on('data', note)
  const longest = (keep_alive_seconds + timeouts.stalled_client_seconds) * 1000
  return setInterval(() => {
    // Of a connection that is not read, no answer arrives.
    if (socket.isPaused) note()
    if (performance.now() - lastSign > longest) socket.terminate()
    else socket.ping()
  }, keep_alive_seconds * 1000)
}
