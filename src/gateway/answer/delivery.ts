import type { Answer } from '../../engine/answer.ts'
import type { GatewayError } from '../../protocol/error.ts'
import type { Request } from '../../protocol/request.ts'
import type { Result } from '../../protocol/result.ts'
import { type CurrentCall, explainAttempt, noteCallEnd, readsMessages } from '../call/attempts.ts'
import { encodeCall, type Prepared } from '../call/prepare-request.ts'
import type { Turns } from '../call/turns.ts'
import { measureToLearn, type RequestMeasure } from '../counts/learn-tokens.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import { sendError } from '../exchange/send.ts'
import { runInSlices } from '../run-in-slices.ts'
import { shownFailure } from '../upstream/explain-failure.ts'
import type { UpstreamResponse } from '../upstream/transport.ts'
import { AnswerReader, type AnswerReading } from './answer-reader.ts'
import { acceptAnswer, requestAnswer } from './open-answer.ts'
import type { Deliverer, Exchange } from './open-turns.ts'
import type { ResponseSink, SinkOwner } from './response-sink.ts'
import { Slices } from './work-slices.ts'

/** A smaller answer is not counted, in UTF-16 units. */
const SMALL = 16 * 1024

/** The memory of an answer for each unit of its text, in bytes: the text, and earlier copies that are garbage. */
const PER_UNIT = 4

/**
 * The longest text of an answer that fails by its protocol where memory is short, in UTF-16 units: far beyond what a
 * model writes. The last events of a Responses stream contain the text four times.
 */
const MOST_REPEATED = 1024 * 1024

/**
 * Reads the upstream answers of all turns of one request, and writes the answer of the client. It is the owner of all
 * objects that do so, and they call it, because closures would be additional objects of every stream.
 *
 * `resolve` receives null when the client has its answer, or when its beginning is sent: the rest of it is
 * `RequestContext.delivery`. It receives the reason if nothing was sent.
 */
export class Delivery<Piece, Whole extends Answer<Piece>> implements SinkOwner<Whole>, AnswerReading<Piece> {
  heldBytes = 0
  heldAt = -1
  readonly context: RequestContext
  readonly turns: Turns<Piece, Whole>
  readonly slices: Slices<Piece>
  readonly sink: ResponseSink<Piece>
  private readonly gateway: Deliverer
  private readonly call: CurrentCall
  private options: Prepared['options']
  /** Null once neither a retry nor a further turn can need it. A request may be much larger than its answer. */
  private prepared: Prepared | null
  /** The call whose failure in the middle of a stream an operator reads about; null if nobody does. */
  private keptCall: Prepared['call'] | null = null
  private resolve: (error: GatewayError | null) => void
  private reject: (bug: unknown) => void
  private reader: AnswerReader<Piece> | null = null
  private measure: RequestMeasure | null = null
  private isFirst = true
  private isDone = false
  /** The reason why the answer must end: it has no room in memory. */
  private refusal: GatewayError | null = null

  constructor(
    { gateway, prepared, context, call }: Exchange,
    turns: Turns<Piece, Whole>,
    createSink: (delivery: SinkOwner<Whole>) => ResponseSink<Piece>,
    resolve: (error: GatewayError | null) => void,
    reject: (bug: unknown) => void,
  ) {
    this.gateway = gateway
    this.context = context
    this.call = call
    this.prepared = prepared
    this.options = prepared.options
    this.turns = turns
    this.resolve = resolve
    this.reject = reject
    this.slices = new Slices(this)
    this.sink = createSink(this)
  }

  get answer(): Whole {
    return this.turns.answer
  }

  get target(): Prepared['options']['target'] {
    return this.options.target
  }

  get keepAliveMs(): number {
    return this.gateway.config.keep_alive_seconds * 1000
  }

  get finishMs(): number {
    return this.gateway.config.timeouts.after_finish_seconds * 1000
  }

  /** `opened`: the first upstream answer, or the reason why there is none. `onAccepted`: called if it is accepted. */
  begin(opened: Result<UpstreamResponse>, onAccepted: () => void): void {
    const { gateway, context, options } = this
    try {
      const accepted = acceptAnswer(opened, options, context.reply, gateway.config.timeouts)
      if (accepted instanceof Promise)
        accepted.then(
          (answer) => this.start(answer, onAccepted),
          (bug) => this.onBug(bug),
        )
      else this.start(accepted, onAccepted)
    } catch (bug) {
      this.onBug(bug)
    }
  }

  private start(opened: Result<UpstreamResponse>, onAccepted: () => void): void {
    const { context } = this
    try {
      context.journal.mark('head')
      if (opened.ok) {
        onAccepted()
        context.reply.onClose(this)
        this.readTurn(opened.value)
        return
      }
      noteCallEnd(context, this.call, opened.error)
      this.resolve(opened.error)
    } catch (bug) {
      this.onBug(bug)
    }
  }

  take(piece: Piece): void {
    this.reader?.take(piece)
  }

  onFull(): void {
    this.slices.hold()
    if (this.refusal !== null) this.cut(this.refusal)
  }

  onDrain(): void {
    this.slices.release()
  }

  onClose(): void {
    this.sink.onClose?.()
    this.slices.free()
    if (this.isDone) this.gateway.answers.release(this)
  }

  onGrowth(): void {
    const kept = this.turns.answer.kept()
    if (kept >= SMALL || this.heldAt >= 0) this.onBody(kept * PER_UNIT)
  }

  onBody(bytes: number): void {
    if (!this.isDone && this.refusal === null) this.gateway.answers.hold(this, bytes)
  }

  /**
   * A client that reads receives the failure. For a client that is behind, the failure would wait in memory with the rest
   * of the answer, and a whole body waits until it is read: their connections are closed. So is that of a client whose
   * failure would need much more memory.
   */
  onNoRoom(error: GatewayError): void {
    const { slices, sink, turns } = this
    this.refusal = error
    const isLong = !sink.isWhole && turns.answer.kept() > MOST_REPEATED
    if (this.isDone || isLong || slices.isHeld()) this.cut(error)
    this.reader?.fail(error)
  }

  private cut({ code, party }: GatewayError): void {
    const { journal, reply } = this.context
    this.turns.answer.discard()
    journal.add({ type: 'cut', code, party })
    reply.destroy()
  }

  /** The rest of the answer is delivered without the request. */
  onStart(): void {
    const { prepared, resolve } = this
    if (prepared === null) return
    this.keepCall(prepared)
    this.learnFrom(prepared)
    if (prepared.search === null) this.prepared = null
    this.call.guarded.started()
    this.context.delivery = new Promise<unknown>((done, reject) => {
      this.resolve = done
      this.reject = reject
    })
    resolve(null)
  }

  onTurnDone(): void {
    if (!this.isDone)
      Promise.resolve()
        .then(() => this.nextTurn())
        .catch((bug) => this.onBug(bug))
  }

  /** Searches are not repeated: a request is retried only if its first turn failed. */
  onDone(error: GatewayError | null): void {
    const { gateway, context, options, prepared, isFirst, resolve } = this
    this.isDone = true
    const { reply } = context
    // A reply that has closed before calls `onClose` no more.
    if (error !== null || !this.sink.isWhole || reply.isGone() || !reply.isOpen()) this.drop()
    this.slices.stop()
    this.reader?.abort()
    if (error !== null && !isFirst) sendError(context, error)
    const failed = isFirst ? error : null
    const broken = context.journal.hasFailed() ? (this.call.failure ?? this.turns.answer.outcome().error) : null
    noteCallEnd(context, this.call, failed, broken)
    if (failed === null && prepared !== null) this.learnFrom(prepared)
    // A client may read its answer for a long time after the upstream has sent it.
    this.prepared = null
    const learned = failed === null ? (this.measure?.learn(gateway, options.origin, context) ?? null) : null
    const noted = failed === null ? this.noteMessage(broken) : null
    if (learned === null && noted === null) resolve(failed)
    else
      Promise.all([learned, noted]).then(
        () => resolve(null),
        (bug) => this.onBug(bug),
      )
  }

  /** Where an operator reads messages, the request stays in memory for the whole answer: the message may quote it. */
  private keepCall({ call }: Prepared): void {
    if (readsMessages(this.gateway, this.context)) this.keptCall = call
  }

  /** Keeps the message with which the upstream ended the answer, if it failed. */
  private noteMessage(error: GatewayError | null): Promise<void> | null {
    const { gateway, context, keptCall } = this
    this.keptCall = null
    return keptCall === null || error === null ? null : explainAttempt(gateway, context, error, keptCall)
  }

  /** Nothing of the answer stays in memory with the reply, which lasts until its client has read it. */
  private drop(): void {
    this.gateway.answers.release(this)
    this.context.reply.offClose(this)
  }

  onBug(bug: unknown): void {
    this.drop()
    this.slices.stop()
    this.sink.onClose?.()
    this.reader?.abort()
    this.reject(bug)
  }

  private learnFrom(prepared: Prepared): void {
    this.measure ??= measureToLearn(this.gateway, prepared, (bug) => this.onBug(bug))
  }

  private readTurn(upstream: UpstreamResponse): void {
    const { wire, wholeLimits } = this.options
    const reader = new AnswerReader(this, upstream)
    this.reader = reader
    const detecting = reader.detect(wire.framing, wholeLimits)
    this.slices.read(upstream, this.gateway.guardReader(detecting, this))
  }

  private async nextTurn(): Promise<void> {
    if (this.isDone) return
    const turn = await this.turns.next((work) => this.slices.run(work))
    if (turn === null) return
    this.isFirst = false
    const upstream = 'call' in turn ? await this.openOther(turn) : await this.openNext(turn)
    // The results of the searches may have exceeded a limit of the answer meanwhile.
    if (this.isDone) return upstream?.abort()
    if (upstream === null) this.onTurnDone()
    else this.readTurn(upstream)
  }

  /** Opens the upstream answer of the next turn. Returns null if it fails, which fails the turn. */
  private async openNext(request: Request): Promise<UpstreamResponse | null> {
    const opened = await this.request(request)
    if (opened.ok) return opened.value
    this.slices.run(() => this.turns.answer.push({ error: opened.error }))
    return null
  }

  /** Opens the answer of another upstream, as `openNext`. */
  private async openOther(prepared: Prepared): Promise<UpstreamResponse | null> {
    const { gateway, context } = this
    this.options = prepared.options
    this.keepCall(prepared)
    // The counts of several upstreams do not belong to the size of one request.
    this.prepared = null
    this.measure = null
    context.journal.add({ type: 'encoded more', losses: prepared.losses })
    const opened = await requestAnswer(prepared, context, gateway.config.timeouts)
    if (opened.ok) return opened.value
    const error = shownFailure(opened.error, prepared.options.redact, prepared.routed.route)
    if (context.signal.reason === null) this.call.guarded.end(error)
    this.slices.run(() => this.turns.answer.push({ error }))
    return null
  }

  private async request(request: Request): ReturnType<typeof requestAnswer> {
    const { gateway, context } = this
    const next = await runInSlices(encodeCall(this.prepared as Prepared, request))
    if (!next.ok) return next
    context.journal.add({ type: 'encoded more', losses: next.value.losses })
    return requestAnswer(next.value, context, gateway.config.timeouts)
  }
}
