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
export function relay({ exchange, answer, voice, ...times }: RelayOptions, done: Done): Reader {
  const translation = voice.translation()
  let reply: EventReply | null = null
  let over = false
  const opened = (): EventReply => {
    clearTimeout(patience)
    reply ??= openEventReply(exchange, voice, { ...times, onFull: answer.pause, onDrain: answer.resume })
    return reply
  }
  const patience = setTimeout(opened, PATIENCE)
  exchange.response.once('close', () => clearTimeout(patience))

  const close = (error: GatewayError | null): void => {
    over = true
    clearTimeout(patience)
    noteOutcome(exchange, translation.outcome())
    done(error)
  }
  /** The first words decide: where they are of a failure, nothing is sent, and another try may go better. */
  const failsAtOnce = (): boolean => {
    const { error, spoke } = reply === null ? translation.outcome() : UNDECIDED
    if (error === null || spoke) return false
    answer.abort()
    close(error)
    return true
  }
  const finish = (last: Uint8Array): void => {
    if (failsAtOnce()) return
    opened().end(last)
    close(null)
  }
  return {
    bytes(chunk) {
      if (over) return
      const frames = translation.receive(chunk)
      if (translation.begun()) exchange.entry.first_token_ms ??= exchange.elapsed()
      if (frames.length === 0 || failsAtOnce()) return
      if (!translation.over()) return opened().write(frames)
      // A limit was passed, and the client has been told.
      answer.abort()
      finish(frames)
    },
    end: () => {
      if (!over) finish(translation.end())
    },
    fail: (error) => {
      if (!over) finish(translation.fail(error))
    },
  }
}
