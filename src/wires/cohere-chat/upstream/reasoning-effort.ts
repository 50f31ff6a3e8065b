import type { Effort } from '../../../protocol/request.ts'
import { NO_FIELDS, type RequestFields, requestFields } from '../../shared/upstream/request-fields.ts'

/** Budgets in tokens; null: no limit. */
const BUDGETS = {
  none: 0,
  minimal: 512,
  low: 2048,
  medium: 8192,
  high: null,
  xhigh: null,
  max: null,
} as const satisfies Record<Effort, number | null>

/** Reasoning counts as output, so a quarter of the output limit is left for the answer. */
const within = (budget: number, limit: number | null): number =>
  limit === null ? budget : Math.max(1, Math.min(budget, Math.floor(limit * 0.75)))

export function encodeEffort(effort: Effort | null, limit: number | null): RequestFields {
  if (effort === null) return NO_FIELDS
  if (effort === 'none') return requestFields({ thinking: { type: 'disabled' } })
  const budget = BUDGETS[effort]
  const type = 'enabled'
  return requestFields({ thinking: budget === null ? { type } : { type, token_budget: within(budget, limit) } })
}
