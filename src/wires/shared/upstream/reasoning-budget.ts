import type { ModelFacts } from '../../../models/facts.ts'
import type { Effort } from '../../../protocol/request.ts'
import { mappedField, type RequestFields, requestFields } from './request-fields.ts'

/** The smallest budget for reasoning that Claude accepts, in tokens. */
export const LEAST_BUDGET = 1024

/** The share of the output limit that is the budget for reasoning. */
export const BUDGET_SHARES = {
  none: 0,
  minimal: 0.02,
  low: 0.1,
  medium: 0.3,
  high: 0.6,
  xhigh: 0.8,
  max: 0.9,
} as const satisfies Record<Effort, number>

/** A budget for reasoning, and the output limit that it is a part of, both in tokens. */
interface ReasoningBudget {
  readonly budget: number
  readonly limit: number
}

/**
 * Returns a budget below the output limit. A limit that is too small for the smallest budget is raised by that budget,
 * so that the answer has the length that the client allows.
 */
export function budgetFor(
  effort: Effort,
  limit: number,
  { leastBudget = LEAST_BUDGET, mostBudget = Number.POSITIVE_INFINITY }: ModelFacts,
): ReasoningBudget {
  const budget = Math.max(LEAST_BUDGET, leastBudget, Math.min(mostBudget, Math.floor(limit * BUDGET_SHARES[effort])))
  return { budget, limit: budget < limit ? limit : limit + budget }
}

/** The field of an output limit that a budget may have raised. `asked`: the limit without the budget. */
export function budgetLimit(name: string, { budget, limit }: ReasoningBudget, asked: number): RequestFields {
  const fields = { [name]: limit }
  const why = `raised to ${limit}, because this model needs at least ${budget} tokens for reasoning`
  return limit === asked ? requestFields(fields) : mappedField(fields, 'max_output_tokens', why)
}
