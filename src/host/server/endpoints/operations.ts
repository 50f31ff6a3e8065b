import type { JsonObject } from '../../../protocol/json.ts'
import type { Request } from '../../../protocol/request.ts'
import { type Attempt, success } from '../../../protocol/result.ts'
import { toCompaction, toSummaryRequest } from '../../../responses/compaction.ts'

/** The operation of a path: how it changes the request for the upstream, and the whole answer for the client. */
export interface Errand {
  readonly toAsk: (request: Request) => Request
  readonly toTell: (response: JsonObject) => Attempt<JsonObject>
}

export const RESPOND: Errand = { toAsk: (request) => request, toTell: success }
export const COMPACT: Errand = { toAsk: toSummaryRequest, toTell: toCompaction }
