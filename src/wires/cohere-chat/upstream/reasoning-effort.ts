import type { Effort } from '../../../protocol/request.ts'
import { lost, NO_PIECE, type Piece, piece } from '../../shared/upstream/request-fields.ts'
import type { Traits } from './models.ts'

/** Budgets in tokens; null: no limit. */
const BUDGETS = {
  none: 0,
  minimal: 512,
  low: 2048,
  medium: 8192,
  high: null,
  xhigh: null,
  max: null,
} as const satisfies Record<Effort, number | null>

/** Reasoning counts as output, so a quarter of the output limit is left for the answer. */
const within = (budget: number, limit: number | null): number =>
  limit === null ? budget : Math.max(1, Math.min(budget, Math.floor(limit * 0.75)))

export function encodeEffort(effort: Effort | null, { thinks }: Traits, limit: number | null): Piece {
  if (effort === null) return NO_PIECE
  if (!thinks) return effort === 'none' ? NO_PIECE : lost('reasoning.effort', 'this model does not think')
  if (effort === 'none') return piece({ thinking: { type: 'disabled' } })
  const budget = BUDGETS[effort]
  const type = 'enabled'
  return piece({ thinking: budget === null ? { type } : { type, token_budget: within(budget, limit) } })
}
