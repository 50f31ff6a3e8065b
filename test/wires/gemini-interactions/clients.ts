import type { Delta } from '../../../src/protocol/delta.ts'
import type { DecodeContext } from '../../../src/wires/client-contract.ts'
import { geminiInteractionsClient as client } from '../../../src/wires/gemini-interactions/client/index.ts'
import type { Loose } from '../../reference-readers/read-stream.ts'
import { clientSideOf, FOREIGN } from '../client-side.ts'
import { framesOf, inOrder, sealOf } from '../deltas.ts'
import { MODEL } from './requests.ts'

/** Clients of this wire: their requests, and the answers that they receive. */

const side = clientSideOf({
  name: 'gemini-interactions',
  model: MODEL,
  base: { model: 'acme/gemini', input: 'Hi' },
})
export const { sealOwn, decoded, context: encodeContext, elsewhere: ELSEWHERE, home: HOME } = side
export const sealForeign = sealOf(FOREIGN)

export const itemsOf = (input: unknown, context?: DecodeContext): readonly Loose[] =>
  decoded({ input }, context).body.input

/** Returns the steps that Google receives from a client of its own wire, translated. */
export const passedOn = (input: unknown): readonly Loose[] => side.passedOn({ input }).input

export const eventsFor = (deltas: readonly Delta[], seal = sealOwn): readonly Loose[] =>
  framesOf(client, inOrder(deltas, seal), encodeContext).map(({ data }) =>
    data === '[DONE]' ? data : JSON.parse(data),
  )

export const bodyFor = (deltas: readonly Delta[], seal = sealOwn): Loose =>
  client.encodeBody(inOrder(deltas, seal), encodeContext)
