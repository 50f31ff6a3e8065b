import { SLICE_MS } from '../gateway/run-in-slices.ts'

/**
 * Shares the ticks of the event loop between connections whose messages and requests are answered at once. Promises alone
 * would not: a chain of them runs to its end before the loop reads another connection. The work of all connections has
 * some milliseconds of each tick, and what is left waits in its order for the next one.
 */
export class TickQueue {
  private readonly clock: () => number
  private readonly waiting: (() => void)[] = []
  /** The time at which the work of this tick began; null if none has. */
  private began: number | null = null

  /** `clock`: milliseconds. */
  constructor(clock: () => number = () => performance.now()) {
    this.clock = clock
  }

  /** Whether work may go on in this tick. */
  hasTime(): boolean {
    if (this.began === null) this.begin()
    return this.waiting.length === 0 && this.isEarly()
  }

  /** How much work waits for a later tick. */
  size(): number {
    return this.waiting.length
  }

  /** Acts at once if this tick has time, else in a later one. */
  run(act: () => void): void {
    if (this.hasTime()) act()
    else this.waiting.push(act)
  }

  /** Resolves when the caller may go on. */
  tick(): Promise<void> {
    return new Promise((resolve) => this.run(resolve))
  }

  private begin(): void {
    this.began = this.clock()
    setImmediate(() => {
      this.began = null
      if (this.waiting.length > 0) this.next()
    })
  }

  private isEarly(): boolean {
    return this.began !== null && this.clock() - this.began < SLICE_MS
  }

  /** Each act ends with the promises that it settles, so that its time counts before the next one begins. */
  private next(): void {
    if (this.began === null) this.begin()
    this.waiting.shift()?.()
    queueMicrotask(() =>
      process.nextTick(() => {
        if (this.waiting.length > 0 && this.isEarly()) this.next()
      }),
    )
  }
}
