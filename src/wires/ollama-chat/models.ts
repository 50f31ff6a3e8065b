import { type ModelTable, readTraits } from '../model-table.ts'
import type { Quirks } from '../quirks.ts'

/** What a model takes. */
export interface Traits {
  /** It always thinks, in one of three steps; else thinking is on or off. */
  readonly threeSteps: boolean
}

const MODELS: ModelTable<Traits> = {
  rows: [{ names: /gpt-oss/, traits: { threeSteps: true } }],
  unknown: { threeSteps: false },
}

export const traitsOf = (model: string, quirks: Quirks): Traits => readTraits(MODELS, model, quirks)
