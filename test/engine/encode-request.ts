import type { ClientRequest } from '../../src/engine/client-request.ts'
import { encodeAfter } from '../../src/engine/passes/apply-passes.ts'
import type { PlannedPass } from '../../src/engine/passes/pass.ts'
import { planPasses } from '../../src/engine/passes/passes.ts'
import { ruleFacts } from '../../src/engine/passes/rules.ts'
import { mendRequest } from '../../src/engine/rules/mend-request.ts'
import { rulesFor } from '../../src/engine/rules/rules.ts'
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

/** The rules that change the conversation or the schemas, and not a setting. */
const BEYOND_SETTINGS: ReadonlySet<string> = new Set([
  'shared ids of calls',
  'ids of calls',
  'results of calls',
  'places of results',
  'late system messages',
  'one system message',
  'last message',
  'schemas of functions',
  'schemas that bind',
])

/** The same after the rules of settings only: what other passes and rules change stays as it is. */
export function encodeFitted(wire: KnownWire, request: Request, target: UpstreamContext): Addressed {
  const facts = ruleFacts({ ...target, wire }, 'openai-responses')
  const rules = rulesFor(facts).filter(({ name }) => !BEYOND_SETTINGS.has(name))
  const pass: PlannedPass = {
    *apply(given) {
      return { ok: true, ...(yield* mendRequest(given, facts, rules)) }
    },
  }
  return withAddress(wire, request, target, runSteps(encodeAfter([pass], wire, request, target)))
}
