import type { Json, JsonObject } from '../../protocol/json.ts'
import { wrapEnvelope } from '../../responses/encrypted-content.ts'
import { isObject } from '../../text/json.ts'
import type { ChangeText, SealedTexts } from '../client-contract.ts'
import { mapInner, mapMember, mapObjects, mapTexts } from '../shared/sealed-texts.ts'

const inStep = (step: JsonObject, change: ChangeText): JsonObject => mapTexts(step, ['signature'], change)

const inSteps = (steps: Json, change: ChangeText): Json => mapObjects(steps, (step) => inStep(step, change))

/** The members of a body that list its steps. */
const LISTS = ['steps', 'outputs'] as const

const inBody = (body: JsonObject, change: ChangeText): JsonObject =>
  LISTS.reduce((now, name) => mapMember(now, name, (steps) => inSteps(steps, change)), body)

/** Signatures of thoughts, calls and Google's own steps, as bytes in base64. */
export const interactionSealedTexts: SealedTexts = {
  history: 'input',
  inAnswer(value, change) {
    const step = (one: JsonObject): JsonObject => inStep(one, change)
    const event = mapInner(mapInner(value, 'step', step), 'delta', step)
    return inBody(
      mapInner(event, 'interaction', (body) => inBody(body, change)),
      change,
    )
  },
  inPayload(payload, change) {
    if (!isObject(payload)) return payload
    const object = inStep(payload as JsonObject, change)
    return mapMember(object, 'steps', (steps) => inSteps(steps, change))
  },
  wrap: wrapEnvelope,
}
