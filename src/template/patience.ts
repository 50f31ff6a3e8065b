/** To look for a template costs as much as that many chunks: who finds none that lasts looks ever more seldom. */
const COST = 24
const PATIENCE = 4
const LONGEST_WAIT = 1024

/** How long one waits before a template is looked for again. */
export interface Patience {
  /** For how many chunks none is looked for. */
  wait: number
  /** How many chunks the template of now has taken. */
  worth: number
  penalty: number
}

export const openPatience = (): Patience => ({ wait: 0, worth: 0, penalty: 0 })

/** The template was of no more use, or none was found. */
export function lose(patience: Patience): void {
  const { worth, penalty } = patience
  patience.penalty = worth >= COST ? 1 : Math.min(Math.max(1, PATIENCE * penalty), LONGEST_WAIT)
  patience.wait = patience.penalty - 1
}
