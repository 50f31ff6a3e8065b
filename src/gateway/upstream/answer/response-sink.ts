import type { Answer, BodyCollector } from '../../../engine/answer.ts'
import type { Outcome } from '../../../engine/outcome.ts'
import type { GatewayError } from '../../../protocol/error.ts'
import { joined } from '../../../text/bytes.ts'
import type { Prepared } from '../../endpoints/prepare-request.ts'
import type { StreamReply, StreamReplyOptions } from '../../exchange/reply.ts'
import type { RequestContext } from '../../exchange/request-context.ts'
import { noteOutcome, sendAnswer, sendText } from '../../exchange/send.ts'

/** The response to one client. */
export interface ResponseSink<Piece> {
  /** The upstream sends a stream; or its answer has arrived as one body. */
  expect(form: 'stream' | 'body'): void
  write(piece: Piece): void
  /** Writes output after the end of a turn, which may be the end of the answer. */
  writeLast(piece: Piece): void
  /** Writes the last output of the answer. Called once. */
  end(piece: Piece): void
}

export interface ResponseSinkOptions<Whole> extends StreamReplyOptions {
  readonly exchange: RequestContext
  readonly prepared: Pick<Prepared, 'options'>
  readonly answer: Whole
  /** Called once: with null when the client has its answer, or with the reason why nothing was sent to it. */
  readonly onDone: (error: GatewayError | null) => void
  /** Receives an exception, which is a bug of the gateway. */
  readonly onBug: (error: unknown) => void
}

/** Milliseconds after which the head is sent to the client, although the upstream has sent no event yet. */
const HEAD_DELAY_MS = 1000

const NO_BYTES: Uint8Array = new Uint8Array(0)

/**
 * Sends the answer as a stream. A class, as every object on the path of a chunk: see `DispatchHandler` in
 * `host/upstream/http-transport.ts`.
 */
export class StreamSink implements ResponseSink<Uint8Array> {
  private reply: StreamReply | null = null
  private held = NO_BYTES
  private isBody = false
  private headTimer: ReturnType<typeof setTimeout> | undefined
  private readonly options: ResponseSinkOptions<Answer<Uint8Array>>

  constructor(options: ResponseSinkOptions<Answer<Uint8Array>>) {
    this.options = options
    options.exchange.reply.onClose(() => this.dropTimer())
  }

  expect(form: 'stream' | 'body'): void {
    if (form === 'body') this.isBody = true
    if (this.reply === null && this.options.exchange.reply.hasHead)
      this.headTimer ??= setTimeout(() => this.opened(), HEAD_DELAY_MS)
  }

  write(frames: Uint8Array): void {
    if (frames.length === 0) return
    if (this.reply !== null) this.reply.write(frames)
    else if (!this.failsAtOnce()) this.opened().write(frames)
  }

  /** Before the first output, only the end of the answer shows whether it fails at once. */
  writeLast(frames: Uint8Array): void {
    if (this.reply !== null || this.options.answer.begun()) this.write(frames)
    else if (frames.length > 0) this.held = joined(this.held, frames)
  }

  end(frames: Uint8Array): void {
    if (this.failsAtOnce()) return
    this.opened().end(frames)
    this.settle(this.options.answer.outcome(), null)
  }

  private opened(): StreamReply {
    if (this.reply !== null) return this.reply
    const { exchange: context, prepared } = this.options
    this.dropTimer()
    const reply = context.reply.openStream(context, prepared.options.target, this.options)
    this.reply = reply
    reply.write(this.held)
    this.held = NO_BYTES
    return reply
  }

  /**
   * If the upstream fails before producing any output, sends nothing to the client, so that the request can still be
   * retried. A whole body that reports a failure is not sent either, even if it has output.
   */
  private failsAtOnce(): boolean {
    if (this.reply !== null) return false
    const outcome = this.options.answer.outcome()
    const { error, hasOutput } = outcome
    if (error === null || (hasOutput && !this.isBody)) return false
    this.settle({ ...outcome, status: 'failed' }, error)
    return true
  }

  /** A timer that is cleared stays in memory as long as there is a reference to it. */
  private dropTimer(): void {
    clearTimeout(this.headTimer)
    this.headTimer = undefined
  }

  private settle(outcome: Outcome, error: GatewayError | null): void {
    this.dropTimer()
    noteOutcome(this.options.exchange, outcome)
    this.options.onDone(error)
  }
}

/** Sends the answer as one body. Nothing is sent before its end, so that a failure has its own status. */
export class BodySink implements ResponseSink<void> {
  private readonly options: ResponseSinkOptions<BodyCollector>

  constructor(options: ResponseSinkOptions<BodyCollector>) {
    this.options = options
  }

  expect(): void {
    // The head depends on the whole answer.
  }

  write(): void {
    // The answer collects its own output.
  }

  writeLast(): void {
    // As `write`.
  }

  end(): void {
    const { exchange: context, answer, onDone, onBug } = this.options
    const outcome = answer.outcome()
    noteOutcome(context, outcome)
    const text = outcome.error === null ? (answer.text?.() ?? null) : null
    if (text !== null) {
      sendText(context, 200, text, 'application/json')
      onDone(null)
      return
    }
    if (outcome.error === null) sendAnswer(context, answer.body()).then(() => onDone(null), onBug)
    else onDone(outcome.error)
  }
}
