import type { ClientRequest } from '../../src/engine/client-request.ts'
import { encodeAfter } from '../../src/engine/passes/apply-passes.ts'
import { fitsModel } from '../../src/engine/passes/model-facts.ts'
import { planPasses } from '../../src/engine/passes/passes.ts'
import type { Request } from '../../src/protocol/request.ts'
import { runSteps, type Steps } from '../../src/text/steps.ts'
import type { Encoded, KnownWire, UpstreamAddress, UpstreamContext } from '../../src/wires/contract.ts'
import { NO_PATH } from '../../src/wires/shared/upstream/upstream-url.ts'
import { clientOf } from './client-of.ts'

/** Encodes a client's request after all passes, in slices. */
export function encodeClients(client: ClientRequest, wire: KnownWire, target: UpstreamContext): Steps<Encoded> {
  const { quirks, model } = target
  const { passes } = planPasses(client, { wire, quirks, model, sign: undefined, search: null })
  return encodeAfter(passes, wire, client.request, target)
}

/** The same for a request of a client of the wire's own protocol. */
export function encodeInSteps(wire: KnownWire, request: Request, target: UpstreamContext): Steps<Encoded> {
  const client = clientOf(request, {})
  return encodeClients({ ...client, sent: { ...client.sent, wire: wire.name, dialect: null } }, wire, target)
}

/** A request that was encoded, and its address. */
export type Addressed = Extract<Encoded, { ok: false }> | (Extract<Encoded, { ok: true }> & UpstreamAddress)

export function withAddress(
  wire: KnownWire,
  { stream }: Request,
  target: UpstreamContext,
  encoded: Encoded,
): Addressed {
  if (!encoded.ok) return encoded
  const address = wire.address(encoded.body, stream, target)
  return address === null ? { ok: false, error: NO_PATH } : { ...encoded, ...address }
}

/** The same at once, with the address. */
export const encodeFor = (wire: KnownWire, request: Request, target: UpstreamContext): Addressed =>
  withAddress(wire, request, target, runSteps(encodeInSteps(wire, request, target)))

/** The same after one pass only: the request fits its model, and what other passes change stays as it is. */
export function encodeFitted(wire: KnownWire, request: Request, target: UpstreamContext): Addressed {
  const { quirks, model } = target
  const pass = fitsModel(clientOf(request, {}), { wire, quirks, model, sign: undefined, search: null })
  const encoded = runSteps(encodeAfter(pass === null ? [] : [pass], wire, request, target))
  return withAddress(wire, request, target, encoded)
}
