import type { Frame } from '../../src/framing/frame.ts'
import { parseJson } from '../../src/text/json.ts'
import { type Loose, type ReadAnswer, textsIn } from './read-stream.ts'

/** Concatenates the text and the reasoning of candidate 0. */
export const readGemini = (frames: readonly Frame[]): ReadAnswer =>
  frames
    .flatMap(({ data }): readonly Loose[] => (parseJson(data) as Loose)?.candidates ?? [])
    .filter((candidate) => (candidate?.index ?? 0) === 0)
    .flatMap((candidate): readonly Loose[] => candidate?.content?.parts ?? [])
    .reduce<ReadAnswer>(
      ({ text, reasoning }, part) =>
        part?.thought === true
          ? { text, reasoning: reasoning + textsIn(part.text) }
          : { text: text + textsIn(part?.text), reasoning },
      { text: '', reasoning: '' },
    )
