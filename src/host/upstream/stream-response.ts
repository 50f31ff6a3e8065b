import type { Target } from '../../engine/target.ts'
import type { Translation } from '../../engine/translate.ts'
import type { GatewayError } from '../../protocol/error.ts'
import type { RequestContext } from '../server/request-context.ts'
import { noteOutcome } from '../server/send.ts'
import { createSseResponse, type SseResponse } from '../server/sse-response.ts'
import type { BodyReader, UpstreamResponse } from './transport.ts'
import { Slices } from './work-slices.ts'

export interface ResponseStreamOptions {
  readonly exchange: RequestContext
  readonly answer: UpstreamResponse
  readonly target: Target
  readonly keepAliveMs: number
  /** Receives an exception of the gateway between two slices of work. */
  readonly onBug: (error: unknown) => void
}

/** Receives an upstream answer: a stream, or one whole body instead. */
export interface ResponseReader extends BodyReader {
  body(text: string): void
}

/** Called once: with null when the client has its answer, or with the reason why nothing was sent to it. */
type Done = (error: GatewayError | null) => void

/** Milliseconds after which the head is sent to the client, although the upstream has sent no event yet. */
const HEADERS_DELAY_MS = 1000

const UNDECIDED = { error: null, hasOutput: true }

/**
 * Translates an upstream's stream for the client. A client that is behind pauses the upstream, so that at most one read
 * waits in memory.
 */
export const streamResponse = (options: ResponseStreamOptions, done: Done): ResponseReader =>
  new ResponseStream(options, done)

/** A class, as every object on the path of a chunk: see `DispatchHandler` in `http-transport.ts`. */
class ResponseStream implements ResponseReader {
  readonly keepsNone = true
  private readonly translation: Translation
  private readonly slices: Slices<Uint8Array>
  private reply: SseResponse | null = null
  private over = false
  private begun = false
  private ending = false
  private isBody = false
  private readonly options: ResponseStreamOptions
  private readonly done: Done
  private readonly headTimer: NodeJS.Timeout

  constructor(options: ResponseStreamOptions, done: Done) {
    const { answer, onBug } = options
    this.translation = options.target.translation()
    this.slices = new Slices({ work: this.translation, answer, take: (frames) => this.take(frames), onBug })
    this.options = options
    this.done = done
    this.headTimer = setTimeout(() => this.opened(), HEADERS_DELAY_MS)
    options.exchange.response.on('close', () => {
      clearTimeout(this.headTimer)
      this.slices.free()
    })
  }

  bytes(chunk: Uint8Array): void {
    if (this.over) return
    if (this.slices.busy()) {
      this.keep(chunk)
      return
    }
    this.take(this.translation.receive(chunk))
    this.slices.schedule()
  }

  body(text: string): void {
    this.isBody = true
    this.slices.run(() => this.translation.receiveBody(text))
  }

  end(): void {
    this.slices.run(() => this.close(() => this.translation.end()))
  }

  fail(error: GatewayError): void {
    this.slices.run(() => this.close(() => this.translation.fail(error)))
  }

  /** Stores a chunk for later. The chunk is borrowed, and must be copied. */
  private keep(chunk: Uint8Array): void {
    const bytes = chunk.slice()
    this.slices.run(() => this.translation.receive(bytes))
  }

  private close(act: () => Uint8Array): Uint8Array {
    this.ending = true
    // The end repeats the whole answer, which a client that has left does not need.
    if (this.options.exchange.response.destroyed) this.translation.discard()
    return act()
  }

  private take(frames: Uint8Array): void {
    const { translation } = this
    if (!this.begun && translation.begun()) this.begin()
    if (translation.over() && !this.ending) this.stop()
    if (this.ending && !translation.busy()) this.finish(frames)
    else if (frames.length > 0) this.write(frames)
  }

  private write(frames: Uint8Array): void {
    if (this.reply !== null) this.reply.write(frames)
    else if (!this.failsAtOnce()) this.opened().write(frames)
  }

  private begin(): void {
    const { exchange: context } = this.options
    this.begun = true
    context.entry.first_token_ms ??= context.elapsed()
  }

  private opened(): SseResponse {
    const { exchange: context, target, keepAliveMs } = this.options
    clearTimeout(this.headTimer)
    this.reply ??= createSseResponse(context, target, {
      keepAliveMs,
      onFull: this.slices.hold,
      onDrain: this.slices.release,
    })
    return this.reply
  }

  /** Stops reading: a limit was passed, or the whole body has arrived. */
  private stop(): void {
    this.ending = true
    if (!this.isBody) this.options.answer.abort()
  }

  private finish(last: Uint8Array): void {
    if (this.failsAtOnce()) return
    this.opened().end(last)
    this.settle(null)
  }

  /**
   * If the upstream fails before producing any output, sends nothing to the client, so that the request can still be
   * retried. A whole body that reports a failure is not sent either, even if it has output.
   */
  private failsAtOnce(): boolean {
    const { error, hasOutput } = this.reply === null ? this.translation.outcome() : UNDECIDED
    if (error === null || (hasOutput && !this.isBody)) return false
    this.options.answer.abort()
    this.settle(error)
    return true
  }

  private settle(error: GatewayError | null): void {
    this.over = true
    this.slices.stop()
    clearTimeout(this.headTimer)
    noteOutcome(this.options.exchange, this.translation.outcome())
    this.done(error)
  }
}
