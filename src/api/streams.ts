import { openai } from '../dialects/openai.ts'
import type { TranslationOptions } from '../engine/answer.ts'
import type { AnswerContext } from '../engine/answer-context.ts'
import { guardWire } from '../engine/hooks.ts'
import type { Outcome } from '../engine/outcome.ts'
import {
  type AnswerCollector,
  type AnswerTranslator,
  collectorOf,
  openBodyCollector,
  openEventTranslator,
  openStreamTranslator,
  type StreamTranslator,
  translatorOf,
  withLimits,
} from '../engine/stream-translator.ts'
import { dialectTarget } from '../engine/target.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Head } from '../protocol/response.ts'
import type { ResponseEvent, ResponseObject } from '../protocol/response-event.ts'
import { EMPTY_ECHO } from '../responses/echo.ts'
import type { Origin } from '../responses/encrypted-content.ts'
import { checkAnswer, checkAnswerBody, checkOptions, checkProtocol } from '../validation/arguments.ts'
import { checkedValues } from '../validation/option-values.ts'
import { AnswerInputReader, type AnswerSource, type PendingInput } from './answer-input.ts'
import type { PassedAnswers } from './call-answer.ts'
import { checkForm } from './client-protocol.ts'
import { eventsOfBytes } from './events-of-bytes.ts'
import {
  type Collected,
  type EventStream,
  eventsOf,
  type KeepAliveOptions,
  keepAliveOf,
  type TranslatedIterable,
  type TranslatedStream,
  toIterator,
  toWebStream,
} from './output-streams.ts'
import type {
  AnsweredOptions,
  FormOptions,
  ReadOptions,
  SharedOptions,
  SourceOptions,
  StreamedBody,
  TranslatedBody,
  WriteOptions,
} from './stream-options.ts'

const OPTIONS = [
  'id',
  'createdAt',
  'now',
  'model',
  'limits',
  'coalesce',
  'onOutcome',
  'onActivity',
  'from',
  'vendor',
  'keyVariable',
  'quirks',
  'answer',
  'to',
  'fastPath',
]
/** Of a stream of bytes that is read over a network. */
const WATCHED = [...OPTIONS, 'keepAlive']

const isAnswered = (options: SourceOptions): options is AnsweredOptions =>
  'answer' in options && options.answer !== undefined

const clockOf = ({ createdAt, now }: SharedOptions): (() => number) =>
  now ?? (createdAt === undefined ? Date.now : () => createdAt * 1000)

export const randomId = (): string => `resp_${crypto.randomUUID().replaceAll('-', '')}`

/** The head of an answer without its request. */
function newHead(options: SharedOptions, now: () => number): Head {
  const { id = randomId(), createdAt = Math.floor(now() / 1000), model = 'unknown' } = options
  return { id, created_at: createdAt, model, echo: EMPTY_ECHO }
}

/** The head of the answer to a request, with the values that replace its own. */
const headOf = (
  { head }: Pick<AnswerContext, 'head'>,
  { id = head.id, createdAt = head.created_at, model = head.model }: SharedOptions,
): Head => ({
  ...head,
  id,
  created_at: createdAt,
  model,
})

/** Without a request, the origin of reasoning is what the program and the answer report. */
const originOf = ({ from, vendor = '', model = '' }: ReadOptions): Origin => ({ wire: from.name, vendor, model })

const limitsOf = (options: SourceOptions): ReturnType<typeof withLimits> =>
  isAnswered(options) && options.limits === undefined ? options.answer.limits : withLimits(options.limits)

/** Events and bodies have a target without one in the options. Bytes always name theirs, and do without the dialect. */
const withTarget = (options: SourceOptions & FormOptions): WriteOptions =>
  isAnswered(options) || options.to ? (options as WriteOptions) : { ...options, to: dialectTarget(openai) }

/** The wire of an answer without its request. Throws a TypeError for a value that is none. */
function wireOf({ from }: ReadOptions): ReadOptions['from'] {
  checkDecoding(from)
  return guardWire(from)
}

/** Throws a TypeError for a value that is no wire which decodes answers. */
export const checkDecoding = (from: unknown): void =>
  checkProtocol(from, 'from', 'a wire, such as openaiChatStream', DECODING)

const DECODING = ['name', 'framing', 'decodeStream', 'decodeBody', 'decodeError']

function toTranslation(options: WriteOptions): TranslationOptions {
  const { coalesce } = options
  const now = clockOf(options)
  const shared = { now, limits: limitsOf(options), ...(coalesce === undefined ? {} : { coalesce }) }
  if (isAnswered(options)) {
    const { context, redact, target } = options.answer
    if (options.to !== undefined) checkForm(options.to)
    return { ...context, redact, head: headOf(context, options), target: options.to ?? target, ...shared }
  }
  const { quirks } = options
  checkForm(options.to)
  return {
    wire: wireOf(options),
    head: newHead(options, now),
    origin: originOf(options),
    target: options.to,
    ...(quirks === undefined ? {} : { quirks }),
    ...shared,
  }
}

/** How the answer passes to its client; null if it is translated, also for another target than the client's own. */
const passesOf = (options: SourceOptions & FormOptions): PassedAnswers | null =>
  isAnswered(options) && (options.to === undefined || options.to === options.answer.target)
    ? options.answer.passes
    : null

/** The options of a function, with checked names and values. */
function reading<Options extends SourceOptions>(given: Options, names = OPTIONS): Options {
  checkOptions(given, names)
  if (isAnswered(given)) checkAnswer(given.answer)
  return checkedValues(given)
}

function openBytes(options: WriteOptions): StreamTranslator {
  const translation = toTranslation(options)
  const passes = passesOf(options)
  return passes === null
    ? openStreamTranslator(translation, options.fastPath ?? null)
    : translatorOf(passes.openStream(translation))
}

function openEvents(options: SourceOptions & FormOptions): AnswerTranslator<readonly JsonObject[]> {
  const translation = toTranslation(withTarget(options))
  const passes = passesOf(options)
  return passes === null
    ? openEventTranslator(translation)
    : eventsOfBytes(translatorOf(passes.openStream(translation)), translation)
}

function openBody(options: SourceOptions & FormOptions): AnswerCollector {
  const translation = toTranslation(withTarget(options))
  const passes = passesOf(options)
  return passes === null ? openBodyCollector(translation) : collectorOf(passes.openBody(translation))
}

/** Bytes of an upstream → bytes for a client, without I/O. */
export function createStreamTranslator(given: WriteOptions): StreamTranslator {
  const options = reading(given)
  const translator = openBytes(options)
  const onOutcome = onOutcomeOf(options)
  if (onOutcome === undefined) return translator
  let isReported = false
  const reported = (bytes: Uint8Array): Uint8Array => {
    if (translator.done && !isReported) {
      isReported = true
      onOutcome(translator.outcome)
    }
    return bytes
  }
  return {
    get done() {
      return translator.done
    },
    get outcome() {
      return translator.outcome
    },
    push: (bytes) => reported(translator.push(bytes)),
    pushBody: (body) => reported(translator.pushBody(body)),
    end: () => reported(translator.end()),
    abort: (error) => reported(translator.abort(error)),
  }
}

/**
 * Translates the answer of an upstream to a stream for a client. Reads no faster than its consumer. An input that breaks
 * ends the answer as failed; cancelling the stream closes the input.
 */
export function translateStream(input: PendingInput, given: WriteOptions & KeepAliveOptions): TranslatedStream {
  const options = reading(given, WATCHED)
  return toWebStream(openReader(input, options), signOf(options))
}

const openReader = (input: PendingInput, options: WriteOptions & KeepAliveOptions) =>
  readerOf(input, options, openBytes(options))

/** `translator`: the options have been checked for it. */
const readerOf = <Piece>(input: PendingInput, options: SourceOptions, translator: AnswerTranslator<Piece>) =>
  new AnswerInputReader(input, toAnswerSource(options), translator, onOutcomeOf(options))

const signOf = (options: WriteOptions & KeepAliveOptions) =>
  options.keepAlive === undefined ? null : keepAliveOf(toTranslation(options).target, options)

/**
 * The same without Web streams, for an input that is none, such as a stream of Node: it takes about half as long. A
 * consumer that leaves the loop closes the input.
 */
export function translateIterable(input: PendingInput, given: WriteOptions & KeepAliveOptions): TranslatedIterable {
  const options = reading(given, WATCHED)
  return toIterator(openReader(input, options), signOf(options))
}

/** The parts of the options that the reader of an input needs. */
function toAnswerSource(options: SourceOptions): AnswerSource {
  const { onActivity } = options
  const shared = { limits: limitsOf(options), onActivity }
  if (isAnswered(options)) {
    const { context, redact, keyRemedy, toUnsent } = options.answer
    return { wire: context.wire, redact, keyRemedy, toUnsent, ...shared }
  }
  const { keyVariable } = options
  const keyRemedy =
    keyVariable === undefined
      ? null
      : `Set the environment variable ${keyVariable} to a valid key, and send it with the request.`
  return { wire: wireOf(options), keyRemedy, ...shared }
}

/** The functions that receive the outcome: that of the call, and that of the options. */
function onOutcomeOf(options: SourceOptions): ((outcome: Outcome) => void) | undefined {
  if (!isAnswered(options)) return options.onOutcome
  const { answer, onOutcome } = options
  return (outcome) => {
    answer.onOutcome(outcome)
    onOutcome?.(outcome)
  }
}

/**
 * The events of an answer as objects: those of the Responses API, unless `to` or the client of `answer` is another
 * protocol. A consumer that leaves the loop closes the input. An answer that fails ends with the failure of the protocol,
 * such as `response.failed`; the iterator never throws.
 */
export function streamEvents<Event = ResponseEvent>(
  input: PendingInput,
  given: (AnsweredOptions<Event> | ReadOptions) & FormOptions,
): EventStream<Event> {
  const options = reading(given)
  const reader = readerOf(input, options, openEvents(options))
  const events = eventsOf(reader) as AsyncGenerator<Event, void, undefined>
  const stop = events.return.bind(events)
  // A generator that has not begun runs no `finally`, and one that waits for its input returns only after that.
  const leave: EventStream<Event>['return'] = async (value) => {
    await reader.cancel()
    return stop(value)
  }
  return Object.assign(events, { outcome: reader.outcome, return: leave })
}

/**
 * Reads a whole answer: a response of the Responses API, unless `to` or the client of `answer` is another protocol. A
 * failed answer is a response with the status `failed`, or the error of the protocol; the promise never rejects.
 */
export function collectResponse<Body = ResponseObject>(
  input: PendingInput,
  given: (AnsweredOptions<unknown, Body> | ReadOptions) & FormOptions,
): Collected<Body> {
  try {
    const options = reading(given)
    const collector = openBody(options)
    const reader = readerOf(input, options, collector)
    const body = collectBody(reader, collector) as Promise<unknown> as Promise<Body>
    return Object.assign(body, { outcome: reader.outcome })
  } catch (error) {
    return rejected(error)
  }
}

/** A mistake of the program rejects the promises of an asynchronous function. */
export function rejected(error: unknown): Collected<never> {
  const promise = Promise.reject(error)
  return Object.assign(promise, { outcome: promise })
}

/** A whole answer with its own text, if it passes to its client unchanged, and its outcome. */
export async function readAnswerBody(input: PendingInput, given: SourceOptions & FormOptions): Promise<WholeAnswer> {
  const options = reading(given)
  const collector = openBody(options)
  const reader = readerOf(input, options, collector)
  const body = await collectBody(reader, collector)
  return { body, text: collector.text, outcome: await reader.outcome }
}

interface WholeAnswer {
  readonly body: JsonObject
  readonly text: string | null
  readonly outcome: Outcome
}

async function collectBody(reader: AnswerInputReader<void>, collector: AnswerCollector): Promise<JsonObject> {
  const read = reader.readsTo((piece) => piece)
  let piece: unknown
  do piece = await read()
  while (piece !== null)
  return bodyOf(collector)
}

/** A limit may have ended the answer before its input ended. */
function bodyOf(collector: AnswerCollector): JsonObject {
  collector.end()
  return collector.body as JsonObject
}

/** Translates a whole upstream body, as text or as its JSON value, to a whole body. */
export function translateAnswerBody(body: string | object, given: WriteOptions): TranslatedBody {
  const options = reading(given)
  const collector = openBody(options)
  collector.pushBody(toText(body))
  const whole = { body: bodyOf(collector), outcome: collector.outcome }
  onOutcomeOf(options)?.(whole.outcome)
  return whole
}

/** Translates a whole upstream body to a stream, for a client that requested a stream. */
export function streamFromBody(body: string | object, options: WriteOptions): StreamedBody {
  const translator = createStreamTranslator(options)
  return { bytes: translator.pushBody(toText(body)), outcome: translator.outcome }
}

function toText(body: string | object): string {
  checkAnswerBody(body)
  return typeof body === 'string' ? body : JSON.stringify(body)
}
