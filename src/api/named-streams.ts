import type { ClientTargetOptions } from '../engine/client-target.ts'
import { type DeltaMachine, withMachines } from '../engine/hooks.ts'
import type { StreamTranslator } from '../engine/stream-translator.ts'
import type { Target } from '../engine/target.ts'
import { openFastPath } from '../fast-path/open-fast-path.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { FrontEndName } from '../targets/names.ts'
import { isNonEmptyString } from '../text/json.ts'
import { checkAnswer, checkFormat, checkMachines, checkOptions } from '../validation/arguments.ts'
import { checkedValues } from '../validation/option-values.ts'
import { findVendorAt } from '../vendors/registry.ts'
import type { StreamWire, WireName } from '../wires/contract.ts'
import type { PendingInput } from './answer-input.ts'
import type { CallAnswer } from './call-answer.ts'
import { type AnswerProtocol, isDialect, targetOfForm } from './client-protocol.ts'
import { checkQuirks } from './named-upstream.ts'
import {
  formNamed,
  isOwnWire,
  type KnownVendor,
  quirksOfVendor,
  type ResponsesClient,
  type TargetName,
  type VendorInput,
  vendorNamed,
  wireNamed,
} from './names.ts'
import type {
  Collected,
  EventStream,
  KeepAliveOptions,
  TranslatedIterable,
  TranslatedStream,
} from './output-streams.ts'
import type {
  AnsweredOptions,
  FormOptions,
  ReadOptions,
  SharedOptions,
  StreamedBody,
  TranslatedBody,
  WriteOptions,
} from './stream-options.ts'
import {
  checkDecoding,
  collectResponse,
  createStreamTranslator,
  rejected,
  streamEvents,
  streamFromBody,
  translateAnswerBody,
  translateIterable,
  translateStream,
} from './streams.ts'

/** Options of a function that reads an answer. */
interface ReadingOptions extends SharedOptions, ClientTargetOptions {
  /**
   * Machines between the decoder and the reducer, in this order: they change the deltas of the answer. An exception of one
   * ends the answer as failed.
   */
  readonly machines?: readonly DeltaMachine[]
  /**
   * A dialect of the Responses API (default: `openai`), the protocol of another client, the stream of a user interface, or
   * a target of the program: its name, or the object of `millrace/dialects/<name>` or `millrace/wires/<name>`. With `answer`, the default is the
   * protocol of its client.
   */
  readonly to?: TargetName | FrontEndName | AnswerProtocol
}

/** Options of the functions that read an answer whose request was not encoded here. */
export interface StreamOptions extends ReadingOptions {
  /** The protocol of the upstream: its name, or the object of `millrace/wires/<name>`. */
  readonly from: WireName | StreamWire
  /**
   * The vendor of the upstream, for its quirks, which `quirks` precede. Encrypted reasoning comes back to a request to the
   * same vendor; left out, to the next request, whichever vendor it names. The kinds and names of tools that a request
   * changed do not come back without `answer`.
   */
  readonly vendor?: VendorInput
}

/** Options of the same functions for the answer to a request that was encoded here. */
export interface CallStreamOptions<Event = unknown, Body = unknown> extends Omit<ReadingOptions, 'quirks'> {
  /** `answer` of its call, which has decided all else. */
  readonly answer: CallAnswer<Event, Body>
}

type AnyStreamOptions = StreamOptions | CallStreamOptions

/** The names of the options that need no request. */
const ANSWERED_OPTIONS = [
  'id',
  'createdAt',
  'now',
  'model',
  'limits',
  'coalesce',
  'onOutcome',
  'onActivity',
  'to',
  'settings',
  'format',
] as const

/** The names of the options of a method that reads the answer to a call. `bytes`: it writes a stream. */
export const METHOD_OPTIONS = { objects: ANSWERED_OPTIONS, bytes: [...ANSWERED_OPTIONS, 'keepAlive'] } as const

const NAMES = [...ANSWERED_OPTIONS, 'from', 'vendor', 'quirks', 'machines', 'answer']
/** Of a stream of bytes that is read over a network. */
const WATCHED = [...NAMES, 'keepAlive']

/** The form of an answer, as a request decides it. */
type Form = { readonly [Name in keyof ClientTargetOptions]: ClientTargetOptions[Name] | undefined }

/** The target of a form, with its request context. */
export function targetFor(to: TargetName | FrontEndName | AnswerProtocol, { settings: given, format }: Form): Target {
  const settings = given === undefined ? undefined : checkedValues(given, 'settings')
  const form = formNamed('to', to, settings)
  checkFormat(format, isDialect(form) || (typeof to === 'string' && 'openBody' in form))
  return targetOfForm(form, {
    ...(settings === undefined ? {} : { settings }),
    ...(format === undefined ? {} : { format }),
  })
}

/** Throws a TypeError for another form than that of the answer to a call, whose request has decided it. */
export function checkDecided({ target }: CallAnswer, { settings, format }: Form): void {
  checkFormat(format, false)
  if (Object.keys(settings ?? {}).length > 0)
    throw new TypeError('settings: only together with to, because the request has decided them')
  if (format !== undefined && format !== target.format)
    throw new TypeError(
      `format: the answer is written as ${target.format}, as its request has decided it; another format needs to as well`,
    )
}

/** Options that are set one after another: each spread of an object costs more than all else that a stream resolves. */
type Mutable<Options> = { -readonly [Name in keyof Options]: Options[Name] }

/** Throws a TypeError for a misspelt name; resolves the others. */
function toObjects(
  given: AnyStreamOptions,
  input?: PendingInput,
  names: readonly string[] = NAMES,
): (ReadOptions | AnsweredOptions) & FormOptions & KeepAliveOptions {
  checkOptions(given, names)
  const options: Partial<StreamOptions & CallStreamOptions> = checkedValues(given)
  const { from, vendor, answer, quirks, machines = [], to, settings, format, ...rest } = options
  checkMachines(machines)
  const isDecided = to === undefined && (answer !== undefined || (settings === undefined && format === undefined))
  const form = isDecided ? null : targetFor(to ?? 'openai', { settings, format })
  const written: Mutable<SharedOptions & FormOptions & KeepAliveOptions> = rest
  if (form !== null) written.to = form
  if (answer !== undefined) {
    const answered = answeredWith(answer, options)
    if (form === null) checkDecided(answered, { settings, format })
    return Object.assign(written, { answer: answered })
  }
  const wire = typeof from === 'object' && from !== null ? from : wireNamed('from', from as string)
  // Before a guard has replaced its methods.
  checkDecoding(wire)
  checkQuirks(quirks, wire, 'quirks')
  const row = vendor === undefined ? vendorOf(input) : vendorNamed(vendor, isOwnWire(wire))
  // The quirks of a vendor that only the URL names are not those that the program has chosen.
  const ofVendor = vendor === undefined || row === undefined ? undefined : quirksOfVendor(row, wire.name)
  const all = quirks === undefined ? ofVendor : { ...ofVendor, ...quirks }
  const source = { from: withMachines(wire, machines) }
  const read: Mutable<ReadOptions & FormOptions & KeepAliveOptions> = Object.assign(written, source)
  if (row !== undefined) read.vendor = row.name
  if (row?.keyVariable !== undefined && row.keyVariable !== null) read.keyVariable = row.keyVariable
  if (all !== undefined) read.quirks = all
  return read
}

/** The answer of a call with further machines, which need its deltas. */
function answeredWith(answer: CallAnswer, options: Partial<StreamOptions>): CallAnswer {
  checkAnswer(answer)
  const { from, vendor, quirks, machines = [] } = options
  for (const [name, value] of Object.entries({ from, vendor, quirks }))
    if (value !== undefined) throw new TypeError(`${name}: not together with answer, which has decided it`)
  if (machines.length === 0) return answer
  const { context } = answer
  return { ...answer, context: { ...context, wire: withMachines(context.wire, machines) }, passes: null }
}

/** The vendor that sent a response of `fetch`, by its URL. */
function vendorOf(input: PendingInput | undefined): KnownVendor | undefined {
  const url = (input as Partial<globalThis.Response> | null | undefined)?.url
  return isNonEmptyString(url) ? findVendorAt(url) : undefined
}

const toWriteOptions = (
  options: AnyStreamOptions,
  input?: PendingInput,
  names?: readonly string[],
): WriteOptions & KeepAliveOptions => {
  const objects = toObjects(options, input, names)
  if ('answer' in objects) return Object.assign(objects, { fastPath: openFastPath })
  const to = objects.to ?? targetFor('openai', {} as ClientTargetOptions)
  return Object.assign(objects, { to, fastPath: openFastPath })
}

/**
 * Bytes of an upstream → bytes for a client, without I/O: `push` and `end` return bytes.
 *
 * @throws TypeError for an unknown name in `from`, `to` or `vendor`, and for an option that does not exist, as do the other
 * functions.
 */
export const createNamedStreamTranslator = (options: AnyStreamOptions): StreamTranslator =>
  createStreamTranslator(toWriteOptions(options))

/**
 * Translates the answer of an upstream to a stream for a client. Reads no faster than its consumer. An input that breaks
 * ends the answer as failed; cancelling the stream closes the input.
 */
export const translateNamedStream = (
  input: PendingInput,
  options: AnyStreamOptions & KeepAliveOptions,
): TranslatedStream => translateStream(input, toWriteOptions(options, input, WATCHED))

/**
 * The same without Web streams, for an input that is none, such as a stream of Node: it takes about half as long. A
 * consumer that leaves the loop closes the input.
 */
export const translateNamedIterable = (
  input: PendingInput,
  options: AnyStreamOptions & KeepAliveOptions,
): TranslatedIterable => translateIterable(input, toWriteOptions(options, input, WATCHED))

/** Options whose answer is written in the Responses API. */
type ForResponses = { readonly to?: ResponsesClient }

/**
 * The events of an answer as objects: those of the Responses API, unless `to` or the client of `answer` is another
 * protocol. A consumer that leaves the loop closes the input. An answer that fails ends with the failure of the protocol,
 * such as `response.failed`; the iterator does not throw.
 */
export function streamNamedEvents(input: PendingInput, options: StreamOptions & ForResponses): EventStream
export function streamNamedEvents<Event>(
  input: PendingInput,
  options: CallStreamOptions<Event> & { readonly to?: undefined },
): EventStream<Event>
export function streamNamedEvents(input: PendingInput, options: AnyStreamOptions): EventStream<JsonObject>
export function streamNamedEvents(input: PendingInput, options: AnyStreamOptions): EventStream<never> {
  return streamEvents(input, toObjects(options, input)) as EventStream<never>
}

/**
 * Reads a whole answer: a response of the Responses API, unless `to` or the client of `answer` is another protocol. A
 * failed answer is a response with the status `failed`, or the error of the protocol; the promise does not reject for it.
 */
export function collectNamedResponse(input: PendingInput, options: StreamOptions & ForResponses): Collected
export function collectNamedResponse<Body>(
  input: PendingInput,
  options: CallStreamOptions<unknown, Body> & { readonly to?: undefined },
): Collected<Body>
export function collectNamedResponse(input: PendingInput, options: AnyStreamOptions): Collected<JsonObject>
export function collectNamedResponse(input: PendingInput, options: AnyStreamOptions): Collected<never> {
  try {
    return collectResponse(input, toObjects(options, input)) as Collected<never>
  } catch (error) {
    return rejected(error)
  }
}

/** Translates a whole upstream body, as text or as its JSON value, to a whole body for a client. */
export const translateNamedBody = (body: string | object, options: AnyStreamOptions): TranslatedBody =>
  translateAnswerBody(body, toWriteOptions(options))

/** Translates a whole upstream body to a stream, for a client that requested a stream. */
export const streamFromNamedBody = (body: string | object, options: AnyStreamOptions): StreamedBody =>
  streamFromBody(body, toWriteOptions(options))
