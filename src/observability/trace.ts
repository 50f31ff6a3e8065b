import type { ResponseStatus } from '../protocol/response.ts'
import type { Usage } from '../protocol/usage.ts'
import type { TraceContent } from './content.ts'

export type TraceFieldValue = string | number | boolean

/**
 * All facts about one request that destinations may receive. Durations are milliseconds from its beginning. The text of
 * the request and of its answer is in `content` and nowhere else.
 */
export interface Trace {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly name: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly durationMs: number
  /** Until the head of the upstream's answer arrived. */
  readonly upstreamMs: number | null
  readonly firstTokenMs: number | null
  readonly requestId: string
  readonly responseId: string | null
  readonly dialect: string | null
  readonly stream: boolean
  readonly vendor: string | null
  /** The member of the vendor's pool; null if it has none. */
  readonly member: string | null
  readonly wire: string | null
  readonly requestModel: string | null
  /** The model that the upstream reports. */
  readonly responseModel: string | null
  /** The status of the HTTP answer to the client. */
  readonly status: number | null
  readonly outcome: ResponseStatus | null
  /** `stop`, `length`, `content_filter`, `tool_calls` or `error`. */
  readonly finishReason: string
  /** The code of the failure, never its message, which may quote the upstream. */
  readonly error: string | null
  /** The attempts at upstreams with the codes of their failures; empty if there was only one. */
  readonly attempts: readonly string[]
  readonly usage: Usage | null
  readonly keyName: string
  readonly user: string | null
  readonly sessionId: string | null
  /** The fields of the client's `trace` object, with their values shortened to plain ones. */
  readonly metadata: Readonly<Record<string, TraceFieldValue>>
  /** Temperature and similar parameters, under their names in a Responses request. */
  readonly parameters: Readonly<Record<string, TraceFieldValue>>
  /** null if no destination needs it, if it is private, or if it was too long. */
  readonly content: TraceContent | null
  /** The content was too long to be forwarded. */
  readonly contentLeftOut: boolean
}

export const withoutContent = (trace: Trace): Trace => ({ ...trace, content: null, contentLeftOut: false })

/** The name of a trace that its client did not name. */
export const traceNameOf = (model: string | null): string => (model === null ? 'chat' : `chat ${model}`)

/**
 * The trace without the texts that its client has put into its request: what is left are the facts of this gateway, the
 * parameters and the ids that join traces.
 */
export const withoutClientTexts = (trace: Trace): Trace => ({
  ...withoutContent(trace),
  name: traceNameOf(trace.requestModel),
  user: null,
  sessionId: null,
  metadata: {},
})
