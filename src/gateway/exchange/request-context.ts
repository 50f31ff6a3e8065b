import { clientError, type GatewayError } from '../../protocol/error.ts'
import { toErrorBody } from '../../protocol/error-body.ts'
import type { ClientErrorBody } from '../../wires/client-contract.ts'
import { Cancellation, type CancellationSignal } from '../cancellation.ts'
import type { RequestHead } from './http-types.ts'
import { Journal } from './journal.ts'
import type { KeptForPage, KeptForTrace, KeptTexts } from './kept-texts.ts'
import type { BodySource, Reply } from './reply.ts'

/** One request with its answer. */
export interface RequestContext extends KeptTexts {
  /** The head of the request; for a message over a socket, that of the handshake. */
  readonly request: RequestHead
  readonly body: BodySource
  readonly reply: Reply
  readonly id: string
  readonly journal: Journal
  /** Encodes an error in the format of the client API. */
  errorBody: (error: GatewayError, requestId: string) => ClientErrorBody
  /** Null if no destination receives a trace. */
  trace: KeptForTrace | null
  /** Null if the server has no page, or the request calls no model. */
  row: KeptForPage | null
  /**
   * Called when the client leaves; returns true if the answer goes on without it. Null: the exchange ends with its
   * client.
   */
  keeps: (() => boolean) | null
  /** Aborts when the client has left or the server cannot wait any longer. */
  readonly signal: CancellationSignal
  abort(error: GatewayError): void
  /** Resolves when the last byte was handed to the system, or the connection was lost. */
  readonly closed: Promise<void>
  /**
   * The rest of an answer that has begun; null before. Endpoints do not wait for it, so that nothing that they have of
   * the request stays in memory for the whole answer. Rejects with an exception, which is a bug of the gateway.
   */
  delivery: Promise<unknown> | null
}

/** 499: the log's status for a client that did not wait for its answer. */
export const GONE = clientError('client_gone', 'The client closed the connection before the end of its response.')

export const STALLED = clientError('client_stalled', 'The client did not read its response.')

export const responsesError = (error: GatewayError, requestId: string): ClientErrorBody => ({
  status: error.status,
  body: toErrorBody(error, requestId),
})

/**
 * The parts of a context that every host of the gateway makes in the same way. The exchange begins when it is created.
 * `method`: the one in the log.
 */
export class StartedExchange implements Omit<RequestContext, 'request' | 'body' | 'reply' | 'closed'> {
  readonly id: string
  readonly journal: Journal
  errorBody = responsesError
  trace: KeptForTrace | null = null
  row: KeptForPage | null = null
  keeps: (() => boolean) | null = null
  delivery: Promise<unknown> | null = null
  readonly signal = new Cancellation()

  constructor(id: string, method: string) {
    this.id = id
    this.journal = new Journal(id, method)
  }

  abort(error: GatewayError): void {
    this.signal.abort(error)
  }
}
