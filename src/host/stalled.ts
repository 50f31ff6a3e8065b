import type { IncomingMessage, ServerResponse } from 'node:http'
import { clientError, type GatewayError } from '../protocol/error.ts'
import type { Entry } from './log.ts'

const STALLED = clientError('client_stalled', 'The client did not read its answer.')

interface Answering {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly entry: Entry
  abort(error: GatewayError): void
}

/**
 * Cuts an answer of which the client takes nothing for so long. node starts the time anew with every byte that the system
 * takes, so that a slow client is one that makes progress, however long all of it takes.
 */
export function cutWhenStalled({ response, request, entry, abort }: Answering, ms: number): void {
  response.setTimeout(ms, () => {
    // The time has passed in silence, too, when there is nothing to be sent.
    if (response.writableLength === 0 && request.socket.writableLength === 0) return
    abort(STALLED)
    entry.error ??= STALLED.code
    entry.party ??= STALLED.party
    response.destroy()
  })
}
