import type { Dialect } from './dialects/dialect.ts'
import { viewResponseInSteps } from './dialects/view-long.ts'
import { writeFrames } from './dialects/write.ts'
import { FRAMINGS } from './framing/table.ts'
import type { HearingOptions } from './hearing.ts'
import type { Outcome } from './outcome.ts'
import { openStream, type Stream } from './pipeline.ts'
import type { GatewayError } from './protocol/error.ts'
import type { JsonObject } from './protocol/json.ts'
import { LIMITS } from './protocol/limits.ts'
import type { Response } from './protocol/response.ts'
import { collect } from './responses/collect.ts'
import { SlicedBody } from './sliced-body.ts'
import { Shortcut } from './template/shortcut.ts'
import { openPrinter } from './text/press.ts'
import type { Steps } from './text/steps.ts'

export interface TranslateOptions extends HearingOptions {
  readonly dialect: Dialect
  /** Deltas of one run that one read completes become one event. Left out: every delta is an event of its own. */
  readonly coalesce?: boolean
  /**
   * What is returned is only lent: whatever is translated next, by anybody, writes it over. For who copies it or sends it
   * at once: it spares the memory.
   */
  readonly lend?: boolean
  /**
   * Each call does about so many steps (a frame, a delta, an event, or as much of a long frame), writes about 256 KiB at
   * most, and leaves the rest to `resume`. For servers: between two slices others have their turn. Left out: each call does
   * all that it can.
   */
  readonly slice?: number
}

/** One stream, upstream bytes to dialect bytes. No I/O. After `end` or `fail` it is over and says nothing more. */
export interface Translation extends Sliced<Uint8Array> {
  /** Whole frames only: what these bytes complete. The bytes are the caller's again when it returns. */
  receive(bytes: Uint8Array): Uint8Array
  /** A whole upstream body in place of a stream, and its end. */
  receiveBody(body: string): Uint8Array
  /** The upstream ended cleanly. */
  end(): Uint8Array
  /** The transport broke, or the caller gave up: the stream ends as failed unless its answer was already whole. */
  fail(error: GatewayError): Uint8Array
  /** There is no client any more: nothing is written from here on, and only the outcome counts. */
  discard(): void
  /** No byte of the upstream can change the answer any more. */
  over(): boolean
  /** Has an item begun: has the first token come? */
  begun(): boolean
  outcome(): Outcome
}

/** Work that is done in slices. */
export interface Sliced<Made> {
  /** Is work left for `resume`? Then nothing may be received yet. Never without `slice`. */
  busy(): boolean
  /** Does one more slice. Returns what it made: of a frame maybe a piece, which the next slice continues. */
  resume(): Made
}

/** One whole answer, from a stream or a whole body. */
export interface Collection extends Sliced<void> {
  /** The bytes are the caller's again when it returns. */
  receive(bytes: Uint8Array): void
  /** A whole upstream body in place of a stream, and its end. */
  receiveBody(body: string): void
  /** As `end` and `fail`, for work in slices: `end` returns the answer once nothing is left. */
  close(error: GatewayError | null): void
  end(): JsonObject
  fail(error: GatewayError): JsonObject
  over(): boolean
  begun(): boolean
  outcome(): Outcome
}

const NO_BYTES = new Uint8Array(0)

/** Bytes of text that the fast path may hold back from the machines. */
const MOST_TEXT = 64 * 1024

/** Upstream bytes → the events of a dialect, as bytes. */
export function translate(options: TranslateOptions): Translation {
  const { template, framing } = options.wire
  const { boundary } = FRAMINGS[framing]
  const { coalesce = false, lend = false, slice, limits = LIMITS } = options
  const printer = openPrinter(slice !== undefined)
  const stream = openStream(options, writeFrames(options.dialect, coalesce), (said) => printer.say(said), slice)
  const shortcut =
    template === undefined
      ? null
      : new Shortcut(stream, {
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
    stream.move({ ...position, said: { ...position.said, open: false } })
  }
  const take = (steps: () => void): Uint8Array => {
    begin()
    steps()
    return printer.take(lend)
  }
  const stop = (): void => {
    shortcut?.settle()
    stream.stop()
  }
  const resume = (): void => {
    printer.resume()
    if (printer.waits()) return
    stream.resume()
    if (shortcut?.waits() !== true || stream.over() || stream.spent()) return
    shortcut.hear(NO_BYTES)
    if (stream.exceeds(0)) stop()
  }
  const close = (steps: () => void): Uint8Array =>
    stream.over()
      ? NO_BYTES
      : take(() => {
          shortcut?.settle()
          if (stream.exceeds(0)) stream.stop()
          else steps()
        })
  return {
    receive(bytes) {
      if (stream.over()) return NO_BYTES
      begin()
      if (shortcut === null) stream.hear(bytes)
      else shortcut.hear(bytes)
      if (stream.exceeds(bytes.length)) stop()
      return printer.take(lend)
    },
    receiveBody: (body) => take(() => stream.hearBody(body)),
    end: () => close(() => stream.end()),
    fail: (error) => close(() => stream.fail(error)),
    discard: () => printer.discard(),
    busy: () => stream.busy() || printer.waits() || (shortcut?.waits() === true && !stream.over()),
    resume: () => take(resume),
    over: () => stream.over(),
    begun: () => stream.begun(),
    outcome: () => {
      shortcut?.catchUp()
      return stream.outcome(shortcut?.taken())
    },
  }
}

/** Upstream bytes → the response object of a dialect. */
export function collectStream(options: TranslateOptions): Collection {
  const closed: Response[] = []
  const keep = (response: Response): boolean => closed.push(response) === 0
  const stream = openStream(options, collect, keep, options.slice)
  return collectionOf(stream, () => viewResponseInSteps(options.dialect, closed[0] as Response), options.slice)
}

/** A stream of which only the whole answer is wanted. */
export function collectionOf(
  stream: Stream<unknown, unknown>,
  toBody: () => Steps<JsonObject>,
  slice: number | undefined,
): Collection {
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
    // A limit may end the stream before its bytes do.
    receive(bytes) {
      if (stream.over()) return
      stream.refill()
      stream.hear(bytes)
      if (stream.exceeds(bytes.length)) stream.stop()
    },
    receiveBody(body) {
      stream.refill()
      stream.hearBody(body)
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

/** A whole upstream body → the response object of a dialect. */
export function translateBody(options: TranslateOptions, body: string): { response: JsonObject; outcome: Outcome } {
  const collection = collectStream(wholly(options))
  collection.receiveBody(body)
  return { response: collection.end(), outcome: collection.outcome() }
}

/** A whole upstream body → the same answer as a stream, for a client that asked for one. */
export function streamBody(options: TranslateOptions, body: string): { bytes: Uint8Array; outcome: Outcome } {
  const translation = translate({ ...wholly(options), lend: false })
  return { bytes: translation.receiveBody(body), outcome: translation.outcome() }
}

/** In one call. */
export const wholly = <Options extends { readonly slice?: number }>({ slice: _, ...options }: Options) => options
