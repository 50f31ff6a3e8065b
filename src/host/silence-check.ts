import { getOrCreate } from '../collections/get-or-create.ts'

/** A stream that must not be silent for long, or whose client must not. */
export interface SilentStream {
  /** Its index in the list of its check. */
  place: number
  /** Acts if nothing was written or read for `ms` milliseconds. */
  checkSilence(ms: number): void
}

/** The share of the permitted silence after which all streams are checked again. */
const SHARE = 1 / 8
const LONGEST_PAUSE_MS = 1000

/** Checks all streams together, because a timer of its own would be four objects of every stream. */
export class SilenceCheck {
  private readonly ms: number
  private readonly streams: SilentStream[] = []
  private timer: NodeJS.Timeout | undefined

  constructor(ms: number) {
    this.ms = ms
  }

  add(stream: SilentStream): void {
    stream.place = this.streams.push(stream) - 1
    this.timer ??= setInterval(() => this.check(), Math.min(this.ms * SHARE, LONGEST_PAUSE_MS)).unref()
  }

  /** The last stream takes the place of a stream that has ended, so that nothing is searched. */
  remove(stream: SilentStream): void {
    const { streams } = this
    const last = streams.pop()
    if (last !== undefined && last !== stream) {
      streams[stream.place] = last
      last.place = stream.place
    }
  }

  private check(): void {
    // Not when the last stream ends: the next one often begins soon after it.
    if (this.streams.length === 0) {
      clearInterval(this.timer)
      this.timer = undefined
    }
    // A write may end streams.
    for (const stream of [...this.streams]) stream.checkSilence(this.ms)
  }
}

/** One for each silence that a configuration of this process permits. */
const CHECKS = new Map<number, SilenceCheck>()

export const silenceCheck = (ms: number): SilenceCheck => getOrCreate(CHECKS, ms, () => new SilenceCheck(ms))
