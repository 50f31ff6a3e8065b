import type { FastPath } from '../fast-path/fast-path.ts'
import type { Position, SlowPath } from '../fast-path/slow-path.ts'
import type { Frame } from '../framing/frame.ts'
import { emitAll } from '../machine/emit-all.ts'
import { type LongStep, type Machine, NOTHING } from '../machine/machine.ts'
import type { Delta } from '../protocol/delta.ts'
import { type GatewayError, upstreamError } from '../protocol/error.ts'
import type { Event } from '../protocol/event.ts'
import { LIMITS, type Limits } from '../protocol/limits.ts'
import type { RespondState } from '../responses/state.ts'
import { LONG_JSON } from '../text/json-long.ts'
import type { Steps } from '../text/steps.ts'
import { decoderOf } from '../wires/decoder-of.ts'
import type { AnswerProgress, Expected, FrameOutput } from './answer.ts'
import { AnswerBudget } from './answer-budget.ts'
import { type BareBody, openBareBodyReader, readBareBody } from './bare-body.ts'
import { decodeFrame, decodeLongBody, decodeShortBody } from './decode-long.ts'
import { messageTexts, type Outcome, outcomeOf } from './outcome.ts'
import { createReducer, type PipelineOptions, tooLarge, withEndTime } from './reducer.ts'
import type { TurnSource, TurnStage, TurnState } from './turns.ts'

/** Receives the outputs of the last machine. An object, because a function would be two more objects of every stream. */
export interface Receiver<Out> {
  /** Returns true if its buffer is full, which ends the slice of work. */
  emit(out: Out): boolean
}

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
 * Frames → deltas → events → outputs of the last machine: the only mutable state of the core. Equivalent to
 * `pipe(decode, pipe(respond, last))`, with the machine of `turns` before `respond`, if there is one, without the lists
 * between machines, which would cost time for every token. Adds constant time for each frame, delta and event.
 *
 * `slice`: the number of steps after which work stops at the end of a frame, or after twice as many inside one;
 * `resume` continues it. An answer with turns is made from several upstream answers: `end` and `fail` end the upstream
 * answer, `openTurn` begins the next one, and `closeTurns` ends the answer.
 */
export class StreamPipeline<State, Out> implements SlowPath<State, Out>, AnswerProgress {
  decode: Machine<unknown, Frame, Delta>
  private decoder: Machine<unknown, Frame, Delta>
  readonly hub: ReturnType<typeof createReducer>
  last: Machine<State, Event, Out>
  private options: PipelineOptions
  private readonly limits: Limits
  private readonly budget: AnswerBudget
  private reader: ReturnType<typeof openBareBodyReader>
  private received = 0
  /** Whether more is kept than when the limits were last checked. */
  private hasGrown = false
  private frameCount = 0
  private changeCount = 0
  /** The terminal event of the upstream answer. */
  private terminal: Frame | null = null
  /** As long as the phase is open. */
  private expected: Expected = 'more'
  private phase: Phase = 'open'
  private readonly stage: TurnStage | null
  private readonly receiver: Receiver<Out>
  private readonly slice: number
  private readonly isSliced: boolean
  /** Steps left in the slice. */
  private left: number
  private upstream: unknown
  private responseState: RespondState
  private writerState: State
  private hasProgressed = false
  /** Whether a delta has changed the state of the reducer. */
  private hasReduced = false
  private closing: readonly Delta[] = NOTHING
  private ending: readonly Event[] | null = null
  // The inputs that wait for the next machine, each list with the index of its first waiting input.
  private frames: readonly Frame[] = NOTHING
  private frameAt = 0
  private deltas: readonly Delta[] = NOTHING
  private deltaAt = 0
  private events: readonly Event[] = NOTHING
  private eventAt = 0
  /** The long step in progress. */
  private long: Steps<void> | null = null
  private fastPath: FastPath | null = null
  /** Frames on the fast path in earlier turns. */
  private fastBefore = 0
  private readonly frameOutput: FrameOutput | null

  constructor(
    options: PipelineOptions,
    last: Machine<State, Event, Out>,
    receiver: Receiver<Out>,
    slice = Number.POSITIVE_INFINITY,
    stage: TurnStage | null = null,
    forgetsText = false,
    frameOutput: FrameOutput | null = null,
  ) {
    const { wire, quirks, limits = LIMITS } = options
    this.options = options
    this.decoder = decoderOf(wire, quirks)
    this.hub = createReducer(options)
    this.last = last
    this.receiver = receiver
    this.limits = limits
    this.budget = new AnswerBudget(limits, forgetsText)
    this.slice = slice
    this.isSliced = slice < Number.POSITIVE_INFINITY
    this.left = slice
    this.upstream = this.decoder.initial
    this.stage = stage
    this.responseState = this.hub.initial
    this.writerState = last.initial
    this.decode = this.decodeForProofs()
    this.frameOutput = frameOutput
    this.reader = this.openReader()
  }

  private openReader(): ReturnType<typeof openBareBodyReader> {
    return openBareBodyReader(this.options.wire, this.limits, this.frameOutput !== null)
  }

  /** Writes the events to come by another machine. */
  writeWith(last: Machine<State, Event, Out>): void {
    this.last = last
    this.writerState = last.initial
  }

  /** `fastPath`: of the present turn; null if each of its chunks takes the slow path. */
  attach(fastPath: FastPath | null): void {
    this.fastBefore = this.fastCount()
    this.fastPath = fastPath
  }

  private decodeForProofs(): Machine<unknown, Frame, Delta> {
    const decoder = this.decoder.probed ?? this.decoder
    return this.stage === null ? decoder : (this.stage.after(decoder) as Machine<unknown, Frame, Delta>)
  }

  started(): boolean {
    return this.responseState.response.items.length > 0
  }

  sliceOver(): boolean {
    return this.left <= 0
  }

  refill(): void {
    this.left = this.slice
  }

  resume(): void {
    this.work()
  }

  /** The part of the upstream answer that may still arrive. */
  remainder(): Expected {
    return this.phase === 'open' ? this.expected : 'nothing'
  }

  /** How often frames on the slow path have changed the answer so far. Heartbeats do not. */
  changes(): number {
    return this.changeCount + this.fastCount()
  }

  /** The frame after which nothing follows; null before it, and if the answer ended in another way. */
  lastFrame(): Frame | null {
    return this.terminal
  }

  /** The number of frames that took the fast path so far. */
  fastCount(): number {
    return this.fastBefore + (this.fastPath?.fastCount() ?? 0)
  }

  outcome(): Outcome {
    this.fastPath?.syncMachines()
    const fast = this.fastCount()
    return outcomeOf(this.responseState, this.ending, { received: this.frameCount + fast, fast })
  }

  busy(): boolean {
    return this.phase === 'open' || this.phase === 'between turns' ? this.waits() : this.phase !== 'over'
  }

  /** True if nothing more is read. Work may still be left. */
  over(): boolean {
    return this.phase !== 'open' && (this.stage === null || this.isClosed())
  }

  private isClosed(): boolean {
    const { phase } = this
    return phase === 'end of reducer' || phase === 'end of writer' || phase === 'over'
  }

  process(bytes: Uint8Array): readonly Frame[] {
    if (this.phase !== 'open') return NOTHING
    this.hasGrown = true
    const frames = this.reader.push(bytes)
    if (frames.length > 0) this.addFrames(frames)
    return frames
  }

  /** A whole upstream body, including its end. From its deltas on, it takes the path of a stream. */
  processBody(body: string): void {
    if (this.phase !== 'open') return
    this.frameCount += 1
    this.phase = this.stage === null ? 'end of reducer' : 'between turns'
    // Parsers of JSON refuse a byte order mark.
    const text = body.startsWith('\uFEFF') ? body.slice(1) : body
    if (text.length > LONG_JSON) this.long = this.decodeLongBody(text)
    else this.setDecoded(decodeShortBody(this.options, text, this.frameOutput))
    this.work()
  }

  private *decodeLongBody(body: string): Steps<void> {
    this.setDecoded(yield* decodeLongBody(this.options, body, this.frameOutput))
  }

  madeProgress(): boolean {
    return this.hasProgressed
  }

  position(): Position<State> {
    const { upstream, stage, responseState, writerState } = this
    const decoder = stage === null ? upstream : { decoder: upstream, turns: stage.state }
    return { upstream: decoder, responseState, writerState }
  }

  move({ upstream, responseState, writerState }: Position<State>): void {
    this.hasGrown = true
    if (responseState !== this.responseState) this.budget.addText(this.responseState, responseState)
    if (this.stage === null) this.upstream = upstream
    else {
      const { decoder, turns } = upstream as TurnState
      this.upstream = decoder
      this.stage.state = turns
    }
    this.setResponse(responseState)
    this.writerState = writerState
  }

  /** The size of the texts that are kept. */
  kept(): number {
    return this.budget.kept() + (this.fastPath?.waitingText() ?? 0)
  }

  /** The texts of the messages of the answer so far. */
  texts(): readonly string[] {
    return messageTexts(this.responseState)
  }

  overflowed(): boolean {
    return this.reader.overflowed()
  }

  /** Returns the body that has arrived in place of a stream; null if the input is a stream. */
  bareBody(): BareBody | null {
    const { wire, quirks = {} } = this.options
    const text = this.phase === 'open' ? this.reader.held() : null
    return text === null ? null : readBareBody(wire, quirks, text)
  }

  end(): void {
    if (this.phase !== 'open') return
    const body = this.bareBody()
    if (body?.error) return void this.close({ kind: 'error', error: body.error })
    if (body !== null) return void this.processBody(body.text)
    this.phase = 'end of decoder'
    this.addFrames(this.reader.end())
  }

  fail(error: GatewayError): void {
    if (this.phase === 'open') this.addFrames(this.reader.release())
    this.close({ kind: 'cut', error })
  }

  /** True if nothing more is read of the upstream answer of this turn. */
  turnOver(): boolean {
    return this.phase !== 'open'
  }

  /** Steps the machine of the turns with an input that is no delta, and returns its commands. No work may be left. */
  apply(input: unknown): readonly unknown[] {
    if (this.stage === null || this.isClosed()) return NOTHING
    const { deltas, commands } = this.stage.apply(input)
    this.appendDeltas(deltas)
    this.work()
    return commands
  }

  /** Begins the next turn, with a decoder of its own. `source`: left out, the upstream of the turn before. */
  openTurn(source?: TurnSource): void {
    if (this.phase !== 'between turns') return
    this.phase = 'open'
    if (source !== undefined) {
      this.readFrom(source)
      this.decode = this.decodeForProofs()
    }
    this.upstream = this.decoder.initial
    this.reader = this.openReader()
    this.received = 0
    this.terminal = null
    this.expected = 'more'
  }

  /** Ends an answer with turns. `error`: the reason why it is cut off. */
  closeTurns(error: GatewayError | null): void {
    if (this.isClosed()) return
    if (error !== null) this.appendDeltas([{ kind: 'cut', error }])
    this.phase = 'end of reducer'
    this.work()
  }

  /** The bytes that are within the limit of the whole stream: an answer may be complete before it. */
  within(bytes: Uint8Array): Uint8Array {
    const left = this.limits.upstreamTotal - this.received
    return bytes.length <= left ? bytes : bytes.subarray(0, Math.max(0, left))
  }

  /** Counts these received bytes; returns true if a limit is exceeded. */
  exceeds(size: number): boolean {
    this.received += size
    const { hasGrown } = this
    this.hasGrown = false
    if (this.received > this.limits.upstreamTotal) return true
    return hasGrown && (this.reader.overflowed() || this.budget.exceeded() !== null)
  }

  /** Ends a stream that exceeded a limit. */
  stop(): void {
    const { upstreamEvent, upstreamTotal } = this.limits
    const error = this.budget.exceeded()
    if (error !== null) this.close({ kind: 'error', error })
    else if (this.reader.overflowed()) this.close(tooLarge('One event', upstreamEvent))
    else this.close(tooLarge('The answer', upstreamTotal))
  }

  // ---------------------------------------------------------------- the loop

  /** Decodes another upstream from now on. */
  private readFrom(source: TurnSource): void {
    this.options = { ...this.options, ...source }
    this.decoder = decoderOf(source.wire, source.quirks)
  }

  private waits(): boolean {
    const { frames, deltas, events, long, stage } = this
    if (this.eventAt < events.length || this.deltaAt < deltas.length || this.frameAt < frames.length) return true
    return long !== null || stage?.waits() === true
  }

  private addFrames(frames: readonly Frame[]): void {
    const waiting = this.frameAt < this.frames.length
    this.frames = waiting ? [...this.frames.slice(this.frameAt), ...frames] : frames
    this.frameAt = 0
    this.frameCount += countOf(frames, 0)
    this.work()
  }

  private appendDeltas(deltas: readonly Delta[]): void {
    this.setDeltas([...this.deltas.slice(this.deltaAt), ...deltas])
  }

  /** Stops decoding. The answer ends with these deltas. */
  private close(...deltas: readonly Delta[]): void {
    if (this.phase !== 'open') return
    this.closing = deltas
    this.phase = 'end of decoder'
    this.work()
  }

  private work(): void {
    this.hasGrown = true
    do {
      if (!this.finishLong()) return
      this.drain()
    } while (this.long !== null || (this.left > 0 && this.advance()))
    const hasFailed = this.responseState.response.error !== null || this.stage?.hasFailed() === true
    this.expected = hasFailed ? 'failure' : (this.decoder.remainder?.(this.upstream) ?? 'more')
  }

  /** Ends the upstream answer at its terminal event. The frames from `next` on follow it, and are not read. */
  private endAt(frame: Frame, frames: readonly Frame[], next: number): void {
    this.terminal = frame
    // In slices, what ends an answer that is not complete may arrive before this frame has been read.
    this.closing = NOTHING
    this.dropFrames(frames, next)
    this.phase = 'end of decoder'
  }

  /** Drops the frames from `next` on, which count as not received: they may also have come in a later read. */
  private dropFrames(frames: readonly Frame[], next: number): void {
    this.frameCount -= countOf(frames, next)
    this.frames = NOTHING
    this.frameAt = 0
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
    const { limits, options, frameOutput } = this
    const reading = { limits, inSlices: options.inSlices, endSlice: () => this.endSlice(), frameOutput }
    const read = yield* decodeFrame(this.decoder, this.upstream, frame, reading)
    this.endSlice()
    this.hasProgressed = true
    this.changeCount += 1
    if (read.ok) {
      this.upstream = read.step.state
      this.setDecoded(read.step.events)
      if (this.decoder.remainder?.(this.upstream) === 'nothing') this.endAt(frame, this.frames, this.frameAt)
      return
    }
    this.closing = [{ kind: 'error', error: read.error }]
    this.phase = 'end of decoder'
    this.dropFrames(this.frames, this.frameAt)
  }

  private *write(long: LongStep<State, Out>): Steps<void> {
    this.writerState = yield* emitAll(long, (out) => {
      if (this.receiver.emit(out)) this.endSlice()
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
    if (error !== null) this.endWith(error, this.frames, this.frameAt)
  }

  /** Ends an answer that exceeds a limit. */
  private endWith(error: GatewayError, frames: readonly Frame[], next: number): void {
    this.phase = 'end of reducer'
    this.setDeltas([{ kind: 'error', error }])
    this.dropFrames(frames, next)
    this.stage?.clear()
  }

  /** The deltas of the decoder, which are the inputs of the next machine. */
  private setDecoded(deltas: readonly Delta[]): void {
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
    const { decoder, stage, hub, receiver, budget, isSliced, frameOutput } = this
    const least = -this.slice
    let { last } = this
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
        for (let o = 0; o < third.events.length; o += 1) if (receiver.emit(third.events[o] as Out)) left = least
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
          this.endWith(error, frames, frameAt)
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
        const first = frameOutput === null ? decoder.step(upstream, frame) : frameOutput.step(decoder, upstream, frame)
        left -= 1 + frame.data.length / FRAME_STEP
        if (first.state !== upstream) {
          this.hasProgressed = true
          if (decoder.remainder?.(first.state) === 'nothing') {
            this.endAt(frame, frames, frameAt)
            frames = NOTHING
          }
        } else if (first.events.length > 0) this.hasProgressed = true
        upstream = first.state
        if (frameOutput !== null) {
          if (frameOutput.isFull()) left = least
          // The first frame decides whether the answer is passed.
          if (last !== this.last) {
            last = this.last
            writerState = this.writerState
          }
        }
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
    if (this.phase === 'open') budget.held = decoder.held?.(upstream) ?? 0
    this.setResponse(responseState)
    this.writerState = writerState
    this.left = left
  }

  private setResponse(state: RespondState): void {
    this.responseState = this.budget.forget(state)
  }

  /** Starts the next phase when nothing is waiting. Returns true if it may have produced more inputs. */
  private advance(): boolean {
    switch (this.phase) {
      case 'end of decoder':
        // It is in the last deltas.
        if (this.budget.exceeded() === null) this.budget.held = 0
        this.setDecoded(this.lastDeltas())
        this.closing = NOTHING
        this.phase = this.stage === null ? 'end of reducer' : 'between turns'
        return true
      case 'end of reducer': {
        const long = this.isSliced ? this.hub.endInSlices?.(this.responseState) : null
        if (long) this.long = this.reduceEnd(long)
        else this.setEnding(this.hub.end(this.responseState))
        this.phase = 'end of writer'
        return true
      }
      case 'end of writer':
        for (const out of this.last.end(this.writerState)) this.receiver.emit(out)
        this.phase = 'over'
        return false
      default:
        return false
    }
  }

  /** For an upstream whose bytes have no frame, the end of the stream is not the reason why it has no answer. */
  private lastDeltas(): readonly Delta[] {
    const deltas = [...this.closing, ...this.decoder.end(this.upstream)]
    const isBlank = deltas.length === 0 && this.frameCount === 0 && !this.hasReduced
    return isBlank ? [{ kind: 'cut', error: withoutFrames(this.options.wire.framing.name) }] : deltas
  }

  private *reduceEnd(long: LongStep<RespondState, Event>): Steps<void> {
    const events: Event[] = []
    yield* emitAll(long, (event) => void events.push(event))
    this.setEnding(events)
  }

  private setEnding(last: readonly Event[]): void {
    const events = withEndTime(last, this.options.now)
    this.ending = events
    this.events = events
    this.eventAt = 0
  }
}

/** The number of frames from `start` on, without the text between them. */
function countOf(frames: readonly Frame[], start: number): number {
  let count = 0
  for (let at = start; at < frames.length; at += 1) if (frames[at]?.isBlank !== true) count += 1
  return count
}

const withoutFrames = (framing: string): GatewayError =>
  upstreamError(
    'upstream_truncated',
    `The upstream ended without a response: nothing that it sent is a frame of the format ${framing}.`,
  )
