import type { Target } from '../../engine/target.ts'
import type { Config } from '../config/config.ts'
import { streamFormOf } from '../exchange/keep-alive-events.ts'
import type { Reply, StreamReply, StreamReplyOptions } from '../exchange/reply.ts'
import { GONE, type RequestContext } from '../exchange/request-context.ts'
import { EventRing, type Unheld } from './event-ring.ts'

/** The limits of streams that their clients may resume. */
export type ResumeLimits = NonNullable<Config['resume']>

/** All streams that may be resumed. */
export interface KeptStreamOwner {
  readonly limits: ResumeLimits
  /** The id of the response is known. */
  register(stream: KeptStream, key: string, responseId: string): void
  /** A stream has grown by this many bytes; negative: it holds less. */
  grow(stream: KeptStream, bytes: number): void
  noteEnd(stream: KeptStream): void
  noteForgotten(stream: KeptStream): void
}

type Timer = ReturnType<typeof setTimeout>

const NO_BYTES: Uint8Array = new Uint8Array(0)

/** A client that reads the stream now. */
interface Attached {
  readonly reply: Reply
  readonly stream: StreamReply
}

/**
 * One stream that outlives the connection of its client: it is written to the client that is there, and its last bytes
 * are held for one that comes back. Exists only for requests that opted in.
 */
export class KeptStream implements StreamReply {
  onForget: () => void = () => undefined
  private readonly owner: KeptStreamOwner
  /** The exchange of the request; null after the end of the answer. */
  private context: RequestContext | null
  private readonly key: string
  private readonly target: Target
  private readonly ring = new EventRing()
  private options: StreamReplyOptions | null = null
  private client: Attached | null = null
  private isFull = false
  private isRegistered = false
  private hasEnded = false
  private isForgotten = false
  private timer: Timer | undefined

  constructor(owner: KeptStreamOwner, context: RequestContext, key: string, target: Target) {
    this.owner = owner
    this.context = context
    this.key = key
    this.target = target
  }

  /** Whether the stream goes on without a client. */
  goesOn(): boolean {
    return this.isRegistered && !this.hasEnded && !this.isForgotten
  }

  over(): boolean {
    return this.hasEnded || this.isForgotten
  }

  /** Opens the stream for its first client. */
  open(reply: Reply, options: StreamReplyOptions): void {
    this.options = options
    if (this.context !== null) this.attach(reply, this.context, NO_BYTES)
  }

  /** Returns the events after one that a client has received, as `EventRing.after`. */
  after(number: number | null): Uint8Array | Unheld {
    return this.ring.after(number)
  }

  /** Continues the stream for a client that has come back, beginning with these bytes. The one before is cut off. */
  resume(context: RequestContext, missed: Uint8Array): void {
    const before = this.client
    this.client = null
    before?.reply.destroy()
    // A client that did not read has held the upstream back.
    this.release()
    this.clearTimer()
    this.attach(context.reply, context, missed)
    if (this.hasEnded) this.expire()
  }

  write(frames: Uint8Array): void {
    if (frames.length === 0) return
    this.hold(frames)
    this.client?.stream.write(frames)
  }

  end(frames: Uint8Array): void {
    if (this.hasEnded) return
    this.hold(frames)
    this.client?.stream.end(frames)
    this.finish()
  }

  /** The answer has ended, or was broken off. */
  finish(): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.clearTimer()
    this.options = null
    this.context = null
    if (this.isForgotten) return
    this.owner.noteEnd(this)
    if (this.isRegistered) this.expire()
    else this.forget()
  }

  /** Breaks the stream off for the client that reads it. */
  destroy(): void {
    this.client?.reply.destroy()
    this.finish()
  }

  /** A client has left, or its connection was lost. Returns whether the stream goes on. */
  lose(reply: Reply): boolean {
    if (this.client?.reply === reply) {
      this.client = null
      this.release()
      if (this.goesOn()) {
        this.clearTimer()
        this.timer = setTimeout(() => this.abandon(), this.owner.limits.upstream_seconds * 1000)
      }
    }
    return this.goesOn()
  }

  dropOldest(): boolean {
    const before = this.ring.bytes()
    if (!this.ring.dropOldest()) return false
    this.owner.grow(this, this.ring.bytes() - before)
    return true
  }

  /** Holds nothing any more. The stream goes on for a client that reads it. */
  forget(): void {
    if (this.isForgotten) return
    this.isForgotten = true
    this.clearTimer()
    this.owner.noteForgotten(this)
    this.onForget()
    this.owner.grow(this, -this.ring.bytes())
    if (!this.hasEnded && this.client === null) this.leave()
  }

  private attach(reply: Reply, context: RequestContext, missed: Uint8Array): void {
    const { options } = this
    const stream = reply.openStream(context.journal, streamFormOf(context.request, this.target), {
      keepAliveMs: options?.keepAliveMs ?? 0,
      onFull: () => this.block(reply),
      onDrain: () => this.client?.reply === reply && this.release(),
    })
    this.client = { reply, stream }
    if (this.context !== context) reply.onClose({ onClose: () => void this.lose(reply) })
    if (!this.hasEnded) stream.write(missed)
    else stream.end(missed)
  }

  private hold(frames: Uint8Array): void {
    if (this.isForgotten) return
    const before = this.ring.bytes()
    this.ring.add(frames)
    const grown = this.ring.bytes() - before
    if (grown > 0) this.owner.grow(this, grown)
    if (!this.isRegistered) this.register()
    if (this.isForgotten) return
    while (this.ring.bytes() > this.owner.limits.stream_bytes) if (!this.dropOldest()) return
  }

  private register(): void {
    const first = this.ring.first()
    if (first === undefined) return
    // A stream whose events have no numbers cannot be continued.
    if (first === null) {
      this.forget()
      return
    }
    this.isRegistered = true
    this.owner.register(this, this.key, first.responseId)
  }

  private block(reply: Reply): void {
    if (this.client !== null && this.client.reply !== reply) return
    this.isFull = true
    this.options?.onFull()
  }

  private release(): void {
    if (!this.isFull) return
    this.isFull = false
    this.options?.onDrain()
  }

  /** No client has come back in time: the upstream is aborted, and the answer ends as failed. */
  private abandon(): void {
    if (!this.hasEnded) this.leave()
  }

  private leave(): void {
    if (this.context === null) return
    this.context.journal.mark('gone')
    this.context.abort(GONE)
  }

  private expire(): void {
    if (this.isForgotten) return
    this.timer = setTimeout(() => this.forget(), this.owner.limits.seconds * 1000)
  }

  private clearTimer(): void {
    clearTimeout(this.timer)
    this.timer = undefined
  }
}
