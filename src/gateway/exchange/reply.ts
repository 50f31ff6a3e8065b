import type { Result } from '../../protocol/result.ts'
import type { PathMap } from '../../protocol/source-map.ts'
import type { BodyLimiter, Received } from '../body/receive-request.ts'
import type { AnswerHeaders } from './http-types.ts'
import type { Journal } from './journal.ts'
import type { StreamForm } from './keep-alive-events.ts'

export interface StreamReplyOptions {
  /** Silence in milliseconds after which a keep-alive is written; 0: never. */
  readonly keepAliveMs: number
  /** The client is behind: the caller should write nothing more until `onDrain`. */
  onFull(): void
  onDrain(): void
}

/** Is notified once, when an answer has ended or its client has left. */
export interface CloseListener {
  onClose(): void
}

export interface StreamReply {
  /**
   * Writes whole frames only, because a keep-alive may come between two writes. The caller may reuse `frames`
   * afterwards.
   */
  write(frames: Uint8Array): void
  end(frames: Uint8Array): void
}

/** Writes a long answer of `size` bytes, and resolves when all of it is written or the client has left. */
export type WritePieces = (size: number, pieces: Iterable<Uint8Array>) => Promise<void>

/** The way of one answer to its client: an HTTP response, or the events of a response on a socket. */
export interface Reply {
  /** False if the client receives nothing before the first event, so that opening a stream early has no use. */
  readonly hasHead: boolean
  /** True if the head was sent, after which headers have no effect. */
  hasStarted(): boolean
  /** True if the client receives nothing more, because it has left. */
  isGone(): boolean
  /** True if the head was sent and the end was not. */
  isOpen(): boolean
  setHeader(name: string, value: string | number): void
  /** Removes the headers with this beginning of their lower-case names. */
  removeHeaders(beginning: string): void
  /** Sends a whole answer: text of this media type. */
  sendText(status: number, text: string, type: string, headers: AnswerHeaders): void
  /** Returns the writer of long JSON answers with status 200; null if they must be sent as text. */
  pieceWriter(): WritePieces | null
  /** Sends the head in this tick, so that the client sees that its request was accepted. */
  openStream(journal: Journal, form: StreamForm, options: StreamReplyOptions): StreamReply
  onClose(listener: CloseListener): void
  /** Removes a listener of `onClose`. An answer that failed must not stay in memory for as long as the next one. */
  offClose(listener: CloseListener): void
  /** Breaks off an answer whose head was sent. */
  destroy(): void
}

/** The body of a request, which is read once. */
export interface BodySource {
  /** The content codings that are decoded. Left out: the body does not come over HTTP. */
  readonly codings?: readonly string[]
  /** Checks the headers of the body, before it is read. `isTypeOptional`: clients of this API set no content type. */
  check(isTypeOptional: boolean): Result<null>
  /** Reads the body as JSON within its limits. It counts in the budget of all bodies until the exchange ends. */
  read(limiter: BodyLimiter): Promise<Result<Received>>
  /** Translates paths of the body to those of the client, if the body was made from a message of the client. */
  readonly toClientPath?: PathMap
  /** Translates them back. */
  readonly toBodyPath?: PathMap
}
