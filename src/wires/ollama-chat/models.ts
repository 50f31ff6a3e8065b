import { type ModelTable, readTraits } from '../model-table.ts'
import type { Quirks } from '../quirks.ts'

/** What a model takes. */
export interface Traits {
  /** It is told how long to think in three steps, and always thinks; else it is told to think or not to. */
  readonly threeSteps: boolean
}

const MODELS: ModelTable<Traits> = {
  rows: [{ names: /gpt-oss/, traits: { threeSteps: true } }],
  unknown: { threeSteps: false },
}

export const traitsOf = (model: string, quirks: Quirks): Traits => readTraits(MODELS, model, quirks)
