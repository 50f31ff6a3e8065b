import type { Effort } from '../protocol/request.ts'

/** `openai/gpt-5` → `gpt-5`. */
const bare = (model: string): string => model.slice(model.lastIndexOf('/') + 1)

/** OpenAI's models that think: they take max_completion_tokens only, and refuse what would bend their choice of words. */
export const isThinkingModel = (model: string): boolean =>
  /^(?:o\d|gpt-(?:[5-9]|\d\d))/.test(bare(model)) && !bare(model).includes('-chat')

/** Fields that a thinking model answers with a 400. */
export const REFUSED_BY_THINKERS = [
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'top_logprobs',
] as const

/** OpenAI's models that are known not to think. The name of a deployment, or of another vendor's model, says nothing. */
export const isPlainModel = (model: string): boolean =>
  /^(?:chatgpt-|gpt-[34](?![0-9])|gpt-\d+(?:\.\d+)?-chat)/.test(bare(model))

/** Three steps, for whom has no more. */
export const LOW_TO_HIGH = {
  none: 'low',
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
} as const satisfies Record<Effort, Effort>

/** The o-series has no step below low, and none above high. */
export const openaiEffort = (effort: Effort, model: string): Effort =>
  /^o\d/.test(bare(model)) ? LOW_TO_HIGH[effort] : effort
