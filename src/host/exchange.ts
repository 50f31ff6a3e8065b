import type { IncomingMessage, ServerResponse } from 'node:http'
import { clientError, type GatewayError } from '../protocol/error.ts'
import { toErrorBody } from '../protocol/error-body.ts'
import type { Loss } from '../protocol/loss.ts'
import type { ErrorBody } from '../wires/client.ts'
import { watchSendingSide } from './half-closed.ts'
import { type Entry, openEntry } from './log.ts'
import type { Draft } from './observability-draft.ts'
import { Abort, type Signal } from './signal.ts'

/** One request and its answer. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly id: string
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
  /** Resolves when the last byte was handed over, or the connection was lost. */
  readonly closed: Promise<void>
}

/** 499: what the log says of a client that did not wait for its answer. */
const GONE = clientError('client_gone', 'The client has gone.')

export const responsesError = (error: GatewayError, requestId: string): ErrorBody => ({
  status: error.status,
  body: toErrorBody(error, requestId),
})

export function openExchange(request: IncomingMessage, response: ServerResponse, id: string): Exchange {
  const signal = new Abort()
  const startedAt = performance.now()
  const elapsed = (): number => Math.round((performance.now() - startedAt) * 10) / 10
  const entry = openEntry(id, request.method ?? '')
  const closed = new Promise<void>((resolve) => {
    response.on('close', () => {
      entry.duration_ms = elapsed()
      if (!response.writableFinished) {
        entry.client_gone = true
        signal.abort(GONE)
      }
      resolve()
    })
  })
  // A write that comes after the connection broke is told as an error of the response: the close says it already.
  response.on('error', () => undefined)
  response.setHeader('x-request-id', id)
  watchSendingSide(request, response)
  return {
    request,
    response,
    id,
    entry,
    losses: [],
    errorBody: responsesError,
    draft: null,
    signal,
    abort: (error) => signal.abort(error),
    elapsed,
    closed,
  }
}
