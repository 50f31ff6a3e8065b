import type { ResponseStatus } from '../protocol/response.ts'
import type { Usage } from '../protocol/usage.ts'
import type { Content } from './content.ts'

export type Plain = string | number | boolean

/**
 * All that is told of one request to the places where traces go. Durations are milliseconds since its beginning. What was
 * asked and answered is in `content` and nowhere else.
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
  /** Until the head of the upstream's answer. */
  readonly upstreamMs: number | null
  readonly firstTokenMs: number | null
  readonly requestId: string
  readonly responseId: string | null
  readonly dialect: string | null
  readonly stream: boolean
  readonly vendor: string | null
  readonly wire: string | null
  /** As the upstream is asked for it. */
  readonly requestModel: string | null
  /** As the upstream says who answered. */
  readonly responseModel: string | null
  /** Of the HTTP answer to the client. */
  readonly status: number | null
  readonly outcome: ResponseStatus | null
  /** `stop`, `length`, `content_filter`, `tool_calls` or `error`. */
  readonly finishReason: string
  /** The code of the failure: never its message, which may quote the upstream. */
  readonly error: string | null
  readonly usage: Usage | null
  readonly keyName: string
  readonly user: string | null
  readonly sessionId: string | null
  /** What the client put into `trace`. */
  readonly metadata: Readonly<Record<string, Plain>>
  /** Temperature and its kin, under their names in a Responses request. */
  readonly parameters: Readonly<Record<string, Plain>>
  /** Null: nobody asked for it, it is private, or it was too long. */
  readonly content: Content | null
  /** Too long to be forwarded. */
  readonly contentLeftOut: boolean
}

export const withoutContent = (trace: Trace): Trace => ({ ...trace, content: null, contentLeftOut: false })
