import type { Quirks } from '../../quirks.ts'
import { type ModelRow, type ModelTable, readTraits } from '../../shared/upstream/model-table.ts'

/** How a request controls the reasoning of a model: by a level, or by a budget in tokens. */
export type ReasoningControl =
  | { readonly by: 'level'; readonly levels: readonly string[] }
  | { readonly by: 'budget'; readonly least: number; readonly most: number }

/** Features of a model that a request depends on. */
export interface Traits {
  /** null: the model does not reason. */
  readonly reasoningControl: ReasoningControl | null
  /** The model supports a system instruction. */
  readonly rules: boolean
  /** The model runs Google's server tools in requests with functions. */
  readonly mixesTools: boolean
  /** The model accepts ids of calls, and images in the results of functions. */
  readonly richCalls: boolean
}

/** Models up to Gemini 2.5. */
const EARLIER: Traits = { reasoningControl: null, rules: true, mixesTools: false, richCalls: false }

/** Models from Gemini 3 on. All of them have these levels. */
const TODAY: Traits = {
  reasoningControl: { by: 'level', levels: ['low', 'medium', 'high'] },
  rules: true,
  mixesTools: true,
  richCalls: true,
}

const byLevels = (...levels: readonly string[]): Traits => ({ ...TODAY, reasoningControl: { by: 'level', levels } })
const byBudget = (least: number, most: number): Traits => ({
  ...EARLIER,
  reasoningControl: { by: 'budget', least, most },
})

const row = (names: RegExp, traits: Traits): ModelRow<Traits> => ({ names, traits })

/** See docs/wires/gemini-generate.md, 9.2 and 9.4. `gemini-flash-latest` and `gemini-pro-latest` are current models. */
const MODELS: ModelTable<Traits> = {
  rows: [
    row(/^gemma/, { ...EARLIER, rules: false }),
    row(/^gemini-(?:1|2\.0)(?!\d)/, EARLIER),
    row(/^gemini-2(?!\d).*pro/, byBudget(128, 32_768)),
    row(/^gemini-2(?!\d)/, byBudget(0, 24_576)),
    row(/^gemini-3-pro/, byLevels('low', 'high')),
    row(/^gemini-.*flash/, byLevels('minimal', 'low', 'medium', 'high')),
  ],
  unknown: TODAY,
}

export const traitsOf = (model: string, quirks: Quirks): Traits => readTraits(MODELS, model, quirks)
