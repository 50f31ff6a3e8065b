import type { ModelFacts } from '../../../models/facts.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { NO_REASONING } from '../../../protocol/loss.ts'
import { EFFORT_LEVELS, type Effort, type Request } from '../../../protocol/request.ts'
import {
  droppedField,
  mappedField,
  NO_FIELDS,
  type RequestFields,
  requestFields,
} from '../../shared/upstream/request-fields.ts'

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

function controlFields(
  effort: Effort,
  { reasons, reasoningBy, leastBudget = 0, mostBudget = BUDGETS.max }: ModelFacts,
): { readonly fields: JsonObject; readonly exact: boolean } {
  const isOff = effort === 'none' && reasons === 'optional'
  // A level turns nothing off.
  if (reasoningBy !== 'budget' && !isOff) return { fields: { thinkingLevel: effort }, exact: true }
  const budget = BUDGETS[effort]
  const thinkingBudget = isOff ? 0 : Math.min(Math.max(budget, leastBudget), mostBudget)
  return { fields: { thinkingBudget }, exact: thinkingBudget === budget }
}

/**
 * Google returns reasoning as summaries, and only with `includeThoughts`. A request with an effort or a summary sets
 * it, because its client expects to see reasoning; the effort `none` leaves it out.
 */
export function encodeReasoning({ reasoning }: Request, facts: ModelFacts): RequestFields {
  const effort = reasoning?.effort ?? null
  const summary = reasoning?.summary ?? null
  if (effort === null && summary === null) return NO_FIELDS
  if (facts.reasons === 'never') return droppedField('reasoning', NO_REASONING)
  const shown = effort === 'none' || reasoning?.hidden === true ? {} : { includeThoughts: true }
  if (effort === null) return requestFields({ thinkingConfig: shown })
  const { fields, exact } = controlFields(effort, facts)
  const config = { thinkingConfig: { ...fields, ...shown } }
  return exact
    ? requestFields(config)
    : mappedField(config, 'reasoning.effort', `${effort} sent as the nearest supported effort`)
}
