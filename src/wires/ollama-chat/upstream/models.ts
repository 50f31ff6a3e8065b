import type { Quirks } from '../../quirks.ts'
import { type ModelTable, readTraits } from '../../shared/upstream/model-table.ts'

/** Features of a model that a request depends on. */
export interface Traits {
  /** The model always reasons, in one of three steps. Other models turn reasoning on or off. */
  readonly threeSteps: boolean
}

const MODELS: ModelTable<Traits> = {
  rows: [{ names: /gpt-oss/, traits: { threeSteps: true } }],
  unknown: { threeSteps: false },
}

export const traitsOf = (model: string, quirks: Quirks): Traits => readTraits(MODELS, model, quirks)
