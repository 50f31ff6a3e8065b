import type { Socket } from 'node:net'

/** The bytes that a fast client may deliver in one tick of the event loop. */
const TURN_BYTES = 256 * 1024
/** The chunks that it may deliver in one tick, because each costs a call, however small it is. */
const TURN_CHUNKS = 4096

/**
 * Gives other connections their turn: Node reads up to 2 MiB of each connection before it reads the next one. The
 * returned function receives the size of each chunk, and pauses the connection for the rest of a turn that has
 * delivered enough.
 */
export function createPace(socket: Socket): (size: number) => void {
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
