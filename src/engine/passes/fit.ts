import type { ModelFacts } from '../../models/facts.ts'
import type { Loss } from '../../protocol/loss.ts'
import type { Effort, Request } from '../../protocol/request.ts'
import type { Wire } from '../../wires/contract.ts'

/** A request that fits some facts of its model, and the loss of each change. */
export interface Fitted {
  readonly request: Request
  readonly losses: readonly Loss[]
}

/** Fits a request to facts of its model. The same object: nothing has to change. */
export type Fit = (request: Request, facts: ModelFacts, wire: Wire) => Fitted

export const fitting = (request: Request, ...losses: readonly Loss[]): Fitted => ({ request, losses })

export const EFFORT = 'reasoning.effort'

/** `null`: the request has no effort any more. */
export const withEffort = (request: Request, effort: Effort | null): Request => ({
  ...request,
  reasoning: { effort, summary: request.reasoning?.summary ?? null },
})

/** Whether the request, or else the model, sets an effort other than `none`. */
export const isReasoningOn = ({ reasoning }: Request, { reasons, defaultEffort = 'none' }: ModelFacts): boolean =>
  reasons !== 'never' && (reasoning?.effort ?? defaultEffort) !== 'none'
