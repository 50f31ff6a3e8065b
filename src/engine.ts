import type { Dialect } from './dialects/dialect.ts'
import { viewResponse } from './dialects/view.ts'
import { writeFrames } from './dialects/write.ts'
import { FRAMINGS } from './framing/table.ts'
import { type HearingOptions, openStream, tellBody } from './hearing.ts'
import { run } from './machine/run.ts'
import type { Outcome } from './outcome.ts'
import type { GatewayError } from './protocol/error.ts'
import type { JsonObject } from './protocol/json.ts'
import { LIMITS } from './protocol/limits.ts'
import type { Response } from './protocol/response.ts'
import { collect } from './responses/collect.ts'
import { Shortcut } from './template/shortcut.ts'
import { openPrinter, printAll } from './text/press.ts'

export interface TranslateOptions extends HearingOptions {
  readonly dialect: Dialect
  /** Deltas of one run that one read completes become one event. Left out: every delta is an event of its own. */
  readonly coalesce?: boolean
  /**
   * What is returned is only lent: whatever is translated next, by anybody, writes it over. For who copies it or sends it
   * at once: it spares the memory.
   */
  readonly lend?: boolean
}

/** One stream, upstream bytes to dialect bytes. No I/O. After `end` or `fail` it is over and says nothing more. */
export interface Translation {
  /** Whole frames only: what these bytes complete. The bytes are the caller's again when it returns. */
  receive(bytes: Uint8Array): Uint8Array
  /** The upstream ended cleanly. */
  end(): Uint8Array
  /** The transport broke, or the caller gave up: the stream ends as failed unless its answer was already whole. */
  fail(error: GatewayError): Uint8Array
  /** No byte of the upstream can change the answer any more. */
  over(): boolean
  /** Has an item begun: has the first token come? */
  begun(): boolean
  outcome(): Outcome
}

/** One whole answer, from a stream. */
export interface Collection {
  /** The bytes are the caller's again when it returns. */
  receive(bytes: Uint8Array): void
  end(): JsonObject
  fail(error: GatewayError): JsonObject
  over(): boolean
  begun(): boolean
  outcome(): Outcome
}

const NO_BYTES = new Uint8Array(0)

/** Upstream bytes → the events of a dialect, as bytes. */
export function translate(options: TranslateOptions): Translation {
  const { template, framing } = options.wire
  const { boundary } = FRAMINGS[framing]
  const { coalesce = false, lend = false, limits = LIMITS } = options
  const printer = openPrinter()
  const stream = openStream(options, writeFrames(options.dialect, coalesce), (said) => printer.say(said))
  const shortcut =
    template === undefined
      ? null
      : new Shortcut(stream, { printer, coalesce, leaves: template, boundary, limit: limits.upstreamEvent })
  const begin = (): void => {
    printer.begin()
    if (!coalesce) return
    const position = stream.position()
    stream.move({ ...position, said: { ...position.said, open: false } })
  }
  /** Whole frames only, all that these steps say. */
  const told = (steps: () => void): Uint8Array => {
    if (stream.over()) return NO_BYTES
    begin()
    steps()
    return printer.take(lend)
  }
  const close = (steps: () => void): Uint8Array =>
    told(() => {
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
      if (stream.exceeds(bytes.length)) {
        shortcut?.settle()
        stream.stop()
      }
      return printer.take(lend)
    },
    end: () => close(() => stream.end()),
    fail: (error) => close(() => stream.fail(error)),
    over: () => stream.over(),
    begun: () => stream.begun(),
    outcome: () => {
      shortcut?.catchUp()
      return stream.outcome(shortcut?.taken())
    },
  }
}

/** Upstream bytes of a stream → the response object of a dialect. */
export function collectStream(options: TranslateOptions): Collection {
  const closed: Response[] = []
  const stream = openStream(options, collect, (response) => void closed.push(response))
  const toObject = (steps: () => void): JsonObject => {
    if (!stream.over()) steps()
    return viewResponse(options.dialect, closed[0] as Response)
  }
  return {
    // A limit may end the stream before its bytes do.
    receive(bytes) {
      if (stream.over()) return
      stream.hear(bytes)
      if (stream.exceeds(bytes.length)) stream.stop()
    },
    end: () => toObject(() => stream.end()),
    fail: (error) => toObject(() => stream.fail(error)),
    over: () => stream.over(),
    begun: () => stream.begun(),
    outcome: () => stream.outcome(),
  }
}

/** A whole upstream body → the response object of a dialect. */
export function translateBody(options: TranslateOptions, body: string): { response: JsonObject; outcome: Outcome } {
  const { events, outcome } = tellBody(options, body)
  return { response: viewResponse(options.dialect, run(collect, events)[0] as Response), outcome }
}

/** A whole upstream body → the same answer as a stream, for a client that asked for one. */
export function streamBody(options: TranslateOptions, body: string): { bytes: Uint8Array; outcome: Outcome } {
  const { events, outcome } = tellBody(options, body)
  return { bytes: printAll(openPrinter(), run(writeFrames(options.dialect), events)), outcome }
}
