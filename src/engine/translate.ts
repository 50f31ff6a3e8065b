import type { Dialect } from '../dialects/dialect.ts'
import { viewResponseInSteps } from '../dialects/view-long.ts'
import { writeFrames } from '../dialects/write.ts'
import { FastPath } from '../fast-path/fast-path.ts'
import { FRAMINGS } from '../framing/registry.ts'
import { createPrinter } from '../output/frame-printer.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import { LIMITS } from '../protocol/limits.ts'
import type { Response } from '../protocol/response.ts'
import { collect } from '../responses/collect.ts'
import type { Steps } from '../text/steps.ts'
import type { Outcome } from './outcome.ts'
import { createPipeline, type Pipeline } from './pipeline.ts'
import type { PipelineOptions } from './reducer.ts'
import { SlicedBody } from './sliced-body.ts'

export interface TranslateOptions extends PipelineOptions {
  readonly dialect: Dialect
  /** Joins the deltas of one run that one read completes into one event. Default: each delta is an event of its own. */
  readonly coalesce?: boolean
  /**
   * If true, returned bytes are views of a shared buffer and are valid only until the next call of any translation.
   * This saves an allocation for callers that copy or send the bytes at once.
   */
  readonly lend?: boolean
  /**
   * The approximate number of steps of each call: a frame, a delta, an event, or a part of a long frame is one step. A
   * call also writes at most about 256 KiB. `resume` does the rest. For servers, which serve other streams between two
   * slices. Default: each call does all its work.
   */
  readonly slice?: number
}

/**
 * Translates one stream from upstream bytes to dialect bytes. No I/O. After `end` or `fail` it returns nothing more.
 */
export interface Translation extends Sliced<Uint8Array> {
  /** Returns the complete frames that result from these bytes. The caller may reuse the bytes afterwards. */
  receive(bytes: Uint8Array): Uint8Array
  /** A whole upstream body in place of a stream, including its end. */
  receiveBody(body: string): Uint8Array
  /** The upstream ended cleanly. */
  end(): Uint8Array
  /** The transport broke, or the caller gave up. The stream ends as failed unless its answer was already complete. */
  fail(error: GatewayError): Uint8Array
  /** The client has disconnected. Nothing more is written; only the outcome is still computed. */
  discard(): void
  /** True if further bytes of the upstream cannot change the answer. */
  over(): boolean
  /** True if an item has begun, which means that the first token has arrived. */
  begun(): boolean
  outcome(): Outcome
}

/** Work that is done in slices. */
export interface Sliced<Made> {
  /** True if work is left for `resume`. Nothing may be received until it is done. Always false without `slice`. */
  busy(): boolean
  /** Does one more slice and returns its output. The output may end inside a frame, which the next slice continues. */
  resume(): Made
}

/** Collects one whole answer from a stream or a whole body. */
export interface BodyCollector extends Sliced<void> {
  /** The caller may reuse the bytes afterwards. */
  receive(bytes: Uint8Array): void
  /** A whole upstream body in place of a stream, including its end. */
  receiveBody(body: string): void
  /** Same as `end` and `fail`, for work in slices: `end` returns the answer when no work is left. */
  close(error: GatewayError | null): void
  end(): JsonObject
  fail(error: GatewayError): JsonObject
  over(): boolean
  begun(): boolean
  outcome(): Outcome
}

const NO_BYTES = new Uint8Array(0)

/** The largest text, in bytes, that the fast path may keep back from the machines. */
const MOST_TEXT = 64 * 1024

/** Translates upstream bytes to the events of a dialect, as bytes. */
export function translate(options: TranslateOptions): Translation {
  const { template, framing } = options.wire
  const { boundary } = FRAMINGS[framing]
  const { coalesce = false, lend = false, slice, limits = LIMITS } = options
  const printer = createPrinter(slice !== undefined)
  const stream = createPipeline(
    options,
    writeFrames(options.dialect, coalesce),
    (output) => printer.emit(output),
    slice,
  )
  const fastPath =
    template === undefined
      ? null
      : new FastPath(stream, {
          printer,
          coalesce,
          leaves: template,
          boundary,
          limit: limits.upstreamEvent,
          mostText: Math.min(MOST_TEXT, limits.answerSize),
        })
  const begin = (): void => {
    printer.begin()
    stream.refill()
    if (!coalesce) return
    const position = stream.position()
    stream.move({ ...position, writerState: { ...position.writerState, open: false } })
  }
  const take = (steps: () => void): Uint8Array => {
    begin()
    steps()
    return printer.take(lend)
  }
  const stop = (): void => {
    fastPath?.flush()
    stream.stop()
  }
  const resume = (): void => {
    printer.resume()
    if (printer.waits()) return
    stream.resume()
    if (fastPath?.waits() !== true || stream.over() || stream.spent()) return
    fastPath.process(NO_BYTES)
    if (stream.exceeds(0)) stop()
  }
  const close = (steps: () => void): Uint8Array =>
    stream.over()
      ? NO_BYTES
      : take(() => {
          fastPath?.flush()
          if (stream.exceeds(0)) stream.stop()
          else steps()
        })
  return {
    receive(bytes) {
      if (stream.over()) return NO_BYTES
      begin()
      if (fastPath === null) stream.process(bytes)
      else fastPath.process(bytes)
      if (stream.exceeds(bytes.length)) stop()
      return printer.take(lend)
    },
    receiveBody: (body) => take(() => stream.processBody(body)),
    end: () => close(() => stream.end()),
    fail: (error) => close(() => stream.fail(error)),
    discard: () => printer.discard(),
    busy: () => stream.busy() || printer.waits() || (fastPath?.waits() === true && !stream.over()),
    resume: () => take(resume),
    over: () => stream.over(),
    begun: () => stream.begun(),
    outcome: () => {
      fastPath?.syncMachines()
      return stream.outcome(fastPath?.fastCount())
    },
  }
}

/** Collects upstream bytes into the response object of a dialect. */
export function collectStream(options: TranslateOptions): BodyCollector {
  const closed: Response[] = []
  const keep = (response: Response): boolean => closed.push(response) === 0
  const stream = createPipeline(options, collect, keep, options.slice)
  return createBodyCollector(stream, () => viewResponseInSteps(options.dialect, closed[0] as Response), options.slice)
}

/** A stream of which only the whole answer is needed. */
export function createBodyCollector(
  stream: Pipeline<unknown, unknown>,
  toBody: () => Steps<JsonObject>,
  slice: number | undefined,
): BodyCollector {
  const body = new SlicedBody(stream, toBody, slice)
  const close = (error: GatewayError | null): void => {
    stream.refill()
    if (error === null) stream.end()
    else stream.fail(error)
  }
  const finish = (error: GatewayError | null): JsonObject => {
    close(error)
    return body.whole()
  }
  return {
    // A limit may have ended the stream before its bytes ended.
    receive(bytes) {
      if (stream.over()) return
      stream.refill()
      stream.process(bytes)
      if (stream.exceeds(bytes.length)) stream.stop()
    },
    receiveBody(body) {
      stream.refill()
      stream.processBody(body)
    },
    close,
    end: () => finish(null),
    fail: finish,
    busy: () => body.busy(),
    resume: () => body.resume(),
    over: () => stream.over(),
    begun: () => stream.begun(),
    outcome: () => stream.outcome(),
  }
}

/** Translates a whole upstream body to the response object of a dialect. */
export function translateBody(options: TranslateOptions, body: string): { response: JsonObject; outcome: Outcome } {
  const collection = collectStream(wholly(options))
  collection.receiveBody(body)
  return { response: collection.end(), outcome: collection.outcome() }
}

/** Translates a whole upstream body to a stream, for a client that requested a stream. */
export function streamBody(options: TranslateOptions, body: string): { bytes: Uint8Array; outcome: Outcome } {
  const translation = translate({ ...wholly(options), lend: false })
  return { bytes: translation.receiveBody(body), outcome: translation.outcome() }
}

/** The options without slices: all work is done in one call. */
export const wholly = <Options extends { readonly slice?: number }>({ slice: _, ...options }: Options) => options
