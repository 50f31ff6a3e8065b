import type { GatewayError } from '../../protocol/error.ts'
import type { SearchPlan } from '../../search/plan.ts'
import type { ClientRequest } from '../client-request.ts'
import { billingLine } from './billing-line.ts'
import { breakpoints } from './breakpoints.ts'
import { clientTools } from './client-tools.ts'
import { compactionBySummary } from './compaction.ts'
import { conversationItems } from './conversation-items.ts'
import { customTools } from './custom-tools.ts'
import { inputChanges } from './input-changes.ts'
import { openedReasoning } from './opened-reasoning.ts'
import { parameterNames } from './parameter-names.ts'
import type { Pass, PassContext, PlannedPass } from './pass.ts'
import { plainInput } from './plain-input.ts'
import { responsesFields } from './responses-fields.ts'
import { obeysRules } from './rules.ts'
import { webSearch } from './search.ts'
import { toolNames } from './tool-names.ts'

/** All passes, in the order in which they change a request. The deltas of the answer take the opposite order. */
const PASSES: readonly Pass[] = [
  webSearch,
  billingLine,
  openedReasoning,
  inputChanges,
  compactionBySummary,
  clientTools,
  conversationItems,
  responsesFields,
  toolNames,
  customTools,
  parameterNames,
  obeysRules,
  plainInput,
  breakpoints,
]

/** A client's request with the work of its passes. */
export interface PlannedPasses {
  /** The client's request for the whole exchange. The history is readable, as far as no upstream encrypted it. */
  readonly client: ClientRequest
  /** The changes of each request before it is encoded. */
  readonly passes: readonly PlannedPass[]
  /** The search that the gateway makes itself. */
  readonly search: SearchPlan | null
  /** The reason why the request cannot be sent, with the client's own path; null if it can. */
  readonly refusal: GatewayError | null
}

/** Plans the passes of an exchange, up to the first one that refuses it. */
export function planPasses(original: ClientRequest, context: PassContext): PlannedPasses {
  const passes: PlannedPass[] = []
  let client = original
  let searchPlan: SearchPlan | null = null
  for (const pass of PASSES) {
    const planned = pass(client, context)
    if (planned === null) continue
    if (planned.refusal !== undefined) {
      return { client, passes, search: searchPlan, refusal: client.sourceMap.toClientError(planned.refusal) }
    }
    passes.push(planned)
    client = planned.client ?? client
    searchPlan = planned.search ?? searchPlan
  }
  return { client, passes, search: searchPlan, refusal: null }
}
