import type { ContentMessage } from '../observability/content.ts'
import type { Ancestry } from '../observability/span-ids.ts'
import type { Plain } from '../observability/trace.ts'
import type { Response } from '../protocol/response.ts'
import type { Key } from './auth.ts'

/** What was asked, as far as a trace tells it. */
export interface Asked {
  /** As the client named it. */
  readonly model: string
  readonly user: string | null
  readonly sessionId: string | null
  readonly ancestry: Ancestry
  readonly name: string | null
  readonly metadata: Readonly<Record<string, Plain>>
  readonly parameters: Readonly<Record<string, Plain>>
  /** Null where no destination wants to see it. */
  readonly input: readonly ContentMessage[] | null
  readonly instructions: string | null
}

/** What a trace will tell beyond the log's entry, filled in on its way. There is none where nobody takes it. */
export interface Draft {
  readonly key: Key
  readonly wantsContent: boolean
  /** Milliseconds since 1970. */
  readonly startedAt: number
  asked: Asked | null
  wire: string | null
  answer: Response | null
  /** As the upstream reports it; null where it does not. */
  responseModel: string | null
}
