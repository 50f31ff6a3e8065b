import type { Answer } from '../../engine/answer.ts'
import { FRAMINGS } from '../../framing/registry.ts'
import type { GatewayError } from '../../protocol/error.ts'
import type { Request } from '../../protocol/request.ts'
import type { Result } from '../../protocol/result.ts'
import { learnTokens } from '../counts/learn-tokens.ts'
import { noteMoreLosses } from '../endpoints/loss-header.ts'
import { encodeCall, type Prepared } from '../endpoints/prepare-request.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import { sendError } from '../exchange/send.ts'
import type { Gateway } from '../gateway.ts'
import { AnswerReader } from './answer/answer-reader.ts'
import { bodyTurns, type Exchange, streamTurns } from './answer/open-turns.ts'
import { BodySink, type ResponseSink, type ResponseSinkOptions, StreamSink } from './answer/response-sink.ts'
import type { Turns } from './answer/turns.ts'
import { Slices } from './answer/work-slices.ts'
import { requestAnswer } from './open-answer.ts'
import type { UpstreamResponse } from './transport.ts'

/**
 * Calls the upstream, turn by turn if the gateway searches the web between the turns. Resolves with null when the
 * client has its answer, else with the reason why it has none.
 */
export async function callUpstream(
  gateway: Gateway,
  prepared: Prepared,
  context: RequestContext,
): Promise<GatewayError | null> {
  const opening = requestAnswer(prepared, context, gateway.config.timeouts)
  // Made while the upstream works, so that its first bytes need not wait for it.
  const exchange: Exchange = { gateway, prepared, context }
  const deliver = prepared.call.stream
    ? delivering(exchange, streamTurns(exchange), (options) => new StreamSink(options))
    : delivering(exchange, bodyTurns(exchange), (options) => new BodySink(options))
  const opened = await opening
  context.entry.upstream_ms = context.elapsed()
  if (!opened.ok) return opened.error
  const failed = await deliver(opened.value)
  if (failed === null) await learnTokens(gateway, prepared, context)
  return failed
}

/** The function resolves with null when the client has its answer, else with the reason why nothing was sent to it. */
const delivering =
  <Piece, Whole extends Answer<Piece>>(
    exchange: Exchange,
    turns: Turns<Piece, Whole>,
    createSink: (options: ResponseSinkOptions<Whole>) => ResponseSink<Piece>,
  ) =>
  (first: UpstreamResponse): Promise<GatewayError | null> =>
    new Promise((resolve, reject) => {
      new Delivery(exchange, turns, createSink, resolve, reject).begin(first)
    })

/** Reads the upstream answers of all turns of one request, and writes the answer of the client. */
class Delivery<Piece, Whole extends Answer<Piece>> {
  private readonly exchange: Exchange
  private readonly turns: Turns<Piece, Whole>
  private readonly slices: Slices<Piece>
  private readonly sink: ResponseSink<Piece>
  private readonly resolve: (error: GatewayError | null) => void
  private readonly reject: (bug: unknown) => void
  private reader: AnswerReader<Piece> | null = null
  private isFirst = true
  private isDone = false

  constructor(
    exchange: Exchange,
    turns: Turns<Piece, Whole>,
    createSink: (options: ResponseSinkOptions<Whole>) => ResponseSink<Piece>,
    resolve: (error: GatewayError | null) => void,
    reject: (bug: unknown) => void,
  ) {
    const { gateway, prepared, context } = exchange
    const { answer } = turns
    this.exchange = exchange
    this.turns = turns
    this.resolve = resolve
    this.reject = reject
    this.slices = new Slices({ work: answer, take: (piece) => this.reader?.take(piece), onBug: this.onBug })
    this.sink = createSink({
      exchange: context,
      prepared,
      answer,
      keepAliveMs: gateway.config.keep_alive_seconds * 1000,
      onFull: this.slices.hold,
      onDrain: this.slices.release,
      onDone: (error) => this.finish(error),
      onBug: this.onBug,
    })
    context.reply.onClose(this.slices.free)
  }

  begin(first: UpstreamResponse): void {
    this.run(first).catch(this.onBug)
  }

  private async run(first: UpstreamResponse): Promise<void> {
    let upstream: UpstreamResponse | null = first
    for (;;) {
      if (upstream !== null) await this.readTurn(upstream)
      if (this.isDone) return
      const request = await this.turns.next((work) => this.slices.run(work))
      if (request === null) return
      this.isFirst = false
      upstream = await this.openNext(request)
      // The results of the searches may have exceeded a limit of the answer meanwhile.
      if (this.isDone) return upstream?.abort()
    }
  }

  private readTurn(upstream: UpstreamResponse): Promise<void> {
    const { turns, slices, sink } = this
    const { options } = this.exchange.prepared
    return new Promise((resolve) => {
      const reader = new AnswerReader({
        exchange: this.exchange.context,
        upstream,
        framing: FRAMINGS[options.wire.framing],
        wholeLimits: options.wholeLimits,
        turns,
        slices,
        sink,
        onDone: resolve,
      })
      this.reader = reader
      slices.read(upstream, this.exchange.gateway.guardReader(reader.detect(), this.onBug))
    })
  }

  /** Opens the upstream answer of the next turn. Returns null if it fails, which fails the turn. */
  private async openNext(request: Request): Promise<UpstreamResponse | null> {
    const opened = await this.request(request)
    if (opened.ok) return opened.value
    this.slices.run(() => this.turns.answer.fail(opened.error))
    return null
  }

  private async request(request: Request): Promise<Result<UpstreamResponse>> {
    const { gateway, prepared, context } = this.exchange
    const next = await encodeCall(prepared, request)
    if (!next.ok) return next
    noteMoreLosses(context, next.value.losses)
    return requestAnswer(next.value, context, gateway.config.timeouts)
  }

  /** Searches are not repeated: a request is retried only if its first turn failed. */
  private finish(error: GatewayError | null): void {
    this.isDone = true
    this.slices.stop()
    this.reader?.abort()
    if (error !== null && !this.isFirst) sendError(this.exchange.context, error)
    this.resolve(this.isFirst ? error : null)
  }

  private readonly onBug = (bug: unknown): void => {
    this.slices.stop()
    this.reader?.abort()
    this.reject(bug)
  }
}
