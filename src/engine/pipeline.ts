import type { Position, SlowPath } from '../fast-path/slow-path.ts'
import { type BareBodyReader, createBareBodyReader } from '../framing/bare-body-reader.ts'
import type { Frame } from '../framing/frame.ts'
import { FRAMINGS } from '../framing/registry.ts'
import { emitAll } from '../machine/emit-all.ts'
import { type LongStep, type Machine, NOTHING } from '../machine/machine.ts'
import type { Delta } from '../protocol/delta.ts'
import { type GatewayError, upstreamError } from '../protocol/error.ts'
import type { Event } from '../protocol/event.ts'
import { liveLength } from '../responses/parts.ts'
import type { RespondState } from '../responses/state.ts'
import { LONG_JSON } from '../text/json-long.ts'
import type { Steps } from '../text/steps.ts'
import type { Expected } from './answer.ts'
import { type BareBody, readBareBody } from './bare-body.ts'
import { decodeLongText } from './decode-long.ts'
import { MachineChain } from './machine-chain.ts'
import { type Outcome, outcomeOf } from './outcome.ts'
import { decodeBodyText, tooLarge, withEndTime } from './reducer.ts'
import type { TurnSource, TurnState } from './turns.ts'

/**
 * The machines of one answer, for the bytes of its upstream. An answer with turns is made from several upstream answers:
 * `end` and `fail` end the upstream answer, `openTurn` begins the next one, and `closeTurns` ends the answer.
 */
export class StreamPipeline<State, Out> extends MachineChain<State, Out> implements SlowPath<State, Out> {
  decode: Machine<unknown, Frame, Delta>
  private reader: BareBodyReader
  private received = 0
  private readCount = 0

  constructor(...args: ConstructorParameters<typeof MachineChain<State, Out>>) {
    super(...args)
    this.decode = this.decodeForProofs()
    this.reader = this.openReader()
  }

  private decodeForProofs(): Machine<unknown, Frame, Delta> {
    const decoder = this.decoder.probed ?? this.decoder
    return this.stage === null ? decoder : (this.stage.after(decoder) as Machine<unknown, Frame, Delta>)
  }

  private openReader(): BareBodyReader {
    return createBareBodyReader(FRAMINGS[this.options.wire.framing], this.limits.upstreamEvent)
  }

  begun(): boolean {
    return this.responseState.response.items.length > 0
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

  /** The part of the upstream answer that may still arrive. */
  remainder(): Expected {
    return this.phase === 'open' ? this.expected : 'nothing'
  }

  /** How often frames on the slow path have changed the answer so far. Heartbeats do not. */
  changes(): number {
    return this.changeCount
  }

  /** The frame after which nothing follows; null before it, and if the answer ended in another way. */
  lastFrame(): Frame | null {
    return this.terminal
  }

  slowCount(): number {
    return this.frameCount
  }

  outcome(taken = 0): Outcome {
    return outcomeOf(this.responseState, this.ending, { received: this.frameCount + taken, fast: taken })
  }

  busy(): boolean {
    return this.phase === 'open' || this.phase === 'between turns' ? this.waits() : this.phase !== 'over'
  }

  /** True if nothing more is read. Work may still be left. */
  over(): boolean {
    return this.phase !== 'open' && (this.stage === null || this.isClosed())
  }

  protected isClosed(): boolean {
    const { phase } = this
    return phase === 'end of reducer' || phase === 'end of writer' || phase === 'over'
  }

  process(bytes: Uint8Array): readonly Frame[] {
    if (this.phase !== 'open') return NOTHING
    if (bytes.length > 0) this.readCount += 1
    const frames = this.reader.push(bytes)
    if (frames.length > 0) this.addFrames(frames)
    return frames
  }

  /** The number of pieces that did not take the fast path so far. */
  slowReads(): number {
    return this.readCount
  }

  /** A whole upstream body, including its end. From its deltas on, it takes the path of a stream. */
  processBody(body: string): void {
    if (this.phase !== 'open') return
    this.frameCount += 1
    this.phase = this.stage === null ? 'end of reducer' : 'between turns'
    if (body.length > LONG_JSON) this.long = this.decodeLongBody(body)
    else this.setDecoded(decodeBodyText(this.options, body))
    this.work()
  }

  private *decodeLongBody(body: string): Steps<void> {
    this.setDecoded(yield* decodeLongText(this.options, body))
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
    if (responseState !== this.responseState)
      this.budget.addText(liveLength(responseState) - liveLength(this.responseState))
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
    return this.budget.kept()
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

  /** Starts the next phase when nothing is waiting. Returns true if it may have produced more inputs. */
  protected override advance(): boolean {
    switch (this.phase) {
      case 'end of decoder':
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
        for (const out of this.last.end(this.writerState)) this.emit(out)
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
    return isBlank ? [{ kind: 'cut', error: withoutFrames(this.options.wire.framing) }] : deltas
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

  /** The bytes that are within the limit of the whole stream: an answer may be complete before it. */
  within(bytes: Uint8Array): Uint8Array {
    const left = this.limits.upstreamTotal - this.received
    return bytes.length <= left ? bytes : bytes.subarray(0, Math.max(0, left))
  }

  /** Counts these received bytes; returns true if a limit is exceeded. */
  exceeds(size: number): boolean {
    this.received += size
    return this.received > this.limits.upstreamTotal || this.reader.overflowed() || this.budget.exceeded() !== null
  }

  /** Ends a stream that exceeded a limit. */
  stop(): void {
    const { upstreamEvent, upstreamTotal } = this.limits
    const error = this.budget.exceeded()
    if (error !== null) this.close({ kind: 'error', error })
    else if (this.reader.overflowed()) this.close(tooLarge('One event', upstreamEvent))
    else this.close(tooLarge('The answer', upstreamTotal))
  }
}

const withoutFrames = (framing: string): GatewayError =>
  upstreamError(
    'upstream_truncated',
    `The upstream ended without an answer: nothing that it sent is a frame of the format ${framing}.`,
  )
