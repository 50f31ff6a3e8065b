import type { Answer, Expected } from '../../engine/answer.ts'
import type { Framing } from '../../framing/framing.ts'
import type { GatewayError } from '../../protocol/error.ts'
import type { Turns } from '../call/turns.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import { type WholeLimits, wholeBody } from '../upstream/read-response-body.ts'
import type { BodyReader, UpstreamResponse } from '../upstream/transport.ts'
import { byFirstBytes, isStream } from './detect-stream.ts'
import { EndWait } from './end-wait.ts'
import type { ResponseSink } from './response-sink.ts'
import { UpstreamRelease } from './upstream-release.ts'
import type { Slices } from './work-slices.ts'

/** After so many bytes of its upstream, an answer is measured again. */
const MEASURED = 1024

/** The answer that is made from the answer of an upstream. */
export interface AnswerReading<Piece> {
  readonly context: RequestContext
  readonly turns: Turns<Piece, Answer<Piece>>
  readonly slices: Slices<Piece>
  readonly sink: ResponseSink<Piece>
  /** The time that an upstream has after the finish of its answer. */
  readonly finishMs: number
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
  private readonly slices: Slices<Piece>
  private readonly sink: ResponseSink<Piece>
  private started = false
  /** The bytes that have arrived since the answer was last measured. */
  private unmeasured = 0
  /** Nothing more is read: the upstream has ended, or was released or aborted. */
  private hasEnded = false
  private wait: EndWait<Piece> | null = null
  private released: UpstreamRelease | null = null
  private isDone = false

  constructor(owner: AnswerReading<Piece>, upstream: UpstreamResponse) {
    this.owner = owner
    this.upstream = upstream
    this.answer = owner.turns.answer
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
    if (this.hasEnded) {
      this.released?.bytes(chunk)
      return
    }
    if (this.slices.busy()) {
      this.keep(chunk)
      return
    }
    this.unmeasured += chunk.length
    this.send(this.answer.push(chunk), this.unmeasured >= MEASURED)
    this.slices.schedule()
  }

  end(): void {
    this.released?.ended()
    this.close(() => this.answer.push('end'))
  }

  fail(error: GatewayError): void {
    this.released?.ended()
    this.close(() => this.answer.push({ error }))
  }

  /** Sends output of the answer. */
  take(piece: Piece): void {
    this.send(piece, true)
  }

  private send(piece: Piece, mayHaveGrown: boolean): void {
    if (!this.started && this.answer.progress.started()) this.begin()
    if (mayHaveGrown) {
      this.unmeasured = 0
      this.owner.onGrowth()
    }
    const expected = this.answer.progress.remainder()
    if (expected === 'nothing') this.finish(piece)
    else {
      this.sink.write(piece)
      if (expected !== 'more' || this.wait !== null) this.waitForEnd(expected)
    }
  }

  /** Reads nothing more. */
  abort(): void {
    if (this.hasEnded) return
    this.stopReading()
    this.upstream.abort()
  }

  private waitForEnd(expected: Expected): void {
    this.wait ??= new EndWait(this.answer, this.slices, this.owner.finishMs, () => this.endFinished())
    if (!this.hasEnded) this.wait.update(expected)
  }

  /** The upstream has finished its answer, and stays open. */
  private endFinished(): void {
    this.upstream.abort('complete')
    this.end()
  }

  private stopReading(): void {
    this.hasEnded = true
    this.wait?.stop()
  }

  /** An upstream that has not sent its terminal event is aborted: its answer has passed a limit. */
  private release(): void {
    if (this.hasEnded) return
    if (this.answer.progress.lastFrame() === null) {
      this.abort()
      return
    }
    this.stopReading()
    if (this.upstream.isOver !== true) this.released = new UpstreamRelease(this.upstream)
    this.slices.leave()
  }

  private body(text: string): void {
    this.stopReading()
    this.sink.expect('body')
    this.slices.run(() => this.answer.push({ body: text }))
  }

  /** Stores a chunk for later. The chunk is borrowed, and must be copied. */
  private keep(chunk: Uint8Array): void {
    const bytes = chunk.slice()
    this.slices.run(() => this.answer.push(bytes))
  }

  private close(act: () => Piece): void {
    if (this.hasEnded) return
    this.stopReading()
    this.slices.run(() => {
      // The end repeats the whole answer, which a client that has left does not need.
      if (this.owner.context.reply.isGone()) this.answer.discard()
      return act()
    })
  }

  private begin(): void {
    const { context } = this.owner
    this.started = true
    context.journal.mark('first token')
  }

  /** The upstream has ended its answer, or the answer has passed a limit. */
  private finish(piece: Piece): void {
    this.release()
    const isBusy = this.answer.busy()
    if (isBusy || !this.answer.progress.over()) this.sink.writeLast(piece)
    else {
      this.slices.stop()
      this.sink.end(piece)
    }
    if (isBusy || this.isDone) return
    this.isDone = true
    this.owner.onTurnDone()
  }
}
