import type { Outcome } from '../engine/outcome.ts'
import type { Target } from '../engine/target.ts'
import type { OpenFastPath } from '../fast-path/open-fast-path.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Limits } from '../protocol/limits.ts'
import type { StreamWire } from '../wires/contract.ts'
import type { Quirks } from '../wires/quirks.ts'
import type { CallAnswer } from './call-answer.ts'

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
  /** Is called for each read of the upstream, also for comments and pings, which have no output: it is alive. */
  readonly onActivity?: () => void
}

/** Options of a function that reads an answer without its request. */
export interface ReadOptions extends SharedOptions {
  /** The wire of the upstream; `withMachines(wire, machines)` with machines of the program. */
  readonly from: StreamWire
  /**
   * The vendor of the upstream: encrypted reasoning comes back to the same one. Left out: to the vendor of the next
   * request, whichever it is.
   */
  readonly vendor?: string
  /** The environment variable that usually holds the key of the upstream, for the remedy of a refused key. */
  readonly keyVariable?: string
}

/** Options of a function that reads the answer to a request, which has decided all else. */
export interface AnsweredOptions<Event = unknown, Body = unknown> extends Omit<SharedOptions, 'quirks'> {
  /** `answer` of a call, from `encodeRequest` or `translateRequest`. */
  readonly answer: CallAnswer<Event, Body>
}

/** Where an answer comes from. */
export type SourceOptions = ReadOptions | AnsweredOptions

/** The target of an answer. Default: that of the client of `answer`; without one, the dialect `openai`. */
export interface FormOptions {
  readonly to?: Target
}

/** Options of a function that writes a stream. */
interface BytesOptions {
  /**
   * `fastPath` of `millrace/core`, which writes repeated chunks without parsing them: several times as fast, and a
   * quarter of a bundle. Default: every chunk is parsed.
   */
  readonly fastPath?: OpenFastPath
}

/** Options of a function that writes answers for a client. */
export type WriteOptions = BytesOptions & ((AnsweredOptions & FormOptions) | (ReadOptions & Required<FormOptions>))

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
