import type { Socket } from 'node:net'
import type { TickQueue } from '../tick-queue.ts'
import { holdReads, releaseReads } from './sliced-reads.ts'

/**
 * The highest number of waiting requests. Beyond it, the connection is not read until some of them are answered. Each of
 * them may have a head of 16 KiB, on every connection, before a key is checked.
 */
const MOST_WAITING = 8

interface RequestOrder {
  /**
   * Resolves when every earlier request was answered, or when the connection has closed; with false if the request is
   * not answered at all. null if there is no earlier request.
   */
  take(socket: Socket): Promise<boolean> | null
  /** Notifies the listener once, when another request waits for the active one. */
  onBlocked(socket: Socket, listener: BlockedListener): void
  /** The active request has ended. */
  release(socket: Socket): void
  /** No further request of this connection is answered. */
  close(socket: Socket): void
}

interface BlockedListener {
  onBlocked(): void
}

interface Line {
  waiting: ((isAnswered: boolean) => void)[]
  blocked: BlockedListener | null
}

/**
 * Lets one request of each connection through at a time. Clients may send requests without waiting for answers (RFC
 * 9112, 9.3.2). Node emits each request at once, and when the connection breaks it closes only the response that is
 * being written. `queue`: answers that are there at once give the requests of other connections their turn.
 */
export function createRequestOrder(queue: TickQueue): RequestOrder {
  const lines = new WeakMap<Socket, Line>()
  const watched = new WeakSet<Socket>()
  const closed = new WeakSet<Socket>()

  /** Starts the waiting requests of a closed connection, which then detect that it is closed. */
  const watch = (socket: Socket): void => {
    if (watched.has(socket)) return
    watched.add(socket)
    socket.once('close', () => {
      for (const begin of lines.get(socket)?.waiting.splice(0) ?? []) queue.run(() => begin(true))
    })
  }

  const report = (line: Line): void => {
    const { blocked } = line
    line.blocked = null
    blocked?.onBlocked()
  }

  return {
    take(socket) {
      if (closed.has(socket)) {
        holdReads(socket)
        return UNANSWERED
      }
      const line = lines.get(socket)
      if (line === undefined) {
        lines.set(socket, { waiting: [], blocked: null })
        return null
      }
      if (socket.destroyed) return null
      watch(socket)
      report(line)
      if (line.waiting.length + 1 >= MOST_WAITING) holdReads(socket)
      return new Promise((begin) => void line.waiting.push(begin))
    },
    onBlocked(socket, listener) {
      const line = lines.get(socket)
      if (line === undefined) return
      line.blocked = listener
      if (line.waiting.length > 0) report(line)
    },
    release(socket) {
      const line = lines.get(socket)
      const begin = line?.waiting.shift()
      if (line === undefined || begin === undefined) {
        lines.delete(socket)
        return
      }
      line.blocked = null
      if (line.waiting.length < MOST_WAITING / 2) releaseReads(socket)
      queue.run(() => begin(!closed.has(socket)))
    },
    close(socket) {
      closed.add(socket)
      for (const begin of lines.get(socket)?.waiting.splice(0) ?? []) begin(false)
    },
  }
}

const UNANSWERED = Promise.resolve(false)
