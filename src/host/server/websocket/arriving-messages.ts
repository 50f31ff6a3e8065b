import type { Socket } from 'node:net'
import type { BodyBudget, Lease } from '../../../gateway/body/body-budget.ts'
import { BUSY } from '../../../gateway/body/body-intake.ts'
import { ByteBlocks } from '../../../gateway/body/byte-blocks.ts'
import { clientError, type GatewayError } from '../../../protocol/error.ts'
import { BODIES } from '../../../protocol/limits.ts'
import { concatenated, copied } from '../../../text/bytes.ts'
import type { TickQueue } from '../../tick-queue.ts'
import { FrameHead } from './frame-head.ts'

export interface ArrivingOptions {
  readonly transport: { pause(): unknown; resume(): unknown }
  /** The memory of all bodies of requests, which messages share. */
  readonly bodies: BodyBudget
  /** The library closes the connection after the head of a longer message. */
  readonly maxBytes: number
  /** The longest time in which a message arrives. */
  readonly longestMs: number
  /** Whether no further message is read now. */
  readonly isPaused: () => boolean
  /** Frames that cost hardly anything to send give other connections their turn. */
  readonly queue: Pick<TickQueue, 'hasTime' | 'run'>
  /** A control frame was delivered, which the library may have answered. */
  readonly onControl: () => void
  /** Receives the reason why a message is refused. The rest of the message is discarded. */
  readonly onRefused: (error: GatewayError) => void
}

const LATE = clientError(
  'request_timeout',
  'The message did not arrive within connections.body_seconds of this server. Send it again.',
)

/**
 * The messages of one connection, until they are complete. The library would collect them without a budget and without a
 * time limit: it receives whole messages, and control frames at once (RFC 6455, 5.4). A message that is refused does not
 * end the connection, because other answers may run on it.
 */
export class ArrivingMessages {
  private readonly options: ArrivingOptions
  private readonly deliver: (bytes: Uint8Array) => void
  private readonly head = new FrameHead()
  /** The bytes of the message so far, its size, and its share of the budget. */
  private readonly held = new ByteBlocks()
  private size = 0
  private lease: Lease | null = null
  private timer: NodeJS.Timeout | undefined
  private control: Uint8Array[] = []
  /** Bytes that arrived while the connection was paused, in memory of their own, and from where on they are not read. */
  private rest: Uint8Array | null = null
  /** The share of the message that the library receives now. */
  private whole: Lease | null = null
  /** The rest of a message is discarded; every byte goes to the library; no byte does. */
  private mode: 'collect' | 'discard' | 'pass' | 'over' = 'collect'

  constructor(options: ArrivingOptions, deliver: (bytes: Uint8Array) => void) {
    this.options = options
    this.deliver = deliver
  }

  receive(bytes: Uint8Array): void {
    if (this.rest === null) this.read(bytes)
    else this.rest = concatenated([this.rest, bytes])
  }

  /** The connection is read again. */
  resume(): void {
    const { rest } = this
    this.rest = null
    if (rest !== null) this.read(rest, true)
  }

  /** Returns the share of the message that was delivered last. Its new owner releases it. */
  takeLease(): Lease {
    const { whole } = this
    this.whole = null
    return whole ?? this.options.bodies.lease()
  }

  /** The connection has ended. */
  stop(): void {
    this.mode = 'over'
    this.rest = null
    this.drop()
  }

  /** `isOwn`: the bytes stay as they are. A copy for each of many small messages would be quadratic work. */
  private read(bytes: Uint8Array, isOwn = false): void {
    let frames = 0
    for (let at = 0; at < bytes.length; frames += 1) {
      if (this.mode === 'over') return
      if (this.mode === 'pass') {
        this.deliver(bytes.subarray(at))
        return
      }
      const isLate = frames > 0 && frames % FRAMES === 0 && !this.options.queue.hasTime()
      if (isLate || this.options.isPaused()) {
        const rest = bytes.subarray(at)
        this.rest = isOwn ? rest : copied(rest)
        if (isLate) this.readLater()
        break
      }
      at = this.readFrame(bytes, at)
    }
    if (this.size > 0) this.wait()
  }

  private readLater(): void {
    this.options.transport.pause()
    this.options.queue.run(() => {
      if (this.mode === 'over' || this.options.isPaused()) return
      this.options.transport.resume()
      this.resume()
    })
  }

  /** Reads up to the end of a frame, and returns the offset after it. */
  private readFrame(bytes: Uint8Array, from: number): number {
    const { head } = this
    const isNew = !head.isComplete()
    const body = head.read(bytes, from)
    if (isNew && head.isComplete() && this.exceeds()) {
      this.pass(bytes.subarray(from, body))
      return body
    }
    const to = head.skip(bytes, body)
    const piece = bytes.subarray(from, to)
    // A small part must not keep the whole read in memory.
    const own = head.isOver() || this.size > 0 ? piece : copied(piece)
    if (head.isControl()) this.control.push(own)
    else if (this.mode === 'collect') {
      this.size += piece.length
      this.held.add(own)
    }
    if (head.isOver()) this.endFrame()
    return to
  }

  /** The library refuses the frame by its head. */
  private exceeds(): boolean {
    const { head, size } = this
    return head.isControl() ? head.length > MOST_CONTROL : head.length + size > this.options.maxBytes + HEADS
  }

  private pass(head: Uint8Array): void {
    const held = this.held.take()
    this.drop()
    this.mode = 'pass'
    for (const piece of [...held, ...this.control, head]) this.deliver(piece)
  }

  private endFrame(): void {
    const { head } = this
    const { isClose, isLast } = head
    const isControl = head.isControl()
    head.reset()
    if (isControl) {
      const frame = concatenated(this.control)
      this.control = []
      this.deliver(frame)
      if (isClose) this.stop()
      else this.options.onControl()
    } else if (isLast) this.endMessage()
  }

  private endMessage(): void {
    if (this.mode === 'discard') {
      this.mode = 'collect'
      return
    }
    if (!this.hasRoom()) {
      this.refuse(BUSY)
      this.mode = 'collect'
      return
    }
    const pieces = this.held.take()
    this.whole = this.lease
    this.lease = null
    this.drop()
    for (const piece of pieces) this.deliver(piece)
    // The library may have found a fault.
    this.whole?.release()
    this.whole = null
  }

  /** The message continues in a later read. */
  private wait(): void {
    if (!this.hasRoom()) this.refuse(BUSY)
    else this.timer ??= setTimeout(() => this.onLate(), this.options.longestMs)
  }

  private hasRoom(): boolean {
    this.lease ??= this.options.bodies.lease()
    return this.lease.resize(this.size * BODIES.perByte)
  }

  /** The client cannot send while its connection is paused. */
  private onLate(): void {
    this.timer = undefined
    if (this.options.isPaused()) this.wait()
    else this.refuse(LATE)
  }

  private refuse(error: GatewayError): void {
    this.drop()
    this.mode = 'discard'
    this.options.onRefused(error)
  }

  private drop(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.held.clear()
    this.size = 0
    this.lease?.release()
    this.lease = null
  }
}

/** RFC 6455, 5.5. */
const MOST_CONTROL = 125

/** Frames that are read between two looks at the time. */
const FRAMES = 32

/** The heads of earlier frames of the same message, which its size includes. */
const HEADS = 16 * 1024 * 14

/**
 * Puts itself between a connection and the library that reads it. null on platforms whose library reads the connection
 * by itself.
 */
export function collectMessages(options: ArrivingOptions & { readonly transport: Socket }): ArrivingMessages | null {
  const { transport } = options
  const reader = transport.listeners('data').at(-1)
  if (reader === undefined) return null
  const arriving = new ArrivingMessages(options, (bytes) => void reader.call(transport, bytes))
  transport.off('data', reader as (bytes: Buffer) => void)
  transport.on('data', (bytes: Buffer) => arriving.receive(bytes))
  return arriving
}
