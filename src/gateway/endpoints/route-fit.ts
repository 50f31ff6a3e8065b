import { measureRequest } from '../../engine/token-counts/request-size.ts'
import type { GatewayError } from '../../protocol/error.ts'
import { factsOf } from '../../wires/shared/upstream/model-facts.ts'
import type { FurtherUpstream, Prepared } from '../call/prepare-request.ts'
import type { Gateway } from '../gateway.ts'
import { runInSlices } from '../run-in-slices.ts'

/** The code of a conversation that is longer than the context of a model: the one fault that models differ in by size. */
export const TOO_LONG = 'context_length_exceeded'

/** An estimate may be this much too high: a route is skipped only if the request is longer by more. */
const MARGIN = 1.2

const contextOf = ({ routed: { route } }: Prepared): number | undefined => factsOf(route, route.wire.name).context

/** Whether a route may be called after the refusal of a conversation that is too long for another one. */
const isLarger = (next: Prepared, refusing: Prepared): boolean => {
  const [own = 0, other = 0] = [contextOf(next), contextOf(refusing)]
  return own > other
}

/** Whether a route leads to the same model of the same vendor: it has the same context, and counts in the same way. */
export const isSameModel = (next: FurtherUpstream, { options }: Prepared): boolean =>
  next.vendor === options.origin.vendor && next.family === options.origin.model

/**
 * Whether the known context of a route is too small for a request, or, after a refusal for its length, not larger than
 * that of the route that has refused it.
 */
export async function isTooSmall(
  next: Prepared,
  { counts }: Pick<Gateway, 'counts'>,
  refusing: Prepared | null,
): Promise<boolean> {
  if (refusing !== null && !isLarger(next, refusing)) return true
  const context = contextOf(next)
  if (context === undefined) return false
  const size = await runInSlices(measureRequest(next.call.json))
  return counts.calibration.estimate(next.options.origin, size).tokens > MARGIN * context
}

/**
 * The failure that a client receives after several routes. A conversation that is too long for one of them is not too
 * long for the model that the client asked for: an agent would shorten it for good. Then the first failure counts.
 */
export const shownOf = (first: GatewayError | null, last: GatewayError): GatewayError =>
  first !== null && first.code !== last.code && (first.code === TOO_LONG || last.code === TOO_LONG) ? first : last
