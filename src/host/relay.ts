import type { Translation } from '../engine.ts'
import type { GatewayError } from '../protocol/error.ts'
import { type EventReply, openEventReply } from './event-reply.ts'
import type { Exchange } from './exchange.ts'
import { noteOutcome } from './reply.ts'
import type { Answer, Reader } from './source.ts'
import type { Voice } from './voice.ts'

export interface RelayOptions {
  readonly exchange: Exchange
  readonly answer: Answer
  readonly voice: Voice
  readonly keepAliveMs: number
  readonly stalledMs: number
}

/** Called once: with null when the client has its answer, with the reason where nothing was sent to it. */
type Done = (error: GatewayError | null) => void

/** Milliseconds after which a client is told that its request was taken, though the upstream is still silent. */
const PATIENCE = 1000

const UNDECIDED = { error: null, spoke: true }

/**
 * An upstream's stream through the engine to the client. A client that is behind holds the upstream still, so that no
 * more than one read waits in memory.
 */
export const relay = (options: RelayOptions, done: Done): Reader => new Relay(options, done)

/** A class, as everything that each chunk of a stream goes through: see `Hearing` in `upstream.ts`. */
class Relay implements Reader {
  readonly keepsNone = true
  private readonly translation: Translation
  private reply: EventReply | null = null
  private over = false
  private begun = false
  private readonly options: RelayOptions
  private readonly done: Done
  private readonly patience: NodeJS.Timeout

  constructor(options: RelayOptions, done: Done) {
    this.translation = options.voice.translation()
    this.options = options
    this.done = done
    this.patience = setTimeout(() => this.opened(), PATIENCE)
    options.exchange.response.on('close', () => clearTimeout(this.patience))
  }

  bytes(chunk: Uint8Array): void {
    if (this.over) return
    const { translation, reply } = this
    const frames = translation.receive(chunk)
    if (!this.begun && translation.begun()) this.begin()
    if (frames.length === 0) return
    if (translation.over()) this.stop(frames)
    else if (reply !== null) reply.write(frames)
    else if (!this.failsAtOnce()) this.opened().write(frames)
  }

  end(): void {
    if (!this.over) this.finish(this.translation.end())
  }

  fail(error: GatewayError): void {
    if (!this.over) this.finish(this.translation.fail(error))
  }

  private begin(): void {
    const { exchange } = this.options
    this.begun = true
    exchange.entry.first_token_ms ??= exchange.elapsed()
  }

  private opened(): EventReply {
    const { exchange, answer, voice, ...times } = this.options
    clearTimeout(this.patience)
    this.reply ??= openEventReply(exchange, voice, { ...times, onFull: answer.pause, onDrain: answer.resume })
    return this.reply
  }

  /** A limit was passed, and the client has been told. */
  private stop(last: Uint8Array): void {
    this.options.answer.abort()
    this.finish(last)
  }

  private finish(last: Uint8Array): void {
    if (this.failsAtOnce()) return
    this.opened().end(last)
    this.close(null)
  }

  /** The first words decide: where they are of a failure, nothing is sent, and another try may go better. */
  private failsAtOnce(): boolean {
    const { error, spoke } = this.reply === null ? this.translation.outcome() : UNDECIDED
    if (error === null || spoke) return false
    this.options.answer.abort()
    this.close(error)
    return true
  }

  private close(error: GatewayError | null): void {
    this.over = true
    clearTimeout(this.patience)
    noteOutcome(this.options.exchange, this.translation.outcome())
    this.done(error)
  }
}
