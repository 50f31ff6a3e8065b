import type { Quirks } from '../../quirks.ts'
import { type ModelTable, readTraits } from '../../shared/upstream/model-table.ts'

/** Features of a model that a request depends on. */
export interface Traits {
  readonly thinks: boolean
}

const MODELS: ModelTable<Traits> = {
  rows: [
    // Models from before Cohere had reasoning.
    {
      names: /^(?:c4ai|command-(?:r(?![a-z])|light|nightly|a-03-2025|a-vision|a-translate))/,
      traits: { thinks: false },
    },
  ],
  unknown: { thinks: true },
}

export const traitsOf = (model: string, quirks: Quirks): Traits => readTraits(MODELS, model, quirks)
