import type { ModelFacts } from '../../../models/facts.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import type { Effort } from '../../../protocol/request.ts'
import type { EffortStyle } from '../../quirks.ts'

/** The fields that request an effort from a model. `exact` is false if they request less or more than the client did. */
export interface EncodedEffort {
  readonly fields: JsonObject
  readonly exact: boolean
}

const exactly = (fields: JsonObject): EncodedEffort => ({ fields, exact: true })

const openai = (effort: Effort): EncodedEffort => exactly({ reasoning_effort: effort })

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

/** A model with a switch has no steps between on and off. */
const isSwitched = (effort: Effort, { reasoningBy }: ModelFacts): boolean =>
  effort === 'none' || reasoningBy === 'switch'

function deepseek(effort: Effort): EncodedEffort {
  const fields = reasoningFields(effort)
  return exactly(effort === 'none' ? fields : { ...fields, reasoning_effort: effort })
}

function groq(effort: Effort, { reasoningBy }: ModelFacts): EncodedEffort {
  if (reasoningBy !== 'switch') return openai(effort)
  const none = effort === 'none'
  return { fields: { reasoning_effort: none ? 'none' : 'default', reasoning_format: 'parsed' }, exact: none }
}

const moonshot = (effort: Effort, facts: ModelFacts): EncodedEffort =>
  isSwitched(effort, facts) ? { fields: reasoningFields(effort), exact: effort === 'none' } : openai(effort)

function zai(effort: Effort, facts: ModelFacts): EncodedEffort {
  if (isSwitched(effort, facts)) return { fields: reasoningFields(effort), exact: effort === 'none' }
  return exactly({ ...reasoningFields(effort), reasoning_effort: effort })
}

function alibaba(effort: Effort): EncodedEffort {
  return effort === 'none'
    ? exactly({ enable_thinking: false })
    : exactly({ enable_thinking: true, thinking_budget: BUDGETS[effort] })
}

/** The steps that most templates have, for models about which nothing is known. */
const LOW_TO_HIGH = {
  none: 'low',
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
} as const satisfies Record<Effort, Effort>

/** Local servers: depending on the model, its chat template reads one of the two fields. */
function template(effort: Effort, { efforts }: ModelFacts): EncodedEffort {
  if (effort === 'none') return exactly({ chat_template_kwargs: { enable_thinking: false } })
  const step = efforts === undefined ? LOW_TO_HIGH[effort] : effort
  return {
    fields: { reasoning_effort: step, chat_template_kwargs: { enable_thinking: true } },
    exact: step === effort,
  }
}

/** Encodes an effort in each vendor's style (docs/wires/openai-chat.md, 9.2). */
export const EFFORTS = {
  openai,
  deepseek,
  groq,
  xai: openai,
  mistral: openai,
  nested: (effort) => exactly({ reasoning: { effort } }),
  moonshot,
  alibaba,
  zai,
  template,
} satisfies Record<EffortStyle, (effort: Effort, facts: ModelFacts) => EncodedEffort>
