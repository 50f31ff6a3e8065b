import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { putBytes } from '../../../text/bytes.ts'
import type { Outlet } from './socket-reply.ts'

const AS_TEXT = { binary: false, compress: false } as const

/** FIN and the opcode of text (RFC 6455, 5.2). */
const TEXT = 0x81
const LENGTH_16 = 126
const LONGEST_HEAD = 4
/** Longer messages are framed by the library. */
const MOST_LENGTH = 0xffff

/** Shorter writes use Node's own pool. */
const SHORT = 4 * 1024

const createScratch = (): Buffer => Buffer.allocUnsafeSlow(256 * 1024)

/** Scratch memory for the frames of one write. It is reused as long as the system takes each write at once. */
let scratch = createScratch()
/** The bytes of `scratch` that have frames of `owner`. */
let filled = 0
let owner: SocketOutlet | null = null

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
    this.flush()
    if (this.isClosed()) return true
    this.sent += 1
    this.socket.send(message, AS_TEXT)
    return !this.isBehind()
  }

  /**
   * The library writes whole frames at once, because nothing is compressed, so that frames of another hand may stand
   * between them.
   */
  add(prefix: Uint8Array, bytes: Uint8Array, start: number, end: number): void {
    const length = prefix.length + end - start
    if (length > MOST_LENGTH) {
      this.send(Buffer.concat([prefix, bytes.subarray(start, end)]))
      return
    }
    if (owner !== this || filled + LONGEST_HEAD + length > scratch.length) {
      owner?.flush()
      owner = this
    }
    const into = scratch
    let at = filled
    into[at] = TEXT
    if (length < LENGTH_16) {
      into[at + 1] = length
      at += 2
    } else {
      into[at + 1] = LENGTH_16
      into[at + 2] = length >> 8
      into[at + 3] = length & 0xff
      at += LONGEST_HEAD
    }
    if (prefix.length > 0) putBytes(into, prefix, at)
    putBytes(into, bytes.subarray(start, end), at + prefix.length)
    filled = at + length
    this.sent += 1
  }

  flush(): boolean {
    if (owner !== this) return !this.isBehind()
    const written = scratch.subarray(0, filled)
    owner = null
    filled = 0
    if (this.isClosed()) return true
    const isShort = written.length < SHORT
    this.transport.write(isShort ? Buffer.from(written) : written)
    if (!isShort && this.transport.writableLength > 0) scratch = createScratch()
    return !this.isBehind()
  }

  whenDrained(listener: () => void): void {
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

  /** The system may have taken a long write at once, before the transport notes it. */
  isBehind(): boolean {
    const { writableNeedDrain, writableLength } = this.transport
    return writableNeedDrain && writableLength > 0
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
