import type { OpenFastPath } from '../fast-path/open-fast-path.ts'
import { type GatewayError, upstreamError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import { LIMITS, type Limits } from '../protocol/limits.ts'
import { checkBytes, checkFailure, checkLimits } from '../validation/arguments.ts'
import type { Answer, BodyCollector, TranslationOptions } from './answer.ts'
import { AnswerDriver, StreamAnswer, withLosses } from './answer-driver.ts'
import { createBodyCollector } from './body-collector.ts'
import type { Outcome } from './outcome.ts'
import { targetContextOf } from './reducer.ts'
import type { Target } from './target.ts'

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
  translatorOf(new StreamAnswer(options, fastPath))

export const translatorOf = <Piece>(answer: Answer<Piece>): AnswerTranslator<Piece> => new AnswerMethods(answer)

/**
 * A class, because V8 makes a hidden class for each object that has getters of its own, and keeps the whole answer alive
 * with it until the next collection of all memory. The methods are fields, so that a program may take them out.
 */
class AnswerMethods<Piece, Driver extends Answer<Piece> = Answer<Piece>> implements AnswerTranslator<Piece> {
  protected readonly answer: Driver
  readonly push: (bytes: Uint8Array) => Piece
  readonly pushBody: (body: string) => Piece
  readonly end: () => Piece
  readonly abort: (error?: GatewayError) => Piece

  constructor(answer: Driver) {
    this.answer = answer
    this.push = (bytes) => {
      checkBytes(bytes, 'bytes')
      return answer.push(bytes)
    }
    this.pushBody = (body) => answer.push({ body })
    this.end = () => answer.push('end')
    this.abort = (error = DISCONNECTED) => {
      checkFailure(error)
      return answer.push({ error })
    }
  }

  get done(): boolean {
    return this.answer.progress.over()
  }

  get outcome(): Outcome {
    const found = this.answer.outcome()
    if (found.error?.cause === undefined) return found
    // A program may send the failure to its client.
    const { cause, ...error } = found.error
    return { ...found, error, cause }
  }
}

/** Bytes of an upstream → the events of the target as objects. */
export const openEventTranslator = (options: TranslationOptions): AnswerTranslator<readonly JsonObject[]> =>
  translatorOf(new EventAnswer(options))

class EventAnswer extends AnswerDriver<readonly JsonObject[], unknown, JsonObject> {
  readonly target: Target
  private readonly events: JsonObject[]

  constructor(options: TranslationOptions) {
    const { target } = options
    const events: JsonObject[] = []
    super(options, target.objects(targetContextOf(options)), { emit: (event) => events.push(event) === 0 })
    this.target = target
    this.events = events
  }

  protected take(): readonly JsonObject[] {
    return this.events.splice(0)
  }

  protected waits(): boolean {
    return false
  }

  protected goOn(): boolean {
    return true
  }

  outcome(): Outcome {
    return withLosses(this, true, this.progress.outcome())
  }

  discard(): void {
    // Events are only collected.
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

export const collectorOf = (collector: BodyCollector): AnswerCollector => new CollectorMethods(collector)

class CollectorMethods extends AnswerMethods<void, BodyCollector> implements AnswerCollector {
  private collected: JsonObject | null = null

  get body(): JsonObject | null {
    if (!this.done) return null
    this.collected ??= this.answer.body()
    return this.collected
  }

  get text(): string | null {
    return this.answer.text()
  }
}

/** The limits with some of them replaced. Throws a TypeError for an unknown name, and for a value that is no limit. */
export function withLimits(limits: Partial<Limits> = {}): Limits {
  checkLimits(limits)
  return { ...LIMITS, ...Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined)) }
}
