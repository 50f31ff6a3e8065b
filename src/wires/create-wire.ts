import type { Request } from '../protocol/request.ts'
import { runSteps, type Steps } from '../text/steps.ts'
import type { Encoded, StreamWire, UpstreamContext, Wire } from './contract.ts'
import { toPlainInput } from './shared/upstream/input/plain-input.ts'
import { mendTools, roundedSchemas } from './shared/upstream/schemas/mend-tools.ts'

/**
 * A wire from its decoding part and the rest. Bundlers drop a call that is marked as pure, and with it the code for
 * requests and clients, from programs that import the decoding part alone. Its type shows whether the wire has clients.
 * The schemas of tools are mended here for all wires, and members of the input that a wire has no field for replaced.
 */
export function createWire<Rest extends Omit<Wire, keyof StreamWire>>(
  stream: StreamWire,
  rest: Rest,
): Wire & Pick<Rest, Extract<'client', keyof Rest>> {
  function* encodeSteps(original: Request, target: UpstreamContext): Steps<Encoded> {
    const plain = toPlainInput(original, rest.inputMembers ?? [])
    const { request, losses: mended } = yield* mendTools(plain.request, target.quirks.refusesInSchemas ?? [])
    const losses = [...plain.losses, ...mended]
    const encoded = yield* rest.encodeSteps(request, target)
    if (!encoded.ok) return encoded
    const found = [...losses, ...roundedSchemas(request)]
    return found.length === 0 ? encoded : { ...encoded, losses: [...found, ...encoded.losses] }
  }
  return {
    ...stream,
    ...rest,
    encodeRequest: (request, target) => runSteps(encodeSteps(request, target)),
    encodeSteps,
  }
}
