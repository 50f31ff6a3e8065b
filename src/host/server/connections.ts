import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { removeLast } from '../../collections/remove-last.ts'

export interface Connections {
  /** Those that are open. */
  readonly sockets: readonly Socket[]
  /** How many there were so far. */
  accepted(): number
}

export interface ConnectionEvents {
  /** There are too many: it is closed. */
  onRefused(): void
  /** Called for each connection that has closed, a refused one as well. */
  onClosed?(): void
}

/**
 * Keeps a list of the connections of a server, and closes those above a number. With Node's `maxConnections`, a worker
 * would return the connection to the primary process, which offers it again without a pause: while all workers are full,
 * all processes are busy with it, and nothing is refused.
 */
export function watchConnections(server: Server, most: number, { onRefused, onClosed }: ConnectionEvents): Connections {
  const sockets: Socket[] = []
  let accepted = 0
  // All sockets share this listener, because a function of its own would be two more objects of every connection.
  function forget(this: Socket): void {
    removeLast(sockets, this)
    onClosed?.()
  }
  const add = (socket: Socket): void => {
    sockets.push(socket)
    socket.on('close', forget)
  }
  server.on('connection', (socket) => {
    accepted += 1
    if (sockets.length < most) return add(socket)
    socket.destroy()
    onRefused()
    onClosed?.()
  })
  // The socket of TLS takes the place of the one that it was made from, whose requests it has.
  server.on('secureConnection', (socket: Socket) => {
    const { remoteAddress, remotePort } = socket
    const own = sockets.find((one) => one.remotePort === remotePort && one.remoteAddress === remoteAddress)
    if (own !== undefined) removeLast(sockets, own)
    add(socket)
  })
  return { sockets, accepted: () => accepted }
}
