import type { Answer } from '../../../engine/answer.ts'
import type { Framing } from '../../../framing/registry.ts'
import type { GatewayError } from '../../../protocol/error.ts'
import type { RequestContext } from '../../exchange/request-context.ts'
import { type WholeLimits, wholeBody } from '../read-response-body.ts'
import type { BodyReader, UpstreamResponse } from '../transport.ts'
import { byFirstBytes, isStream } from './detect-stream.ts'
import type { ResponseSink } from './response-sink.ts'
import type { Turns } from './turns.ts'
import type { Slices } from './work-slices.ts'

/** The answer that is made from the answer of an upstream. */
export interface AnswerReading<Piece> {
  readonly context: RequestContext
  readonly turns: Turns<Piece, Answer<Piece>>
  readonly slices: Slices<Piece>
  readonly sink: ResponseSink<Piece>
  /** Called when the answer may have grown. */
  onGrowth(): void
  /** Called while a whole body arrives, with its cost so far. */
  onBody(bytes: number): void
  /** Called once, when nothing of this upstream answer is left to be done. */
  onTurnDone(): void
}

/**
 * Reads one upstream answer, as a stream or as one whole body: some vendors answer a streaming request with a JSON
 * body, or the reverse. A class, as every object on the path of a chunk: see `DispatchHandler` in
 * `host/upstream/http-transport.ts`.
 */
export class AnswerReader<Piece> implements BodyReader {
  readonly keepsNone = true
  private readonly owner: AnswerReading<Piece>
  private readonly upstream: UpstreamResponse
  private readonly answer: Answer<Piece>
  private readonly turns: Turns<Piece, Answer<Piece>>
  private readonly slices: Slices<Piece>
  private readonly sink: ResponseSink<Piece>
  private begun = false
  /** The upstream has ended, or was aborted. */
  private hasEnded = false
  private isDone = false

  constructor(owner: AnswerReading<Piece>, upstream: UpstreamResponse) {
    this.owner = owner
    this.upstream = upstream
    this.answer = owner.turns.answer
    this.turns = owner.turns
    this.slices = owner.slices
    this.sink = owner.sink
  }

  /** Returns the reader of all bytes of the upstream. `wholeLimits`: the limits of an answer that comes as one body. */
  detect(framing: Framing, wholeLimits: WholeLimits): BodyReader {
    const { upstream, sink } = this
    const isLabelled = isStream(upstream.headers['content-type'], framing)
    // Before the first bytes arrive, so that a client soon receives the head of its stream.
    if (isLabelled) sink.expect('stream')
    const stream = (): BodyReader => {
      sink.expect('stream')
      return this
    }
    const body = (): BodyReader =>
      wholeBody(
        upstream,
        wholeLimits,
        (text) => {
          if (text.ok) this.body(text.value)
          else this.fail(text.error)
        },
        (cost) => this.owner.onBody(cost),
      )
    return byFirstBytes(framing, isLabelled, stream, body)
  }

  bytes(chunk: Uint8Array): void {
    if (this.hasEnded) return
    if (this.slices.busy()) {
      this.keep(chunk)
      return
    }
    this.take(this.answer.receive(chunk))
    this.slices.schedule()
  }

  end(): void {
    this.close(() => this.answer.end())
  }

  fail(error: GatewayError): void {
    this.close(() => this.answer.fail(error))
  }

  /** Sends output of the answer. */
  take(piece: Piece): void {
    if (!this.begun && this.answer.begun()) this.begin()
    this.owner.onGrowth()
    if (this.turns.turnOver()) this.finish(piece)
    else this.sink.write(piece)
  }

  /** Reads nothing more. */
  abort(): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.upstream.abort()
  }

  private body(text: string): void {
    this.hasEnded = true
    this.sink.expect('body')
    this.slices.run(() => this.answer.receiveBody(text))
  }

  /** Stores a chunk for later. The chunk is borrowed, and must be copied. */
  private keep(chunk: Uint8Array): void {
    const bytes = chunk.slice()
    this.slices.run(() => this.answer.receive(bytes))
  }

  private close(act: () => Piece): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.slices.run(() => {
      // The end repeats the whole answer, which a client that has left does not need.
      if (this.owner.context.reply.isGone()) this.answer.discard()
      return act()
    })
  }

  private begin(): void {
    const { context } = this.owner
    this.begun = true
    context.entry.first_token_ms ??= context.elapsed()
  }

  /** The upstream has ended, or the answer has passed a limit. */
  private finish(piece: Piece): void {
    this.abort()
    const isBusy = this.answer.busy()
    if (isBusy || !this.answer.over()) this.sink.writeLast(piece)
    else {
      this.slices.stop()
      this.sink.end(piece)
    }
    if (isBusy || this.isDone) return
    this.isDone = true
    this.owner.onTurnDone()
  }
}
