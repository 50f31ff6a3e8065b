import type { Quirks } from '../../quirks.ts'
import { type ModelTable, readTraits } from '../../shared/upstream/model-table.ts'

/** Features of a model that a request depends on. */
export interface Traits {
  /** The levels of its reasoning; null: it does not reason. */
  readonly levels: readonly string[] | null
  /** The model runs Google's tools in requests with functions. */
  readonly mixesTools: boolean
}

const TODAY: Traits = { levels: ['low', 'medium', 'high'], mixesTools: true }
const FLASH: Traits = { levels: ['minimal', 'low', 'medium', 'high'], mixesTools: true }

/** See docs/wires/gemini-interactions.md, 9.2 and 9.4. */
const MODELS: ModelTable<Traits> = {
  rows: [
    { names: /^gemini-2\.0|^gemini-1|^gemma/, traits: { levels: null, mixesTools: false } },
    { names: /^gemini-2(?!\d)/, traits: { levels: FLASH.levels, mixesTools: false } },
    { names: /^gemini-3-pro/, traits: { levels: ['low', 'high'], mixesTools: true } },
    { names: /^gemini-.*flash/, traits: FLASH },
  ],
  unknown: TODAY,
}

export const traitsOf = (model: string, quirks: Quirks): Traits => readTraits(MODELS, model, quirks)
