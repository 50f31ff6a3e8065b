import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { openPace } from './pace.ts'

/** How much a client may still send when it has its answer: past that its connection is cut. */
const REST_MS = 1000
const REST_BYTES = 1024 * 1024

/** A header is refused at its first bytes: a client that sends all of it before it reads must come to its end. */
const HEADER_BYTES = 16 * 1024 * 1024

interface Answered {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Where the rest of the request is read from. */
  readonly rest: Readable
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Whether a client may go on sending for longer than it is listened to. */
export const mayGoOn = (request: IncomingMessage): boolean =>
  !request.complete &&
  (request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > REST_BYTES)

/**
 * Ends an answer that came before the whole request. A connection that is closed with bytes unread is reset, and the reset
 * may reach the client before it has read its answer (RFC 9112, 9.6): so the answer is written, and ended when the rest of
 * the body has come, or a second or a MiB of it.
 */
export function endAfterRest({ request, response, rest }: Answered, body: Uint8Array | null): void {
  if (request.complete || !hasBody(request)) {
    response.end(body ?? undefined)
    return
  }
  if (body === null) response.flushHeaders()
  else response.write(body)
  discard(rest, request.socket, REST_BYTES, () => {
    if (!request.complete) response.once('finish', () => request.socket.destroySoon())
    response.end()
  })
}

/** The same where node could not make a request of what came. */
export function closeAfterRest(socket: Socket, message: string): void {
  socket.end(message)
  discard(socket, socket, HEADER_BYTES, () => socket.destroy())
}

/** Reads on and keeps nothing. `done` is called once: at the end, or when a second has passed or so many bytes have come. */
function discard(source: Readable, socket: Socket, mostBytes: number, done: () => void): void {
  if (source.readableEnded || source.destroyed) {
    done()
    return
  }
  let size = 0
  const pace = openPace(socket)
  const stop = (): void => {
    clearTimeout(timer)
    source.off('data', count)
    for (const event of ENDS) source.off(event, stop)
    done()
  }
  const count = (chunk: Uint8Array): void => {
    size += chunk.length
    if (size > mostBytes) stop()
    else pace(chunk.length)
  }
  const timer = setTimeout(stop, REST_MS)
  source.on('data', count)
  for (const event of ENDS) source.on(event, stop)
}

const ENDS = ['end', 'close', 'error'] as const
