import type { GatewayError } from '../../protocol/error.ts'
import type { Result } from '../../protocol/result.ts'
import type { CancellationSignal } from '../cancellation.ts'

export interface UpstreamRequest {
  /** Left out: `POST`. GET and HEAD have no body. */
  readonly method?: 'GET' | 'HEAD' | 'PUT' | 'PATCH' | 'DELETE'
  /** Shared by all calls to the same URL; must not be changed. */
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** The upstream's own name of the model. */
  readonly model: string
  readonly stream: boolean
}

/** Headers after a body, with names in lower case. */
export type Trailers = UpstreamResponse['headers']

/** Receives the body of an answer: any number of `bytes`, then one `end` or one `fail`. */
export interface BodyReader {
  bytes(chunk: Uint8Array): void
  /** A source that reads several chunks at once calls it after the last one, each time or never. */
  flush?(): void
  /** The reader keeps no reference to the chunks of `bytes`, so that their memory may be reused. */
  readonly keepsNone?: boolean
  /** The reader of all further input, once it is chosen. */
  readonly instead?: BodyReader | null
  /** `trailers`: left out by sources that have none. */
  end(trailers?: Trailers): void
  fail(error: GatewayError): void
}

/** An answer whose head has arrived. Its body is paused until it is read; it must be read or aborted. */
export interface UpstreamResponse {
  readonly status: number
  /** Names in lower case. A transport may drop them when the body is read. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The content coding that the transport removes from its body. Left out: none. */
  readonly decoded?: string
  /** True when its body has ended or broken, which the reader may not have received yet. Left out: unknown. */
  readonly isOver?: boolean
  read(reader: BodyReader): void
  pause(): void
  resume(): void
  /**
   * Closes the connection to the upstream at once. The reader receives nothing more. `complete`: the answer had ended
   * before its body.
   */
  abort(end?: 'complete'): void
}

/**
 * Supplies the bytes of an upstream. Resolves with the head of the answer, or with the reason why there is none; never
 * rejects. When `signal` aborts, the connection is closed at once, and the caller or the reader receives the signal's
 * reason.
 */
export type Transport = (call: UpstreamRequest, signal: CancellationSignal) => Promise<Result<UpstreamResponse>>
