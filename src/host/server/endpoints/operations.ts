import type { JsonObject } from '../../../protocol/json.ts'
import type { Request } from '../../../protocol/request.ts'
import { ok, type Result } from '../../../protocol/result.ts'
import { toCompaction, toSummaryRequest } from '../../../responses/compaction.ts'

/** The operation of a path: how it changes the request for the upstream, and the whole answer for the client. */
export interface Operation {
  readonly mapRequest: (request: Request) => Request
  readonly mapResponse: (response: JsonObject) => Result<JsonObject>
}

export const RESPOND: Operation = { mapRequest: (request) => request, mapResponse: ok }
export const COMPACT: Operation = { mapRequest: toSummaryRequest, mapResponse: toCompaction }
