import type { Translation } from '../engine.ts'
import { openEventReply } from './event-reply.ts'
import type { Exchange } from './exchange.ts'
import { noteOutcome } from './reply.ts'
import type { Answer, Reader } from './source.ts'

export interface RelayOptions {
  readonly exchange: Exchange
  readonly answer: Answer
  readonly translation: Translation
  readonly keepAliveMs: number
  readonly stalledMs: number
}

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
    done()
  }
  const gather = openGather((bytes) => {
    reply.write(translation.receive(bytes))
    if (!translation.over) return
    // A limit was passed, and the client has been told.
    answer.abort()
    finish(new Uint8Array(0))
  })
  return {
    bytes: gather.add,
    end: () => {
      gather.flush()
      if (!translation.over) finish(translation.end())
    },
    fail: (error) => {
      gather.flush()
      if (!translation.over) finish(translation.fail(error))
    },
  }
}

interface Gather {
  add(bytes: Uint8Array): void
  flush(): void
}

/** The HTTP parser gives every chunk of a read by itself: together they cost one translation and one write. */
function openGather(take: (bytes: Uint8Array) => void): Gather {
  let waiting: Uint8Array[] = []
  const flush = (): void => {
    if (waiting.length === 0) return
    const chunks = waiting
    waiting = []
    take(chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks))
  }
  return {
    add(bytes) {
      if (waiting.push(bytes) === 1) process.nextTick(flush)
    },
    flush,
  }
}
