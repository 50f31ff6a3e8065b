import type { Dialect } from '../../dialects/dialect.ts'
import { dialectFor } from '../../dialects/for-request.ts'
import type { ClientRequest } from '../../engine/client-request.ts'
import { compactedTarget, toCompactRequest } from '../../engine/compaction/compacted-target.ts'
import { dialectTarget, type Target } from '../../engine/target.ts'

/** The operation of a path: how it changes the request for the upstream, and the target of its answer. */
export interface Operation {
  readonly mapRequest: (client: ClientRequest) => ClientRequest
  readonly toTarget: (dialect: Dialect, client: ClientRequest) => Target
}

export const RESPOND: Operation = {
  mapRequest: (client) => client,
  toTarget: (dialect, { request }) => dialectTarget(dialectFor(dialect, request)),
}

export const COMPACT: Operation = { mapRequest: toCompactRequest, toTarget: compactedTarget }
