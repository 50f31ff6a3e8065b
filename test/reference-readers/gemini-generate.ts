import type { Frame } from '../../src/framing/frame.ts'
import { parseJson } from '../../src/text/json.ts'
import { type Loose, type Said, wordsIn } from './read-stream.ts'

/** Concatenates the text and the reasoning of candidate 0. */
export const geminiSaid = (frames: readonly Frame[]): Said =>
  frames
    .flatMap(({ data }): readonly Loose[] => (parseJson(data) as Loose)?.candidates ?? [])
    .filter((candidate) => (candidate?.index ?? 0) === 0)
    .flatMap((candidate): readonly Loose[] => candidate?.content?.parts ?? [])
    .reduce<Said>(
      ({ text, thoughts }, part) =>
        part?.thought === true
          ? { text, thoughts: thoughts + wordsIn(part.text) }
          : { text: text + wordsIn(part?.text), thoughts },
      { text: '', thoughts: '' },
    )
