import { runSteps } from '../../../src/text/steps.ts'
import { address, encodeRequest } from '../../../src/wires/gemini-interactions/upstream/request.ts'
import { sealed, targetOf } from '../../engine/target.ts'
import type { Loose } from '../../reference-readers/read-stream.ts'
import { requestOf } from '../../request-bodies.ts'

/** Requests to an upstream of this wire. */

export type Fields = Readonly<Record<string, unknown>>

export const MODEL = 'gemini-3-flash-preview'

export function encode(fields: Fields, model = MODEL) {
  const target = targetOf('gemini-interactions', {}, model)
  const result = runSteps(encodeRequest(requestOf(fields), target))
  if (!result.ok) throw new Error(result.error.message)
  const losses = result.losses.map(({ path, action }) => `${path} ${action}`)
  return { path: address(result.body, true, target)?.path, body: result.body as Loose, losses }
}

export const refused = (fields: Fields, model = MODEL) => {
  const result = runSteps(encodeRequest(requestOf(fields), targetOf('gemini-interactions', {}, model)))
  if (result.ok) throw new Error('it was not refused')
  return result.error
}

export const inputOf = (input: unknown, model = MODEL): readonly Loose[] => encode({ input }, model).body.input

export const sealedHere = (payload: Loose, model = MODEL): string => sealed('gemini-interactions', payload, model)
