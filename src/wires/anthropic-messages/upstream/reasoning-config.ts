import type { ModelFacts } from '../../../models/facts.ts'
import type { Effort, Request } from '../../../protocol/request.ts'
import {
  droppedField,
  mappedField,
  NO_FIELDS,
  type RequestFields,
  requestFields,
} from '../../shared/upstream/request-fields.ts'
import { LEAST_BUDGET } from './body.ts'

/** The reasoning of a request, and its output limit in tokens. */
interface ReasoningConfig {
  readonly on: boolean
  readonly maxTokens: number
  /** `thinking` and `max_tokens`. */
  readonly pieces: readonly RequestFields[]
  /** The value of `output_config.effort`; null if it is not sent. */
  readonly effort: string | null
}

/** The output limit of models about which nothing is known: those of other vendors that speak this wire. */
const LEAST_LIMIT = 4096

const limitOf = ({ max_output_tokens }: Request, { mostOutput }: ModelFacts): number =>
  max_output_tokens ?? mostOutput ?? LEAST_LIMIT

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

/** Why a request cannot have the reasoning that it requests; null if it can. */
export type ReasoningConstraint = string | null

const still = (
  request: Request,
  facts: ModelFacts,
  pieces: readonly RequestFields[],
  effort: string | null,
): ReasoningConfig => {
  const summary = request.reasoning?.summary ?? null
  const unsummed = summary === null ? NO_FIELDS : droppedField('reasoning.summary', 'reasoning is disabled')
  const most = limitOf(request, facts)
  return { on: false, maxTokens: most, pieces: [...pieces, unsummed, requestFields({ max_tokens: most })], effort }
}

/**
 * Requests a budget below `max_tokens`. If `max_tokens` is too small for the smallest budget, it is raised by that
 * budget.
 */
function byBudget(request: Request, facts: ModelFacts, effort: Effort): ReasoningConfig {
  const most = limitOf(request, facts)
  const { leastBudget = LEAST_BUDGET, mostBudget = Number.POSITIVE_INFINITY } = facts
  const budget = Math.max(LEAST_BUDGET, leastBudget, Math.min(mostBudget, Math.floor(most * BUDGET_SHARES[effort])))
  const all = budget < most ? most : most + budget
  const limit = { max_tokens: all }
  const why = `raised to ${all}, because this model needs at least ${budget} tokens for reasoning`
  return {
    on: true,
    maxTokens: all,
    effort: null,
    pieces: [
      requestFields({ thinking: { type: 'enabled', budget_tokens: budget } }),
      all === most ? requestFields(limit) : mappedField(limit, 'max_output_tokens', why),
    ],
  }
}

/** The model finds the length of its reasoning itself. Without `display`, it returns empty blocks. */
const ADAPTIVE = { type: 'adaptive', display: 'summarized' } as const

function byEffort(request: Request, facts: ModelFacts, effort: Effort): ReasoningConfig {
  const most = limitOf(request, facts)
  return {
    on: true,
    maxTokens: most,
    effort,
    pieces: [
      requestFields(request.reasoning?.hidden === true ? {} : { thinking: ADAPTIVE }),
      requestFields({ max_tokens: most }),
    ],
  }
}

const OFF = requestFields({ thinking: { type: 'disabled' } })

/** Encodes `reasoning` (docs/wires/anthropic-messages.md, 9.2). */
export function encodeReasoning(request: Request, facts: ModelFacts, obstacle: ReasoningConstraint): ReasoningConfig {
  const effort = request.reasoning?.effort ?? null
  const isStepped = facts.reasoningBy === 'effort'
  if (effort === null) return still(request, facts, [], null)
  // Without the field, the models of other vendors reason.
  if (effort === 'none')
    return still(request, facts, [isStepped || facts.defaultEffort !== 'none' ? OFF : NO_FIELDS], null)
  if (obstacle !== null) return still(request, facts, [droppedField('reasoning.effort', obstacle)], null)
  return isStepped ? byEffort(request, facts, effort) : byBudget(request, facts, effort)
}
