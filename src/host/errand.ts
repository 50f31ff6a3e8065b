import type { JsonObject } from '../protocol/json.ts'
import type { Request } from '../protocol/request.ts'
import { type Attempt, success } from './attempt.ts'
import { toCompaction, toSummaryRequest } from './compact.ts'

/** What a path does with a request: what the upstream is asked instead, and what the client is told of its whole answer. */
export interface Errand {
  readonly toAsk: (request: Request) => Request
  readonly toTell: (response: JsonObject) => Attempt<JsonObject>
}

export const RESPOND: Errand = { toAsk: (request) => request, toTell: success }
export const COMPACT: Errand = { toAsk: toSummaryRequest, toTell: toCompaction }
