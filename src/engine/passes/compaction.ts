import { mapped } from '../../protocol/loss.ts'
import { requestsCompaction, toSummaryRequest, triggersIn } from '../../responses/compaction/compaction.ts'
import { summaryToCompaction } from '../../responses/compaction/summary-to-compaction.ts'
import type { Pass } from './pass.ts'

const REASON = 'this upstream has no compaction, so that its model is requested to summarise the conversation'

/** The answer to a request for a compaction is one item, which contains a summary by the same model. */
export const compactionBySummary: Pass = ({ request, summarises = false }, { quirks }) => {
  if (!requestsCompaction(request) || (quirks.compaction === true && !summarises)) return null
  return {
    apply(original) {
      const own = summarises ? [] : triggersIn(original).map((at) => mapped(`input[${at}]`, REASON))
      return { ok: true, request: toSummaryRequest(original), losses: own }
    },
    back: summaryToCompaction,
    replaces: true,
  }
}
