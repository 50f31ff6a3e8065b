import type { Effort } from '../../../protocol/request.ts'
import type { Quirks } from '../../quirks.ts'
import { type ModelTable, readTraits } from './model-table.ts'

/** The capabilities of a model of OpenAI. */
export interface OpenaiTraits {
  /** `always`: a reasoning model, which refuses sampling parameters. `never`: it accepts no effort. */
  readonly thinks: 'always' | 'never' | 'unknown'
  /** The name of max_output_tokens in Chat Completions; null if the vendor's row determines it. */
  readonly maxTokensField: 'max_completion_tokens' | null
  /** It accepts no effort below low and none above high. */
  readonly threeSteps: boolean
  /** It accepts cache breakpoints and the options of the prompt cache. */
  readonly breakpoints: boolean
}

const PLAIN: OpenaiTraits = { thinks: 'never', maxTokensField: null, threeSteps: false, breakpoints: false }
const THINKER: OpenaiTraits = { ...PLAIN, thinks: 'always', maxTokensField: 'max_completion_tokens' }
const OF_OTHERS: OpenaiTraits = { ...PLAIN, thinks: 'unknown' }

/** OpenAI's models by name: docs/wires/openai-chat.md, 9.1 and 9.2. */
const MODELS: ModelTable<OpenaiTraits> = {
  rows: [
    { names: /^o\d/, traits: { ...THINKER, threeSteps: true } },
    { names: /^(?:chatgpt-|chat-latest|gpt-[34](?!\d)|gpt-.*-chat)/, traits: PLAIN },
    { names: /^gpt-(?:oss|audio|realtime|image)/, traits: OF_OTHERS },
    { names: /^gpt-(?:5\.(?:[6-9]|\d\d)|[6-9]|\d\d)/, traits: { ...THINKER, breakpoints: true } },
    // `gpt-5.1`, `codex-mini-latest`, and such names without a number.
    { names: /^(?:gpt-|codex-)/, traits: THINKER },
    // Some vendors serve these models beside OpenAI's own.
    { names: /claude|gemini|grok|llama|mistral|deepseek|qwen|kimi|glm/, traits: OF_OTHERS },
  ],
  // A deployment may have any name. Every model of OpenAI accepts max_completion_tokens.
  unknown: { ...OF_OTHERS, maxTokensField: 'max_completion_tokens' },
}

export const openaiTraitsOf = (model: string, quirks: Quirks): OpenaiTraits => readTraits(MODELS, model, quirks)

/** Fields that a reasoning model rejects with HTTP 400. */
export const UNSUPPORTED_BY_REASONING_MODELS = [
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'top_logprobs',
] as const

/** Effort for models that have only three steps. */
export const EFFORT_ORDER = {
  none: 'low',
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
} as const satisfies Record<Effort, Effort>

export const openaiEffort = (effort: Effort, model: string, quirks: Quirks): Effort =>
  openaiTraitsOf(model, quirks).threeSteps ? EFFORT_ORDER[effort] : effort
