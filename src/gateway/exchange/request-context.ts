import type { IncomingMessage, ServerResponse } from 'node:http'
import { watchPeer } from '../../host/server/half-closed.ts'
import { HttpReply } from '../../host/server/http-reply.ts'
import { cutWhenStalled } from '../../host/server/stalled.ts'
import { clientError, type GatewayError } from '../../protocol/error.ts'
import { toErrorBody } from '../../protocol/error-body.ts'
import type { Loss } from '../../protocol/loss.ts'
import type { ClientErrorBody } from '../../wires/client-contract.ts'
import { checkContentType } from '../body/read-request-body.ts'
import { receive } from '../body/receive-request.ts'
import { Cancellation, type CancellationSignal } from '../cancellation.ts'
import { createLogEntry, type LogEntry } from '../telemetry/log.ts'
import type { RequestRecord } from '../telemetry/request-record.ts'
import type { TraceDraft } from '../telemetry/trace-draft.ts'
import type { BodySource, Reply } from './reply.ts'

/** One request with its answer. */
export interface RequestContext {
  /** The HTTP request; for a message over a socket, the one that opened the socket. */
  readonly request: IncomingMessage
  readonly body: BodySource
  readonly reply: Reply
  readonly id: string
  /** The log entry of the request. */
  readonly entry: LogEntry
  /** Fields of the request that could not be carried. */
  losses: readonly Loss[]
  /** Encodes an error in the format of the client API. */
  errorBody: (error: GatewayError, requestId: string) => ClientErrorBody
  /** The trace of the exchange; null if no destination receives one. */
  draft: TraceDraft | null
  /** The record of the request for the page; null if the server has none, or the request calls no model. */
  record: RequestRecord | null
  /** Aborts when the client has left or the server cannot wait any longer. */
  readonly signal: CancellationSignal
  abort(error: GatewayError): void
  /** Milliseconds since the exchange began. */
  elapsed(): number
  /** Resolves when the last byte was handed to the system, or the connection was lost. */
  readonly closed: Promise<void>
}

/** One HTTP request with its answer. */
export interface HttpContext extends RequestContext {
  readonly response: ServerResponse
  readonly reply: HttpReply
  /**
   * Called when other requests wait behind this one. The connection may then be paused, which hides that the client
   * left.
   */
  onBlocked(): void
}

/** 499: the log's status for a client that did not wait for its answer. */
export const GONE = clientError('client_gone', 'The client closed the connection before the end of its answer.')

/** Over HTTP/1.0 no probe can be written that shows whether such a client still reads. */
const ENDED = clientError('client_gone', 'The client closed its side of the connection before its answer began.')

export const responsesError = (error: GatewayError, requestId: string): ClientErrorBody => ({
  status: error.status,
  body: toErrorBody(error, requestId),
})

/** `stalledMs`: the longest time in which the client may read nothing of its answer. */
export function createRequestContext(
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
  stalledMs: number,
): HttpContext {
  const signal = new Cancellation()
  const startedAt = performance.now()
  const elapsed = (): number => Math.round((performance.now() - startedAt) * 10) / 10
  const entry = createLogEntry(id, request.method ?? '')
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
    // A response that waited for a connection that has closed emits no event.
    if (request.socket.destroyed) {
      response.destroy()
      close()
    }
  })
  // A write after the connection broke emits an error on the response; `close` covers that case already.
  response.on('error', () => undefined)
  response.setHeader('x-request-id', id)
  const { onBlocked } = watchPeer(request, response, () => {
    entry.client_gone = true
    signal.abort(ENDED)
  })
  const context: HttpContext = {
    request,
    response,
    body: {
      check: () => checkContentType(request),
      read: (limiter) => receive(limiter, request, closed),
    },
    reply: new HttpReply(request, response),
    id,
    entry,
    losses: [],
    errorBody: responsesError,
    draft: null,
    record: null,
    signal,
    abort: (error) => signal.abort(error),
    elapsed,
    onBlocked,
    closed,
  }
  cutWhenStalled(context, stalledMs)
  return context
}
