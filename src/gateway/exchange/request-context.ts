import { clientError, type GatewayError } from '../../protocol/error.ts'
import { toErrorBody } from '../../protocol/error-body.ts'
import type { Loss } from '../../protocol/loss.ts'
import type { ClientErrorBody } from '../../wires/client-contract.ts'
import { Cancellation, type CancellationSignal } from '../cancellation.ts'
import { createLogEntry, type LogEntry } from '../telemetry/log.ts'
import type { RequestRecord } from '../telemetry/request-record.ts'
import type { TraceDraft } from '../telemetry/trace-draft.ts'
import type { RequestHead } from './http-types.ts'
import type { BodySource, Reply } from './reply.ts'

/** One request with its answer. */
export interface RequestContext {
  /** The head of the request; for a message over a socket, that of the handshake. */
  readonly request: RequestHead
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
  /**
   * Called when the client leaves; returns true if the answer goes on without it. Null: the exchange ends with its
   * client.
   */
  keeps: (() => boolean) | null
  /** Aborts when the client has left or the server cannot wait any longer. */
  readonly signal: CancellationSignal
  abort(error: GatewayError): void
  /** Milliseconds since the exchange began. */
  elapsed(): number
  /** Resolves when the last byte was handed to the system, or the connection was lost. */
  readonly closed: Promise<void>
  /**
   * The rest of an answer that has begun; null before. Endpoints do not wait for it, so that nothing that they have of
   * the request stays in memory for the whole answer. Rejects with an exception, which is a bug of the gateway.
   */
  delivery: Promise<unknown> | null
}

/** 499: the log's status for a client that did not wait for its answer. */
export const GONE = clientError('client_gone', 'The client closed the connection before the end of its answer.')

export const STALLED = clientError('client_stalled', 'The client did not read its answer.')

export const responsesError = (error: GatewayError, requestId: string): ClientErrorBody => ({
  status: error.status,
  body: toErrorBody(error, requestId),
})

/**
 * The parts of a context that every host of the gateway makes in the same way. The exchange begins when it is created.
 * `method`: the one in the log.
 */
export class BegunExchange implements Omit<RequestContext, 'request' | 'body' | 'reply' | 'closed'> {
  readonly id: string
  readonly entry: LogEntry
  losses: readonly Loss[] = NO_LOSSES
  errorBody = responsesError
  draft: TraceDraft | null = null
  record: RequestRecord | null = null
  keeps: (() => boolean) | null = null
  delivery: Promise<unknown> | null = null
  readonly signal = new Cancellation()
  private readonly startedAt = performance.now()

  constructor(id: string, method: string) {
    this.id = id
    this.entry = createLogEntry(id, method)
  }

  abort(error: GatewayError): void {
    this.signal.abort(error)
  }

  elapsed(): number {
    return Math.round((performance.now() - this.startedAt) * 10) / 10
  }
}

const NO_LOSSES: readonly Loss[] = []
