import type { Position, SlowPath } from '../fast-path/chunk-template.ts'
import { type BareJsonReader, createBareJsonReader } from '../framing/bare-json.ts'
import type { Frame } from '../framing/frame.ts'
import { FRAMINGS } from '../framing/registry.ts'
import type { Machine } from '../machine/machine.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { Event } from '../protocol/event.ts'
import { type RespondState, runOf } from '../responses/state.ts'
import { LONG_JSON } from '../text/json-long.ts'
import type { Steps } from '../text/steps.ts'
import { bodyError } from './body-error.ts'
import { decodeLongText } from './decode-long.ts'
import { type Emit, MachineChain } from './machine-chain.ts'
import type { Outcome } from './outcome.ts'
import { decodeBodyText, type PipelineOptions, tooLarge } from './reducer.ts'

export interface Pipeline<State, Out> extends SlowPath<State, Out> {
  /** A whole upstream body, including its end. */
  processBody(body: string): void
  end(): void
  fail(error: GatewayError): void
  /** Counts these received bytes; returns true if a limit is exceeded. */
  exceeds(size: number): boolean
  /** Ends a stream that exceeded a limit. */
  stop(): void
  /** Begins a slice. All calls until the next one share it. */
  refill(): void
  /** Does as much of the remaining work as the slice allows. */
  resume(): void
  /** True if nothing more is read. Work may still be left. */
  over(): boolean
  begun(): boolean
  /** `taken`: chunks on the fast path, which these machines did not process. */
  outcome(taken?: number): Outcome
}

/** Opens one stream of bytes. `slice`: as in `MachineChain`; default: all work is done at once. */
export const createPipeline = <State, Out>(
  options: PipelineOptions,
  last: Machine<State, Event, Out>,
  emit: Emit<Out>,
  slice?: number,
): Pipeline<State, Out> => new StreamPipeline(options, last, emit, slice)

class StreamPipeline<State, Out> extends MachineChain<State, Out> implements Pipeline<State, Out> {
  private readonly reader: BareJsonReader
  private received = 0

  constructor(options: PipelineOptions, last: Machine<State, Event, Out>, emit: Emit<Out>, slice?: number) {
    super(options, last, emit, slice)
    this.reader = createBareJsonReader(FRAMINGS[options.wire.framing], this.limits.upstreamEvent)
  }

  process(bytes: Uint8Array): readonly Frame[] {
    const frames = this.reader.push(bytes)
    if (frames.length > 0) this.addFrames(frames)
    return frames
  }

  /** A whole upstream body, including its end. From its deltas on, it takes the path of a stream. */
  processBody(body: string): void {
    this.frameCount = 1
    this.phase = 'end of reducer'
    if (body.length > LONG_JSON) this.long = this.decodeLongBody(body)
    else this.setDeltas(decodeBodyText(this.options, body))
    this.work()
  }

  private *decodeLongBody(body: string): Steps<void> {
    this.setDeltas(yield* decodeLongText(this.options, body))
  }

  madeProgress(): boolean {
    return this.hasProgressed
  }

  position(): Position<State> {
    const { upstream, responseState, writerState } = this
    return { upstream, responseState, writerState }
  }

  move({ upstream, responseState, writerState }: Position<State>): void {
    if (responseState !== this.responseState)
      this.budget.addText(liveLength(responseState) - liveLength(this.responseState))
    this.upstream = upstream
    this.responseState = responseState
    this.writerState = writerState
  }

  overflowed(): boolean {
    return this.reader.overflowed()
  }

  end(): void {
    if (this.phase !== 'open') return
    const { wire, quirks = {} } = this.options
    const body = this.reader.held()
    const error = body === null ? null : bodyError(wire, quirks, body)
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
    const error = this.budget.exceeded()
    if (error !== null) this.close({ kind: 'error', error })
    else if (this.reader.overflowed()) this.close(tooLarge('One event', upstreamEvent))
    else this.close(tooLarge('The answer', upstreamTotal))
  }
}

/** The length of `liveText`. */
const liveLength = ({ active, text, response }: RespondState): number =>
  active === null ? 0 : runOf(response, active).text.length + text.length
