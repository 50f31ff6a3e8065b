import type { Server } from 'node:http'
import { clientError, type GatewayError } from '../protocol/error.ts'
import { toErrorBody } from '../protocol/error-body.ts'
import { lookup } from '../text/lookup.ts'
import type { Exchange } from './exchange.ts'
import { type Log, openEntry, toLine } from './log.ts'

const MALFORMED = clientError('malformed_request', 'This is not an HTTP request.')

const FAILURES: Readonly<Record<string, GatewayError>> = {
  HPE_HEADER_OVERFLOW: clientError('headers_too_large', 'The headers are too large.', null, 431),
  ERR_HTTP_REQUEST_TIMEOUT: clientError('request_timeout', 'The request did not come in time.', null, 408),
}

/** What is no HTTP at all is answered by hand: there is no response to write it to. */
export function answerMalformed(server: Server, open: ReadonlySet<Exchange>, newId: () => string, log: Log): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // In the middle of an answer anything more would become part of it.
    const busy = [...open].some(({ request }) => request.socket === socket)
    if (busy || !socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    const failure = lookup(FAILURES, error.code ?? '') ?? MALFORMED
    const id = newId()
    socket.end(toMessage(failure, id), () => socket.destroy())
    log(toLine({ ...openEntry(id, ''), status: failure.status, error: failure.code }))
  })
}

function toMessage(failure: GatewayError, id: string): string {
  const body = JSON.stringify(toErrorBody(failure, id))
  return [
    `HTTP/1.1 ${failure.status} Refused`,
    'connection: close',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${id}`,
    '',
    body,
  ].join('\r\n')
}
