import type { Translation } from '../engine.ts'
import { openEventReply } from './event-reply.ts'
import type { Exchange } from './exchange.ts'
import { noteAnswer } from './observability-trace.ts'
import { noteOutcome } from './reply.ts'
import type { Answer, Reader } from './source.ts'

export interface RelayOptions {
  readonly exchange: Exchange
  readonly answer: Answer
  readonly translation: Translation
  readonly keepAliveMs: number
  readonly stalledMs: number
}

const NOTHING = new Uint8Array(0)

/**
 * An upstream's stream through the engine to the client. A client that is behind holds the upstream still, so that no
 * more than one read waits in memory. `done` is called once, when the last frame has been said.
 */
export function relay({ exchange, answer, translation, ...times }: RelayOptions, done: () => void): Reader {
  const reply = openEventReply(exchange, {
    ...times,
    onFull: answer.pause,
    onDrain: answer.resume,
  })
  const finish = (last: Uint8Array): void => {
    reply.end(last)
    noteOutcome(exchange, translation.outcome())
    noteAnswer(exchange, translation)
    done()
  }
  return {
    bytes(chunk) {
      if (translation.over) return
      reply.write(translation.receive(chunk))
      if (translation.begun()) exchange.entry.first_token_ms ??= exchange.elapsed()
      if (!translation.over) return
      // A limit was passed, and the client has been told.
      answer.abort()
      finish(NOTHING)
    },
    end: () => {
      if (!translation.over) finish(translation.end())
    },
    fail: (error) => {
      if (!translation.over) finish(translation.fail(error))
    },
  }
}
