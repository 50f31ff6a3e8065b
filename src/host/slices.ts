import type { Sliced } from '../engine.ts'
import type { Answer } from './source.ts'

export interface SlicesOptions<Made> {
  readonly work: Sliced<Made>
  readonly answer: Pick<Answer, 'pause' | 'resume'>
  /** Takes what a slice made. */
  readonly take: (made: Made) => void
  /** Takes what `take` or the work threw: a bug of our own. */
  readonly onBug: (error: unknown) => void
}

/**
 * Runs the work of one answer in slices, and lets other requests run between two of them. Meanwhile the upstream stands
 * still, and what it had sent already waits; while the client is behind, so does the work.
 */
export class Slices<Made> {
  private readonly options: SlicesOptions<Made>
  private waiting: (() => void)[] = []
  private scheduled = false
  private isBehind = false
  private isOver = false

  constructor(options: SlicesOptions<Made>) {
    this.options = options
  }

  /** Is there work that must be done before anything new? */
  busy(): boolean {
    return this.options.work.busy() || this.waiting.length > 0
  }

  /** Runs the first slice of new work, at once or as soon as all work before it is done. */
  run(first: () => Made): void {
    if (this.isOver) return
    const act = (): void => this.options.take(first())
    if (this.busy()) this.waiting.push(act)
    else act()
    this.goOn()
  }

  /** Sees to the slices that are left, if there are any. */
  goOn(): void {
    if (this.isOver || this.scheduled || !this.busy()) return
    this.options.answer.pause()
    if (this.isBehind) return
    this.scheduled = true
    setImmediate(this.next)
  }

  /** Another answer begins to be read: it stands still where this one would. */
  settle(): void {
    if (this.isBehind) this.options.answer.pause()
    else this.goOn()
  }

  /** The client is behind: neither the upstream nor the work goes on before `release`. */
  readonly hold = (): void => {
    this.isBehind = true
    this.options.answer.pause()
  }

  readonly release = (): void => {
    this.isBehind = false
    if (!this.isOver && this.busy()) this.goOn()
    else this.options.answer.resume()
  }

  /** The client has gone: it holds nothing up any more. */
  readonly free = (): void => {
    this.isBehind = false
    this.goOn()
  }

  /** Nothing more is done. */
  stop(): void {
    this.isOver = true
    this.waiting = []
  }

  private readonly next = (): void => {
    this.scheduled = false
    if (this.isOver || this.isBehind) return
    try {
      this.slice()
    } catch (error) {
      this.stop()
      this.options.onBug(error)
    }
  }

  private slice(): void {
    const { work, take, answer } = this.options
    if (work.busy()) take(work.resume())
    else this.waiting.shift()?.()
    if (this.isOver) return
    if (this.busy()) this.goOn()
    else if (!this.isBehind) answer.resume()
  }
}
