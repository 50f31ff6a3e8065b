import type { ClientRequest } from '../../src/engine/client-request.ts'
import { encodeAfter } from '../../src/engine/passes/apply-passes.ts'
import { fitsModel } from '../../src/engine/passes/model-facts.ts'
import { planPasses } from '../../src/engine/passes/passes.ts'
import type { Request } from '../../src/protocol/request.ts'
import { runSteps, type Steps } from '../../src/text/steps.ts'
import type { Encoded, UpstreamContext, Wire } from '../../src/wires/contract.ts'
import { clientOf } from './client-of.ts'

/** Encodes a client's request after all passes, in slices. */
export function encodeClients(client: ClientRequest, wire: Wire, target: UpstreamContext): Steps<Encoded> {
  const { quirks, model } = target
  const { passes } = planPasses(client, { wire, quirks, model, sign: undefined, search: null })
  return encodeAfter(passes, wire, client.request, target)
}

/** The same for a request of a client of the wire's own protocol. */
export function encodeInSteps(wire: Wire, request: Request, target: UpstreamContext): Steps<Encoded> {
  const client = clientOf(request, {})
  return encodeClients({ ...client, sent: { ...client.sent, wire: wire.name, dialect: null } }, wire, target)
}

/** The same at once. */
export const encodeFor = (wire: Wire, request: Request, target: UpstreamContext): Encoded =>
  runSteps(encodeInSteps(wire, request, target))

/** The same after one pass only: the request fits its model, and what other passes change stays as it is. */
export function encodeFitted(wire: Wire, request: Request, target: UpstreamContext): Encoded {
  const { quirks, model } = target
  const pass = fitsModel(clientOf(request, {}), { wire, quirks, model, sign: undefined, search: null })
  return runSteps(encodeAfter(pass === null ? [] : [pass], wire, request, target))
}
