import type { Answer, BodyCollector } from '../../engine/answer.ts'
import type { Outcome } from '../../engine/outcome.ts'
import type { Target } from '../../engine/target.ts'
import type { GatewayError } from '../../protocol/error.ts'
import { joined } from '../../text/bytes.ts'
import { streamFormOf } from '../exchange/keep-alive-events.ts'
import type { StreamReply, StreamReplyOptions } from '../exchange/reply.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import { noteOutcome, sendAnswer, sendText } from '../exchange/send.ts'

export interface ResponseSink<Piece> {
  /** True if the answer is sent as a whole, so that it stays in memory until its client has read it. */
  readonly isWhole: boolean
  /** The upstream sends a stream; or its answer has arrived as one body. */
  expect(form: 'stream' | 'body'): void
  write(piece: Piece): void
  /** Writes output after the end of a turn, which may be the end of the answer. */
  writeLast(piece: Piece): void
  /** Writes the last output of the answer. Called once. */
  end(piece: Piece): void
  /** The answer has ended, or its client has left. */
  onClose?(): void
}

/** The answer that a sink sends, and the receiver of its reports. */
export interface SinkOwner<Whole> extends StreamReplyOptions {
  readonly context: RequestContext
  readonly target: Target
  readonly answer: Whole
  /** Called when the head of a stream is sent. The request cannot be retried from then on. */
  onStart(): void
  /** Called once: with null when the client has its answer, or with the reason why nothing was sent to it. */
  onDone(error: GatewayError | null): void
  /** Receives an exception, which is a bug of the gateway. */
  onBug(error: unknown): void
}

/** Milliseconds after which the head is sent to the client, although the upstream has sent no event yet. */
const HEAD_DELAY_MS = 1000

const NO_BYTES: Uint8Array = new Uint8Array(0)

/**
 * Sends the answer as a stream. A class, as every object on the path of a chunk: see `DispatchHandler` in
 * `host/upstream/http-transport.ts`.
 */
export class StreamSink implements ResponseSink<Uint8Array> {
  readonly isWhole = false
  private reply: StreamReply | null = null
  private held = NO_BYTES
  private isBody = false
  private headTimer: ReturnType<typeof setTimeout> | undefined
  private readonly owner: SinkOwner<Answer<Uint8Array>>

  constructor(owner: SinkOwner<Answer<Uint8Array>>) {
    this.owner = owner
  }

  expect(form: 'stream' | 'body'): void {
    if (form === 'body') this.isBody = true
    if (this.reply === null && this.owner.context.reply.hasHead)
      this.headTimer ??= setTimeout(() => this.opened(), HEAD_DELAY_MS)
  }

  write(frames: Uint8Array): void {
    if (frames.length === 0) return
    if (this.reply !== null) this.reply.write(frames)
    else if (!this.failsAtOnce()) this.opened().write(frames)
  }

  /** Before the first output, only the end of the answer shows whether it fails at once. */
  writeLast(frames: Uint8Array): void {
    if (this.reply !== null || this.owner.answer.progress.started()) this.write(frames)
    else if (frames.length > 0) this.held = joined(this.held, frames)
  }

  end(frames: Uint8Array): void {
    if (this.failsAtOnce()) return
    this.opened().end(frames)
    this.settle(this.owner.answer.outcome(), null)
  }

  private opened(): StreamReply {
    if (this.reply !== null) return this.reply
    const { owner } = this
    const { context, target } = owner
    this.dropTimer()
    const reply = context.reply.openStream(context.journal, streamFormOf(context.request, target), owner)
    this.reply = reply
    owner.onStart()
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
    const outcome = this.owner.answer.outcome()
    const { error, hasOutput } = outcome
    if (error === null || (hasOutput && !this.isBody)) return false
    this.settle({ ...outcome, status: 'failed' }, error)
    return true
  }

  onClose(): void {
    this.dropTimer()
  }

  /** A timer that is cleared stays in memory as long as there is a reference to it. */
  private dropTimer(): void {
    clearTimeout(this.headTimer)
    this.headTimer = undefined
  }

  private settle(outcome: Outcome, error: GatewayError | null): void {
    this.dropTimer()
    noteOutcome(this.owner.context, outcome)
    this.owner.onDone(error)
  }
}

/** Sends the answer as one body. Nothing is sent before its end, so that a failure has its own status. */
export class BodySink implements ResponseSink<void> {
  readonly isWhole = true
  private readonly owner: SinkOwner<BodyCollector>

  constructor(owner: SinkOwner<BodyCollector>) {
    this.owner = owner
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
    const { owner } = this
    const { context, answer } = owner
    const outcome = answer.outcome()
    noteOutcome(context, outcome)
    const text = outcome.error === null ? answer.text() : null
    if (text !== null) {
      sendText(context, 200, text, 'application/json')
      owner.onDone(null)
      return
    }
    if (outcome.error === null)
      sendAnswer(context, answer.body()).then(
        () => owner.onDone(null),
        (bug) => owner.onBug(bug),
      )
    else owner.onDone(outcome.error)
  }
}
