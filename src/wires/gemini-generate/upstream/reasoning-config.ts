import type { JsonObject } from '../../../protocol/json.ts'
import { EFFORT_LEVELS, type Effort, type Request } from '../../../protocol/request.ts'
import {
  droppedField,
  mappedField,
  NO_FIELDS,
  type RequestFields,
  requestFields,
} from '../../shared/upstream/request-fields.ts'
import type { ReasoningControl, Traits } from './models.ts'

const BUDGETS = {
  none: 0,
  minimal: 1024,
  low: 4096,
  medium: 8192,
  high: 16_384,
  xhigh: 24_576,
  max: 32_768,
} as const satisfies Record<Effort, number>

/** Maps a budget to an effort: the lowest effort with at least that many tokens, or else the highest effort. */
export function effortOf(budget: number): { readonly effort: Effort; readonly exact: boolean } {
  const effort = EFFORT_LEVELS.find((step) => BUDGETS[step] >= budget) ?? 'max'
  return { effort, exact: BUDGETS[effort] === budget }
}

/** Returns the lowest level that is not below the effort, or else the highest level. */
const levelOf = (effort: Effort, levels: readonly string[]): string | undefined =>
  EFFORT_LEVELS.slice(EFFORT_LEVELS.indexOf(effort)).find((step) => levels.includes(step)) ?? levels.at(-1)

function controlFields(
  effort: Effort,
  control: ReasoningControl,
): { readonly fields: JsonObject; readonly exact: boolean } {
  if (control.by === 'level') {
    const thinkingLevel = levelOf(effort, control.levels)
    return { fields: { thinkingLevel: thinkingLevel ?? null }, exact: thinkingLevel === effort }
  }
  const budget = BUDGETS[effort]
  const thinkingBudget = Math.min(Math.max(budget, control.least), control.most)
  return { fields: { thinkingBudget }, exact: thinkingBudget === budget }
}

/**
 * Google returns reasoning as summaries, and only with `includeThoughts`. A request with an effort or a summary sets
 * it, because its client expects to see reasoning; the effort `none` leaves it out.
 */
export function encodeReasoning({ reasoning }: Request, { reasoningControl }: Traits): RequestFields {
  const effort = reasoning?.effort ?? null
  const summary = reasoning?.summary ?? null
  if (effort === null && summary === null) return NO_FIELDS
  if (reasoningControl === null) return droppedField('reasoning', 'this model does not support reasoning')
  const shown = effort === 'none' ? {} : { includeThoughts: true }
  if (effort === null) return requestFields({ thinkingConfig: shown })
  const { fields, exact } = controlFields(effort, reasoningControl)
  const config = { thinkingConfig: { ...fields, ...shown } }
  return exact
    ? requestFields(config)
    : mappedField(config, 'reasoning.effort', `${effort} sent as the nearest supported effort`)
}
