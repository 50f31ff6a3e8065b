import type { ModelFacts } from '../../models/facts.ts'
import type { Loss } from '../../protocol/loss.ts'
import type { Effort, Request } from '../../protocol/request.ts'
import type { PathMap } from '../../protocol/source-map.ts'
import type { Steps } from '../../text/steps.ts'
import type { UpstreamContext, Wire } from '../../wires/contract.ts'
import type { Quirks } from '../../wires/quirks.ts'
import type { Subject } from './subjects.ts'

type Open = UpstreamContext['open']

/** Everything on which the rules of an upstream depend: what is known about its model, its vendor's row and its wire. */
export interface Facts {
  readonly model: ModelFacts
  readonly quirks: Quirks
  readonly wire: Wire
  /** The client speaks the upstream's own protocol. */
  readonly isOwn: boolean
  /** Opens the sealed reasoning of this upstream, and no other. Left out: all of it is the upstream's. */
  readonly open?: Open | undefined
}

/** A request that obeys a rule, and the loss of each change. */
export interface Fitted {
  readonly request: Request
  /** With paths of the request before. */
  readonly losses: readonly Loss[]
  /** Translates paths of the request to those of the one before. Left out: no entry of a list has moved. */
  readonly toEarlier?: PathMap
}

/**
 * A refusal of a model or its platform, with its remedy: a row that translated requests, passed bodies and explanations
 * obey alike.
 */
export interface RequestRule {
  /** The subject of the rule, such as `names of tools`. */
  readonly name: string
  /** The part of a request without which nothing breaks the rule. Left out: any request may. */
  readonly subject?: Subject
  /** Whether the upstream has the rule, for any client. Left out: every upstream has it. */
  readonly when?: (facts: Facts) => boolean
  /** Returns a request that the upstream accepts. The same object: it accepts this one. */
  readonly mend: (request: Request, facts: Facts) => Fitted | Steps<Fitted>
}

export const fitting = (request: Request, ...losses: readonly Loss[]): Fitted => ({ request, losses })

export const EFFORT = 'reasoning.effort'

/** `null`: the request has no effort any more. */
export function withEffort(request: Request, effort: Effort | null): Request {
  const { summary = null, hidden } = request.reasoning ?? {}
  return { ...request, reasoning: { effort, summary, ...(hidden === undefined ? {} : { hidden }) } }
}

/** Whether the effort sets the length of the answer alone: Claude reasons only where a request turns it on, or by default. */
export const isEffortAlone = ({ reasoning }: Request, { family, defaultEffort = 'none' }: ModelFacts): boolean =>
  reasoning?.hidden === true && reasoning.effort !== 'none' && family === 'claude' && defaultEffort === 'none'

/** Whether the request, or else the model, sets an effort other than `none`. */
export function isReasoningOn(request: Request, model: ModelFacts): boolean {
  const { reasons, defaultEffort = 'none' } = model
  const isSet = (request.reasoning?.effort ?? defaultEffort) !== 'none'
  return reasons !== 'never' && isSet && !isEffortAlone(request, model)
}
