import type { Party } from '../protocol/error.ts'
import type { ResponseStatus } from '../protocol/response.ts'
import type { Usage } from '../protocol/usage.ts'

/** One call of an upstream. Times are milliseconds since the request began; null if they do not apply. */
export interface AttemptEntry {
  /** With the member of its pool after an `@`, if it has one. */
  readonly vendor: string
  readonly model: string
  /** The code of its failure; null if it has none, or is not over. */
  readonly error: string | null
  /** The message of the upstream about its failure, masked; null unless `page.content` is set. */
  readonly message: string | null
  /** The upstream was not called: its breaker is open, or its retry budget is spent. */
  readonly skipped: boolean
  readonly startMs: number | null
  readonly endMs: number | null
}

/** The text of a request and of its answer, cut and with masked secrets. */
export interface RequestText {
  readonly request: string
  /** Null before the end, and if there was no answer. */
  readonly answer: string | null
}

/**
 * One request in the list of the page. It has no field that contains a prompt, a body or a secret, but `content`, which
 * the operator switches on. Times are milliseconds since the request began; null if they do not apply.
 */
export interface RequestEntry {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly time: number
  readonly running: boolean
  /** The name of the client's key; null if it was refused. */
  readonly key: string | null
  readonly method: string
  readonly path: string
  /** The wire of the client; null if the request was refused before it was read. */
  readonly client: string | null
  /** The dialect of the answer for a client of the Responses API; null for other clients. */
  readonly dialect: string | null
  /** The model as the client named it. */
  readonly model: string | null
  readonly vendor: string | null
  /** The vendor's own name of the model. */
  readonly upstreamModel: string | null
  readonly wire: string | null
  /** The edits of a client's own body that was passed through; null if the hub encoded the request. */
  readonly edits: readonly string[] | null
  /** Lines of configuration for what refusals have shown about the model. */
  readonly learned: readonly string[]
  readonly stream: boolean | null
  readonly status: number | null
  readonly attempts: readonly AttemptEntry[]
  readonly losses: readonly string[]
  readonly upstreamMs: number | null
  readonly firstByteMs: number | null
  readonly firstTokenMs: number | null
  readonly durationMs: number | null
  readonly usage: Usage | null
  /** The status of the answer at its end; null while it runs, and if there was none. */
  readonly ending: ResponseStatus | null
  readonly error: string | null
  /** The party that caused the failure. */
  readonly party: Party | null
  readonly clientGone: boolean
  /** Null unless `page.content` is set. */
  readonly content: RequestText | null
}

/** The number of requests that the server keeps. */
export const KEPT_REQUESTS = 200
