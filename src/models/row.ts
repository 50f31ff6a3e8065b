import type { ModelFacts } from './facts.ts'

/** The facts of some models, with the place where they stand and the month in which they were read. */
export interface ModelRow {
  /** The name of the row in the documentation. */
  readonly title: string
  /** Matches names of models in lower case, without the text up to the last slash. */
  readonly names: RegExp
  readonly facts: ModelFacts
  readonly source: string
  readonly date: string
}

/** The models of a family. The first matching row applies. */
export interface ModelFamily {
  readonly name: string
  readonly rows: readonly ModelRow[]
}

/** The platforms that serve models with restrictions of their own. `router` fits requests to models itself. */
export const PLATFORMS = [
  'alibaba',
  'anthropic',
  'bedrock',
  'chatgpt',
  'cohere',
  'copilot',
  'deepseek',
  'foundry',
  'google',
  'groq',
  'minimax',
  'mistral',
  'moonshot',
  'ollama',
  'openai',
  'perplexity',
  'router',
  'vertex',
  'xai',
  'zai',
] as const

export type Platform = (typeof PLATFORMS)[number]

/** Facts of the models of a platform, which take precedence over those of the model. All matching rows apply, in order. */
export interface PlatformRow extends ModelRow {
  readonly platform: Platform
}
