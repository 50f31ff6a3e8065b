import type { JsonObject } from '../../../protocol/json.ts'
import type { Effort, Request } from '../../../protocol/request.ts'
import {
  droppedField,
  mappedField,
  NO_FIELDS,
  type RequestFields,
  requestFields,
} from '../../shared/upstream/request-fields.ts'
import type { Model } from './models.ts'

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
const NEAREST = 'sent as the nearest supported effort'

const LOW_TO_HIGH = {
  none: 'low',
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
} as const satisfies Record<Effort, string>

const effortFields = (effort: Effort, sent: string, fields: JsonObject): RequestFields =>
  sent === effort ? requestFields(fields) : mappedField(fields, PATH, `${effort} ${NEAREST}`)

/** Claude from version 4.6 on chooses the length of its reasoning itself. */
function adaptive(effort: Exclude<Effort, 'none'>, { version }: Model): ReasoningFields {
  const sent = effort === 'minimal' ? 'low' : effort === 'xhigh' && version < 407 ? 'high' : effort
  const fields = { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: sent } }
  return { fields: effortFields(effort, sent, fields), room: null, on: true }
}

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

function claude(
  effort: Effort,
  model: Model,
  { max_output_tokens }: Request,
  { forced, bare }: ReasoningConstraints,
): ReasoningFields {
  if (effort === 'none') return off()
  if (model.version < 307) return off(droppedField(PATH, 'this model has no such setting'))
  if (forced) return off(droppedField(PATH, 'this model does not support reasoning together with a forced tool call'))
  if (model.version >= 406) return adaptive(effort, model)
  if (bare)
    return off(droppedField(PATH, 'this model requires the reasoning before tool calls, and the input has none'))
  return budgeted(effort, max_output_tokens)
}

function nova(effort: Effort, { version }: Model): ReasoningFields {
  if (version < 200) return off(effort === 'none' ? NO_FIELDS : droppedField(PATH, 'this model has no such setting'))
  if (effort === 'none') return off(requestFields({ reasoningConfig: { type: 'disabled' } }))
  const sent = LOW_TO_HIGH[effort]
  const fields = { reasoningConfig: { type: 'enabled', maxReasoningEffort: sent } }
  return { fields: effortFields(effort, sent, fields), room: null, on: sent === 'high' }
}

export interface ReasoningConstraints {
  /** A tool must be called. */
  readonly forced: boolean
  /** The assistant's last turn called a tool, and the signed reasoning that led to the call is missing. */
  readonly bare: boolean
}

/** Encodes `reasoning.effort` for each family of models (docs/wires/bedrock-converse.md, 9.2). */
export function encodeReasoning(request: Request, model: Model, circumstances: ReasoningConstraints): ReasoningFields {
  const effort = request.reasoning?.effort ?? null
  if (effort === null) return off()
  switch (model.family) {
    case 'claude':
      return claude(effort, model, request, circumstances)
    case 'nova':
      return nova(effort, model)
    case 'gpt-oss':
      return off(effortFields(effort, LOW_TO_HIGH[effort], { reasoning_effort: LOW_TO_HIGH[effort] }))
    case 'other':
      return off(effort === 'none' ? NO_FIELDS : droppedField(PATH, 'this model has no such setting'))
  }
}
