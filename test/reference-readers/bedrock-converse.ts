import type { Frame } from '../../src/framing/frame.ts'
import { parseJson } from '../../src/text/json.ts'
import { type Loose, type ReadAnswer, textsIn } from './read-stream.ts'

/** Returns the text and the reasoning of one content block, of a stream or of a body. */
const pieceSaid = (piece: Loose): ReadAnswer => {
  const cited: readonly Loose[] = piece?.citationsContent?.content ?? []
  const thought = piece?.reasoningContent
  return {
    text: textsIn(piece?.text) + cited.map((one) => textsIn(one?.text)).join(''),
    thoughts: textsIn(thought?.text) + textsIn(thought?.reasoningText?.text),
  }
}

/** Concatenates the text and the reasoning of a Converse answer, streamed or whole. */
export const readConverse = (frames: readonly Frame[]): ReadAnswer =>
  frames
    .flatMap(({ event, data }): readonly Loose[] => {
      const payload = parseJson(data) as Loose
      if (event === 'contentBlockDelta') return [payload?.delta]
      return event === '' ? (payload?.output?.message?.content ?? []) : []
    })
    .map(pieceSaid)
    .reduce<ReadAnswer>((all, one) => ({ text: all.text + one.text, thoughts: all.thoughts + one.thoughts }), {
      text: '',
      thoughts: '',
    })
