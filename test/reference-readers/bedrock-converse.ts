import type { Frame } from '../../src/framing/frame.ts'
import { parseJson } from '../../src/text/json.ts'
import { type Loose, type ReadAnswer, textsIn } from './read-stream.ts'

/** Returns the text and the reasoning of one content block, of a stream or of a body. */
const readPiece = (piece: Loose): ReadAnswer => {
  const cited: readonly Loose[] = piece?.citationsContent?.content ?? []
  const reasoning = piece?.reasoningContent
  return {
    text: textsIn(piece?.text) + cited.map((one) => textsIn(one?.text)).join(''),
    reasoning: textsIn(reasoning?.text) + textsIn(reasoning?.reasoningText?.text),
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
    .map(readPiece)
    .reduce<ReadAnswer>((all, one) => ({ text: all.text + one.text, reasoning: all.reasoning + one.reasoning }), {
      text: '',
      reasoning: '',
    })
