import type { Answer, Expected } from '../../engine/answer.ts'
import { ANSWER_ENDING } from '../../protocol/limits.ts'
import type { Slices } from './work-slices.ts'

/**
 * Bounds the time that an upstream gets for what may follow the finish or the failure of its answer. Some upstreams
 * send no terminal event and keep their connection open. A finished answer gets its time again after each read that
 * changes it. While the upstream is paused, no time passes, because what it has sent is not read.
 */
export class EndWait<Piece> {
  private readonly answer: Answer<Piece>
  private readonly slices: Slices<Piece>
  private readonly finishMs: number
  private readonly onOver: () => void
  private timer: ReturnType<typeof setTimeout> | undefined
  private expected: Expected = 'more'
  private changes = 0
  private pauses = 0

  constructor(answer: Answer<Piece>, slices: Slices<Piece>, finishMs: number, onOver: () => void) {
    this.answer = answer
    this.slices = slices
    this.finishMs = finishMs
    this.onOver = onOver
  }

  /** Called after each read. */
  update(expected: Expected): void {
    const changes = this.answer.progress.changes()
    const goesOn = expected === 'details' && changes !== this.changes
    if (expected === this.expected && !goesOn) return
    this.expected = expected
    this.changes = changes
    this.start()
  }

  stop(): void {
    clearTimeout(this.timer)
    this.timer = undefined
  }

  private start(): void {
    this.stop()
    const { expected, finishMs } = this
    if (expected !== 'details' && expected !== 'failure') return
    this.pauses = this.slices.pauses
    const ms = expected === 'failure' ? Math.min(finishMs, ANSWER_ENDING.failure_ms) : finishMs
    this.timer = setTimeout(() => this.fire(), ms)
  }

  private fire(): void {
    if (this.slices.isPaused() || this.slices.pauses !== this.pauses) this.start()
    else this.onOver()
  }
}
