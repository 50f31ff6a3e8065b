import { dropped, type Loss } from '../../protocol/loss.ts'
import type { Request } from '../../protocol/request.ts'
import { phaseLosses } from '../../responses/capabilities.ts'
import { runSteps, type Steps } from '../../text/steps.ts'
import { type Encoded, RESPONSES_WIRE, type UpstreamContext, type Wire } from '../../wires/contract.ts'
import type { Quirks } from '../../wires/quirks.ts'
import { withCustomTools } from '../../wires/shared/upstream/custom-tools.ts'

/** Returns the wire for one request: what its upstream lacks is sent in another form, or is a loss. */
export const adaptWire = (wire: Wire, request: Request, quirks: Quirks): Wire =>
  withoutPhases(withCustomTools(wire, request, quirks))

/** Records the phases of messages as losses of every wire but that of the Responses API. */
function withoutPhases(wire: Wire): Wire {
  if (wire.name === RESPONSES_WIRE) return wire
  function* encodeSteps(request: Request, target: UpstreamContext): Steps<Encoded> {
    const encoded = yield* wire.encodeSteps(request, target)
    const losses = lostPhases(request)
    return encoded.ok && losses.length > 0 ? { ...encoded, losses: [...losses, ...encoded.losses] } : encoded
  }
  return { ...wire, encodeSteps, encodeRequest: (request, target) => runSteps(encodeSteps(request, target)) }
}

/** A message without a phase is the answer, so that this phase has no effect. */
const lostPhases = ({ input }: Request): readonly Loss[] =>
  input.flatMap((item, at) =>
    'phase' in item && phaseLosses(item).length > 0
      ? [dropped(`input[${at}].phase`, 'this upstream does not distinguish commentary from the answer')]
      : [],
  )
