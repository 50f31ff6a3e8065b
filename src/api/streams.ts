import { openai } from '../dialects/openai.ts'
import type { TranslationOptions } from '../engine/answer.ts'
import type { Outcome } from '../engine/outcome.ts'
import {
  type AnswerCollector,
  openBodyCollector,
  openEventTranslator,
  openStreamTranslator,
  type StreamTranslator,
  toResponseObject,
  withLimits,
} from '../engine/stream-translator.ts'
import { dialectTarget, type Target } from '../engine/target.ts'
import type { OpenFastPath } from '../fast-path/open-fast-path.ts'
import { FORMATS } from '../framing/format.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Limits } from '../protocol/limits.ts'
import type { ResponseEvent, ResponseObject } from '../protocol/response-event.ts'
import { EMPTY_ECHO } from '../responses/echo.ts'
import { checkAnswerBody } from '../validation/arguments.ts'
import type { StreamWire } from '../wires/contract.ts'
import type { Quirks } from '../wires/quirks.ts'
import { type AnswerInput, AnswerInputReader, type AnswerSource } from './answer-input.ts'

/** Options that no function requires. */
export interface SharedOptions {
  /** In which fields the vendor differs from others of its wire. Default: in none. */
  readonly quirks?: Quirks
  /** The id of the response. Default: `resp_` and 32 random hexadecimal digits. */
  readonly id?: string
  /** Unix seconds. Default: now. */
  readonly createdAt?: number
  /**
   * Returns the present time in milliseconds, for the times of the response. Default: `Date.now`; with `createdAt`,
   * that time, so that the result is the same every time.
   */
  readonly now?: () => number
  /** The model that is shown until the upstream reports which one answers. Default: `unknown`. */
  readonly model?: string
  /** Bounds of memory and input; the others keep their defaults. */
  readonly limits?: Partial<Limits>
  /** Joins the deltas of one text that one read completes into one event. Only dialects do this. Default: false. */
  readonly coalesce?: boolean
  /** Is called once when the answer has ended or its consumer has left, with its status, usage, losses and error. */
  readonly onOutcome?: (outcome: Outcome) => void
}

/** Has the result of an answer that is read as a stream. */
export interface WithOutcome {
  /**
   * Settles when the answer has ended, when its source throws, or when its consumer leaves. It never rejects. It does
   * not settle before the answer is read.
   */
  readonly outcome: Promise<Outcome>
}

/** The bytes for a client, and the result. */
export type TranslatedStream = ReadableStream<Uint8Array> & WithOutcome

/** The bytes for a client as an iterator, and the result. */
export type TranslatedIterable = AsyncIterableIterator<Uint8Array, undefined, undefined> & WithOutcome

/** The events of an answer, and the result. */
export type EventStream = AsyncGenerator<ResponseEvent, void, undefined> & WithOutcome

/** Options of a function that returns events or a response of the Responses API. */
export interface ReadOptions extends SharedOptions {
  /** The wire of the upstream; `withMachines(wire, machines)` with machines of the program. */
  readonly from: StreamWire
  /** The environment variable that usually holds the key of the upstream, for the error of a refused key. */
  readonly keyVariable?: string
}

/** Options of a function that writes answers for a client. */
export interface WriteOptions extends ReadOptions {
  /** The dialect or protocol of the client. */
  readonly to: Target
  /**
   * `fastPath` of `millrace/core`, which writes repeated chunks without parsing them: several times as fast, and a
   * quarter of a bundle. Default: every chunk is parsed.
   */
  readonly fastPath?: OpenFastPath
}

/** A whole body for a client, and what is known about the answer. */
export interface TranslatedBody {
  readonly body: JsonObject
  readonly outcome: Outcome
}

/** A whole answer as the bytes of a stream, and what is known about it. */
export interface StreamedBody {
  readonly bytes: Uint8Array
  readonly outcome: Outcome
}

const toSource = ({
  from,
  quirks,
  id,
  createdAt,
  now = createdAt === undefined ? Date.now : () => createdAt * 1000,
  model,
  limits,
  coalesce,
}: ReadOptions): Omit<TranslationOptions, 'target'> => ({
  wire: from,
  head: {
    id: id ?? `resp_${crypto.randomUUID().replaceAll('-', '')}`,
    created_at: createdAt ?? Math.floor(now() / 1000),
    model: model ?? 'unknown',
    echo: EMPTY_ECHO,
  },
  now,
  limits: withLimits(limits),
  ...(quirks === undefined ? {} : { quirks }),
  ...(coalesce === undefined ? {} : { coalesce }),
})

/** Bytes of an upstream → bytes for a client, without I/O. */
export const createStreamTranslator = (options: WriteOptions): StreamTranslator =>
  openStreamTranslator({ ...toSource(options), target: options.to }, options.fastPath ?? null)

/**
 * Translates the answer of an upstream to a stream for a client. Reads no faster than its consumer. An input that breaks
 * ends the answer as failed; cancelling the stream closes the input.
 */
export const translateStream = (input: AnswerInput, options: WriteOptions): TranslatedStream =>
  toWebStream(new AnswerInputReader(input, toAnswerSource(options), createStreamTranslator(options), options.onOutcome))

/**
 * The same without Web streams, for an input that is none, such as a stream of Node: it takes about half as long. A
 * consumer that leaves the loop closes the input.
 */
export const translateIterable = (input: AnswerInput, options: WriteOptions): TranslatedIterable =>
  new OutputIterator(
    new AnswerInputReader(input, toAnswerSource(options), createStreamTranslator(options), options.onOutcome),
  )

const toAnswerSource = ({ from, limits, keyVariable }: ReadOptions): AnswerSource => ({
  wire: from,
  limits: withLimits(limits),
  keyRemedy:
    keyVariable === undefined
      ? null
      : `Set the environment variable ${keyVariable} to a valid key, and send it with the request.`,
})

/** A proxy that collects small writes would delay the stream. */
export const streamHeaders = ({ format }: Target): Record<string, string> => ({
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
  'content-type': FORMATS[format].mediaType,
})

/**
 * The output of a reader as a Web stream. `pull` returns no promise, so that a read has only those of its source and of
 * its consumer.
 */
export function toWebStream(reader: AnswerInputReader<Uint8Array>): TranslatedStream {
  let out: ReadableStreamDefaultController<Uint8Array>
  let isReading = false
  let isOver = false
  const give = (bytes: Uint8Array | null): void => {
    if (isOver) return
    if (bytes === null) {
      isOver = true
      out.close()
    } else if (bytes.length > 0) {
      isReading = false
      out.enqueue(bytes)
    } else next()
  }
  const fail = (error: unknown): void => {
    isOver = true
    out.error(error)
  }
  const read = reader.readsTo(give, fail)
  const next = (): void => {
    isReading = true
    void read()
  }
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        out = controller
      },
      pull() {
        // A consumer with two reads pulls twice. `enqueue` pulls again for the second one.
        if (!isReading) next()
      },
      cancel(reason) {
        isOver = true
        return reader.cancel(reason)
      },
    },
    // Nothing is read before it is requested.
    { highWaterMark: 0 },
  )
  return Object.assign(stream, { outcome: reader.outcome })
}

/** The output of a reader as an iterator. Calls of `next` are served in their order, as by a generator. */
class OutputIterator implements AsyncIterableIterator<Uint8Array, undefined, undefined> {
  readonly outcome: Promise<Outcome>
  private readonly reader: AnswerInputReader<Uint8Array>
  private readonly read: () => Promise<IteratorResult<Uint8Array, undefined>>
  private readonly readNext: () => Promise<Uint8Array | null>
  private last: Promise<IteratorResult<Uint8Array, undefined>> | null = null
  /** Calls of `next` whose promise is open. */
  private open = 0

  constructor(reader: AnswerInputReader<Uint8Array>) {
    this.outcome = reader.outcome
    this.reader = reader
    this.read = reader.readsTo((bytes) => (bytes !== null && bytes.length === 0 ? this.readOn() : this.give(bytes)))
    this.readNext = reader.readsTo((bytes) => bytes)
  }

  private give(bytes: Uint8Array | null): IteratorResult<Uint8Array, undefined> {
    this.open -= 1
    return bytes === null ? { done: true, value: undefined } : { done: false, value: bytes }
  }

  /** Reads on to the next output. A loop, because a promise that waits for the next one would keep all of them. */
  private async readOn(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      const bytes = await this.readNext()
      if (bytes === null || bytes.length > 0) return this.give(bytes)
    }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.open += 1
    this.last = this.last === null || this.open === 1 ? this.read() : this.last.then(this.read, this.read)
    return this.last
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    await this.reader.cancel()
    return { done: true, value: undefined }
  }

  async throw(error: unknown): Promise<never> {
    await this.reader.cancel(error)
    throw error
  }
}

/**
 * The events of an answer as objects, in the form of the dialect `openai`. A consumer that leaves the loop closes the
 * input. An answer that fails ends with `response.failed`; the iterator never throws.
 */
export function streamEvents(input: AnswerInput, options: ReadOptions): EventStream {
  const translator = openEventTranslator(toSource(options))
  const reader = new AnswerInputReader(input, toAnswerSource(options), translator, options.onOutcome)
  const events = eventsOf(reader)
  const stop = events.return.bind(events)
  // A generator that has not begun runs no `finally`, and one that waits for its input returns only after that.
  const leave: EventStream['return'] = async (value) => {
    await reader.cancel()
    return stop(value)
  }
  return Object.assign(events, { outcome: reader.outcome, return: leave })
}

async function* eventsOf(
  reader: AnswerInputReader<readonly ResponseEvent[]>,
): AsyncGenerator<ResponseEvent, void, undefined> {
  const read = reader.readsTo((events) => events)
  try {
    for (;;) {
      const events = await read()
      if (events === null) break
      for (const event of events) yield event
    }
  } finally {
    await reader.cancel()
  }
}

/** Reads a whole answer. A failed answer is a response with the status `failed`; the promise never rejects. */
export async function collectResponse(input: AnswerInput, options: ReadOptions): Promise<ResponseObject> {
  const collector = openBodyCollector({ ...toSource(options), target: dialectTarget(openai) })
  const reader = new AnswerInputReader(input, toAnswerSource(options), collector, options.onOutcome)
  return toResponseObject(await collectBody(reader, collector))
}

export async function collectBody(reader: AnswerInputReader<void>, collector: AnswerCollector): Promise<JsonObject> {
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
export function translateAnswerBody(body: string | JsonObject, options: WriteOptions): TranslatedBody {
  const collector = openBodyCollector({ ...toSource(options), target: options.to })
  collector.pushBody(toText(body))
  return { body: bodyOf(collector), outcome: collector.outcome }
}

/** Translates a whole upstream body to a stream, for a client that requested a stream. */
export function streamFromBody(body: string | JsonObject, options: WriteOptions): StreamedBody {
  const translator = createStreamTranslator(options)
  return { bytes: translator.pushBody(toText(body)), outcome: translator.outcome }
}

function toText(body: string | JsonObject): string {
  checkAnswerBody(body)
  return typeof body === 'string' ? body : JSON.stringify(body)
}
