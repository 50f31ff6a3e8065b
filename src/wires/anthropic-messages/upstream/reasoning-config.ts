import type { Effort, Request } from '../../../protocol/request.ts'
import {
  droppedField,
  mappedField,
  NO_FIELDS,
  type RequestFields,
  requestFields,
} from '../../shared/upstream/request-fields.ts'
import type { Traits } from './models.ts'

/** The reasoning of a request, and its output limit in tokens. */
export interface ReasoningConfig {
  readonly on: boolean
  readonly maxTokens: number
  /** `thinking` and `max_tokens`. */
  readonly pieces: readonly RequestFields[]
  /** The value of `output_config.effort`; null if it is not sent. */
  readonly effort: string | null
}

/** The smallest budget for reasoning, in tokens. */
const LEAST = 1024

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
  { maxTokens }: Traits,
  pieces: readonly RequestFields[],
  effort: string | null,
): ReasoningConfig => {
  const summary = request.reasoning?.summary ?? null
  const unsummed = summary === null ? NO_FIELDS : droppedField('reasoning.summary', 'reasoning is disabled')
  const most = request.max_output_tokens ?? maxTokens
  return { on: false, maxTokens: most, pieces: [...pieces, unsummed, requestFields({ max_tokens: most })], effort }
}

/**
 * Requests a budget below `max_tokens`. If `max_tokens` is too small for the smallest budget, it is raised by that
 * budget.
 */
function byBudget(request: Request, { maxTokens }: Traits, effort: Effort): ReasoningConfig {
  const most = request.max_output_tokens ?? maxTokens
  const budget = Math.max(LEAST, Math.floor(most * BUDGET_SHARES[effort]))
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

/** Returns the model's step for an effort. */
function stepOf(effort: Effort, { steps }: Traits): string {
  if (effort === 'xhigh' || effort === 'max') return steps.includes(effort) ? effort : 'high'
  return effort === 'minimal' || effort === 'none' ? 'low' : effort
}

function byEffort(request: Request, traits: Traits, effort: Effort): ReasoningConfig {
  const most = request.max_output_tokens ?? traits.maxTokens
  const step = stepOf(effort, traits)
  return {
    on: true,
    maxTokens: most,
    effort: step,
    pieces: [
      requestFields({ thinking: { type: 'adaptive', display: 'summarized' }, max_tokens: most }),
      step === effort
        ? NO_FIELDS
        : mappedField({}, 'reasoning.effort', `${effort} sent as ${step}, the nearest supported effort`),
    ],
  }
}

const OFF = requestFields({ thinking: { type: 'disabled' } })

/** Encodes `reasoning` (docs/wires/anthropic-messages.md, 9.2). */
export function encodeReasoning(request: Request, traits: Traits, obstacle: ReasoningConstraint): ReasoningConfig {
  const effort = request.reasoning?.effort ?? null
  if (effort === null) return still(request, traits, [], null)
  if (effort === 'none') return still(request, traits, [traits.thinks === 'effort' ? OFF : NO_FIELDS], null)
  if (traits.thinks === 'never') {
    return still(request, traits, [droppedField('reasoning.effort', 'this model does not support reasoning')], null)
  }
  if (obstacle === null)
    return traits.thinks === 'budget' ? byBudget(request, traits, effort) : byEffort(request, traits, effort)
  const off = traits.thinks === 'effort' ? OFF : NO_FIELDS
  return still(request, traits, [off, droppedField('reasoning.effort', obstacle)], null)
}
