/** The headers of a request, with names in lower case. A list is a header that was sent several times. */
export interface RequestHeaders {
  readonly [name: string]: string | string[] | undefined
  readonly accept?: string | undefined
  readonly authorization?: string | undefined
  readonly host?: string | undefined
  readonly origin?: string | undefined
  readonly traceparent?: string | string[] | undefined
  readonly upgrade?: string | undefined
  readonly 'accept-encoding'?: string | undefined
  readonly 'content-encoding'?: string | undefined
  readonly 'content-length'?: string | undefined
  readonly 'content-type'?: string | undefined
}

/** The head of a request; a request of `node:http` is one. */
export interface RequestHead {
  readonly method?: string | undefined
  /** The request target: a path with its query, or a whole URL (RFC 9112, 3.2). */
  readonly url?: string | undefined
  readonly httpVersion: string
  readonly headers: RequestHeaders
}

/** The headers of an answer. Undefined values are left out. */
export type AnswerHeaders = Readonly<Record<string, string | number | undefined>>

/** The headers of every streamed answer, beside its media type. */
export const STREAM_HEADERS = {
  'cache-control': 'no-cache',
  // Disables buffering of the stream in nginx and similar proxies.
  'x-accel-buffering': 'no',
}
