import type { ModelFacts } from './facts.ts'

/**
 * The facts of some models. The comment of a row is its entry in the documentation (`docs/sections/models.ts`): its name,
 * the place where the facts stand, and the month in which they were read. No bundle contains it.
 */
export interface ModelRow {
  /** Matches names of models in lower case, without the text up to the last slash. */
  readonly names: RegExp
  readonly facts: ModelFacts
}

/**
 * The models of a family. The first matching row applies. Anybody can serve open weights: their rows state what holds on
 * every server, and what a vendor's own API adds or refuses is in the rows of its platform.
 */
export interface ModelFamily {
  readonly name: string
  readonly weights: 'open' | 'closed'
  readonly rows: readonly ModelRow[]
}

/**
 * The platforms that serve models with restrictions of their own. `router` fits requests to models itself, `local` is a
 * server on the operator's own machine, which has open weights only.
 */
export const PLATFORMS = [
  'alibaba',
  'anthropic',
  'bedrock',
  'chatgpt',
  'cohere',
  'copilot',
  'deepinfra',
  'deepseek',
  'fireworks',
  'foundry',
  'google',
  'groq',
  'local',
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

/** Matches each name of a platform, also one that no family has. */
export const EVERY = /^/
