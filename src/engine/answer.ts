import type { Frame } from '../framing/frame.ts'
import type { Machine, Remainder, Step } from '../machine/machine.ts'
import type { Delta } from '../protocol/delta.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Steps } from '../text/steps.ts'
import type { Outcome } from './outcome.ts'
import type { PipelineOptions } from './reducer.ts'
import type { TurnSource } from './turns.ts'
import type { WholeBody } from './whole-body.ts'

/** Work that is done in slices. */
export interface Sliced<Made> {
  /** True if work is left for `resume`. Nothing may be received until it is done. Always false without `slice`. */
  busy(): boolean
  /** Does one more slice and returns its output. The output may end inside a frame, which the next slice continues. */
  resume(): Made
}

/** The part of an upstream answer that may still arrive. `failure`: it has failed, and may report that a second time. */
export type Expected = Remainder | 'failure'

/**
 * A piece of an upstream's answer: bytes of a stream, which the caller may reuse afterwards; a whole body in place of a
 * stream, including its end; its clean end; or the reason why it is cut off, such as a transport that broke. An answer
 * that was cut off ends as failed unless it was already complete.
 */
export type UpstreamInput = Uint8Array | { readonly body: string } | 'end' | { readonly error: GatewayError }

/** How far an answer is. */
export interface AnswerProgress {
  /** True if further bytes of the upstream cannot change the answer. */
  over(): boolean
  /** The part of the upstream answer that may still arrive; of the present turn, if the answer has turns. */
  remainder(): Expected
  /** The terminal event of the upstream answer; null before it, and if the answer ended in another way. */
  lastFrame(): Frame | null
  /** How often the upstream has changed the answer so far. Heartbeats do not. */
  changes(): number
  /** True if an item has begun, which means that the first token has arrived. */
  started(): boolean
}

/** One answer for a client: `Piece` is bytes for a stream, and nothing for a body. No I/O. */
export interface Answer<Piece> extends Sliced<Piece> {
  /** Returns the output that results from the input, in complete frames. After an end, inputs have no effect. */
  push(input: UpstreamInput): Piece
  readonly progress: AnswerProgress
  outcome(): Outcome
  /** The client has disconnected. Nothing more is written; only the outcome is still computed. */
  discard(): void
  /** The size of the texts that the answer keeps until its end, in UTF-16 units. */
  kept(): number
}

export type Translation = Answer<Uint8Array>

export interface BodyCollector extends Answer<void> {
  /** Returns the body of an answer that has ended, and does any work that is left at once. */
  body(): JsonObject
  /** The body as its upstream wrote it, if it is passed to the client unchanged; null if it is not. */
  text(): string | null
}

/** An answer that is made from several upstream answers, one in each turn, to which its inputs belong. */
export interface TurnAnswer<Piece, Input, Command> extends Answer<Piece> {
  /** Steps the machine of the turns with an input that is no delta. No work may be left. */
  apply(input: Input): { readonly piece: Piece; readonly commands: readonly Command[] }
  /** `source`: the upstream of the next turn; left out, the one before. */
  openTurn(source?: TurnSource): void
  /** The texts of the messages of the answer so far. */
  texts(): readonly string[]
  /** Ends the answer. `error`: the reason why it is cut off. */
  close(error?: GatewayError): Piece
}

export interface AnswerOptions extends PipelineOptions {
  /**
   * The approximate number of steps of each call: a frame, a delta, an event, or a part of a long frame is one step. A
   * call also writes at most about 256 KiB. `resume` does the rest. For servers, which serve other streams between two
   * slices. Default: each call does all its work.
   */
  readonly slice?: number
}

export interface TranslationOptions extends AnswerOptions {
  /**
   * Joins the deltas of one run that one read completes into one event. Default: each delta is an event of its own.
   * Dialects only.
   */
  readonly coalesce?: boolean
  /**
   * If true, returned bytes are views of a shared buffer and are valid only until the next call of any translation.
   * This saves an allocation for callers that copy or send the bytes at once.
   */
  readonly lend?: boolean
}

type Decoder = Machine<unknown, Frame, Delta>

/** A frame as its decoder has read it. */
export interface DecodedFrame {
  readonly frame: Frame
  /** The parsed payload; undefined or null if it is not JSON. */
  readonly value: unknown
  /** The state of the decoder before the frame, and its step. */
  readonly before: unknown
  readonly step: Step<unknown, Delta>
}

/**
 * The output of an answer that is passed on, beside those that are written from events: each frame of the upstream,
 * after the step of its decoder, which alone decides what a frame is. Frames have their text. A whole body is one frame.
 */
export interface FrameOutput {
  /** Whether the events of a list are sent one by one. */
  readonly splitsLists: boolean
  /** Sends a whole body. */
  sendBody(body: WholeBody): void
  /** Decodes a frame, and sends it. */
  step(decoder: Decoder, state: unknown, frame: Frame): Step<unknown, Delta>
  /** Sends a long frame, or returns the steps that send it. */
  sendLong(decoder: Decoder, decoded: DecodedFrame): Steps<void> | null
  /** The text of the long frame that follows is not its own, or these are its parts. */
  rewrites(parts: readonly Frame[]): void
  /** True if the buffer of the output is full, which ends the slice of work. */
  isFull(): boolean
}
