import type { ModelFacts } from '../../../models/facts.ts'
import type { Effort, Request } from '../../../protocol/request.ts'
import { budgetFor, budgetLimit } from '../../shared/upstream/reasoning-budget.ts'
import { droppedField, NO_FIELDS, type RequestFields, requestFields } from '../../shared/upstream/request-fields.ts'

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

function byBudget(request: Request, facts: ModelFacts, effort: Effort): ReasoningConfig {
  const most = limitOf(request, facts)
  const budget = budgetFor(effort, most, facts)
  return {
    on: true,
    maxTokens: budget.limit,
    effort: null,
    pieces: [
      requestFields({ thinking: { type: 'enabled', budget_tokens: budget.budget } }),
      budgetLimit('max_tokens', budget, most),
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
export function encodeReasoning(request: Request, facts: ModelFacts): ReasoningConfig {
  const effort = request.reasoning?.effort ?? null
  const isStepped = facts.reasoningBy === 'effort'
  if (effort === null) return still(request, facts, [], null)
  // Without the field, the models of other vendors reason.
  if (effort === 'none')
    return still(request, facts, [isStepped || facts.defaultEffort !== 'none' ? OFF : NO_FIELDS], null)
  // A client's effort without `thinking` turns no reasoning on.
  return isStepped || request.reasoning?.hidden === true
    ? byEffort(request, facts, effort)
    : byBudget(request, facts, effort)
}
