import type { Frame } from '../../src/framing/frame.ts'
import { parseJson } from '../../src/text/json.ts'
import { type Loose, type ReadAnswer, textsIn } from './read-stream.ts'

/** Concatenates the text and the reasoning of all lines. */
export const readOllama = (frames: readonly Frame[]): ReadAnswer =>
  frames.reduce<ReadAnswer>(
    (before, { data }) => {
      const message = (parseJson(data) as Loose)?.message
      return { text: before.text + textsIn(message?.content), reasoning: before.reasoning + textsIn(message?.thinking) }
    },
    { text: '', reasoning: '' },
  )
