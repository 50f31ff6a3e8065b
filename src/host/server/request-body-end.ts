import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { REFUSED_BODY } from '../../protocol/limits.ts'
import { createPace } from '../pace.ts'

/** After a longer rest of its request, the connection is not kept. */
const REST_BYTES = 1024 * 1024

/** A header is refused at its first bytes, but a client that sends all of it before it reads must be able to finish. */
const HEADER_BYTES = 16 * 1024 * 1024

interface Answered {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** The source of the rest of the request. */
  readonly rest: Readable
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Whether a client may send more than the server reads after the answer. */
export const mayGoOn = (request: IncomingMessage): boolean =>
  !request.complete &&
  (request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > REST_BYTES)

/**
 * Ends an answer that was sent before the whole request arrived. The system resets a connection that is closed with
 * bytes that were not read, and the reset may reach the client before it has read its answer (RFC 9112, 9.6). The answer is
 * therefore written at once, and ended when the rest of the body has arrived, or as much as `REFUSED_BODY` allows.
 */
export function endAfterBody({ request, response, rest }: Answered, body: Uint8Array | null): void {
  if (request.complete || !hasBody(request)) {
    response.end(body ?? undefined)
    return
  }
  if (body === null) response.flushHeaders()
  else response.write(body)
  discard(rest, request.socket, REFUSED_BODY.bytes, () => {
    if (!request.complete) response.once('finish', () => request.socket.destroySoon())
    response.end()
  })
}

/** Does the same for input that Node could not parse as a request. */
export function closeAfterBody(socket: Socket, message: string): void {
  socket.end(message)
  discard(socket, socket, HEADER_BYTES, () => socket.destroy())
}

/** Reads the rest and discards it. `done` is called once: at the end, after a time, or after `mostBytes`. */
function discard(source: Readable, socket: Socket, mostBytes: number, done: () => void): void {
  if (source.readableEnded || source.destroyed) {
    done()
    return
  }
  let size = 0
  const pace = createPace(socket)
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
  const timer = setTimeout(stop, REFUSED_BODY.ms)
  source.on('data', count)
  for (const event of ENDS) source.on(event, stop)
}

const ENDS = ['end', 'close', 'error'] as const
