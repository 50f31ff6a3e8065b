import type { Frame } from '../../src/framing/frame.ts'
import { parseJson } from '../../src/text/json.ts'
import { type Loose, type Said, wordsIn } from './read-stream.ts'

/** Concatenates the text and the reasoning of all lines. */
export const ollamaSaid = (frames: readonly Frame[]): Said =>
  frames.reduce<Said>(
    (said, { data }) => {
      const message = (parseJson(data) as Loose)?.message
      return { text: said.text + wordsIn(message?.content), thoughts: said.thoughts + wordsIn(message?.thinking) }
    },
    { text: '', thoughts: '' },
  )
