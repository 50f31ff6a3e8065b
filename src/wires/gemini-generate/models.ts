/** `models/gemini-3-pro` → `gemini-3-pro`. */
const bare = (model: string): string => model.slice(model.lastIndexOf('/') + 1).toLowerCase()

/** From Gemini 3 on: thinks by levels, signs its calls and wants the signatures back, takes pictures from tools. */
export const isThird = (model: string): boolean => /^gemini-(?:[3-9]|\d\d)/.test(bare(model))

/** Has no system instruction. */
export const isGemma = (model: string): boolean => bare(model).startsWith('gemma')

/** What a model is told about thinking: a level, a budget in tokens, or nothing. */
export type Thinking =
  | { readonly by: 'level'; readonly levels: readonly string[] }
  | { readonly by: 'budget'; readonly least: number; readonly most: number }

export function thinkingOf(model: string): Thinking | null {
  const name = bare(model)
  if (/^(?:gemma|gemini-(?:1|2\.0))/.test(name)) return null
  if (isThird(name)) {
    if (/^gemini-3-pro/.test(name)) return { by: 'level', levels: ['low', 'high'] }
    if (name.includes('pro')) return { by: 'level', levels: ['low', 'medium', 'high'] }
    return { by: 'level', levels: ['minimal', 'low', 'medium', 'high'] }
  }
  // Names that tell no generation (`gemini-flash-latest`) take budgets: the third does so too.
  if (name.includes('pro')) return { by: 'budget', least: 128, most: 32_768 }
  return { by: 'budget', least: 0, most: 24_576 }
}
