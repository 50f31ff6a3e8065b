import { openai } from '../dialects/openai.ts'
import { writeObjects } from '../dialects/projection.ts'
import type { OpenFastPath } from '../fast-path/open-fast-path.ts'
import { type GatewayError, upstreamError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import { LIMITS, type Limits } from '../protocol/limits.ts'
import type { ResponseEvent, ResponseObject } from '../protocol/response-event.ts'
import { checkBytes, checkFailure, checkLimits } from '../validation/arguments.ts'
import type { BodyCollector, Translation, TranslationOptions } from './answer.ts'
import { createBodyCollector } from './body-collector.ts'
import type { Outcome } from './outcome.ts'
import { StreamPipeline } from './pipeline.ts'
import { StreamTranslation, withLosses } from './stream-translation.ts'
import { dialectTarget } from './target.ts'

/** The failure of a transport of which nothing else is known. */
export const DISCONNECTED = upstreamError('upstream_disconnected', 'The connection to the upstream broke.')

/**
 * Translates one answer without I/O. After `end` or `abort` it returns nothing more. Failures are events of the answer;
 * a method throws only a TypeError, for an argument of another type.
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

/** `fastPath`: null if every chunk takes the slow path. */
export const openStreamTranslator = (options: TranslationOptions, fastPath: OpenFastPath | null): StreamTranslator =>
  translatorOf(new StreamTranslation(options, fastPath))

/** The translator of one stream. */
export function translatorOf(translation: Translation): StreamTranslator {
  return {
    push(bytes) {
      checkBytes(bytes, 'bytes')
      return translation.receive(bytes)
    },
    pushBody: (body) => translation.receiveBody(body),
    end: () => translation.end(),
    abort(error = DISCONNECTED) {
      checkFailure(error)
      return translation.fail(error)
    },
    get done() {
      return translation.over()
    },
    get outcome() {
      return translation.outcome()
    },
  }
}

/** Bytes of an upstream → typed events, in the form of the dialect `openai`. */
export function openEventTranslator(
  options: Omit<TranslationOptions, 'target'>,
): AnswerTranslator<readonly ResponseEvent[]> {
  let made: ResponseEvent[] = []
  const add = (event: JsonObject): boolean => made.push(event as unknown as ResponseEvent) === 0
  const target = dialectTarget(openai)
  const stream = new StreamPipeline({ ...options, target }, writeObjects(openai), add)
  const take = (work: () => void): readonly ResponseEvent[] => {
    if (!stream.over()) work()
    const events = made
    made = []
    return events
  }
  return {
    push(bytes) {
      checkBytes(bytes, 'bytes')
      return take(() => {
        stream.process(stream.within(bytes))
        if (stream.exceeds(bytes.length)) stream.stop()
      })
    },
    pushBody: (body) => take(() => stream.processBody(body)),
    end: () => take(() => stream.end()),
    abort: (error = DISCONNECTED) => take(() => stream.fail(error)),
    get done() {
      return stream.over()
    },
    get outcome() {
      return withLosses({ target }, true, stream.outcome())
    },
  }
}

/** Collects one answer as the body that `target` writes. The body is null until the answer has ended. */
export interface AnswerCollector extends AnswerTranslator<void> {
  readonly body: JsonObject | null
  /** The body as its upstream wrote it, if it is passed on unchanged; null if it is not. */
  readonly text: string | null
}

export const openBodyCollector = (options: TranslationOptions): AnswerCollector =>
  collectorOf(createBodyCollector(options))

/** The collector of one body. */
export function collectorOf(collector: BodyCollector): AnswerCollector {
  let body: JsonObject | null = null
  const end = (): void => {
    body ??= collector.body()
  }
  return {
    push(bytes) {
      checkBytes(bytes, 'bytes')
      collector.receive(bytes)
      if (collector.over()) end()
    },
    pushBody(text) {
      collector.receiveBody(text)
      end()
    },
    end() {
      collector.end()
      end()
    },
    abort(error = DISCONNECTED) {
      collector.fail(error)
      end()
    },
    get body() {
      return body
    },
    get text() {
      return collector.text?.() ?? null
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

/** The limits with some of them replaced. Throws a TypeError for an unknown name, and for a value that is no limit. */
export function withLimits(limits: Partial<Limits> = {}): Limits {
  checkLimits(limits)
  return { ...LIMITS, ...Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined)) }
}
