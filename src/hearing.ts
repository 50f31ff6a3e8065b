import { type BareJsonReader, openUnlessJson } from './framing/bare-json.ts'
import type { Frame } from './framing/frame.ts'
import { FRAMINGS } from './framing/table.ts'
import type { Machine } from './machine/machine.ts'
import { feed } from './machine/run.ts'
import { ONE_CHUNK, type Outcome, outcomeOf } from './outcome.ts'
import type { Delta } from './protocol/delta.ts'
import { type GatewayError, upstreamError } from './protocol/error.ts'
import type { Event } from './protocol/event.ts'
import { LIMITS, type Limits } from './protocol/limits.ts'
import type { Head } from './protocol/response.ts'
import { type Origin, type Sign, sealReasoning } from './responses/envelope.ts'
import { respond } from './responses/respond.ts'
import type { Speech } from './responses/speech.ts'
import type { RespondState } from './responses/state.ts'
import type { Position, Slow } from './template/template.ts'
import { parseJson } from './text/json.ts'
import { failureIn } from './wires/body-failure.ts'
import type { Quirks } from './wires/quirks.ts'
import type { Wire } from './wires/wire.ts'

/** How an upstream is heard, and what words there are for it. */
export interface HearingOptions {
  readonly wire: Wire
  readonly quirks?: Quirks
  readonly dialect: Speech
  readonly head: Head
  readonly limits?: Limits
  /** Where the answer comes from, as its encrypted reasoning will be marked. Left out: the wire alone. */
  readonly origin?: Origin
  /** Signs encrypted reasoning. */
  readonly sign?: Sign
}

/** A whole body takes the path of a stream: deltas, then the same reducer. */
export function tellBody(options: HearingOptions, body: string): { events: readonly Event[]; outcome: Outcome } {
  const hub = openHub(options)
  const { state, events } = feed(hub, hub.initial, decodeText(options, body))
  const ending = hub.end(state)
  return { events: [...events, ...ending], outcome: outcomeOf(state, ending, ONE_CHUNK) }
}

/** The one reducer of a response. */
export const openHub = ({
  head,
  dialect,
  wire,
  origin = { wire: wire.name, vendor: '', model: '' },
  sign,
}: HearingOptions) => respond(head, dialect, (payload) => sealReasoning(origin, payload, sign))

/** A whole upstream body → deltas. */
export function decodeText({ wire, quirks = {} }: HearingOptions, body: string): readonly Delta[] {
  const value = parseJson(body)
  return value === undefined
    ? [
        {
          kind: 'error',
          error: upstreamError('upstream_invalid', 'The upstream answered with something that is not JSON.'),
        },
      ]
    : wire.decodeBody(value, quirks)
}

// ---------------------------------------------------------------- one stream

export interface Stream<State, Out> extends Slow<State, Out> {
  end(): void
  fail(error: GatewayError): void
  /** Are these bytes more than the limits allow? */
  exceeds(size: number): boolean
  /** Ends a stream that is too large. */
  stop(): void
  over(): boolean
  begun(): boolean
  /** `taken`: chunks that these machines did not see. */
  outcome(taken?: number): Outcome
}

/** One stream: `emit` is given all that the last machine says. */
export const openStream = <State, Out>(
  options: HearingOptions,
  last: Machine<State, Event, Out>,
  emit: (out: Out) => void,
): Stream<State, Out> => new OpenStream(options, last, emit)

/**
 * Bytes → frames → deltas → events → whatever the last machine makes of them. Holds the only state of the core. The same
 * as `pipe(decode, pipe(respond, last))`, without the lists between the machines that a token would have to pay for.
 */
class OpenStream<State, Out> implements Stream<State, Out> {
  readonly decode: Machine<unknown, Frame, Delta>
  readonly hub: ReturnType<typeof openHub>
  readonly last: Machine<State, Event, Out>
  private readonly emit: (out: Out) => void
  private readonly limits: Limits
  private readonly reader: BareJsonReader
  private readonly failureOf: (body: string) => GatewayError | null
  private upstream: unknown
  private told: RespondState
  private said: State
  private received = 0
  private frameCount = 0
  private hasStirred = false
  private isOver = false
  private ending: readonly Event[] | null = null

  constructor(options: HearingOptions, last: Machine<State, Event, Out>, emit: (out: Out) => void) {
    const { wire, quirks = {}, limits = LIMITS } = options
    this.decode = wire.decodeStream(quirks)
    this.hub = openHub(options)
    this.last = last
    this.emit = emit
    this.limits = limits
    this.reader = openUnlessJson(FRAMINGS[wire.framing], limits.upstreamEvent)
    this.failureOf = (body) => failureIn(wire, quirks, body)
    this.upstream = this.decode.initial
    this.told = this.hub.initial
    this.said = last.initial
  }

  hear(bytes: Uint8Array): readonly Frame[] {
    const frames = this.reader.push(bytes)
    if (frames.length > 0) this.hearFrames(frames)
    return frames
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
    this.upstream = upstream
    this.told = told
    this.said = said
  }

  end(): void {
    const body = this.reader.held()
    const error = body === null ? null : this.failureOf(body)
    if (error === null) this.hearFrames(this.reader.end())
    this.close(error === null ? [] : [{ kind: 'error', error }])
  }

  fail(error: GatewayError): void {
    this.close([{ kind: 'cut', error }])
  }

  exceeds(size: number): boolean {
    this.received += size
    return this.received > this.limits.upstreamTotal || this.reader.overflowed()
  }

  stop(): void {
    const { upstreamEvent, upstreamTotal } = this.limits
    const isEvent = this.reader.overflowed()
    this.close([isEvent ? tooLarge('One event', upstreamEvent) : tooLarge('The answer', upstreamTotal)])
  }

  over(): boolean {
    return this.isOver
  }

  begun(): boolean {
    return this.told.story.items.length > 0
  }

  outcome(taken = 0): Outcome {
    return outcomeOf(this.told, this.ending, { heard: this.frameCount + taken, fast: taken })
  }

  /** Written out, on local variables: calls and fields cost a token more than its steps do. */
  private hearFrames(frames: readonly Frame[]): void {
    const { decode, hub, last, emit } = this
    let deltas = 0
    let decoded = this.upstream
    let heard = this.told
    let spoken = this.said
    for (let f = 0; f < frames.length; f += 1) {
      const first = decode.step(decoded, frames[f] as Frame)
      decoded = first.state
      deltas += first.events.length
      for (let d = 0; d < first.events.length; d += 1) {
        const second = hub.step(heard, first.events[d] as Delta)
        heard = second.state
        for (let e = 0; e < second.events.length; e += 1) {
          const third = last.step(spoken, second.events[e] as Event)
          spoken = third.state
          for (let o = 0; o < third.events.length; o += 1) emit(third.events[o] as Out)
        }
      }
    }
    this.frameCount += frames.length
    this.hasStirred = deltas > 0 || decoded !== this.upstream
    this.upstream = decoded
    this.told = heard
    this.said = spoken
  }

  private hearDeltas(deltas: readonly Delta[]): void {
    for (const delta of deltas) {
      const step = this.hub.step(this.told, delta)
      this.told = step.state
      this.hearEvents(step.events)
    }
  }

  private hearEvents(events: readonly Event[]): void {
    for (const event of events) {
      const step = this.last.step(this.said, event)
      this.said = step.state
      for (const one of step.events) this.emit(one)
    }
  }

  /** The end, whatever brought it: what the wire still owes, then what the client is owed. */
  private close(deltas: readonly Delta[]): void {
    this.isOver = true
    this.hearDeltas(deltas)
    this.hearDeltas(this.decode.end(this.upstream))
    this.ending = this.hub.end(this.told)
    this.hearEvents(this.ending)
    for (const one of this.last.end(this.said)) this.emit(one)
  }
}

export const tooLarge = (what: string, limit: number): Delta => ({
  kind: 'error',
  error: upstreamError('upstream_too_large', `${what} of the upstream is larger than ${limit} bytes.`),
})
