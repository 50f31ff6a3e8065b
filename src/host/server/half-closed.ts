import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const FIRST_MS = 20
const LAST_MS = 15_000

/** How long the answer to a half-closed client may take if no probe can be written before it. */
const GRACE_MS = 100

/** The exchange of a client. */
interface Watched {
  /** Called if the client may have left and no probe can be written: before the head, over HTTP/1.0. */
  onPeerGone(): void
  /** Text without a meaning that may be written into the answer after its head; null if there is none. */
  filler(): string | null
}

const WATCH = Symbol('watch')

type WatchedSocket = Socket & { [WATCH]?: PeerWatch | null }

/**
 * A half-closed socket (FIN received) may belong to a client that left or to one that still reads. Only a write shows
 * which: the system of a client that left answers with RST. Probes are therefore written at growing intervals: `102
 * Processing` before the head, a comment or white space after it. The same holds for a connection that is not read.
 */
export class PeerWatch {
  private readonly socket: WatchedSocket
  private readonly response: ServerResponse
  private readonly owner: Watched
  private readonly isOld: boolean
  private timer: NodeJS.Timeout | undefined

  constructor({ socket, httpVersion }: IncomingMessage, response: ServerResponse, owner: Watched) {
    this.socket = socket
    this.response = response
    this.owner = owner
    this.isOld = httpVersion !== '1.1'
    if (socket.readableEnded) this.onEnd()
    else if (!socket.destroyed) {
      Object.assign(socket, { [WATCH]: this })
      socket.on('end', onEnd)
    }
  }

  /** Begins to write probes: the client has ended its side, or the connection may be paused, which hides that it does. */
  start(): void {
    clearTimeout(this.timer)
    this.probe(FIRST_MS)
  }

  stop(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.socket[WATCH] = null
    this.socket.off('end', onEnd)
  }

  onEnd(): void {
    this.start()
    if (!this.canProbe())
      setTimeout(() => this.canProbe() || this.response.destroyed || this.owner.onPeerGone(), GRACE_MS)
  }

  private canProbe(): boolean {
    return this.response.headersSent || !this.isOld
  }

  private probe(wait: number): void {
    const { socket, response } = this
    this.timer = setTimeout(() => this.probe(Math.min(wait * 2, LAST_MS)), wait)
    if (!socket.readableEnded && !socket.isPaused()) return
    if (response.headersSent) writeNothing(response, this.owner.filler())
    else if (this.canProbe()) response.writeProcessing()
  }
}

/** All sockets share this listener, because a function of its own would be two more objects of every stream. */
function onEnd(this: Socket): void {
  ;(this as WatchedSocket)[WATCH]?.onEnd()
}

/** Writes only into an open stream whose client is not behind. */
function writeNothing(response: ServerResponse, filler: string | null): void {
  if (filler !== null && !response.writableEnded && !response.writableNeedDrain) response.write(filler)
}
