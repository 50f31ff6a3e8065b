import type { Dialect } from '../dialects/dialect.ts'
import { memoizeByDialect } from '../dialects/memoize.ts'
import { projectObject, writeObjects } from '../dialects/projection.ts'
import { writeFrames } from '../dialects/write.ts'
import type { WriterState } from '../fast-path/slow-path.ts'
import { type FormatName, type Frames, KEEP_ALIVE } from '../framing/format.ts'
import type { Machine } from '../machine/machine.ts'
import type { Output } from '../output/frame-printer.ts'
import type { GatewayError } from '../protocol/error.ts'
import { toErrorBody } from '../protocol/error-body.ts'
import type { Event } from '../protocol/event.ts'
import type { Json, JsonObject } from '../protocol/json.ts'
import type { Head, Response } from '../protocol/response.ts'
import { type Served, servedLosses } from '../protocol/served.ts'
import { ALL_COUNTS, type UsageDetail, usageLosses } from '../protocol/usage.ts'
import type { Capabilities } from '../responses/capabilities.ts'
import { collect } from '../responses/collect.ts'
import { type Origin, type Sign, sealReasoning } from '../responses/encrypted-content.ts'
import type { Steps } from '../text/steps.ts'
import type { ClientErrorBody } from '../wires/client-contract.ts'

/** One answer: what its target needs beside the events. */
export interface TargetContext {
  readonly head: Head
  /** The source of the answer. */
  readonly origin: Origin
  /** Signs envelopes of encrypted reasoning. */
  readonly sign: Sign | undefined
  /** The writer of dialects. Left out: `writeFrames`. */
  readonly write: typeof writeFrames | undefined
}

/** Collects what the body of an answer is built from. */
export interface BodyBuilder<State = unknown, Out = unknown> {
  readonly machine: Machine<State, Event, Out>
  /** Returns true if no more outputs fit into the slice of work. */
  add(output: Out): boolean
  /** Builds the body after the last output. `error`: the failure of the answer. */
  build(error: GatewayError | null): Steps<JsonObject>
}

/**
 * Writes answers in one protocol: a dialect of the Responses API, or the protocol of another client family. A target
 * has no state, and serves any number of answers.
 */
export interface Target {
  /** The name of the dialect or of the wire. */
  readonly name: string
  /** The item kinds and fields that events may have. */
  readonly capabilities: Capabilities
  /** Properties of the request that decide the form of the answer, e.g. whether usage was requested. */
  readonly settings: JsonObject
  readonly format: FormatName
  /** Headers of its streams beside the media type of the format. Lower-case names. Left out: none. */
  readonly headers?: Readonly<Record<string, string>>
  /** Written during silence; null if the client would treat any output as part of the answer. */
  readonly keepAlive: string | null
  /** Whether deltas of its streams can be joined. */
  readonly coalesces: boolean
  /** Events → the text of a stream. `coalesce`: as in `TranslationOptions`. */
  stream(context: TargetContext, coalesce: boolean): Machine<WriterState, Event, Output>
  /** Events → the events of the protocol as objects, without its terminator. */
  objects(context: TargetContext): Machine<unknown, Event, JsonObject>
  /**
   * The frames with which a stream fails whose beginning its client has received. Left out in protocols whose failures
   * repeat what was sent.
   */
  failure?(context: TargetContext, error: GatewayError): Frames
  openBody(context: TargetContext): BodyBuilder
  /** The HTTP status and the body of a failure before the first byte. */
  errorBody(error: GatewayError, requestId: string): ClientErrorBody
  /** The payload of reasoning that the upstream encrypted → `encrypted_content` of its item. */
  seal(payload: Json, context: TargetContext): string
  /** Names the parts of a whole answer that its client does not receive. `streamed`: it receives a stream. */
  lossesOf(answer: Response, served: Served, streamed: boolean): readonly string[]
}

/** Each of these requests is an item of the answer. */
const SHOWN_AS_ITEMS: readonly UsageDetail[] = ['web_search_requests', 'web_fetch_requests']

export const dialectTarget: (dialect: Dialect) => Target = memoizeByDialect((dialect) => ({
  name: dialect.name,
  capabilities: dialect,
  settings: {},
  format: 'sse',
  keepAlive: KEEP_ALIVE,
  coalesces: true,
  stream: ({ write = writeFrames }, coalesce) => write(dialect, coalesce),
  objects: () => writeObjects(dialect),
  openBody: () => responseBuilder(dialect),
  errorBody: (error, requestId) => ({ status: error.status, body: toErrorBody(error, requestId) }),
  seal: (payload, { origin, sign }) => sealReasoning(origin, payload, sign),
  lossesOf: ({ usage }, served) => [
    ...usageLosses(usage, {
      cost: dialect.views.usage?.includes('cost?') === true,
      details: SHOWN_AS_ITEMS,
      ...ALL_COUNTS,
    }),
    ...servedLosses(served, dialect.views.response === undefined ? ['service_tier'] : []),
  ],
}))

function responseBuilder(dialect: Dialect): BodyBuilder<unknown, Response> {
  let response: Response | null = null
  return {
    machine: collect,
    add(output) {
      response = output
      return false
    },
    build: () => projectObject(dialect, response as unknown as Response, 'response'),
  }
}
