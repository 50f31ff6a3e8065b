import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import type { Outlet } from './socket-reply.ts'

const AS_TEXT = { binary: false, compress: false } as const

/**
 * Sends the messages of one connection. A client that reads slowly holds back the answers of all its lanes, and is cut
 * if it reads nothing for `stalledMs` milliseconds.
 */
export class SocketOutlet implements Outlet {
  /** True if the client was cut because it did not read. */
  isStalled = false
  private sent = 0
  private readonly socket: WebSocket
  private readonly transport: Socket
  private readonly stalledMs: number
  private draining: (() => void)[] = []
  private readonly closing = new Set<() => void>()
  private stalling: NodeJS.Timeout | undefined

  constructor(socket: WebSocket, transport: Socket, stalledMs: number) {
    this.socket = socket
    this.transport = transport
    this.stalledMs = stalledMs
    transport.on('drain', () => this.release())
    socket.on('close', () => {
      clearTimeout(this.stalling)
      for (const listener of [...this.closing]) listener()
      this.release()
    })
  }

  send(message: Uint8Array | string): boolean {
    if (this.isClosed()) return true
    this.sent += 1
    this.socket.send(message, AS_TEXT)
    return !this.isBehind()
  }

  together(act: () => void): void {
    this.transport.cork()
    act()
    this.transport.uncork()
  }

  whenDrained(listener: () => void): void {
    // The system may have taken corked messages at once, after which no event follows.
    if (!this.isBehind()) {
      listener()
      return
    }
    this.draining.push(listener)
    this.stalling ??= this.watch(this.taken())
  }

  whenClosed(listener: () => void): () => void {
    this.closing.add(listener)
    return () => void this.closing.delete(listener)
  }

  /** Returns the number of messages that were sent since the last call. */
  takeSent(): number {
    const { sent } = this
    this.sent = 0
    return sent
  }

  isClosed(): boolean {
    return this.socket.readyState !== this.socket.OPEN
  }

  private isBehind(): boolean {
    return this.transport.writableNeedDrain
  }

  private release(): void {
    clearTimeout(this.stalling)
    this.stalling = undefined
    for (const listener of this.draining.splice(0)) listener()
  }

  private cut(): void {
    this.isStalled = true
    this.socket.terminate()
  }

  /** The bytes that the system has taken. */
  private taken(): number {
    return this.transport.bytesWritten - this.transport.writableLength
  }

  /** A client that makes progress is not cut, however long its answers take. */
  private watch(before: number): NodeJS.Timeout {
    return setTimeout(() => {
      const taken = this.taken()
      if (taken === before) this.cut()
      else this.stalling = this.watch(taken)
    }, this.stalledMs)
  }
}
