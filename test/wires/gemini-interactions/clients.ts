import { run } from '../../../src/machine/run.ts'
import type { Delta } from '../../../src/protocol/delta.ts'
import type { Json, JsonObject } from '../../../src/protocol/json.ts'
import { ALL_CAPABILITIES } from '../../../src/responses/capabilities.ts'
import { type Seal, sealReasoning } from '../../../src/responses/encrypted-content.ts'
import { respond } from '../../../src/responses/respond.ts'
import { eventsToDeltas } from '../../../src/responses/to-deltas.ts'
import { runSteps } from '../../../src/text/steps.ts'
import { validateRequest } from '../../../src/validation/request.ts'
import type { DecodeContext, EncodeContext } from '../../../src/wires/client-contract.ts'
import { encodeBody } from '../../../src/wires/gemini-interactions/client/body.ts'
import { decodeRequest } from '../../../src/wires/gemini-interactions/client/request.ts'
import { encodeStream } from '../../../src/wires/gemini-interactions/client/stream.ts'
import { encodeRequest } from '../../../src/wires/gemini-interactions/upstream/request.ts'
import { headOf } from '../../engine/run-engine.ts'
import { targetOf } from '../../engine/target.ts'
import type { Loose } from '../../reference-readers/read-stream.ts'
import { openReasoning } from '../../responses/open-reasoning.ts'
import { MODEL } from './requests.ts'

/** Clients of this wire: their requests, and the answers that they receive. */

const OWN = { wire: 'gemini-interactions', vendor: 'acme', model: MODEL }
const FOREIGN = { wire: 'anthropic-messages', vendor: 'other', model: 'claude' }

export const sealOwn = (payload: Json): string => sealReasoning(OWN, payload)
export const sealForeign = (payload: Json): string => sealReasoning(FOREIGN, payload)

export const encodeContext: EncodeContext = {
  id: 'abc123',
  created_at: 1_700_000_000,
  model: 'acme/gemini',
  settings: {},
  open: (sealed) => openReasoning(OWN, sealed),
  seal: (encrypted) => encrypted,
}

/** The contexts of a request to another vendor, and of a request to Google (`HOME`). */
export const ELSEWHERE: DecodeContext = { model: null, stream: null, seal: null }
export const HOME: DecodeContext = { ...ELSEWHERE, seal: sealOwn }

/** Returns a valid request with these members, decoded and validated. */
export function decoded(fields: JsonObject | object, context: DecodeContext = ELSEWHERE) {
  const result = runSteps(decodeRequest({ model: 'acme/gemini', input: 'Hi', ...fields } as JsonObject, context))
  if (!result.ok) throw new Error(result.error.message)
  const validated = validateRequest(result.body)
  if (!validated.ok) throw new Error(validated.error.message)
  const losses = result.losses.map(({ path, action }) => `${path} ${action}`)
  return { ...result, losses, body: result.body as Loose, request: validated.request }
}

/** Returns the error of an invalid request with these members. */
export function refusal(fields: object) {
  const result = runSteps(decodeRequest({ model: 'acme/gemini', input: 'Hi', ...fields } as JsonObject, ELSEWHERE))
  if (result.ok) throw new Error('it was not refused')
  return result.error
}

export const itemsOf = (input: unknown, context: DecodeContext = ELSEWHERE): readonly Loose[] =>
  decoded({ input }, context).body.input

/** Returns the steps that Google receives from a client of its own wire, translated. */
export function passedOn(input: unknown): readonly Loose[] {
  const encoded = runSteps(encodeRequest(decoded({ input }, HOME).request, targetOf('gemini-interactions', {}, MODEL)))
  if (!encoded.ok) throw new Error(encoded.error.message)
  return encoded.body.input as Loose
}

/** Passes upstream deltas through the events of a well-formed response and returns them as deltas again. */
export const throughHub = (deltas: readonly Delta[], seal: Seal = sealOwn): readonly Delta[] =>
  run(eventsToDeltas, run(respond(headOf('x'), ALL_CAPABILITIES, seal), deltas))

export const eventsFor = (deltas: readonly Delta[], seal: Seal = sealOwn, to = encodeContext): readonly Loose[] =>
  run(encodeStream(to), throughHub(deltas, seal)).map(({ data }) => (data === '[DONE]' ? data : JSON.parse(data)))

export const bodyFor = (deltas: readonly Delta[], seal: Seal = sealOwn, to = encodeContext): Loose =>
  encodeBody(throughHub(deltas, seal), to)
