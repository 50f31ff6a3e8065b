import { run } from '../../../src/machine/run.ts'
import type { Delta } from '../../../src/protocol/delta.ts'
import type { Json, JsonObject } from '../../../src/protocol/json.ts'
import { ALL_CAPABILITIES } from '../../../src/responses/capabilities.ts'
import { collect } from '../../../src/responses/collect.ts'
import { type Seal, sealReasoning } from '../../../src/responses/encrypted-content.ts'
import { respond } from '../../../src/responses/respond.ts'
import { eventsToDeltas } from '../../../src/responses/to-deltas.ts'
import { runSteps } from '../../../src/text/steps.ts'
import { validateRequest } from '../../../src/validation/request.ts'
import type { DecodeContext, EncodeContext } from '../../../src/wires/client-contract.ts'
import { encodeBody } from '../../../src/wires/gemini-generate/client/body.ts'
import { decodeRequest } from '../../../src/wires/gemini-generate/client/request.ts'
import { encodeStream } from '../../../src/wires/gemini-generate/client/stream.ts'
import { encodeRequest } from '../../../src/wires/gemini-generate/upstream/request.ts'
import { headOf } from '../../engine/run-engine.ts'
import { targetOf } from '../../engine/target.ts'
import type { Loose } from '../../reference-readers/read-stream.ts'
import { openReasoning } from '../../responses/open-reasoning.ts'
import { MODEL } from './histories.ts'

const OWN = { wire: 'gemini-generate', vendor: 'acme', model: MODEL }
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

/** The contexts of a request to another vendor (`FOREIGN_ENVELOPE`) and of a request to Google (`HOME`). */
export const FOREIGN_ENVELOPE: DecodeContext = { model: 'acme/gemini', stream: true, seal: null }
export const HOME: DecodeContext = { ...FOREIGN_ENVELOPE, seal: sealOwn }

export const user = (...parts: readonly unknown[]) => ({ role: 'user', parts })
export const model = (...parts: readonly unknown[]) => ({ role: 'model', parts })
export const HI = user({ text: 'Hi' })

/** Returns a valid request with these fields, decoded and validated. */
export function decoded(fields: JsonObject | object, asking: DecodeContext = FOREIGN_ENVELOPE) {
  const result = runSteps(decodeRequest({ contents: [HI], ...fields } as JsonObject, asking))
  if (!result.ok) throw new Error(result.error.message)
  const validated = validateRequest(result.body)
  if (!validated.ok) throw new Error(validated.error.message)
  return { ...result, body: result.body as Loose, request: validated.request }
}

/** Returns the error of an invalid request with these fields. */
export function refusal(fields: object, asking: DecodeContext = FOREIGN_ENVELOPE) {
  const result = runSteps(decodeRequest({ contents: [HI], ...fields } as JsonObject, asking))
  if (result.ok) throw new Error('it was not refused')
  return result.error
}

export const inputOf = (contents: readonly unknown[], asking: DecodeContext = FOREIGN_ENVELOPE): readonly Loose[] =>
  decoded({ contents }, asking).body.input

/** Returns the contents that Google receives from a client of its own wire. */
export function passedOn(contents: readonly unknown[]): readonly Loose[] {
  const { request } = decoded({ contents }, HOME)
  const encoded = runSteps(encodeRequest(request, targetOf('gemini-generate', {}, MODEL)))
  if (!encoded.ok) throw new Error(encoded.error.message)
  return encoded.body.contents as Loose
}

/** Passes upstream deltas through the events of a well-formed response and returns them as deltas again. */
export const throughHub = (deltas: readonly Delta[], seal: Seal = sealOwn): readonly Delta[] =>
  run(eventsToDeltas, run(respond(headOf('x'), ALL_CAPABILITIES, seal), deltas))

export const responseOf = (deltas: readonly Delta[], seal: Seal = sealOwn): Loose =>
  run(collect, run(respond(headOf('x'), ALL_CAPABILITIES, seal), deltas))[0]

const chunksFor = (deltas: readonly Delta[], to: EncodeContext = encodeContext): readonly Loose[] =>
  run(encodeStream(to), deltas).map(({ data }) => JSON.parse(data))

export const bodyFor = (deltas: readonly Delta[], to: EncodeContext = encodeContext): Loose => encodeBody(deltas, to)

/** Returns the parts of all chunks in their order. */
export const partsFor = (deltas: readonly Delta[], to: EncodeContext = encodeContext): readonly Loose[] =>
  chunksFor(deltas, to).flatMap((chunk) => chunk.candidates?.[0]?.content.parts ?? [])
