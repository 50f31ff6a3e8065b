import type { Frame, FrameReader } from './framing/frame.ts'
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
import type { Slow } from './template/template.ts'
import { parseJson } from './text/json.ts'
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

/**
 * Bytes → frames → deltas → events → whatever the last machine makes of them. Holds the only state of the core. The same
 * as `pipe(decode, pipe(respond, last))`, without the lists between the machines that a token would have to pay for.
 */
export function openStream<State, Out>(
  options: HearingOptions,
  last: Machine<State, Event, Out>,
  emit: (out: Out) => void,
): Stream<State, Out> {
  const { wire, quirks = {}, limits = LIMITS } = options
  const reader: FrameReader = FRAMINGS[wire.framing].open(limits.upstreamEvent)
  const decode: Machine<unknown, Frame, Delta> = wire.decodeStream(quirks)
  const hub = openHub(options)
  let upstream = decode.initial
  let told = hub.initial
  let said = last.initial
  let received = 0
  let frameCount = 0
  let stirred = false
  let over = false
  let ending: readonly Event[] | null = null

  /** Written out, on local variables: calls and captured variables cost a token more than its steps do. */
  const hearFrames = (frames: readonly Frame[]): void => {
    let deltas = 0
    let decoded = upstream
    let heard = told
    let spoken = said
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
    frameCount += frames.length
    stirred = deltas > 0 || decoded !== upstream
    upstream = decoded
    told = heard
    said = spoken
  }

  const hearDeltas = (deltas: readonly Delta[]): void => {
    for (const delta of deltas) {
      const step = hub.step(told, delta)
      told = step.state
      hearEvents(step.events)
    }
  }

  const hearEvents = (events: readonly Event[]): void => {
    for (const event of events) {
      const step = last.step(said, event)
      said = step.state
      for (const one of step.events) emit(one)
    }
  }

  /** The end, whatever brought it: what the wire still owes, then what the client is owed. */
  const close = (deltas: readonly Delta[]): void => {
    over = true
    hearDeltas(deltas)
    hearDeltas(decode.end(upstream))
    ending = hub.end(told)
    hearEvents(ending)
    for (const one of last.end(said)) emit(one)
  }

  return {
    decode,
    hub,
    last,
    hear(bytes) {
      const frames = reader.push(bytes)
      if (frames.length > 0) hearFrames(frames)
      return frames
    },
    stirred: () => stirred,
    overflowed: reader.overflowed,
    position: () => ({ upstream, told, said }),
    move: (position) => {
      upstream = position.upstream
      told = position.told
      said = position.said
    },
    end() {
      hearFrames(reader.end())
      close([])
    },
    fail: (error) => close([{ kind: 'cut', error }]),
    exceeds(size) {
      received += size
      return reader.overflowed() || received > limits.upstreamTotal
    },
    stop: () =>
      close([
        reader.overflowed()
          ? tooLarge('One event', limits.upstreamEvent)
          : tooLarge('The answer', limits.upstreamTotal),
      ]),
    over: () => over,
    begun: () => told.story.items.length > 0,
    outcome: (taken = 0) => outcomeOf(told, ending, { heard: frameCount + taken, fast: taken }),
  }
}

export const tooLarge = (what: string, limit: number): Delta => ({
  kind: 'error',
  error: upstreamError('upstream_too_large', `${what} of the upstream is larger than ${limit} bytes.`),
})
