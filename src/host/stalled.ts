import { clientError } from '../protocol/error.ts'
import type { Exchange } from './exchange.ts'

const STALLED = clientError('client_stalled', 'The client did not read its answer.')

/**
 * Cuts an answer of which the client takes nothing for so long. node starts the time anew with every byte that the system
 * takes, so that a slow client is one that makes progress, however long all of it takes.
 */
export function cutWhenStalled({ response, request, entry, abort }: Exchange, ms: number): void {
  response.setTimeout(ms, () => {
    // The time has passed in silence, too, when there is nothing to be sent.
    if (response.writableLength === 0 && request.socket.writableLength === 0) return
    abort(STALLED)
    entry.error ??= STALLED.code
    entry.party ??= STALLED.party
    response.destroy()
  })
}
