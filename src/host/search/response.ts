import type { Sliced } from '../../engine/translate.ts'
import type { Delta } from '../../protocol/delta.ts'
import type { GatewayError } from '../../protocol/error.ts'
import type { Prepared } from '../server/endpoints/prepare-request.ts'
import type { RequestContext } from '../server/request-context.ts'
import { noteOutcome, sendAnswer } from '../server/send.ts'
import { createSseResponse, type SseResponse } from '../server/sse-response.ts'

/** Writes one response that comes from several upstream answers. */
export interface ResponseSink extends Sliced<void> {
  write(deltas: readonly Delta[]): void
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

export interface FlowControl {
  readonly keepAliveMs: number
  /** The client is behind; `onDrain`: the client has caught up. */
  readonly onFull: () => void
  readonly onDrain: () => void
}

export const createResponseSink = (prepared: Prepared, context: RequestContext, flow: FlowControl): ResponseSink =>
  prepared.call.stream ? toStream(prepared, context, flow) : toBody(prepared, context)

/** Milliseconds after which the head is sent to the client, although the upstream has sent no event yet. */
const HEAD_DELAY_MS = 1000

const NO_BYTES = new Uint8Array(0)

/** As in `streamResponse`, nothing is sent if the upstream fails before producing any output. */
function toStream({ target }: Prepared, context: RequestContext, flow: FlowControl): ResponseSink {
  const encoder = target.createEncoder()
  let reply: SseResponse | null = null
  const opened = (): SseResponse => {
    clearTimeout(headTimer)
    reply ??= createSseResponse(context, target, flow)
    return reply
  }
  const headTimer = setTimeout(opened, HEAD_DELAY_MS)
  context.response.on('close', () => clearTimeout(headTimer))

  const failsAtOnce = (): boolean => {
    if (reply !== null) return false
    const { error, hasOutput } = encoder.outcome(0)
    return error !== null && !hasOutput
  }
  const write = (frames: Uint8Array): void => {
    if (encoder.begun()) context.entry.first_token_ms ??= context.elapsed()
    if (frames.length > 0 && !failsAtOnce()) opened().write(frames)
  }
  return {
    write: (deltas) => write(encoder.write(deltas)),
    close: () => write(encoder.close()),
    over: () => encoder.over(),
    busy: () => encoder.busy(),
    resume: () => write(encoder.resume()),
    async finish(chunks) {
      clearTimeout(headTimer)
      const outcome = encoder.outcome(chunks)
      noteOutcome(context, outcome)
      if (failsAtOnce()) return outcome.error
      opened().end(NO_BYTES)
      return null
    },
  }
}

/** Nothing is sent before the end, so that a failure has its own status instead of 200. */
function toBody({ target, mapResponse }: Prepared, context: RequestContext): ResponseSink {
  const encoder = target.createBodyEncoder()
  return {
    write(deltas) {
      encoder.write(deltas)
      if (encoder.begun()) context.entry.first_token_ms ??= context.elapsed()
    },
    close: () => encoder.close(),
    over: () => encoder.over(),
    busy: () => encoder.busy(),
    resume: () => encoder.resume(),
    async finish(chunks) {
      const outcome = encoder.outcome(chunks)
      noteOutcome(context, outcome)
      if (outcome.error !== null) return outcome.error
      const body = mapResponse(encoder.end())
      if (!body.ok) return body.error
      await sendAnswer(context, body.value)
      return null
    },
  }
}
