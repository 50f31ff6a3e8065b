import type { EffortStep, ModelFacts } from '../../../models/facts.ts'
import { EFFORT_LEVELS, type Effort, type Request } from '../../../protocol/request.ts'
import {
  droppedField,
  mappedField,
  NO_FIELDS,
  type RequestFields,
  requestFields,
} from '../../shared/upstream/request-fields.ts'

/** The levels of a model whose own are unknown, or which has budgets in Google's older protocol. */
const LEVELS: readonly EffortStep[] = ['minimal', 'low', 'medium', 'high']

/** Returns the lowest level that is not below the effort, or else the highest level. */
const levelOf = (effort: Effort, levels: readonly string[]): string | undefined =>
  EFFORT_LEVELS.slice(EFFORT_LEVELS.indexOf(effort)).find((step) => levels.includes(step)) ?? levels.at(-1)

/**
 * Google summarizes thoughts only if `thinking_summaries` is set. A request with an effort or a summary sets it, because
 * its client expects to see reasoning. No model can turn its thoughts off: the effort `none` is sent as the lowest level.
 */
export function encodeReasoning({ reasoning }: Request, { reasons, efforts = LEVELS }: ModelFacts): RequestFields {
  const effort = reasoning?.effort ?? null
  const summary = reasoning?.summary ?? null
  if (effort === null && summary === null) return NO_FIELDS
  if (reasons === 'never')
    return effort === 'none' ? NO_FIELDS : droppedField('reasoning', 'this model does not support reasoning')
  const shown = effort === 'none' || reasoning?.hidden === true ? {} : { thinking_summaries: 'auto' }
  if (effort === null) return requestFields(shown)
  const level = levelOf(effort, efforts) ?? 'high'
  const fields = { thinking_level: level, ...shown }
  return level === effort
    ? requestFields(fields)
    : mappedField(fields, 'reasoning.effort', `${effort} sent as the nearest supported effort`)
}
