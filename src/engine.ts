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

/** What a host may ask of an answer on its way: for logs, metrics and traces. */
export interface Progress {
  /** No byte of the upstream can change the answer any more. */
  readonly over: boolean
  outcome(): Outcome
  /** Frames of the upstream so far. */
  chunks(): number
  /** An item has begun: the first token has come. */
  begun(): boolean
  /** The answer as it ended, with all that was said; null before that. */
  answer(): Response | null
}

/** One stream, upstream bytes to dialect bytes. No I/O. After `end` or `fail` it is over and says nothing more. */
export interface Translation extends Progress {
  /** Whole frames only: what these bytes complete. */
  receive(bytes: Uint8Array): Uint8Array
  /** The upstream ended cleanly. */
  end(): Uint8Array
  /** The transport broke, or the caller gave up: the stream ends as failed unless its answer was already whole. */
  fail(error: GatewayError): Uint8Array
}

/** One whole answer, from a stream. */
export interface Collection extends Progress {
  receive(bytes: Uint8Array): void
  end(): JsonObject
  fail(error: GatewayError): JsonObject
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
    chunks: stream.chunks,
    begun: stream.begun,
    answer: stream.answer,
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
    chunks: stream.chunks,
    begun: stream.begun,
    answer: stream.answer,
  }
}

/** What became of a whole body. */
export interface Told {
  readonly outcome: Outcome
  /** The answer with all that was said. */
  readonly answer: Response
}

/** A whole upstream body → the response object of a dialect. */
export function translateBody(options: TranslateOptions, body: string): Told & { response: JsonObject } {
  const { events, ...told } = tellBody(options, body)
  return { response: viewResponse(options.dialect, run(collect, events)[0] as Response), ...told }
}

/** A whole upstream body → the same answer as a stream, for a client that asked for one. */
export function streamBody(options: TranslateOptions, body: string): Told & { bytes: Uint8Array } {
  const { events, ...told } = tellBody(options, body)
  return { bytes: encodeUtf8(run(write(options.dialect), events)), ...told }
}

/** A whole body takes the path of a stream: deltas, then the same reducer. */
function tellBody(options: TranslateOptions, body: string): Told & { events: readonly Event[] } {
  const hub = openHub(options)
  const { state, events } = feed(hub, hub.initial, decodeText(options, body))
  const last = hub.end(state)
  return { events: [...events, ...last], outcome: outcomeOf(state, true), answer: answerOf(last) as Response }
}

/** The response that the last event of an answer tells. */
function answerOf(events: readonly Event[]): Response | null {
  const last = events.at(-1)
  return last !== undefined && 'response' in last ? last.response : null
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

interface Stream<Out> extends Progress {
  receive(bytes: Uint8Array): readonly Out[]
  end(): readonly Out[]
  fail(error: GatewayError): readonly Out[]
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
  let chunks = 0
  let over = false
  let answer: Response | null = null

  const hearFrames = (frames: readonly Frame[], out: Out[]): void => {
    chunks += frames.length
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
    const ending = hub.end(told)
    answer = answerOf(ending)
    hearEvents(ending, out)
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
    chunks: () => chunks,
    begun: () => told.live !== null || told.story.items.length > 0,
    answer: () => answer,
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
