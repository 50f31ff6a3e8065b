import type { Dialect } from './dialects/dialect.ts'
import { viewResponse } from './dialects/view.ts'
import { write } from './dialects/write.ts'
import type { Frame, FrameReader } from './framing/frame.ts'
import { FRAMINGS } from './framing/table.ts'
import type { Machine } from './machine/machine.ts'
import { feed, run } from './machine/run.ts'
import type { Delta } from './protocol/delta.ts'
import { type GatewayError, upstreamError } from './protocol/error.ts'
import type { Event } from './protocol/event.ts'
import type { JsonObject } from './protocol/json.ts'
import { LIMITS, type Limits } from './protocol/limits.ts'
import type { Head, Response, ResponseStatus } from './protocol/response.ts'
import type { Usage } from './protocol/usage.ts'
import { collect } from './responses/collect.ts'
import { type Origin, type Sign, sealReasoning } from './responses/envelope.ts'
import { respond, settle } from './responses/respond.ts'
import type { RespondState } from './responses/state.ts'
import { dropUnplaced, verdict } from './responses/verdict.ts'
import { parseJson } from './text/json.ts'
import { encodeUtf8 } from './text/utf8.ts'
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

/** What became of an answer, for logs and metrics: never any content. */
export interface Outcome {
  readonly status: ResponseStatus
  readonly model: string
  readonly usage: Usage | null
  readonly error: GatewayError | null
  readonly losses: readonly string[]
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
  outcome(): Outcome
}

/** One whole answer, from a stream. */
export interface Collection {
  receive(bytes: Uint8Array): void
  end(): JsonObject
  fail(error: GatewayError): JsonObject
  readonly over: boolean
  outcome(): Outcome
}

const NO_BYTES = new Uint8Array(0)

/** Upstream bytes → the events of a dialect, as bytes. */
export function translate(options: TranslateOptions): Translation {
  const stream = openStream(options, write(options.dialect))
  const toBytes = (frames: readonly string[]): Uint8Array => (frames.length === 0 ? NO_BYTES : encodeUtf8(frames))
  return {
    receive: (bytes) => toBytes(stream.receive(bytes)),
    end: () => toBytes(stream.end()),
    fail: (error) => toBytes(stream.fail(error)),
    get over() {
      return stream.over
    },
    outcome: stream.outcome,
  }
}

/** Upstream bytes of a stream → the response object of a dialect. */
export function collectStream(options: TranslateOptions): Collection {
  const stream = openStream(options, collect)
  const closed: Response[] = []
  const toObject = (responses: readonly Response[]): JsonObject => {
    closed.push(...responses)
    return viewResponse(options.dialect, closed[0] as Response)
  }
  return {
    // A limit may end the stream before its bytes do.
    receive: (bytes) => {
      closed.push(...stream.receive(bytes))
    },
    end: () => toObject(stream.end()),
    fail: (error) => toObject(stream.fail(error)),
    get over() {
      return stream.over
    },
    outcome: stream.outcome,
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
  return { events: [...events, ...hub.end(state)], outcome: outcomeOf(state, true) }
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

interface Stream<Out> {
  receive(bytes: Uint8Array): readonly Out[]
  end(): readonly Out[]
  fail(error: GatewayError): readonly Out[]
  readonly over: boolean
  outcome(): Outcome
}

/**
 * Bytes → frames → deltas → events → whatever the last machine makes of them. Holds the only state of the core. The same
 * as `pipe(decode, pipe(respond, last))`, without the lists between the machines that a token would have to pay for.
 */
function openStream<State, Out>(options: TranslateOptions, last: Machine<State, Event, Out>): Stream<Out> {
  const { wire, quirks = {}, limits = LIMITS } = options
  const reader: FrameReader = FRAMINGS[wire.framing].open(limits.upstreamEvent)
  const decode: Machine<unknown, Frame, Delta> = wire.decodeStream(quirks)
  const hub = openHub(options)
  let upstream = decode.initial
  let told = hub.initial
  let said = last.initial
  let received = 0
  let over = false

  const hearFrames = (frames: readonly Frame[], out: Out[]): void => {
    for (const frame of frames) {
      const step = decode.step(upstream, frame)
      upstream = step.state
      hearDeltas(step.events, out)
    }
  }

  const hearDeltas = (deltas: readonly Delta[], out: Out[]): void => {
    for (const delta of deltas) {
      const step = hub.step(told, delta)
      told = step.state
      hearEvents(step.events, out)
    }
  }

  const hearEvents = (events: readonly Event[], out: Out[]): void => {
    for (const event of events) {
      const step = last.step(said, event)
      said = step.state
      for (const one of step.events) out.push(one)
    }
  }

  /** The end, whatever brought it: what the wire still owes, then what the client is owed. */
  const close = (deltas: readonly Delta[], out: Out[]): readonly Out[] => {
    over = true
    hearDeltas(deltas, out)
    hearDeltas(decode.end(upstream), out)
    hearEvents(hub.end(told), out)
    for (const one of last.end(said)) out.push(one)
    return out
  }

  return {
    receive(bytes) {
      const out: Out[] = []
      if (over) return out
      received += bytes.length
      hearFrames(reader.push(bytes), out)
      if (reader.overflowed) return close([tooLarge('One event', limits.upstreamEvent)], out)
      return received > limits.upstreamTotal ? close([tooLarge('The answer', limits.upstreamTotal)], out) : out
    },
    end() {
      const out: Out[] = []
      if (over) return out
      hearFrames(reader.end(), out)
      return close([], out)
    },
    fail: (error) => (over ? [] : close([{ kind: 'cut', error }], [])),
    get over() {
      return over
    },
    outcome: () => outcomeOf(told, over),
  }
}

const tooLarge = (what: string, limit: number): Delta => ({
  kind: 'error',
  error: upstreamError('upstream_too_large', `${what} of the upstream is larger than ${limit} bytes.`),
})

function outcomeOf(state: RespondState, over: boolean): Outcome {
  const story = over ? dropUnplaced(settle(state)) : settle(state)
  const { status, error } = over ? verdict(story) : { status: 'in_progress' as const, error: story.error }
  return { status, error, model: story.model, usage: story.usage, losses: story.losses }
}
