import type { Sliced } from '../../engine/answer.ts'
import { afterTick } from '../run-in-slices.ts'
import type { BodyReader, UpstreamResponse } from '../upstream/transport.ts'

/** The work of one answer, and the receiver of its results. */
interface SlicesOwner<Made> {
  readonly answer: Sliced<Made>
  take(made: Made): void
  /** Receives an exception of `take` or of the work, which is a bug of the gateway. */
  onBug(error: unknown): void
}

/** All answers without waiting work share it. */
const NO_WORK: (() => void)[] = []

/**
 * Runs the work of one answer in slices, and lets other requests run between two slices. Meanwhile the upstream of the
 * turn is paused, and bytes that have arrived wait. While the client is behind, the work waits, too.
 */
export class Slices<Made> {
  private readonly owner: SlicesOwner<Made>
  private readonly work: Sliced<Made>
  /** How often the upstream was paused. */
  pauses = 0
  private upstream: UpstreamResponse | null = null
  private waiting = NO_WORK
  private scheduled = false
  private isBehind = false
  private isOver = false

  constructor(owner: SlicesOwner<Made>) {
    this.owner = owner
    this.work = owner.answer
  }

  /** Whether pending work must be finished before new work. */
  busy(): boolean {
    return this.work.busy() || this.waiting.length > 0
  }

  isPaused(): boolean {
    return this.isBehind || this.busy()
  }

  /** Runs the first slice of new work: at once, or when all earlier work is finished. */
  run(first: () => Made): void {
    if (this.isOver) return
    const act = (): void => this.owner.take(first())
    if (!this.busy()) act()
    else if (this.waiting.length > 0) this.waiting.push(act)
    else this.waiting = [act]
    this.schedule()
  }

  /** Schedules the remaining slices, if there are any. */
  schedule(): void {
    if (this.isOver || this.scheduled || !this.busy()) return
    this.pause()
    if (this.isBehind) return
    this.scheduled = true
    afterTick(() => this.next())
  }

  /** Reads the upstream answer of a turn. It begins paused if work of the turn before is left. */
  read(upstream: UpstreamResponse, reader: BodyReader): void {
    this.upstream = upstream
    upstream.read(reader)
    if (this.isBehind) this.pause()
    else this.schedule()
  }

  /** The upstream answer of the turn is complete: its upstream is not paused any more. */
  leave(): void {
    this.upstream?.resume()
    this.upstream = null
  }

  /** Whether the client is behind. */
  isHeld(): boolean {
    return this.isBehind
  }

  /** The client is behind: neither the upstream nor the work continues before `release`. */
  hold(): void {
    this.isBehind = true
    this.pause()
  }

  release(): void {
    this.isBehind = false
    if (!this.isOver && this.busy()) this.schedule()
    else this.upstream?.resume()
  }

  /** The client has left, and delays the work no longer. */
  free(): void {
    this.isBehind = false
    this.schedule()
  }

  /** Ends the work; pending slices are dropped. */
  stop(): void {
    this.isOver = true
    this.waiting = NO_WORK
  }

  private pause(): void {
    this.pauses += 1
    this.upstream?.pause()
  }

  private next(): void {
    this.scheduled = false
    if (this.isOver || this.isBehind) return
    try {
      this.slice()
    } catch (error) {
      this.stop()
      this.owner.onBug(error)
    }
  }

  private slice(): void {
    const { work, owner } = this
    if (work.busy()) owner.take(work.resume())
    else this.waiting.shift()?.()
    if (this.isOver) return
    if (this.busy()) this.schedule()
    else if (!this.isBehind) this.upstream?.resume()
  }
}
