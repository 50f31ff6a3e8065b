import type { AnswerStream } from './answer-stream.ts'

const encoder = new TextEncoder()

/** Writes a text into a stream that was silent for a while. Its client may be slow; it is then left alone. */
export class KeepAlive {
  private readonly stream: AnswerStream
  private readonly text: Uint8Array
  private readonly ms: number
  /** The time of the last write, from `performance.now()`. */
  private lastWrite = performance.now()
  private timer: ReturnType<typeof setTimeout> | undefined

  /** `text`: null: nothing is written. `ms`: the longest silence; 0: any. */
  constructor(stream: AnswerStream, text: string | null, ms: number) {
    this.stream = stream
    this.text = encoder.encode(text ?? '')
    this.ms = ms
    if (text !== null && ms > 0) this.watch()
  }

  note(): void {
    this.lastWrite = performance.now()
  }

  stop(): void {
    clearTimeout(this.timer)
  }

  /** Writes do not restart the timer; when it fires, it compares the clock with the time of the last write. */
  private watch(): void {
    const left = Math.max(1, Math.ceil(this.lastWrite + this.ms - performance.now()))
    this.timer = setTimeout(() => {
      if (performance.now() - this.lastWrite >= this.ms) {
        if (!this.stream.behind) this.stream.write(this.text)
        this.note()
      }
      this.watch()
    }, left)
  }
}
