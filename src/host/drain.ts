import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gatewayError } from '../protocol/error.ts'
import type { Exchange } from './exchange.ts'
import { leave } from './present.ts'

/** Told to a client whose answer took longer than the server could wait. */
const STOPPING = gatewayError('server_stopping', 'The service is being stopped.', 503)

/** For the last words of streams that were ended. */
const FAREWELL_MS = 1000

export interface Drain {
  isDraining(): boolean
  /** An exchange is over: the door being closed, its connection is needed no more. */
  release(exchange: Exchange): void
  /** Resolves when nothing is open any more. Whoever calls again waits for the same end, which may come sooner then. */
  run(limitSeconds: number, noticeSeconds: number): Promise<void>
}

/** The end of a server: say so, close the door, wait, end what is left. */
export function openDrain(server: Server, open: readonly Exchange[]): Drain {
  let closed: Promise<void> | null = null
  let draining = false

  const sockets: Socket[] = []
  server.on('connection', (socket) => {
    sockets.push(socket)
    socket.on('close', () => leave(sockets, socket))
  })

  // `close` ends idle connections, and takes one whose answer is written, but not yet fetched, for idle: those are ended
  // here instead.
  server.closeIdleConnections = () => {}
  const shut = (): Promise<void> => {
    closed ??= new Promise((resolve) => server.close(() => resolve()))
    const busy = new Set(open.map(({ request }) => request.socket))
    for (const socket of [...sockets]) if (!busy.has(socket)) socket.destroy()
    return closed
  }

  return {
    isDraining: () => draining,
    release({ request }) {
      if (closed !== null) request.socket.destroySoon()
    },
    async run(limitSeconds, noticeSeconds) {
      draining = true
      if (noticeSeconds > 0) await sleep(noticeSeconds * 1000)
      const done = shut()
      if (await within(done, limitSeconds * 1000)) return
      for (const exchange of [...open]) exchange.abort(STOPPING)
      if (await within(done, FAREWELL_MS)) return
      for (const socket of [...sockets]) socket.destroy()
      await done
    },
  }
}

/** Whether it came to an end in time. */
async function within(done: Promise<void>, ms: number): Promise<boolean> {
  const timer = new AbortController()
  const late = sleep(ms, false, { signal: timer.signal }).catch(() => false)
  const inTime = await Promise.race([done.then(() => true), late])
  timer.abort()
  return inTime
}
