import { type BareJsonReader, openUnlessJson } from './framing/bare-json.ts'
import type { Frame } from './framing/frame.ts'
import { FRAMINGS } from './framing/table.ts'
import { decodeText, type HearingOptions, openHub, tooLarge } from './hearing.ts'
import { type Machine, NOTHING } from './machine/machine.ts'
import { type Outcome, outcomeOf } from './outcome.ts'
import type { Delta } from './protocol/delta.ts'
import type { GatewayError } from './protocol/error.ts'
import type { Event } from './protocol/event.ts'
import { LIMITS, type Limits } from './protocol/limits.ts'
import { AnswerBudget } from './responses/budget.ts'
import type { RespondState } from './responses/state.ts'
import type { Position, Slow } from './template/template.ts'
import { failureIn } from './wires/body-failure.ts'

/** Takes what the last machine emits. Returns true where its buffer is full: a slice of work ends there. */
export type Emit<Out> = (out: Out) => boolean

export interface Stream<State, Out> extends Slow<State, Out> {
  /** A whole upstream body, and its end. */
  hearBody(body: string): void
  end(): void
  fail(error: GatewayError): void
  /** Are these bytes more than the limits allow? */
  exceeds(size: number): boolean
  /** Ends a stream that is too large. */
  stop(): void
  /** Begins a slice: whatever is called until the next one shares it. Without it nothing is done of a sliced stream. */
  refill(): void
  /** Does as much of the work that is left as the slice allows. */
  resume(): void
  /** Nothing more is read; work may be left. */
  over(): boolean
  begun(): boolean
  /** `taken`: chunks that these machines did not see. */
  outcome(taken?: number): Outcome
}

/**
 * One stream. `slice`: steps of the machines after which work stops where a frame ends, or after twice as many inside of
 * one; `resume` does the rest. A long frame counts as many steps.
 */
export const openStream = <State, Out>(
  options: HearingOptions,
  last: Machine<State, Event, Out>,
  emit: Emit<Out>,
  slice = Number.POSITIVE_INFINITY,
): Stream<State, Out> => new OpenStream(options, last, emit, slice)

/** So many characters of a frame cost as much as a step. */
const STEP = 128

/** What comes once nothing waits any more: each phase but the first and the last is left at once for the next. */
type Phase = 'open' | 'end of decoder' | 'end of reducer' | 'end of writer' | 'over'

/**
 * Bytes → frames → deltas → events → whatever the last machine makes of them. Holds the only state of the core. The same
 * as `pipe(decode, pipe(respond, last))`, without the lists between the machines that a token would have to pay for.
 * Besides what its machines take, constant time for each frame, delta and event.
 */
class OpenStream<State, Out> implements Stream<State, Out> {
  readonly decode: Machine<unknown, Frame, Delta>
  readonly hub: ReturnType<typeof openHub>
  readonly last: Machine<State, Event, Out>
  private readonly options: HearingOptions
  private readonly emit: Emit<Out>
  private readonly limits: Limits
  private readonly reader: BareJsonReader
  private readonly budget: AnswerBudget
  private readonly slice: number
  /** Steps that the slice still has. */
  private left: number
  private upstream: unknown
  private told: RespondState
  private said: State
  private received = 0
  private frameCount = 0
  private hasStirred = false
  private phase: Phase = 'open'
  private closing: readonly Delta[] = NOTHING
  private ending: readonly Event[] | null = null
  // What waits for the next machine, and the index of the first that does.
  private frames: readonly Frame[] = NOTHING
  private frameAt = 0
  private deltas: readonly Delta[] = NOTHING
  private deltaAt = 0
  private events: readonly Event[] = NOTHING
  private eventAt = 0

  constructor(options: HearingOptions, last: Machine<State, Event, Out>, emit: Emit<Out>, slice: number) {
    const { wire, quirks = {}, limits = LIMITS } = options
    this.options = options
    this.decode = wire.decodeStream(quirks)
    this.hub = openHub(options)
    this.last = last
    this.emit = emit
    this.limits = limits
    this.reader = openUnlessJson(FRAMINGS[wire.framing], limits.upstreamEvent)
    this.budget = new AnswerBudget(limits)
    this.slice = slice
    this.left = slice
    this.upstream = this.decode.initial
    this.told = this.hub.initial
    this.said = last.initial
  }

  hear(bytes: Uint8Array): readonly Frame[] {
    const frames = this.reader.push(bytes)
    if (frames.length > 0) this.addFrames(frames)
    return frames
  }

  /** The path of a stream: deltas, then the same reducer. */
  hearBody(body: string): void {
    this.frameCount = 1
    this.deltas = decodeText(this.options, body)
    this.phase = 'end of reducer'
    this.work()
  }

  stirred(): boolean {
    return this.hasStirred
  }

  overflowed(): boolean {
    return this.reader.overflowed()
  }

  position(): Position<State> {
    const { upstream, told, said } = this
    return { upstream, told, said }
  }

  move({ upstream, told, said }: Position<State>): void {
    this.budget.addText(told.text.length - this.told.text.length)
    this.upstream = upstream
    this.told = told
    this.said = said
  }

  busy(): boolean {
    return this.phase === 'open' ? this.waits() : this.phase !== 'over'
  }

  spent(): boolean {
    return this.left <= 0
  }

  refill(): void {
    this.left = this.slice
  }

  resume(): void {
    this.work()
  }

  end(): void {
    if (this.phase !== 'open') return
    const { wire, quirks = {} } = this.options
    const body = this.reader.held()
    const error = body === null ? null : failureIn(wire, quirks, body)
    if (error !== null) return void this.close({ kind: 'error', error })
    this.phase = 'end of decoder'
    this.addFrames(this.reader.end())
  }

  fail(error: GatewayError): void {
    if (this.phase === 'open') this.addFrames(this.reader.release())
    this.close({ kind: 'cut', error })
  }

  exceeds(size: number): boolean {
    this.received += size
    return this.received > this.limits.upstreamTotal || this.reader.overflowed() || this.budget.exceeded() !== null
  }

  stop(): void {
    const { upstreamEvent, upstreamTotal } = this.limits
    const spent = this.budget.exceeded()
    if (spent !== null) this.close({ kind: 'error', error: spent })
    else if (this.reader.overflowed()) this.close(tooLarge('One event', upstreamEvent))
    else this.close(tooLarge('The answer', upstreamTotal))
  }

  over(): boolean {
    return this.phase !== 'open'
  }

  begun(): boolean {
    return this.told.story.items.length > 0
  }

  outcome(taken = 0): Outcome {
    return outcomeOf(this.told, this.ending, { heard: this.frameCount + taken, fast: taken })
  }

  private waits(): boolean {
    const { frames, deltas, events } = this
    return this.eventAt < events.length || this.deltaAt < deltas.length || this.frameAt < frames.length
  }

  private addFrames(frames: readonly Frame[]): void {
    const waiting = this.frameAt < this.frames.length
    this.frames = waiting ? [...this.frames.slice(this.frameAt), ...frames] : frames
    this.frameAt = 0
    this.frameCount += frames.length
    this.work()
  }

  private close(delta: Delta): void {
    if (this.phase !== 'open') return
    this.closing = [delta]
    this.phase = 'end of decoder'
    this.work()
  }

  private work(): void {
    do this.drain()
    while (this.left > 0 && this.advance())
  }

  /**
   * What waits, from its end to its beginning, for as long as the slice lasts. Written out, on local variables: calls and
   * fields cost a token more than its steps do.
   */
  private drain(): void {
    const { decode, hub, last, emit, budget } = this
    const least = -this.slice
    let { frames, frameAt, deltas, deltaAt, events, eventAt, upstream, told, said, left } = this
    this.hasStirred = false
    while (left > least) {
      if (eventAt < events.length) {
        const third = last.step(said, events[eventAt++] as Event)
        said = third.state
        left -= 1
        for (let o = 0; o < third.events.length; o += 1) if (emit(third.events[o] as Out)) left = least
      } else if (deltaAt < deltas.length) {
        const delta = deltas[deltaAt++] as Delta
        const second = hub.step(told, delta)
        told = second.state
        left -= 1
        events = second.events
        eventAt = 0
        const error = budget.add(delta, events)
        if (error !== null) {
          this.phase = 'end of reducer'
          deltas = [{ kind: 'error', error }]
          deltaAt = 0
          frames = NOTHING
        }
      } else if (frameAt < frames.length && left > 0) {
        const frame = frames[frameAt++] as Frame
        const first = decode.step(upstream, frame)
        left -= 1 + frame.data.length / STEP
        if (first.events.length > 0 || first.state !== upstream) this.hasStirred = true
        upstream = first.state
        deltas = first.events
        deltaAt = 0
      } else break
    }
    this.frames = frames
    this.frameAt = frameAt
    this.deltas = deltas
    this.deltaAt = deltaAt
    this.events = events
    this.eventAt = eventAt
    this.upstream = upstream
    this.told = told
    this.said = said
    this.left = left
  }

  /** Nothing waits: does the end bring more? */
  private advance(): boolean {
    switch (this.phase) {
      case 'end of decoder':
        this.deltas = [...this.closing, ...this.decode.end(this.upstream)]
        this.deltaAt = 0
        this.phase = 'end of reducer'
        return true
      case 'end of reducer':
        this.ending = this.hub.end(this.told)
        this.events = this.ending
        this.eventAt = 0
        this.phase = 'end of writer'
        return true
      case 'end of writer':
        for (const out of this.last.end(this.said)) this.emit(out)
        this.phase = 'over'
        return false
      default:
        return false
    }
  }
}
