import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Journal } from '../../gateway/exchange/journal.ts'
import { STALLED } from '../../gateway/exchange/request-context.ts'
import type { GatewayError } from '../../protocol/error.ts'

interface Answering {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly journal: Journal
  readonly keeps: (() => boolean) | null
  abort(error: GatewayError): void
}

/**
 * Cuts an answer whose client has read nothing of it for the time of `watchTime`. Node restarts the time with every byte
 * that the system accepts: a slow client that makes progress is not cut, however long its answer takes.
 */
export function cutIfStalled(answering: Answering): void {
  const { response, request, journal } = answering
  // The time also passes if there are no bytes to send.
  if (response.writableLength === 0 && request.socket.writableLength === 0) return
  if (answering.keeps?.() !== true) {
    answering.abort(STALLED)
    journal.add({ type: 'cut', code: STALLED.code, party: STALLED.party })
  }
  response.destroy()
}
