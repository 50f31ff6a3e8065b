import type { Sliced } from '../../engine/translate.ts'
import type { Delta } from '../../protocol/delta.ts'
import type { GatewayError } from '../../protocol/error.ts'
import type { Prepared } from '../server/endpoints/prepare-request.ts'
import type { Exchange } from '../server/request-context.ts'
import { noteOutcome, sendAnswer } from '../server/send.ts'
import { type EventReply, openEventReply } from '../server/sse-response.ts'

/** Writes one response that comes from several upstream answers. */
export interface Audience extends Sliced<void> {
  tell(deltas: readonly Delta[]): void
  /** No more deltas follow. */
  close(): void
  /** The response was closed, or has passed a limit: further deltas are dropped. */
  over(): boolean
  /**
   * Called after `close`, when no work is left. Resolves with the failure if nothing was sent. `chunks`: the number of
   * messages that the upstream has sent, in all turns.
   */
  finish(chunks: number): Promise<GatewayError | null>
}

export interface Flow {
  readonly keepAliveMs: number
  /** The client is behind; `onDrain`: the client has caught up. */
  readonly onFull: () => void
  readonly onDrain: () => void
}

export const openAudience = (prepared: Prepared, exchange: Exchange, flow: Flow): Audience =>
  prepared.call.stream ? toStream(prepared, exchange, flow) : toBody(prepared, exchange)

/** Milliseconds after which the head is sent to the client, although the upstream has sent no event yet. */
const PATIENCE = 1000

const NO_BYTES = new Uint8Array(0)

/** As in `relay`, nothing is sent if the upstream fails before producing any output. */
function toStream({ voice }: Prepared, exchange: Exchange, flow: Flow): Audience {
  const telling = voice.telling()
  let reply: EventReply | null = null
  const opened = (): EventReply => {
    clearTimeout(patience)
    reply ??= openEventReply(exchange, voice, flow)
    return reply
  }
  const patience = setTimeout(opened, PATIENCE)
  exchange.response.on('close', () => clearTimeout(patience))

  const failsAtOnce = (): boolean => {
    if (reply !== null) return false
    const { error, spoke } = telling.outcome(0)
    return error !== null && !spoke
  }
  const write = (frames: Uint8Array): void => {
    if (telling.begun()) exchange.entry.first_token_ms ??= exchange.elapsed()
    if (frames.length > 0 && !failsAtOnce()) opened().write(frames)
  }
  return {
    tell: (deltas) => write(telling.tell(deltas)),
    close: () => write(telling.close()),
    over: () => telling.over(),
    busy: () => telling.busy(),
    resume: () => write(telling.resume()),
    async finish(chunks) {
      clearTimeout(patience)
      const outcome = telling.outcome(chunks)
      noteOutcome(exchange, outcome)
      if (failsAtOnce()) return outcome.error
      opened().end(NO_BYTES)
      return null
    },
  }
}

/** Nothing is sent before the end, so that a failure has its own status instead of 200. */
function toBody({ voice, toTell }: Prepared, exchange: Exchange): Audience {
  const telling = voice.tellingWhole()
  return {
    tell(deltas) {
      telling.tell(deltas)
      if (telling.begun()) exchange.entry.first_token_ms ??= exchange.elapsed()
    },
    close: () => telling.close(),
    over: () => telling.over(),
    busy: () => telling.busy(),
    resume: () => telling.resume(),
    async finish(chunks) {
      const outcome = telling.outcome(chunks)
      noteOutcome(exchange, outcome)
      if (outcome.error !== null) return outcome.error
      const told = toTell(telling.end())
      if (!told.ok) return told.error
      await sendAnswer(exchange, told.value)
      return null
    },
  }
}
