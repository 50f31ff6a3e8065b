import type { ModelFacts } from '../../../models/facts.ts'
import type { Effort, Request } from '../../../protocol/request.ts'
import { budgetFor, budgetLimit } from '../../shared/upstream/reasoning-budget.ts'
import { droppedField, NO_FIELDS, type RequestFields, requestFields } from '../../shared/upstream/request-fields.ts'

/** The reasoning settings of a request to a model. */
export interface ReasoningFields {
  /** Fields of `additionalModelRequestFields`. */
  readonly fields: RequestFields
  /** The limit that reasoning and answer share; null: that of the request, if it has one. */
  readonly limit: RequestFields | null
  /** Whether the limits on other parameters apply: for Claude while it reasons, for Nova at high effort. */
  readonly on: boolean
}

const off = (fields: RequestFields = NO_FIELDS): ReasoningFields => ({ fields, limit: null, on: false })

const PATH = 'reasoning.effort'

/** An output limit that every Claude model with reasoning supports. */
const ROOM = 32_000

function budgeted(effort: Effort, model: ModelFacts, room: number): ReasoningFields {
  const budget = budgetFor(effort, room, model)
  return {
    fields: requestFields({ thinking: { type: 'enabled', budget_tokens: budget.budget } }),
    limit: budgetLimit('maxTokens', budget, room),
    on: true,
  }
}

/** Claude reasons by default from version 5 on. */
const isOnByDefault = ({ defaultEffort = 'none', reasons }: ModelFacts): boolean =>
  reasons === 'optional' && defaultEffort !== 'none'

function claude(effort: Effort, model: ModelFacts, { max_output_tokens, reasoning }: Request): ReasoningFields {
  if (effort === 'none')
    return off(isOnByDefault(model) ? requestFields({ thinking: { type: 'disabled' } }) : NO_FIELDS)
  if (model.reasoningBy === 'effort') {
    const shown = reasoning?.hidden === true ? {} : { thinking: { type: 'adaptive', display: 'summarized' } }
    return { fields: requestFields({ ...shown, output_config: { effort } }), limit: null, on: true }
  }
  return budgeted(effort, model, max_output_tokens ?? ROOM)
}

function nova(effort: Effort): ReasoningFields {
  if (effort === 'none') return off(requestFields({ reasoningConfig: { type: 'disabled' } }))
  const fields = { reasoningConfig: { type: 'enabled', maxReasoningEffort: effort } }
  return { fields: requestFields(fields), limit: null, on: effort === 'high' }
}

/** Encodes `reasoning.effort` for each family of models (docs/wires/bedrock-converse.md, 9.2). */
export function encodeReasoning(request: Request, model: ModelFacts): ReasoningFields {
  const effort = request.reasoning?.effort ?? null
  if (effort === null) return off()
  switch (model.family) {
    case 'claude':
      return claude(effort, model, request)
    case 'nova':
      return nova(effort)
    case 'gpt-oss':
      return off(requestFields({ reasoning_effort: effort }))
    case 'gpt':
      return off(requestFields({ reasoning: { effort } }))
    default:
      return off(effort === 'none' ? NO_FIELDS : droppedField(PATH, 'this model has no such setting'))
  }
}
