import type { Request } from '../protocol/request.ts'
import { runSteps, type Steps } from '../text/steps.ts'
import type { Encoded, StreamWire, UpstreamContext, Wire } from './contract.ts'
import { placeBreakpoints } from './shared/upstream/cache/place-breakpoints.ts'
import { toPlainInput } from './shared/upstream/input/plain-input.ts'
import { mendTools, roundedSchemas } from './shared/upstream/schemas/mend-tools.ts'

/**
 * A wire from its decoding part and the rest. Bundlers drop a call that is marked as pure, and with it the code for
 * requests and clients, from programs that import the decoding part alone. Its type shows whether the wire has clients.
 * The schemas of tools are mended here for all wires, members of the input that a wire has no field for are replaced,
 * and cache breakpoints are placed.
 */
export function createWire<Rest extends Omit<Wire, keyof StreamWire>>(
  stream: StreamWire,
  rest: Rest,
): Wire & Pick<Rest, Extract<'client', keyof Rest>> {
  function* encodeSteps(original: Request, target: UpstreamContext): Steps<Encoded> {
    const plain = toPlainInput(original, rest.inputMembers ?? [])
    const mended = yield* mendTools(plain.request, target.quirks.refusesInSchemas ?? [])
    const support = rest.cacheSupport?.(target) ?? null
    const { request, losses: placed } = placeBreakpoints(mended.request, support, target.cache ?? 'client')
    const losses = [...plain.losses, ...mended.losses, ...placed]
    const encoded = yield* rest.encodeSteps(request, target)
    if (!encoded.ok) return encoded
    const found = [...mended.losses, ...roundedSchemas(request), ...losses]
    return found.length === 0 ? encoded : { ...encoded, losses: [...found, ...encoded.losses] }
  }
  return {
    ...stream,
    ...rest,
    encodeRequest: (request, target) => runSteps(encodeSteps(request, target)),
    encodeSteps,
  }
}
