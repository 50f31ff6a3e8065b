import type { ContentMessage } from '../../observability/content.ts'
import type { ParentContext } from '../../observability/span-ids.ts'
import type { TraceFieldValue } from '../../observability/trace.ts'
import type { Response } from '../../protocol/response.ts'
import type { Key } from '../auth/auth.ts'

/** The part of a request that a trace contains. */
export interface TracedRequest {
  /** The model as the client named it. */
  readonly model: string
  readonly user: string | null
  readonly sessionId: string | null
  readonly ancestry: ParentContext
  readonly name: string | null
  readonly metadata: Readonly<Record<string, TraceFieldValue>>
  readonly parameters: Readonly<Record<string, TraceFieldValue>>
  /** Null if no destination receives content. */
  readonly input: readonly ContentMessage[] | null
  readonly instructions: string | null
}

/**
 * The fields of a trace that the log entry does not have, filled in during the exchange. There is no draft if no
 * destination receives the trace.
 */
export interface TraceDraft {
  readonly key: Key
  readonly wantsContent: boolean
  /** Milliseconds since 1970. */
  readonly startedAt: number
  traced: TracedRequest | null
  wire: string | null
  answer: Response | null
  /** The model that the upstream reports; null if it reports none. */
  responseModel: string | null
}
