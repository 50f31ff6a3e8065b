import { concatenated } from '../text/bytes.ts'

/** Bytes that may wait before the client counts as behind: as many as the server of Node and its system hold. */
const MOST_WAITING = 64 * 1024

interface AnswerStreamEvents {
  /** The client is behind: nothing more should be written until `onDrain`. */
  onFull(): void
  onDrain(): void
  /** Called once: the client has taken the last byte, or has cancelled the stream, or has read nothing for too long. */
  onOver(reason: 'read' | 'cancelled' | 'stalled'): void
}

/**
 * The body of an answer as a stream that its reader pulls. The stream itself holds no bytes: what waits is counted here,
 * and the moment at which the last byte is taken is known.
 */
export class AnswerStream {
  readonly readable: ReadableStream<Uint8Array>
  private readonly events: AnswerStreamEvents
  private readonly stalledMs: number
  private controller: ReadableStreamDefaultController<Uint8Array> | null = null
  private waiting: Uint8Array[] = []
  private size = 0
  private isPulled = false
  private isFull = false
  private hasEnded = false
  private isOver = false
  private timer: ReturnType<typeof setTimeout> | undefined

  /** `stalledMs`: the longest time in which the client may read nothing of what waits. */
  constructor(events: AnswerStreamEvents, stalledMs: number) {
    this.events = events
    this.stalledMs = stalledMs
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.controller = controller
        },
        pull: () => this.give(),
        cancel: () => this.finish('cancelled'),
      },
      { highWaterMark: 0 },
    )
  }

  get over(): boolean {
    return this.isOver
  }

  get behind(): boolean {
    return this.isFull
  }

  /** Copies the bytes. */
  write(bytes: Uint8Array): void {
    if (this.isOver || this.hasEnded || bytes.length === 0) return
    this.waiting.push(bytes.slice())
    this.size += bytes.length
    if (this.isPulled) this.give()
    else this.watch()
    if (this.size < MOST_WAITING || this.isFull) return
    this.isFull = true
    this.events.onFull()
  }

  end(): void {
    if (this.isOver) return
    this.hasEnded = true
    if (this.isPulled) this.give()
    else this.watch()
  }

  destroy(): void {
    if (this.isOver) return
    this.controller?.error(new Error('The response was broken off.'))
    this.finish('cancelled')
  }

  /** Hands over what waits, or the end. */
  private give(): void {
    if (this.isOver) return
    clearTimeout(this.timer)
    this.timer = undefined
    if (this.size > 0) {
      this.isPulled = false
      const bytes = this.waiting.length === 1 ? this.waiting[0] : concatenated(this.waiting)
      this.waiting = []
      this.size = 0
      if (bytes !== undefined) this.controller?.enqueue(bytes)
      if (this.hasEnded) this.watch()
      if (!this.isFull) return
      this.isFull = false
      this.events.onDrain()
    } else if (this.hasEnded) {
      this.controller?.close()
      this.finish('read')
    } else this.isPulled = true
  }

  private watch(): void {
    this.timer ??= setTimeout(() => {
      if (this.isOver) return
      this.controller?.error(new Error('The response was not read.'))
      this.finish('stalled')
    }, this.stalledMs)
  }

  private finish(reason: Parameters<AnswerStreamEvents['onOver']>[0]): void {
    if (this.isOver) return
    this.isOver = true
    clearTimeout(this.timer)
    this.waiting = []
    this.events.onOver(reason)
  }
}
