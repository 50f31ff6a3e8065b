import type { ModelFacts } from '../../models/facts.ts'
import { clientError, type GatewayError } from '../../protocol/error.ts'
import type { Loss } from '../../protocol/loss.ts'
import type { Request } from '../../protocol/request.ts'
import { movedEntries } from '../../protocol/source-map.ts'
import type { Wire } from '../../wires/contract.ts'
import { factsOf } from '../../wires/shared/upstream/model-facts.ts'
import type { Fit, Fitted } from './fit.ts'
import { fitIdentifiers, fitOutputLimit, fitSampling, fitStops, fitTier } from './fit-limits.ts'
import { fitEffort, fitReasoningHistory } from './fit-reasoning.ts'
import { fitChatTools, fitForcedTools, fitJsonWithTools } from './fit-tools.ts'
import type { Pass } from './pass.ts'

/** The facts in the order in which a request is fitted to them. Sampling depends on the effort. */
const FITS: readonly Fit[] = [
  fitEffort,
  fitReasoningHistory,
  fitForcedTools,
  fitChatTools,
  fitJsonWithTools,
  fitSampling,
  fitStops,
  fitOutputLimit,
  fitTier,
  fitIdentifiers,
]

/** Fits a request to all facts of its model. Only facts that are known change it. */
export function fitRequest(original: Request, facts: ModelFacts, wire: Wire): Fitted {
  let request = original
  const losses: Loss[] = []
  for (const adapt of FITS) {
    const fitted = adapt(request, facts, wire)
    request = fitted.request
    losses.push(...fitted.losses)
  }
  return { request, losses }
}

/** Whether fitting the request changes more than settings. */
export const isUnfit = (request: Request, facts: ModelFacts, wire: Wire): boolean =>
  [fitReasoningHistory, fitForcedTools, fitJsonWithTools].some(
    (adapt) => adapt(request, facts, wire).request !== request,
  )

/**
 * The error for functions that the model does not call at all over this protocol: an agent without its functions
 * behaves differently.
 */
export function refusedFunctions(
  { tools, tool_choice }: Request,
  { chatTools }: ModelFacts,
  wire: Wire,
): GatewayError | null {
  if (wire.chatLimits !== true || chatTools !== 'none' || tool_choice === 'none') return null
  const at = tools.findIndex(({ type }) => type !== 'hosted')
  if (at < 0) return null
  const path = `tools[${at}]`
  const remedy = 'choose an upstream of the Responses API, another model, or leave them out'
  return clientError('invalid_prompt', `${path}: this model calls no functions in Chat Completions; ${remedy}`, path)
}

/**
 * A request is what its model accepts (`models/`), for all wires. Each change is a loss. A client of the same protocol
 * receives the upstream's own refusal of functions.
 */
export const fitsModel: Pass = ({ request, sent }, context) => {
  const { wire } = context
  const facts = factsOf(context, wire.name)
  const refusal = sent.wire === wire.name ? null : refusedFunctions(request, facts, wire)
  return {
    ...(refusal === null ? {} : { refusal }),
    apply(original) {
      const { request, losses } = fitRequest(original, facts, wire)
      if (request.include === original.include) return { ok: true, request, losses }
      const kept = new Set(request.include)
      const places = original.include.flatMap((name, at) => (kept.has(name) ? [at] : []))
      return { ok: true, request, losses, toEarlier: movedEntries({ include: places }) }
    },
  }
}
