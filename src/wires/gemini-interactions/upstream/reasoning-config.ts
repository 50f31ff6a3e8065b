import { EFFORT_LEVELS, type Effort, type Request } from '../../../protocol/request.ts'
import {
  droppedField,
  mappedField,
  NO_FIELDS,
  type RequestFields,
  requestFields,
} from '../../shared/upstream/request-fields.ts'
import type { Traits } from './models.ts'

/** Returns the lowest level that is not below the effort, or else the highest level. */
const levelOf = (effort: Effort, levels: readonly string[]): string | undefined =>
  EFFORT_LEVELS.slice(EFFORT_LEVELS.indexOf(effort)).find((step) => levels.includes(step)) ?? levels.at(-1)

/**
 * Google summarizes thoughts only if `thinking_summaries` is set. A request with an effort or a summary sets it, because
 * its client expects to see reasoning. No model can turn its thoughts off: the effort `none` is sent as the lowest level.
 */
export function encodeReasoning({ reasoning }: Request, { levels }: Traits): RequestFields {
  const effort = reasoning?.effort ?? null
  const summary = reasoning?.summary ?? null
  if (effort === null && summary === null) return NO_FIELDS
  if (levels === null)
    return effort === 'none' ? NO_FIELDS : droppedField('reasoning', 'this model does not support reasoning')
  const shown = effort === 'none' ? {} : { thinking_summaries: 'auto' }
  if (effort === null) return requestFields(shown)
  const level = levelOf(effort, levels) ?? 'high'
  const fields = { thinking_level: level, ...shown }
  return level === effort
    ? requestFields(fields)
    : mappedField(fields, 'reasoning.effort', `${effort} sent as the nearest supported effort`)
}
