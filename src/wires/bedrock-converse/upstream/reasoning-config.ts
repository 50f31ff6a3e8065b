import type { ModelFacts } from '../../../models/facts.ts'
import type { Effort, Request } from '../../../protocol/request.ts'
import { droppedField, NO_FIELDS, type RequestFields, requestFields } from '../../shared/upstream/request-fields.ts'

/** The reasoning settings of a request to a model. */
export interface ReasoningFields {
  /** Fields of `additionalModelRequestFields`. */
  readonly fields: RequestFields
  /** The limit that reasoning and answer share, sent if the request sets no limit; null to send none. */
  readonly room: number | null
  /** Whether the limits on other parameters apply: for Claude while it reasons, for Nova at high effort. */
  readonly on: boolean
}

const off = (fields: RequestFields = NO_FIELDS): ReasoningFields => ({ fields, room: null, on: false })

const PATH = 'reasoning.effort'

/** The share of the output limit that reasoning may take, for Claude up to 4.5. */
const SHARES = {
  minimal: 0.02,
  low: 0.1,
  medium: 0.3,
  high: 0.6,
  xhigh: 0.8,
  max: 0.8,
} as const satisfies Record<Exclude<Effort, 'none'>, number>

/** The smallest budget that Claude accepts. */
const LEAST = 1024
/** An output limit that every Claude model with reasoning supports. */
const ROOM = 32_000

function budgeted(effort: Exclude<Effort, 'none'>, limit: number | null): ReasoningFields {
  const room = limit ?? ROOM
  if (room <= LEAST)
    return off(droppedField(PATH, `this model supports reasoning only with max_output_tokens above ${LEAST}`))
  const budget_tokens = Math.max(LEAST, Math.floor(room * SHARES[effort]))
  return { fields: requestFields({ thinking: { type: 'enabled', budget_tokens } }), room, on: true }
}

/** Claude reasons by default from version 5 on. */
const isOnByDefault = ({ defaultEffort = 'none', reasons }: ModelFacts): boolean =>
  reasons === 'optional' && defaultEffort !== 'none'

function claude(
  effort: Effort,
  model: ModelFacts,
  { max_output_tokens, reasoning }: Request,
  isBare: boolean,
): ReasoningFields {
  if (effort === 'none')
    return off(isOnByDefault(model) ? requestFields({ thinking: { type: 'disabled' } }) : NO_FIELDS)
  if (model.reasoningBy === 'effort') {
    const shown = reasoning?.hidden === true ? {} : { thinking: { type: 'adaptive', display: 'summarized' } }
    return { fields: requestFields({ ...shown, output_config: { effort } }), room: null, on: true }
  }
  if (isBare)
    return off(droppedField(PATH, 'this model requires the reasoning before tool calls, and the input has none'))
  return budgeted(effort, max_output_tokens)
}

function nova(effort: Effort): ReasoningFields {
  if (effort === 'none') return off(requestFields({ reasoningConfig: { type: 'disabled' } }))
  const fields = { reasoningConfig: { type: 'enabled', maxReasoningEffort: effort } }
  return { fields: requestFields(fields), room: null, on: effort === 'high' }
}

/**
 * Encodes `reasoning.effort` for each family of models (docs/wires/bedrock-converse.md, 9.2). `isBare`: the assistant's
 * last turn called a tool, and the signed reasoning that led to the call is missing.
 */
export function encodeReasoning(request: Request, model: ModelFacts, isBare: boolean): ReasoningFields {
  const effort = request.reasoning?.effort ?? null
  if (effort === null) return off()
  switch (model.family) {
    case 'claude':
      return claude(effort, model, request, isBare)
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
