import type { Socket } from 'node:net'

/** Requests that wait behind another one: with more, the connection is not read until some were answered. */
const MOST_WAITING = 64

/** The order of requests on each connection. */
export interface Turns {
  /**
   * Resolves when every request before this one was answered, or when the connection has closed; null where none is
   * before it.
   */
  take(socket: Socket): Promise<void> | null
  /** Calls it once, when another request waits for the one whose turn it is. */
  onBlocked(socket: Socket, listener: () => void): void
  /** The request whose turn it was is over. */
  release(socket: Socket): void
}

interface Line {
  waiting: (() => void)[]
  onBlocked: (() => void) | null
}

/**
 * Lets one request at a time of each connection through. Clients may send requests without waiting for answers (RFC 9112,
 * 9.3.2); node emits each at once, and when the connection breaks it closes only the response that is being written.
 */
export function openTurns(): Turns {
  const lines = new WeakMap<Socket, Line>()
  const watched = new WeakSet<Socket>()

  /** Requests that wait on a connection that has closed begin, and see that it is closed. */
  const watch = (socket: Socket): void => {
    if (watched.has(socket)) return
    watched.add(socket)
    socket.once('close', () => {
      for (const begin of lines.get(socket)?.waiting.splice(0) ?? []) begin()
    })
  }

  const report = (line: Line): void => {
    const { onBlocked } = line
    line.onBlocked = null
    onBlocked?.()
  }

  return {
    take(socket) {
      const line = lines.get(socket)
      if (line === undefined) {
        lines.set(socket, { waiting: [], onBlocked: null })
        return null
      }
      if (socket.destroyed) return null
      watch(socket)
      report(line)
      if (line.waiting.length + 1 >= MOST_WAITING) socket.pause()
      return new Promise((begin) => void line.waiting.push(begin))
    },
    onBlocked(socket, listener) {
      const line = lines.get(socket)
      if (line === undefined) return
      line.onBlocked = listener
      if (line.waiting.length > 0) report(line)
    },
    release(socket) {
      const line = lines.get(socket)
      const begin = line?.waiting.shift()
      if (line === undefined || begin === undefined) {
        lines.delete(socket)
        return
      }
      line.onBlocked = null
      if (line.waiting.length < MOST_WAITING / 2 && socket.isPaused()) socket.resume()
      begin()
    },
  }
}
