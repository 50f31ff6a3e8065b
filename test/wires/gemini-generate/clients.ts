import { run } from '../../../src/machine/run.ts'
import type { Delta } from '../../../src/protocol/delta.ts'
import type { DecodeContext } from '../../../src/wires/client-contract.ts'
import { encodeBody } from '../../../src/wires/gemini-generate/client/body.ts'
import { encodeStream } from '../../../src/wires/gemini-generate/client/stream.ts'
import type { Loose } from '../../reference-readers/read-stream.ts'
import { clientSideOf, FOREIGN } from '../client-side.ts'
import { inOrder, responseFrom, sealOf } from '../deltas.ts'
import { MODEL } from './histories.ts'

/** Clients of this wire: their requests, and the answers that they receive. */

export const user = (...parts: readonly unknown[]) => ({ role: 'user', parts })
export const model = (...parts: readonly unknown[]) => ({ role: 'model', parts })
export const HI = user({ text: 'Hi' })

const side = clientSideOf({
  name: 'gemini-generate',
  model: MODEL,
  base: { contents: [HI] as never },
  address: { model: 'acme/gemini', stream: true },
})
export const { sealOwn, decoded, context: encodeContext, elsewhere: FOREIGN_ENVELOPE, home: HOME } = side
export const sealForeign = sealOf(FOREIGN)

export const inputOf = (contents: readonly unknown[], asking?: DecodeContext): readonly Loose[] =>
  decoded({ contents }, asking).body.input

/** Returns the contents that Google receives from a client of its own wire. */
export const passedOn = (contents: readonly unknown[]): readonly Loose[] => side.passedOn({ contents }).contents

/** Passes upstream deltas through the events of a well-formed response and returns them as deltas again. */
export const throughHub = (deltas: readonly Delta[], seal = sealOwn): readonly Delta[] => inOrder(deltas, seal)

export const responseOf = (deltas: readonly Delta[], seal = sealOwn): Loose => responseFrom(deltas, seal)

export const bodyFor = (deltas: readonly Delta[]): Loose => encodeBody(deltas, encodeContext)

/** Returns the parts of all chunks in their order. */
export const partsFor = (deltas: readonly Delta[]): readonly Loose[] =>
  run(encodeStream(encodeContext), deltas).flatMap(({ data }) => JSON.parse(data).candidates?.[0]?.content.parts ?? [])
