import { openai } from '../../../src/dialects/openai.ts'
import { projectObject } from '../../../src/dialects/projection.ts'
import { run } from '../../../src/machine/run.ts'
import type { Delta } from '../../../src/protocol/delta.ts'
import { collect } from '../../../src/responses/collect.ts'
import { sealReasoning } from '../../../src/responses/encrypted-content.ts'
import { respond } from '../../../src/responses/respond.ts'
import { runSteps } from '../../../src/text/steps.ts'
import type { RequestContent } from '../../../src/wires/gemini-generate/json.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { encodeFitted } from '../../engine/encode-request.ts'
import { headOf } from '../../engine/run-engine.ts'
import { targetOf } from '../../engine/target.ts'
import type { Loose } from '../../reference-readers/read-stream.ts'
import { requestOf } from '../../request-bodies.ts'

export type Fields = Readonly<Record<string, unknown>>

export const MODEL = 'gemini-3-flash-preview'
export const SECOND = 'gemini-2.5-flash'

export function encode(fields: Fields, model = MODEL) {
  const result = encodeFitted(WIRES['gemini-generate'], requestOf(fields), targetOf('gemini-generate', {}, model))
  if (!result.ok) throw new Error(result.error.message)
  return { path: result.path, body: result.body as Loose, losses: result.losses }
}

export const contentsOf = (input: unknown, model = MODEL): readonly RequestContent[] =>
  encode({ input }, model).body.contents

/** Returns the items that a client has after an answer. */
export function itemsOf(deltas: readonly Delta[], model = MODEL): readonly Loose[] {
  const seal = (payload: Loose) => sealReasoning({ wire: 'gemini-generate', vendor: 'acme', model }, payload)
  const [response] = run(collect, run(respond(headOf('x'), openai, seal), deltas))
  if (response === undefined) throw new Error('there is no response')
  return runSteps(projectObject(openai, response, 'response')).output as Loose
}
