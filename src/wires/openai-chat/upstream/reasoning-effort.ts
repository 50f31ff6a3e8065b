import type { JsonObject } from '../../../protocol/json.ts'
import type { Effort } from '../../../protocol/request.ts'
import type { EffortStyle, Quirks } from '../../quirks.ts'
import { EFFORT_ORDER, openaiEffort } from '../../shared/upstream/openai-models.ts'
import { knobOf } from './models.ts'

/**
 * The fields that request an effort from a model. `exact` is false if they request less or more than the client did. A
 * style returns null in place of this object if the model has no setting for its effort.
 */
export interface EncodedEffort {
  readonly fields: JsonObject
  readonly exact: boolean
}

const UNSUPPORTED = null

const exactly = (fields: JsonObject): EncodedEffort => ({ fields, exact: true })

/** The vendor's step for an effort. */
const step = (effort: Effort, steps: Readonly<Record<Effort, string>>) => ({
  reasoning_effort: steps[effort],
})

const stepFields = (effort: Effort, fields: JsonObject & { readonly reasoning_effort: string }): EncodedEffort => ({
  fields,
  exact: fields.reasoning_effort === effort,
})

/** The steps of DeepSeek and of the vendors that adopted them. */
const LOW_TO_MAX = { ...EFFORT_ORDER, xhigh: 'max', max: 'max' } as const satisfies Record<Effort, string>

const LOW_OR_HIGH = { ...EFFORT_ORDER, medium: 'high' } as const satisfies Record<Effort, string>

/** Alibaba measures reasoning in tokens. */
const BUDGETS = {
  none: 0,
  minimal: 1024,
  low: 4096,
  medium: 8192,
  high: 16_384,
  xhigh: 32_768,
  max: 38_912,
} as const satisfies Record<Effort, number>

const reasoningFields = (effort: Effort): JsonObject => ({
  thinking: { type: effort === 'none' ? 'disabled' : 'enabled' },
})

const openai = (effort: Effort, model: string, quirks: Quirks): EncodedEffort =>
  stepFields(effort, { reasoning_effort: openaiEffort(effort, model, quirks) })

function deepseek(effort: Effort): EncodedEffort {
  if (effort === 'none') return exactly(reasoningFields(effort))
  const { fields, exact } = stepFields(effort, step(effort, LOW_TO_MAX))
  return { fields: { ...reasoningFields(effort), ...fields }, exact }
}

function groq(effort: Effort, model: string, quirks: Quirks): EncodedEffort | null {
  const knob = knobOf('groq', model, quirks)
  if (knob === 'steps') return stepFields(effort, step(effort, EFFORT_ORDER))
  if (knob !== 'switch') return UNSUPPORTED
  const none = effort === 'none'
  return { fields: { reasoning_effort: none ? 'none' : 'default', reasoning_format: 'parsed' }, exact: none }
}

const xai = (effort: Effort, model: string, quirks: Quirks): EncodedEffort | null =>
  knobOf('xai', model, quirks) === 'steps' ? stepFields(effort, step(effort, LOW_OR_HIGH)) : UNSUPPORTED

function mistral(effort: Effort, model: string, quirks: Quirks): EncodedEffort {
  const none = effort === 'none'
  if (knobOf('mistral', model, quirks) === 'switch') {
    return { fields: none ? {} : { prompt_mode: 'reasoning' }, exact: none }
  }
  return { fields: { reasoning_effort: none ? 'none' : 'high' }, exact: none || effort === 'high' }
}

function moonshot(effort: Effort, model: string, quirks: Quirks): EncodedEffort {
  const stepless = knobOf('moonshot', model, quirks) === 'switch'
  if (effort === 'none' || stepless) return { fields: reasoningFields(effort), exact: effort === 'none' }
  return stepFields(effort, step(effort, LOW_TO_MAX))
}

function alibaba(effort: Effort): EncodedEffort {
  return effort === 'none'
    ? exactly({ enable_thinking: false })
    : exactly({ enable_thinking: true, thinking_budget: BUDGETS[effort] })
}

function zai(effort: Effort, model: string, quirks: Quirks): EncodedEffort {
  const stepless = knobOf('zai', model, quirks) === 'switch'
  if (effort === 'none' || stepless) return { fields: reasoningFields(effort), exact: effort === 'none' }
  const { fields, exact } = stepFields(effort, step(effort, LOW_TO_MAX))
  return { fields: { ...reasoningFields(effort), ...fields }, exact }
}

/** Local servers: depending on the model, its chat template reads one of the two fields. */
function template(effort: Effort): EncodedEffort {
  if (effort === 'none') return exactly({ chat_template_kwargs: { enable_thinking: false } })
  const { fields, exact } = stepFields(effort, step(effort, EFFORT_ORDER))
  return { fields: { ...fields, chat_template_kwargs: { enable_thinking: true } }, exact }
}

/** Encodes an effort in each vendor's style (docs/wires/openai-chat.md, 9.2). */
export const EFFORTS = {
  openai,
  deepseek,
  groq,
  xai,
  mistral,
  nested: (effort) => exactly({ reasoning: { effort } }),
  moonshot,
  alibaba,
  zai,
  template,
} satisfies Record<EffortStyle, (effort: Effort, model: string, quirks: Quirks) => EncodedEffort | null>
