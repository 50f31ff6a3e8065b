import type { ModelFacts } from '../../models/facts.ts'
import { modelFacts } from '../../models/model-facts.ts'
import type { RequestSize } from './request-size.ts'

/**
 * Tokens of each term of an estimate: the frame of a request, each entry of the conversation, each token of its text,
 * the frame of a list of tools, each function, each token of its text, each token of media.
 */
export type Rates = readonly [
  frame: number,
  entry: number,
  text: number,
  toolFrame: number,
  tool: number,
  toolText: number,
  media: number,
]

export const termsOf = ({ entries, text, tools, toolText, media }: RequestSize): Rates => [
  1,
  entries,
  text,
  tools > 0 ? 1 : 0,
  tools,
  toolText,
  media,
]

/**
 * Rates of families of models, rounded from recordings of requests with the counts that vendors reported for them. The
 * prompts with which vendors surround a request are the largest part of a short one: Anthropic describes the use of
 * tools in about 450 tokens, Cohere in 800.
 */
const CLAUDE: Rates = [4, 4, 1.05, 450, 8, 1.2, 1]
const GEMINI: Rates = [0, 0, 1, 10, 5, 0.5, 1]
const COMMAND: Rates = [250, 4, 1.05, 800, 8, 1.2, 1]
const GPT: Rates = [4, 4, 1.05, 25, 8, 0.95, 1]
const GPT_OSS: Rates = [66, 4, 1.05, 40, 8, 1, 1]
const OTHER: Rates = [8, 4, 1.05, 130, 8, 1.2, 1]

const RATES = {
  claude: CLAUDE,
  command: COMMAND,
  gemini: GEMINI,
  gpt: GPT,
  'gpt-oss': GPT_OSS,
  grok: OTHER,
  nova: OTHER,
  other: OTHER,
} as const satisfies Record<NonNullable<ModelFacts['family']>, Rates>

/** Returns the rates for a model of which no answer is known. `model`: the upstream's own name. */
export const defaultRates = (model: string): Rates => RATES[modelFacts(model, {}).family ?? 'other']
