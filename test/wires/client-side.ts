import type { Json, JsonObject } from '../../src/protocol/json.ts'
import type { Origin } from '../../src/responses/encrypted-content.ts'
import { runSteps } from '../../src/text/steps.ts'
import { validateRequest } from '../../src/validation/request.ts'
import type { ClientCodec, DecodeContext } from '../../src/wires/client-contract.ts'
import type { KnownWire, WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { targetOf } from '../engine/target.ts'
import type { Loose } from '../reference-readers/read-stream.ts'
import { decodeContext, encodeContext, requestWith, sealOf } from './deltas.ts'

/** A client of a wire whose requests go to a vendor of the same wire, or elsewhere. */
interface ClientSide {
  readonly name: WireName
  /** A model of the vendor `acme`. */
  readonly model: string
  /** A valid request. */
  readonly base: JsonObject
  /** Model and kind of the answer, where the path has them. */
  readonly address?: Pick<DecodeContext, 'model' | 'stream'>
}

/** The origin of reasoning that this client's wire cannot read. */
export const FOREIGN: Origin = { wire: 'openai-responses', vendor: 'other', model: 'gpt-x' }

/** Returns the contexts of such a client, and what becomes of its requests. */
export function clientSideOf({ name, model, base, address }: ClientSide) {
  const wire: KnownWire = WIRES[name]
  const client = wire.client as ClientCodec
  const own: Origin = { wire: name, vendor: 'acme', model }
  /** The contexts of a request to another vendor, and of a request to a vendor of this wire. */
  const elsewhere: DecodeContext = { ...decodeContext(), ...address }
  const home: DecodeContext = { ...decodeContext(own), ...address }

  const decode = (fields: object, asking = elsewhere) =>
    runSteps(client.decodeRequest({ ...base, ...fields } as JsonObject, asking))
  /** Decodes and validates a request; throws if it is not valid. */
  const decoded = (fields: object, asking = elsewhere) => {
    const result = requestWith(decode(fields, asking))
    const validated = validateRequest(result.body)
    if (!validated.ok) throw new Error(validated.error.message)
    const losses = result.losses.map(({ path, action }) => `${path} ${action}`)
    return { ...result, losses, body: result.body as Loose, request: validated.request }
  }
  /** Returns the body that a vendor of this wire receives for a request of this client, translated. */
  const passedOn = (fields: object): Loose => {
    const encoded = runSteps(wire.encodeRequest(decoded(fields, home).request, targetOf(name, {}, model)))
    if (!encoded.ok) throw new Error(encoded.error.message)
    return encoded.body
  }
  const sealOwn = (payload: Json): string => sealOf(own)(payload)
  return { sealOwn, context: encodeContext({}, own), elsewhere, home, decode, decoded, passedOn }
}
