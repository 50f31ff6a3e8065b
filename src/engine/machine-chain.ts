import type { Frame } from '../framing/frame.ts'
import { emitAll } from '../machine/emit-all.ts'
import { type LongStep, type Machine, NOTHING } from '../machine/machine.ts'
import type { Delta } from '../protocol/delta.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { Event } from '../protocol/event.ts'
import { LIMITS, type Limits } from '../protocol/limits.ts'
import type { RespondState } from '../responses/state.ts'
import { LONG_JSON } from '../text/json-long.ts'
import type { Steps } from '../text/steps.ts'
import { decoderOf } from '../wires/decoder-of.ts'
import type { Expected } from './answer.ts'
import { AnswerBudget } from './answer-budget.ts'
import { decodeFrame } from './decode-long.ts'
import { messageTexts } from './message-texts.ts'
import { createReducer, type PipelineOptions } from './reducer.ts'
import { type TurnMachine, type TurnSource, TurnStage } from './turns.ts'

/** Receives the outputs of the last machine. Returns true if its buffer is full, which ends the slice of work. */
export type Emit<Out> = (out: Out) => boolean

/** This many characters of a frame count as one step. */
const FRAME_STEP = 128

/** One piece of a long step counts as this many steps. */
const LONG_STEP = 32

/**
 * The phase that follows when no input is waiting. Phases that begin with "end" pass to the next one at once; an answer
 * with turns waits between two turns.
 */
type Phase = 'open' | 'end of decoder' | 'between turns' | 'end of reducer' | 'end of writer' | 'over'

/**
 * Frames → deltas → events → outputs of the last machine. Holds the only mutable state of the core. Equivalent to
 * `pipe(decode, pipe(respond, last))`, with the machine of `turns` before `respond`, if there is one, without the lists between machines, which would cost time for every token. Adds
 * constant time for each frame, delta and event. `slice`: the number of steps after which work stops at the end of a
 * frame, or after twice as many inside one; `resume` continues it.
 */
export abstract class MachineChain<State, Out> {
  protected decoder: Machine<unknown, Frame, Delta>
  readonly hub: ReturnType<typeof createReducer>
  readonly last: Machine<State, Event, Out>
  protected options: PipelineOptions
  protected readonly limits: Limits
  protected readonly budget: AnswerBudget
  protected frameCount = 0
  protected changeCount = 0
  /** The terminal event of the upstream answer. */
  protected terminal: Frame | null = null
  /** As long as the phase is open. */
  protected expected: Expected = 'more'
  protected phase: Phase = 'open'
  protected readonly stage: TurnStage | null
  protected readonly emit: Emit<Out>
  protected readonly slice: number
  protected readonly isSliced: boolean
  /** Steps left in the slice. */
  protected left: number
  protected upstream: unknown
  protected responseState: RespondState
  protected writerState: State
  protected hasProgressed = false
  /** Whether a delta has changed the state of the reducer. */
  protected hasReduced = false
  protected closing: readonly Delta[] = NOTHING
  protected ending: readonly Event[] | null = null
  // The inputs that wait for the next machine, each list with the index of its first waiting input.
  private frames: readonly Frame[] = NOTHING
  private frameAt = 0
  private deltas: readonly Delta[] = NOTHING
  private deltaAt = 0
  protected events: readonly Event[] = NOTHING
  protected eventAt = 0
  /** The long step in progress. */
  protected long: Steps<void> | null = null

  constructor(
    options: PipelineOptions,
    last: Machine<State, Event, Out>,
    emit: Emit<Out>,
    slice = Number.POSITIVE_INFINITY,
    turns?: TurnMachine,
    forgetsText = false,
  ) {
    const { wire, quirks, limits = LIMITS } = options
    this.options = options
    this.decoder = decoderOf(wire, quirks)
    this.hub = createReducer(options)
    this.last = last
    this.emit = emit
    this.limits = limits
    this.budget = new AnswerBudget(limits, forgetsText)
    this.slice = slice
    this.isSliced = slice < Number.POSITIVE_INFINITY
    this.left = slice
    this.upstream = this.decoder.initial
    this.stage = turns === undefined ? null : new TurnStage(turns)
    this.responseState = this.hub.initial
    this.writerState = last.initial
  }

  /** Decodes another upstream from now on. */
  protected readFrom(source: TurnSource): void {
    this.options = { ...this.options, ...source }
    this.decoder = decoderOf(source.wire, source.quirks)
  }

  /** The texts of the messages of the answer so far. */
  texts(): readonly string[] {
    return messageTexts(this.responseState)
  }

  protected waits(): boolean {
    const { frames, deltas, events, long, stage } = this
    if (this.eventAt < events.length || this.deltaAt < deltas.length || this.frameAt < frames.length) return true
    return long !== null || stage?.waits() === true
  }

  protected addFrames(frames: readonly Frame[]): void {
    const waiting = this.frameAt < this.frames.length
    this.frames = waiting ? [...this.frames.slice(this.frameAt), ...frames] : frames
    this.frameAt = 0
    this.frameCount += frames.length
    this.work()
  }

  protected appendDeltas(deltas: readonly Delta[]): void {
    this.setDeltas([...this.deltas.slice(this.deltaAt), ...deltas])
  }

  /** Stops decoding. The answer ends with these deltas. */
  protected close(...deltas: readonly Delta[]): void {
    if (this.phase !== 'open') return
    this.closing = deltas
    this.phase = 'end of decoder'
    this.work()
  }

  protected work(): void {
    do {
      if (!this.finishLong()) return
      this.drain()
    } while (this.long !== null || (this.left > 0 && this.advance()))
    const hasFailed = this.responseState.response.error !== null || this.stage?.hasFailed() === true
    this.expected = hasFailed ? 'failure' : (this.decoder.remainder?.(this.upstream) ?? 'more')
  }

  /** Ends the upstream answer at its terminal event. `unread`: the number of frames that follow it. */
  private endAt(frame: Frame, unread: number): void {
    this.terminal = frame
    this.frameCount -= unread
    this.frames = NOTHING
    this.phase = 'end of decoder'
  }

  /** Returns true if no long step is left in progress. */
  private finishLong(): boolean {
    while (this.long !== null && this.left > 0) {
      if (this.long.next().done === true) this.long = null
      this.left -= LONG_STEP
    }
    return this.long === null
  }

  private *decodeLong(frame: Frame): Steps<void> {
    const read = yield* decodeFrame(this.decoder, this.upstream, frame, this.limits, () => this.endSlice())
    this.endSlice()
    this.hasProgressed = true
    this.changeCount += 1
    if (read.ok) {
      this.upstream = read.step.state
      this.setDecoded(read.step.events)
      if (this.decoder.remainder?.(this.upstream) === 'nothing') this.endAt(frame, this.frames.length - this.frameAt)
      return
    }
    this.closing = [{ kind: 'error', error: read.error }]
    this.phase = 'end of decoder'
    this.frames = NOTHING
  }

  private *write(long: LongStep<State, Out>): Steps<void> {
    this.writerState = yield* emitAll(long, (out) => {
      if (this.emit(out)) this.endSlice()
    })
  }

  private endSlice(): void {
    if (this.isSliced) this.left = -this.slice
  }

  private *reduce(long: LongStep<RespondState, Event>, delta: Delta): Steps<void> {
    const events: Event[] = []
    this.responseState = yield* emitAll(long, (event) => void events.push(event))
    this.hasReduced = true
    this.events = events
    this.eventAt = 0
    const error = this.budget.add(delta, events)
    if (error !== null) this.endWith(error)
  }

  /** Ends an answer that exceeds a limit. */
  private endWith(error: GatewayError): void {
    this.phase = 'end of reducer'
    this.setDeltas([{ kind: 'error', error }])
    this.frames = NOTHING
    this.stage?.clear()
  }

  /** The deltas of the decoder, which are the inputs of the next machine. */
  protected setDecoded(deltas: readonly Delta[]): void {
    if (this.stage === null) this.setDeltas(deltas)
    else this.stage.set(deltas)
  }

  private setDeltas(deltas: readonly Delta[]): void {
    this.deltas = deltas
    this.deltaAt = 0
  }

  /**
   * Processes the waiting inputs, those of the last machine first, until the slice is used up. Inlined, on local
   * variables, because calls and field accesses cost more per token than the steps.
   */
  private drain(): void {
    const { decoder, stage, hub, last, emit, budget, isSliced } = this
    const least = -this.slice
    let { frames, frameAt, deltas, deltaAt, events, eventAt, upstream, responseState, writerState, left } = this
    this.hasProgressed = false
    while (left > least) {
      if (eventAt < events.length) {
        const event = events[eventAt++] as Event
        const long = isSliced ? last.stepInSlices?.(writerState, event) : null
        if (long) {
          this.long = this.write(long)
          break
        }
        const third = last.step(writerState, event)
        writerState = third.state
        left -= 1
        for (let o = 0; o < third.events.length; o += 1) if (emit(third.events[o] as Out)) left = least
      } else if (deltaAt < deltas.length) {
        const delta = deltas[deltaAt++] as Delta
        const long = isSliced ? hub.stepInSlices?.(responseState, delta) : null
        if (long) {
          this.long = this.reduce(long, delta)
          break
        }
        const second = hub.step(responseState, delta)
        responseState = second.state
        left -= 1
        events = second.events
        eventAt = 0
        const error = budget.add(delta, events)
        if (error !== null) {
          this.endWith(error)
          deltas = this.deltas
          deltaAt = 0
          frames = NOTHING
        }
      } else if (stage?.waits() === true) {
        deltas = stage.next()
        deltaAt = 0
        left -= 1
      } else if (frameAt < frames.length && left > 0) {
        const frame = frames[frameAt++] as Frame
        if (frame.data.length > LONG_JSON) {
          this.long = this.decodeLong(frame)
          break
        }
        const first = decoder.step(upstream, frame)
        left -= 1 + frame.data.length / FRAME_STEP
        if (first.state !== upstream) {
          this.hasProgressed = true
          if (decoder.remainder?.(first.state) === 'nothing') {
            this.endAt(frame, frames.length - frameAt)
            frames = NOTHING
          }
        } else if (first.events.length > 0) this.hasProgressed = true
        upstream = first.state
        if (stage === null) {
          deltas = first.events
          deltaAt = 0
        } else stage.set(first.events)
      } else break
    }
    if (responseState !== this.responseState) this.hasReduced = true
    if (this.hasProgressed) this.changeCount += 1
    // Inputs that were processed must not stay in memory until the next ones arrive.
    const framesLeft = frameAt < frames.length
    const deltasLeft = deltaAt < deltas.length
    const eventsLeft = eventAt < events.length
    this.frames = framesLeft ? frames : NOTHING
    this.frameAt = framesLeft ? frameAt : 0
    this.deltas = deltasLeft ? deltas : NOTHING
    this.deltaAt = deltasLeft ? deltaAt : 0
    this.events = eventsLeft ? events : NOTHING
    this.eventAt = eventsLeft ? eventAt : 0
    this.upstream = upstream
    this.setResponse(responseState)
    this.writerState = writerState
    this.left = left
  }

  protected setResponse(state: RespondState): void {
    this.responseState = this.budget.forget(state)
  }

  /** Starts the next phase when nothing is waiting. Returns true if it may have produced more inputs. */
  protected abstract advance(): boolean
}
