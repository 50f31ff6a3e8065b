import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { clientError, type GatewayError } from '../protocol/error.ts'
import { toErrorBody } from '../protocol/error-body.ts'
import type { Loss } from '../protocol/loss.ts'
import type { ErrorBody } from '../wires/client.ts'
import { watchPeer } from './half-closed.ts'
import { type Entry, openEntry } from './log.ts'
import type { Draft } from './observability-draft.ts'
import { Abort, type Signal } from './signal.ts'
import { cutWhenStalled } from './stalled.ts'

/** One request and its answer. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly id: string
  /** Where the rest of the request is read from: the connection itself, once the request cannot be read as HTTP. */
  rest: Readable
  /** What the log will say. */
  readonly entry: Entry
  /** Fields of the request that could not be carried. */
  losses: readonly Loss[]
  /** A failure in the words of this client's family. */
  errorBody: (error: GatewayError, requestId: string) => ErrorBody
  /** What a trace will tell; null where nobody takes one. */
  draft: Draft | null
  /** Aborts when the client has gone or the server cannot wait any longer. */
  readonly signal: Signal
  abort(error: GatewayError): void
  /** Milliseconds since it began. */
  elapsed(): number
  /** Requests wait behind this one, so that the connection may not be read. */
  onBlocked(): void
  /** Resolves when the last byte was handed over, or the connection was lost. */
  readonly closed: Promise<void>
}

/** 499: what the log says of a client that did not wait for its answer. */
export const GONE = clientError('client_gone', 'The client has gone.')

/** Over HTTP/1.0 nothing can be written that shows whether such a client still reads. */
const ENDED = clientError('client_gone', 'The client ended its side of the connection before it had an answer.')

export const responsesError = (error: GatewayError, requestId: string): ErrorBody => ({
  status: error.status,
  body: toErrorBody(error, requestId),
})

/** `stalledMs`: how long the client may take nothing of its answer. */
export function openExchange(
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
  stalledMs: number,
): Exchange {
  const signal = new Abort()
  const startedAt = performance.now()
  const elapsed = (): number => Math.round((performance.now() - startedAt) * 10) / 10
  const entry = openEntry(id, request.method ?? '')
  const closed = new Promise<void>((resolve) => {
    const close = (): void => {
      entry.duration_ms = elapsed()
      if (!response.writableFinished) {
        entry.client_gone = true
        signal.abort(GONE)
      }
      resolve()
    }
    response.on('close', close)
    // A response that waited for a connection that has closed emits nothing.
    if (request.socket.destroyed) {
      response.destroy()
      close()
    }
  })
  // A write that comes after the connection broke is told as an error of the response: the close says it already.
  response.on('error', () => undefined)
  response.setHeader('x-request-id', id)
  const { onBlocked } = watchPeer(request, response, () => {
    entry.client_gone = true
    signal.abort(ENDED)
  })
  const exchange: Exchange = {
    request,
    response,
    id,
    rest: request,
    entry,
    losses: [],
    errorBody: responsesError,
    draft: null,
    signal,
    abort: (error) => signal.abort(error),
    elapsed,
    onBlocked,
    closed,
  }
  cutWhenStalled(exchange, stalledMs)
  return exchange
}
