import type { Dialect } from '../dialects/dialect.ts'
import type { ClientTargetOptions, ClientWire } from '../engine/client-target.ts'
import { withMachines } from '../engine/hooks.ts'
import type { StreamTranslator } from '../engine/stream-translator.ts'
import { openFastPath } from '../fast-path/open-fast-path.ts'
import type { Machine } from '../machine/machine.ts'
import type { Delta } from '../protocol/delta.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { ResponseObject } from '../protocol/response-event.ts'
import { isNonEmptyString } from '../text/json.ts'
import { checkFormat, checkOptions } from '../validation/arguments.ts'
import type { VendorName } from '../vendors/registry.ts'
import { findVendorAt } from '../vendors/registry.ts'
import { quirksOn, type Vendor } from '../vendors/vendor.ts'
import type { StreamWire, WireName } from '../wires/contract.ts'
import type { AnswerInput } from './answer-input.ts'
import { clientNamed, type TargetName, targetOf, vendorNamed, wireNamed } from './names.ts'
import {
  collectResponse,
  createStreamTranslator,
  type EventStream,
  type ReadOptions,
  type SharedOptions,
  type StreamedBody,
  streamEvents,
  streamFromBody,
  type TranslatedBody,
  type TranslatedIterable,
  type TranslatedStream,
  translateAnswerBody,
  translateIterable,
  translateStream,
  type WriteOptions,
} from './streams.ts'

export interface EventsOptions extends SharedOptions {
  /** The protocol of the upstream: its name, or the object of `millrace/wires/<name>`. */
  readonly from: WireName | StreamWire
  /** The vendor of the upstream, for its quirks. `quirks` take precedence. */
  readonly vendor?: VendorName
  /**
   * Machines between the decoder and the reducer, in this order: they change the deltas of the answer. An exception of one
   * ends the answer as failed.
   */
  readonly machines?: readonly Machine<unknown, Delta, Delta>[]
}

/** Options of the functions that write answers for a client. */
export interface StreamOptions extends EventsOptions, ClientTargetOptions {
  /**
   * A dialect of the Responses API (default: `openai`) or the protocol of another client: its name, or the object of
   * `millrace/dialects/<name>` or `millrace/wires/<name>`.
   */
  readonly to?: TargetName | Dialect | ClientWire
}

function toReadOptions(options: EventsOptions, input?: AnswerInput): ReadOptions {
  checkOptions(options)
  const { from, vendor, quirks, machines = [], ...rest } = options
  const wire = typeof from === 'object' ? from : wireNamed('from', from)
  const row = vendor === undefined ? undefined : vendorNamed(vendor)
  const ofVendor = row === undefined ? undefined : quirksOn(row, wire.name)
  const all = quirks === undefined ? ofVendor : { ...ofVendor, ...quirks }
  const keyVariable = (row ?? vendorOf(input))?.keyVariable ?? null
  return {
    ...rest,
    from: withMachines(wire, machines),
    ...(keyVariable === null ? {} : { keyVariable }),
    ...(all === undefined ? {} : { quirks: all }),
  }
}

/** The vendor that sent a response of `fetch`, by its URL. */
function vendorOf(input: AnswerInput | undefined): Vendor | undefined {
  const url = (input as Partial<globalThis.Response> | null | undefined)?.url
  return isNonEmptyString(url) ? findVendorAt(url) : undefined
}

function toWriteOptions(options: StreamOptions, input?: AnswerInput): WriteOptions {
  checkOptions(options)
  const { to = 'openai', settings, format, ...rest } = options
  const client = clientNamed('to', to)
  checkFormat(format, client.dialect !== null)
  const form = { ...(settings === undefined ? {} : { settings }), ...(format === undefined ? {} : { format }) }
  return { ...toReadOptions(rest, input), to: targetOf(client, form), fastPath: openFastPath }
}

/**
 * Bytes of an upstream → bytes for a client, without I/O: `push` and `end` return bytes.
 *
 * @throws TypeError for an unknown name in `from`, `to` or `vendor`, as do the other functions.
 */
export const createNamedStreamTranslator = (options: StreamOptions): StreamTranslator =>
  createStreamTranslator(toWriteOptions(options))

/**
 * Translates the answer of an upstream to a stream for a client. Reads no faster than its consumer. An input that breaks
 * ends the answer as failed; cancelling the stream closes the input.
 */
export const translateNamedStream = (input: AnswerInput, options: StreamOptions): TranslatedStream =>
  translateStream(input, toWriteOptions(options, input))

/**
 * The same without Web streams, for an input that is none, such as a stream of Node: it takes about half as long. A
 * consumer that leaves the loop closes the input.
 */
export const translateNamedIterable = (input: AnswerInput, options: StreamOptions): TranslatedIterable =>
  translateIterable(input, toWriteOptions(options, input))

/**
 * The events of an answer as objects, in the form of the dialect `openai`. A consumer that leaves the loop closes the
 * input. An answer that fails ends with `response.failed`; the iterator does not throw.
 */
export const streamNamedEvents = (input: AnswerInput, options: EventsOptions): EventStream =>
  streamEvents(input, toReadOptions(options, input))

/** Reads a whole answer. A failed answer is a response with the status `failed`; the promise does not reject for it. */
export const collectNamedResponse = async (input: AnswerInput, options: EventsOptions): Promise<ResponseObject> =>
  collectResponse(input, toReadOptions(options, input))

/** Translates a whole upstream body, as text or as its JSON value, to a whole body for a client. */
export const translateNamedBody = (body: string | JsonObject, options: StreamOptions): TranslatedBody =>
  translateAnswerBody(body, toWriteOptions(options))

/** Translates a whole upstream body to a stream, for a client that requested a stream. */
export const streamFromNamedBody = (body: string | JsonObject, options: StreamOptions): StreamedBody =>
  streamFromBody(body, toWriteOptions(options))
