import type { IncomingMessage, ServerResponse } from 'node:http'
import { STALLED } from '../../gateway/exchange/request-context.ts'
import type { LogEntry } from '../../gateway/telemetry/log.ts'
import type { GatewayError } from '../../protocol/error.ts'

interface Answering {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly entry: LogEntry
  readonly keeps: (() => boolean) | null
  abort(error: GatewayError): void
}

/**
 * Cuts an answer whose client has read nothing of it for the time of `watchTime`. Node restarts the time with every byte
 * that the system accepts: a slow client that makes progress is not cut, however long its answer takes.
 */
export function cutIfStalled(answering: Answering): void {
  const { response, request, entry } = answering
  // The time also passes if there are no bytes to send.
  if (response.writableLength === 0 && request.socket.writableLength === 0) return
  if (answering.keeps?.() !== true) {
    answering.abort(STALLED)
    entry.error ??= STALLED.code
    entry.party ??= STALLED.party
  }
  response.destroy()
}
