import type { DeltaMachine } from '../engine/hooks.ts'
import type { Outcome } from '../engine/outcome.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Limits } from '../protocol/limits.ts'
import type { Loss } from '../protocol/loss.ts'
import type { Sign } from '../responses/encrypted-content.ts'
import type { PendingInput } from './answer-input.ts'
import type { CallAnswer } from './call-answer.ts'
import type { ClientProtocolObject } from './client-protocol.ts'
import type { Collected, EventStream, KeepAliveOptions, TranslatedIterable } from './output-streams.ts'
import { REQUEST_SETTINGS, type RequestSettings } from './request-settings.ts'
import type { AnsweredOptions, FormOptions } from './stream-options.ts'
import type { UpstreamObject } from './upstream-route.ts'

/** Options of a translator that do not depend on where its protocols come from. */
export interface TranslatorSettings {
  /**
   * Returns a keyed digest of a text, such as its HMAC as hexadecimal digits. It signs encrypted reasoning, so that a
   * changed one is not sent to the upstream. Left out: encrypted reasoning has no signature.
   */
  readonly sign?: Sign
  /** Bounds of memory and input; the others keep their defaults. */
  readonly limits?: Partial<Limits>
  /** Machines between the decoder and the reducer of each answer, in this order: they change the deltas of the answer. */
  readonly machines?: readonly DeltaMachine[]
  /** Functions that each request passes before it is encoded, in this order. Those of a call follow. */
  readonly requests?: NonNullable<RequestSettings['requests']>
  /** Rules of the upstream that the program knows, which follow the known ones. Those of a call follow. */
  readonly rules?: NonNullable<RequestSettings['rules']>
  /**
   * Is called once when the answer to a call has ended or its client has left, with its status, usage, losses, error,
   * and what the upstream said.
   */
  readonly onOutcome?: (outcome: Outcome, call: TranslatorCall) => void
}

export const TRANSLATOR_SETTINGS = ['sign', 'limits', 'machines', 'requests', 'rules', 'onOutcome'] as const

/** Options of a translator of objects. */
export interface TranslatorObjects<Client extends ClientProtocolObject = ClientProtocolObject>
  extends TranslatorSettings {
  /** The protocol of the clients: the object of `millrace/dialects/<name>` or `millrace/wires/<name>`. Default: `openai`. */
  readonly client?: Client
  readonly upstream: UpstreamObject
}

/** Options of one request. They replace those of the translator, and lists follow those of the translator. */
export interface CallOptions extends RequestSettings {
  /**
   * The model of this request, in place of the one in the body and of `upstream.model`. For a protocol that has the model
   * in its URL, the name there, which `upstream.model` replaces.
   */
  readonly model?: string
  readonly apiKey?: string | undefined
  /** Added to those of the upstream; they replace headers of the same name. */
  readonly headers?: Readonly<Record<string, string>>
  /** The id of the response. Default: `resp_` and 32 random hexadecimal digits. */
  readonly id?: string
  /** Unix seconds. Default: now. */
  readonly createdAt?: number
  /** Becomes a member of `init`, so that it ends the request. An answer that it ended is `left`. */
  readonly signal?: AbortSignal
  readonly machines?: readonly DeltaMachine[]
  readonly onOutcome?: (outcome: Outcome) => void
}

export const CALL_OPTIONS = [
  ...REQUEST_SETTINGS,
  'apiKey',
  'headers',
  'id',
  'createdAt',
  'signal',
  'machines',
  'onOutcome',
] as const

/** A request for `fetch`, and what it has decided about its answer. */
export interface TranslatorCall<Event = unknown, Body = unknown> {
  readonly ok: true
  readonly url: string
  readonly init: {
    readonly method: 'POST'
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
    readonly signal?: AbortSignal
  }
  /** The body of `init` as an object. */
  readonly body: JsonObject
  /** Whether the client requested a stream. */
  readonly stream: boolean
  /** Requested features that cannot be carried unchanged, with the client's own paths. */
  readonly losses: readonly Loss[]
  /** For every function that reads the answer. */
  readonly answer: CallAnswer<Event, Body>
}

/** Options of a method that reads an answer. */
export type CallReadOptions = Omit<AnsweredOptions, 'answer'> & FormOptions

/** The failure of a request that cannot be sent. */
export interface RefusedCall {
  readonly ok: false
  readonly error: GatewayError
}

/**
 * A request and its answer. No I/O: the program sends the requests. Each method that reads an answer accepts what `fetch`
 * returned, its promise, bytes, or the chunks of an SDK, and the call of the request: reasoning, names and kinds of tools
 * come back as the client knows them, and the response repeats the settings of its request.
 *
 * `Event` and `Body`: the events and the whole answer in the protocol of the clients.
 */
export interface Translator<Event = unknown, Body = unknown, Options = CallReadOptions> {
  /** Reads a client's request, as text or as its JSON value, and encodes it for the upstream. */
  encodeRequest(body: unknown, options?: CallOptions): TranslatorCall<Event, Body> | RefusedCall
  /** A failure as a response in the client's protocol, or in the one that `to` names. */
  errorResponse(error: GatewayError, options?: Options): globalThis.Response
  /**
   * The answer for the client: a stream if the client requested one, else a JSON body. A status of 400 or more, and an
   * answer that fails before it is complete, become an error response; inside a stream, a failure is an event of the
   * protocol. A rejected promise of `fetch` is a broken connection, that of an SDK has its status. Rejects only with a TypeError, for other arguments.
   */
  toResponse(
    upstream: PendingInput,
    call: TranslatorCall,
    options?: Options & KeepAliveOptions,
  ): Promise<globalThis.Response>
  /** The events of the answer as objects, also of a whole body. Leaving the loop closes the input. */
  events(upstream: PendingInput, call: TranslatorCall, options?: Options): EventStream<Event>
  /** The whole answer, also of a stream. A failure is a response with the status `failed`, or the error of the protocol. */
  collect(upstream: PendingInput, call: TranslatorCall, options?: Options): Collected<Body>
  /** The bytes of a stream for the client, also of a whole body. Leaving the loop closes the input. */
  stream(upstream: PendingInput, call: TranslatorCall, options?: Options & KeepAliveOptions): TranslatedIterable
}
