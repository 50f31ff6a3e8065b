import type { Effort, Request } from '../../protocol/request.ts'
import { bent, lost, NO_PIECE, type Piece, piece } from '../piece.ts'
import type { Traits } from './models.ts'

/** How much it thinks, and how much it may write in all. */
export interface Thinks {
  readonly on: boolean
  readonly maxTokens: number
  /** `thinking` and `max_tokens`. */
  readonly pieces: readonly Piece[]
  /** Its word for the effort, of `output_config`; null where it is not told. */
  readonly effort: string | null
}

/** The fewest tokens that it thinks in. */
const LEAST = 1024

/** The part of all that may be written that is thought. */
export const SHARES = {
  none: 0,
  minimal: 0.02,
  low: 0.1,
  medium: 0.3,
  high: 0.6,
  xhigh: 0.8,
  max: 0.9,
} as const satisfies Record<Effort, number>

/** Why it cannot think in this request, though asked to; null where it can. */
export type Obstacle = string | null

const still = (request: Request, { maxTokens }: Traits, pieces: readonly Piece[], effort: string | null): Thinks => {
  const summary = request.reasoning?.summary ?? null
  const unsummed = summary === null ? NO_PIECE : lost('reasoning.summary', 'there is no thought to be summed up')
  const most = request.max_output_tokens ?? maxTokens
  return { on: false, maxTokens: most, pieces: [...pieces, unsummed, piece({ max_tokens: most })], effort }
}

/** A number of tokens inside of `max_tokens`. One that is too small for any thought is raised by what thought needs. */
function byBudget(request: Request, { maxTokens }: Traits, effort: Effort): Thinks {
  const most = request.max_output_tokens ?? maxTokens
  const budget = Math.max(LEAST, Math.floor(most * SHARES[effort]))
  const all = budget < most ? most : most + budget
  const limit = { max_tokens: all }
  const why = `raised to ${all}: ${budget} tokens are the least that this model thinks in`
  return {
    on: true,
    maxTokens: all,
    effort: null,
    pieces: [
      piece({ thinking: { type: 'enabled', budget_tokens: budget } }),
      all === most ? piece(limit) : bent(limit, 'max_output_tokens', why),
    ],
  }
}

/** The step that this model has for an effort. */
function stepOf(effort: Effort, { steps }: Traits): string {
  if (effort === 'xhigh' || effort === 'max') return steps.includes(effort) ? effort : 'high'
  return effort === 'minimal' || effort === 'none' ? 'low' : effort
}

function byEffort(request: Request, traits: Traits, effort: Effort): Thinks {
  const most = request.max_output_tokens ?? traits.maxTokens
  const step = stepOf(effort, traits)
  return {
    on: true,
    maxTokens: most,
    effort: step,
    pieces: [
      piece({ thinking: { type: 'adaptive', display: 'summarized' }, max_tokens: most }),
      step === effort ? NO_PIECE : bent({}, 'reasoning.effort', `${effort} sent as ${step}, the nearest it knows`),
    ],
  }
}

const OFF = piece({ thinking: { type: 'disabled' } })

/** What `reasoning` asks for (wires.md 3.3). */
export function encodeThinking(request: Request, traits: Traits, obstacle: Obstacle): Thinks {
  const effort = request.reasoning?.effort ?? null
  if (effort === null) return still(request, traits, [], null)
  if (effort === 'none') return still(request, traits, [traits.thinks === 'effort' ? OFF : NO_PIECE], null)
  if (traits.thinks === 'never') {
    return still(request, traits, [lost('reasoning.effort', 'this model does not think')], null)
  }
  if (obstacle === null)
    return traits.thinks === 'budget' ? byBudget(request, traits, effort) : byEffort(request, traits, effort)
  const off = traits.thinks === 'effort' ? OFF : NO_PIECE
  return still(request, traits, [off, lost('reasoning.effort', obstacle)], null)
}
