import type { Socket } from 'node:net'

/** A client that sends as fast as it is read gives so much in one turn of the loop. */
const TURN_BYTES = 256 * 1024
/** Each chunk costs a call, however small it is. */
const TURN_CHUNKS = 4096

/**
 * Lets others have their turn: what it returns is told the size of each chunk, and does not read the connection for the rest
 * of a turn that has brought enough. node reads up to 2 MiB of each connection before it looks at the next one.
 */
export function openPace(socket: Socket): (size: number) => void {
  let bytes = 0
  let chunks = 0
  return (size) => {
    bytes += size
    chunks += 1
    if (bytes < TURN_BYTES && chunks < TURN_CHUNKS) return
    bytes = 0
    chunks = 0
    socket.pause()
    setImmediate(() => socket.resume())
  }
}
