import type { Dialect } from './dialects/dialect.ts'
import { viewResponse } from './dialects/view.ts'
import { write } from './dialects/write.ts'
import type { Frame, FrameReader } from './framing/frame.ts'
import { FRAMINGS } from './framing/table.ts'
import type { Machine } from './machine/machine.ts'
import { feed, run } from './machine/run.ts'
import { ONE_CHUNK, type Outcome, outcomeOf } from './outcome.ts'
import type { Delta } from './protocol/delta.ts'
import { type GatewayError, upstreamError } from './protocol/error.ts'
import type { Event } from './protocol/event.ts'
import type { JsonObject } from './protocol/json.ts'
import { LIMITS, type Limits } from './protocol/limits.ts'
import type { Head, Response } from './protocol/response.ts'
import { collect } from './responses/collect.ts'
import { type Origin, type Sign, sealReasoning } from './responses/envelope.ts'
import { respond } from './responses/respond.ts'
import { openShortcut, type Slow } from './template/shortcut.ts'
import { parseJson } from './text/json.ts'
import { encodeUtf8, SINK } from './text/sink.ts'
import type { Quirks } from './wires/quirks.ts'
import type { Wire } from './wires/wire.ts'

export interface TranslateOptions {
  readonly wire: Wire
  readonly quirks?: Quirks
  readonly dialect: Dialect
  readonly head: Head
  readonly limits?: Limits
  /** Where the answer comes from, as its encrypted reasoning will be marked. Left out: the wire alone. */
  readonly origin?: Origin
  /** Signs encrypted reasoning. */
  readonly sign?: Sign
}

/** One stream, upstream bytes to dialect bytes. No I/O. After `end` or `fail` it is over and says nothing more. */
export interface Translation {
  /** Whole frames only: what these bytes complete. */
  receive(bytes: Uint8Array): Uint8Array
  /** The upstream ended cleanly. */
  end(): Uint8Array
  /** The transport broke, or the caller gave up: the stream ends as failed unless its answer was already whole. */
  fail(error: GatewayError): Uint8Array
  /** No byte of the upstream can change the answer any more. */
  readonly over: boolean
  /** Has an item begun: has the first token come? */
  begun(): boolean
  outcome(): Outcome
}

/** One whole answer, from a stream. */
export interface Collection {
  receive(bytes: Uint8Array): void
  end(): JsonObject
  fail(error: GatewayError): JsonObject
  readonly over: boolean
  begun(): boolean
  outcome(): Outcome
}

const NO_BYTES = new Uint8Array(0)

/** Upstream bytes → the events of a dialect, as bytes. */
export function translate(options: TranslateOptions): Translation {
  const writer = write(options.dialect)
  const { template, framing } = options.wire
  const { boundary } = FRAMINGS[framing]
  const stream = openStream(options, writer, (text) => SINK.text(text))
  const shortcut = template === undefined || boundary === null ? null : openShortcut(stream, template, boundary)
  /** Whole frames only, all that these steps say. */
  const told = (steps: () => void): Uint8Array => {
    if (stream.over) return NO_BYTES
    SINK.begin()
    steps()
    return SINK.take()
  }
  const close = (steps: () => void): Uint8Array =>
    told(() => {
      shortcut?.settle()
      steps()
    })
  return {
    receive(bytes) {
      if (stream.over) return NO_BYTES
      SINK.begin()
      if (shortcut === null) stream.hear(bytes)
      else shortcut.hear(bytes)
      if (stream.exceeds(bytes.length)) {
        shortcut?.settle()
        stream.stop()
      }
      return SINK.take()
    },
    end: () => close(stream.end),
    fail: (error) => close(() => stream.fail(error)),
    get over() {
      return stream.over
    },
    begun: stream.begun,
    outcome: () => {
      shortcut?.settle()
      return stream.outcome(shortcut?.taken)
    },
  }
}

/** Upstream bytes of a stream → the response object of a dialect. */
export function collectStream(options: TranslateOptions): Collection {
  const closed: Response[] = []
  const stream = openStream(options, collect, (response) => void closed.push(response))
  const toObject = (steps: () => void): JsonObject => {
    if (!stream.over) steps()
    return viewResponse(options.dialect, closed[0] as Response)
  }
  return {
    // A limit may end the stream before its bytes do.
    receive(bytes) {
      if (stream.over) return
      stream.hear(bytes)
      if (stream.exceeds(bytes.length)) stream.stop()
    },
    end: () => toObject(stream.end),
    fail: (error) => toObject(() => stream.fail(error)),
    get over() {
      return stream.over
    },
    begun: stream.begun,
    outcome: () => stream.outcome(),
  }
}

/** A whole upstream body → the response object of a dialect. */
export function translateBody(options: TranslateOptions, body: string): { response: JsonObject; outcome: Outcome } {
  const { events, outcome } = tellBody(options, body)
  return { response: viewResponse(options.dialect, run(collect, events)[0] as Response), outcome }
}

/** A whole upstream body → the same answer as a stream, for a client that asked for one. */
export function streamBody(options: TranslateOptions, body: string): { bytes: Uint8Array; outcome: Outcome } {
  const { events, outcome } = tellBody(options, body)
  return { bytes: encodeUtf8(run(write(options.dialect), events)), outcome }
}

/** A whole body takes the path of a stream: deltas, then the same reducer. */
function tellBody(options: TranslateOptions, body: string): { events: readonly Event[]; outcome: Outcome } {
  const hub = openHub(options)
  const { state, events } = feed(hub, hub.initial, decodeText(options, body))
  const ending = hub.end(state)
  return { events: [...events, ...ending], outcome: outcomeOf(state, ending, ONE_CHUNK) }
}

const openHub = ({
  head,
  dialect,
  wire,
  origin = { wire: wire.name, vendor: '', model: '' },
  sign,
}: TranslateOptions) => respond(head, dialect, (payload) => sealReasoning(origin, payload, sign))

function decodeText({ wire, quirks = {} }: TranslateOptions, body: string): readonly Delta[] {
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

interface Stream<State, Out> extends Slow<State, Out> {
  end(): void
  fail(error: GatewayError): void
  /** Are these bytes more than the limits allow? */
  exceeds(size: number): boolean
  /** Ends a stream that is too large. */
  stop(): void
  readonly over: boolean
  begun(): boolean
  /** `taken`: chunks that these machines did not see. */
  outcome(taken?: number): Outcome
}

/**
 * Bytes → frames → deltas → events → whatever the last machine makes of them. Holds the only state of the core. The same
 * as `pipe(decode, pipe(respond, last))`, without the lists between the machines that a token would have to pay for.
 */
function openStream<State, Out>(
  options: TranslateOptions,
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
  let over = false
  let ending: readonly Event[] | null = null

  /** Written out, on local variables: calls and captured variables cost a token more than its steps do. */
  const hearFrames = (frames: readonly Frame[]): number => {
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
    upstream = decoded
    told = heard
    said = spoken
    return deltas
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
      return { frames, deltas: hearFrames(frames) }
    },
    position: () => ({ upstream, told, said }),
    move: (position) => {
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
      return reader.overflowed || received > limits.upstreamTotal
    },
    stop: () =>
      close([
        reader.overflowed ? tooLarge('One event', limits.upstreamEvent) : tooLarge('The answer', limits.upstreamTotal),
      ]),
    get over() {
      return over
    },
    begun: () => told.story.items.length > 0,
    outcome: (taken = 0) => outcomeOf(told, ending, { heard: frameCount + taken, fast: taken }),
  }
}

const tooLarge = (what: string, limit: number): Delta => ({
  kind: 'error',
  error: upstreamError('upstream_too_large', `${what} of the upstream is larger than ${limit} bytes.`),
})
