import type { Frame } from '../framing/frame.ts'
import { type Machine, NOTHING } from '../machine/machine.ts'
import type { Delta } from '../protocol/delta.ts'
import { LIMITS, type Limits } from '../protocol/limits.ts'
import { LONG_JSON } from '../text/json-long.ts'
import type { Steps } from '../text/steps.ts'
import { type DecodedFrame, decodeFrame, decodeLongText } from './decode-long.ts'
import { FRAME_STEP, LONG_STEP } from './machine-chain.ts'
import type { PipelineOptions } from './reducer.ts'

type DecoderOptions = Pick<PipelineOptions, 'wire' | 'quirks' | 'limits'>

/** Decodes frames to deltas, a limited number of steps at a time. */
export class SlicedDecoder {
  chunks = 0
  private readonly decode: Machine<unknown, Frame, Delta>
  private readonly options: DecoderOptions
  private readonly limits: Limits
  private readonly slice: number
  private state: unknown
  private frames: readonly Frame[] = NOTHING
  private at = 0
  private long: Steps<DecodedFrame<unknown>> | null = null
  /** The last deltas of the answer; null before its end. */
  private closing: readonly Delta[] | null = null
  private hasEnded = false
  /** Steps left in the slice. */
  private left = 0

  constructor(options: DecoderOptions, slice = Number.POSITIVE_INFINITY) {
    const { wire, quirks = {}, limits = LIMITS } = options
    this.options = options
    this.decode = wire.decodeStream(quirks)
    this.limits = limits
    this.slice = slice
    this.state = this.decode.initial
  }

  add(frames: readonly Frame[]): void {
    this.frames = [...this.frames.slice(this.at), ...frames]
    this.at = 0
    this.chunks += frames.length
  }

  /** A whole body in place of all frames, including its end. */
  addBody(body: string): void {
    this.chunks = 1
    this.closing = []
    this.hasEnded = true
    this.long = this.decodeBody(body)
  }

  close(...closing: readonly Delta[]): void {
    this.closing ??= closing
  }

  over(): boolean {
    return this.closing !== null
  }

  busy(): boolean {
    return this.long !== null || this.at < this.frames.length || (this.closing !== null && !this.hasEnded)
  }

  /** Returns the deltas of one slice. */
  resume(): readonly Delta[] {
    const deltas: Delta[] = []
    this.left = this.slice
    while (this.left > 0 && (this.long !== null || this.at < this.frames.length)) this.step(deltas)
    const { closing } = this
    if (this.left > 0 && closing !== null && !this.hasEnded) {
      this.hasEnded = true
      for (const delta of [...closing, ...this.decode.end(this.state)]) deltas.push(delta)
    }
    return deltas
  }

  private step(deltas: Delta[]): void {
    if (this.long !== null) {
      this.left -= LONG_STEP
      const { done, value } = this.long.next()
      if (done === true) this.take(value, deltas)
      return
    }
    const frame = this.frames[this.at] as Frame
    this.at += 1
    const { length } = frame.data
    this.left -= 1 + length / FRAME_STEP
    if (length > LONG_JSON) this.long = decodeFrame(this.decode, this.state, frame, this.limits, this.endSlice)
    else this.take({ ok: true, step: this.decode.step(this.state, frame) }, deltas)
  }

  private readonly endSlice = (): void => {
    if (this.slice < Number.POSITIVE_INFINITY) this.left = 0
  }

  private *decodeBody(body: string): Steps<DecodedFrame<unknown>> {
    return { ok: true, step: { state: this.state, events: yield* decodeLongText(this.options, body) } }
  }

  private take(read: DecodedFrame<unknown>, deltas: Delta[]): void {
    this.long = null
    if (read.ok) {
      this.state = read.step.state
      for (const delta of read.step.events) deltas.push(delta)
    } else {
      this.frames = NOTHING
      this.closing = [{ kind: 'error', error: read.error }]
    }
  }
}
