import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep, setImmediate as yieldToLoop } from 'node:timers/promises'
import { removeLast } from '../../collections/remove-last.ts'
import { gatewayError } from '../../protocol/error.ts'
import type { Connections } from './connections.ts'
import type { HttpContext } from './http-context.ts'

/** Sent to a client whose answer took longer than the server could wait. */
const STOPPING = gatewayError('server_stopping', 'The server is stopping. Retry the request.', 503)

/**
 * The most ticks of the loop that the server waits for connections of the system's queue. Node accepts one a tick, so that
 * a busy server has a queue; a request of it would be lost with the port.
 */
const QUEUE_TICKS = 1000

/** Time for the last events of aborted streams. */
const LAST_EVENTS_MS = 1000

export interface Drain {
  isDraining(): boolean
  /** Removes an exchange that has ended. Once the server accepts no connections, its connection is closed as well. */
  release(context: HttpContext): void
  /** Resolves when all connections are closed. A second call waits for the same end, and may bring it sooner. */
  run(limitSeconds: number, noticeSeconds: number): Promise<void>
}

/** The open WebSockets of the server. */
interface DrainedSockets {
  all(): readonly { readonly transport: Socket; drain(): void }[]
  exchanges(): readonly Pick<HttpContext, 'abort'>[]
}

/** Stops a server: reports that it drains, stops accepting connections, waits, and aborts the remaining exchanges. */
export function createDrain(
  server: Server,
  { sockets, accepted }: Connections,
  open: HttpContext[],
  websockets: DrainedSockets,
): Drain {
  let closed: Promise<void> | null = null
  let draining = false

  // Node's `close` also ends a connection whose answer is written but not yet read, because it counts as idle.
  // `closeServer` ends the idle connections instead.
  server.closeIdleConnections = () => {}
  const acceptQueue = async (): Promise<void> => {
    for (let turn = 0; turn < QUEUE_TICKS; turn += 1) {
      const before = accepted()
      await yieldToLoop()
      // The second turn begins after a read of the system's events.
      await yieldToLoop()
      if (accepted() === before) return
    }
  }
  const closeServer = (): Promise<void> => {
    closed ??= new Promise((resolve) => server.close(() => resolve()))
    const busy = new Set([
      ...open.map(({ request }) => request.socket),
      ...websockets.all().map(({ transport }) => transport),
    ])
    for (const socket of [...sockets]) if (!busy.has(socket)) socket.destroy()
    for (const websocket of [...websockets.all()]) websocket.drain()
    return closed
  }

  return {
    isDraining: () => draining,
    release(context) {
      const { request } = context
      removeLast(open, context)
      if (closed !== null) request.socket.destroySoon()
    },
    async run(limitSeconds, noticeSeconds) {
      draining = true
      if (noticeSeconds > 0) await sleep(noticeSeconds * 1000)
      if (closed === null) await acceptQueue()
      const done = closeServer()
      if (await within(done, limitSeconds * 1000)) return
      for (const context of [...open, ...websockets.exchanges()]) context.abort(STOPPING)
      if (await within(done, LAST_EVENTS_MS)) return
      for (const socket of [...sockets]) socket.destroy()
      await done
    },
  }
}

/** Whether the promise resolved in time. */
async function within(done: Promise<void>, ms: number): Promise<boolean> {
  const timer = new AbortController()
  const late = sleep(ms, false, { signal: timer.signal }).catch(() => false)
  const inTime = await Promise.race([done.then(() => true), late])
  timer.abort()
  return inTime
}
