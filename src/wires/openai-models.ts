import type { Effort } from '../protocol/request.ts'
import { type ModelTable, readTraits } from './model-table.ts'
import type { Quirks } from './quirks.ts'

/** What a model of OpenAI takes. */
export interface OpenaiTraits {
  /** `always`: it refuses what would bend its choice of words. `never`: it takes no effort. */
  readonly thinks: 'always' | 'never' | 'unknown'
  /** What a chat calls max_output_tokens; null where the vendor's row has it. */
  readonly maxTokensField: 'max_completion_tokens' | null
  /** It has no step of effort below low, and none above high. */
  readonly threeSteps: boolean
}

const PLAIN: OpenaiTraits = { thinks: 'never', maxTokensField: null, threeSteps: false }
const THINKER: OpenaiTraits = { thinks: 'always', maxTokensField: 'max_completion_tokens', threeSteps: false }
const OF_OTHERS: OpenaiTraits = { thinks: 'unknown', maxTokensField: null, threeSteps: false }

/** wires.md 3.2 and 3.3. */
const MODELS: ModelTable<OpenaiTraits> = {
  rows: [
    { names: /^o\d/, traits: { ...THINKER, threeSteps: true } },
    { names: /^(?:chatgpt-|chat-latest|gpt-[34](?!\d)|gpt-.*-chat)/, traits: PLAIN },
    { names: /^gpt-(?:oss|audio|realtime|image)/, traits: OF_OTHERS },
    // `gpt-5.1`, `codex-mini-latest`, and names of theirs without a number.
    { names: /^(?:gpt-|codex-)/, traits: THINKER },
    // Some vendors serve them beside OpenAI's own.
    { names: /claude|gemini|grok|llama|mistral|deepseek|qwen|kimi|glm/, traits: OF_OTHERS },
  ],
  // A deployment may have any name. Every model of OpenAI takes max_completion_tokens.
  unknown: { thinks: 'unknown', maxTokensField: 'max_completion_tokens', threeSteps: false },
}

export const openaiTraitsOf = (model: string, quirks: Quirks): OpenaiTraits => readTraits(MODELS, model, quirks)

/** Fields that a thinking model answers with a 400. */
export const REFUSED_BY_THINKERS = [
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'top_logprobs',
] as const

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

export const openaiEffort = (effort: Effort, model: string, quirks: Quirks): Effort =>
  openaiTraitsOf(model, quirks).threeSteps ? LOW_TO_HIGH[effort] : effort
