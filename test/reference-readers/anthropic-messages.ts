import type { Frame } from '../../src/framing/frame.ts'
import { parseJson } from '../../src/text/json.ts'
import { type Loose, type ReadAnswer, textsIn } from './read-stream.ts'

const blocksIn = (message: Loose): readonly Loose[] => (Array.isArray(message?.content) ? message.content : [])

/** Concatenates text, reasoning, and the explanation of a refusal, in the order of their arrival. */
export const readMessages = (frames: readonly Frame[]): ReadAnswer =>
  frames.reduce<ReadAnswer>(
    (before, { data }) => {
      const event = (parseJson(data) ?? {}) as Loose
      const pieces = [...blocksIn(event.message), ...blocksIn(event), event.content_block, event.delta]
      const words = (field: string): string => pieces.map((piece) => textsIn(piece?.[field])).join('')
      const refused = [event.message, event, event.delta].map((it) =>
        it?.stop_reason === 'refusal' ? textsIn(it.stop_details?.explanation) : '',
      )
      return { text: before.text + words('text') + refused.join(''), reasoning: before.reasoning + words('thinking') }
    },
    { text: '', reasoning: '' },
  )
