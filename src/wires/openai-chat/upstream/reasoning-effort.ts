import type { ModelFacts } from '../../../models/facts.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import type { Effort } from '../../../protocol/request.ts'
import type { EffortStyle } from '../../quirks.ts'

/** The fields that request an effort from a model. `exact` is false if they request less or more than the client did. */
interface EncodedEffort {
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

/** It refuses a budget beside an effort. */
function alibaba(effort: Effort, { reasoningBy }: ModelFacts): EncodedEffort {
  if (effort === 'none') return exactly({ enable_thinking: false })
  const amount = reasoningBy === 'effort' ? { reasoning_effort: effort } : { thinking_budget: BUDGETS[effort] }
  return exactly({ enable_thinking: true, ...amount })
}

/** Its models with steps of effort cannot be turned off. The others decide themselves how long they reason. */
function minimax(effort: Effort, { reasoningBy }: ModelFacts): EncodedEffort {
  if (reasoningBy === 'effort') return openai(effort)
  const none = effort === 'none'
  return { fields: { thinking: { type: none ? 'disabled' : 'adaptive' } }, exact: none }
}

/** The steps that most templates have, for models about which nothing is known. */
const LOW_TO_HIGH = {
  none: 'none',
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
} as const satisfies Record<Effort, Effort>

/** Ollama refuses other words: "must be "high", "medium", "low", or "none"". */
function ollama(effort: Effort): EncodedEffort {
  const step = LOW_TO_HIGH[effort]
  return { fields: { reasoning_effort: step }, exact: step === effort }
}

type Switch = NonNullable<ModelFacts['templateSwitches']>[number]

const USUAL: readonly Switch[] = ['enable_thinking']

/** The values of the words that a template reads. An effort stands beside them. */
const switchFields = (words: readonly Switch[], on: boolean): JsonObject =>
  Object.fromEntries(
    words
      .filter((word) => word !== 'reasoning_effort')
      .map((word) => [word, word === 'thinking_mode' ? (on ? 'enabled' : 'disabled') : on]),
  )

/**
 * Servers on the operator's own machine: the chat template of the model decides. It ignores words that it does not
 * have. The server itself may read them nevertheless, and takes the reasoning of a model that cannot be turned off for
 * its answer: such a model receives none.
 */
function template(effort: Effort, { reasons, efforts, templateSwitches = USUAL }: ModelFacts): EncodedEffort {
  const none = effort === 'none'
  const step = efforts === undefined ? LOW_TO_HIGH[effort] : effort
  const kwargs = switchFields(reasons === 'always' ? [] : templateSwitches, !none)
  return {
    fields: {
      ...(none && !templateSwitches.includes('reasoning_effort') ? {} : { reasoning_effort: step }),
      ...(Object.keys(kwargs).length === 0 ? {} : { chat_template_kwargs: kwargs }),
    },
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
  minimax,
  ollama,
  template,
} satisfies Record<EffortStyle, (effort: Effort, facts: ModelFacts) => EncodedEffort>
