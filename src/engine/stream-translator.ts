import type { Dialect } from '../dialects/dialect.ts'
import { openai } from '../dialects/openai.ts'
import { writeObjects } from '../dialects/projection.ts'
import { FORMATS, type FormatName } from '../framing/format.ts'
import { type GatewayError, upstreamError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import { LIMITS, type Limits } from '../protocol/limits.ts'
import type { ResponseEvent, ResponseObject } from '../protocol/response-event.ts'
import type { Outcome } from './outcome.ts'
import { createPipeline } from './pipeline.ts'
import type { PipelineOptions } from './reducer.ts'
import { type BodyCollector, collectStream, type Translation, translate } from './translate.ts'
import { type ClientWire, collectTo, formatOf, translateTo } from './translate-to-client.ts'

/** How an upstream is decoded, and the known fields of its answer. */
export interface AnswerSource extends Omit<PipelineOptions, 'dialect'> {
  /** Joins the deltas of one text that one read completes into one event. Only dialects do this. Default: false. */
  readonly coalesce?: boolean
  /** Returned bytes are views of a shared buffer that the next call of any translation overwrites. Default: false. */
  readonly lend?: boolean
}

/** The dialect or protocol in which an answer is written. */
export interface AnswerTarget {
  /** The name of the dialect or of the client's wire. */
  readonly name: string
  /** The content type of its streams. */
  readonly mediaType: string
  openStream(source: AnswerSource): Translation
  openBody(source: AnswerSource): BodyCollector
}

/** Writes answers as the events, or the response object, of a dialect of the Responses API. */
export const targetOfDialect = (dialect: Dialect): AnswerTarget => ({
  name: dialect.name,
  mediaType: FORMATS.sse.mediaType,
  openStream: (source) => translate({ ...source, dialect }),
  openBody: (source) => collectStream({ ...source, dialect }),
})

/** How the answers for a client of a wire are written. */
export interface ClientAnswerOptions {
  /** Properties of the request that decide the form of the answer, such as `{ usage: true }` for openai-chat. */
  readonly settings?: JsonObject
  /** The format of streams. Default: the usual one of the wire. */
  readonly format?: FormatName
}

/** Writes answers in the protocol of the clients of a wire. */
export const targetOfWire = (wire: ClientWire, options: ClientAnswerOptions = {}): AnswerTarget => ({
  name: wire.name,
  mediaType: FORMATS[options.format ?? formatOf(wire)].mediaType,
  openStream: (source) => translateTo({ ...source, ...options, to: wire }),
  openBody: (source) => collectTo({ ...source, ...options, to: wire }),
})

/** The failure of a transport of which nothing else is known. */
export const DISCONNECTED = upstreamError('upstream_disconnected', 'The connection to the upstream broke.')

/**
 * Translates one answer without I/O. After `end` or `abort` it returns nothing more. No method throws; failures are
 * events of the answer.
 */
export interface AnswerTranslator<Piece> {
  /** Returns the complete output for these bytes of the upstream's stream. The caller may reuse the bytes afterwards. */
  push(bytes: Uint8Array): Piece
  /** Translates a whole upstream body in place of a stream, including its end. */
  pushBody(body: string): Piece
  /** The upstream ended cleanly. */
  end(): Piece
  /** The transport broke. The answer ends as failed unless it was already complete. Default: a broken connection. */
  abort(error?: GatewayError): Piece
  /** True if further bytes cannot change the answer. */
  readonly done: boolean
  /** The status, usage, losses and error of the answer so far. */
  readonly outcome: Outcome
}

/** Bytes of an upstream → bytes for a client. */
export type StreamTranslator = AnswerTranslator<Uint8Array>

export function openStreamTranslator(source: AnswerSource, target: AnswerTarget): StreamTranslator {
  const translation = target.openStream(source)
  return {
    push: (bytes) => translation.receive(bytes),
    pushBody: (body) => translation.receiveBody(body),
    end: () => translation.end(),
    abort: (error = DISCONNECTED) => translation.fail(error),
    get done() {
      return translation.over()
    },
    get outcome() {
      return translation.outcome()
    },
  }
}

/** Bytes of an upstream → typed events, in the form of the dialect `openai`. */
export function openEventTranslator(source: AnswerSource): AnswerTranslator<readonly ResponseEvent[]> {
  let made: ResponseEvent[] = []
  const add = (event: JsonObject): boolean => made.push(event as unknown as ResponseEvent) === 0
  const stream = createPipeline({ ...source, dialect: openai }, writeObjects(openai), add)
  const take = (work: () => void): readonly ResponseEvent[] => {
    if (!stream.over()) work()
    const events = made
    made = []
    return events
  }
  return {
    push: (bytes) =>
      take(() => {
        stream.process(bytes)
        if (stream.exceeds(bytes.length)) stream.stop()
      }),
    pushBody: (body) => take(() => stream.processBody(body)),
    end: () => take(() => stream.end()),
    abort: (error = DISCONNECTED) => take(() => stream.fail(error)),
    get done() {
      return stream.over()
    },
    get outcome() {
      return stream.outcome()
    },
  }
}

/** Collects one answer as the body that `target` writes. The body is null until the answer has ended. */
export interface AnswerCollector extends AnswerTranslator<void> {
  readonly body: JsonObject | null
}

export function openBodyCollector(source: AnswerSource, target: AnswerTarget): AnswerCollector {
  const collector = target.openBody(source)
  let body: JsonObject | null = null
  return {
    push: (bytes) => collector.receive(bytes),
    pushBody(text) {
      collector.receiveBody(text)
      body = collector.end()
    },
    end() {
      body ??= collector.end()
    },
    abort(error = DISCONNECTED) {
      body ??= collector.fail(error)
    },
    get body() {
      return body
    },
    get done() {
      return collector.over()
    },
    get outcome() {
      return collector.outcome()
    },
  }
}

/** The body of a collector of the dialect `openai`. */
export const toResponseObject = (body: JsonObject): ResponseObject => body as unknown as ResponseObject

/** The limits with some of them replaced. */
export const withLimits = (limits: Partial<Limits> | undefined): Limits => ({ ...LIMITS, ...limits })
