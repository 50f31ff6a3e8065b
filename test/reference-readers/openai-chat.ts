import type { Frame } from '../../src/framing/frame.ts'
import { parseJson } from '../../src/text/json.ts'
import { type Loose, type ReadAnswer, textsIn } from './read-stream.ts'

/** Concatenates the text and the reasoning of choice 0. */
export const readChat = (frames: readonly Frame[]): ReadAnswer =>
  frames.reduce<ReadAnswer>(
    (before, { data }) => {
      const chunk = parseJson(data) as Loose
      const choices: readonly Loose[] = Array.isArray(chunk?.choices) ? chunk.choices : []
      const choice = choices.find((one) => (one?.index ?? 0) === 0)
      const empty = !choice?.delta || Object.entries(choice.delta).every(([name, it]) => name === 'role' || !it)
      const delta = (empty && before.text === '' ? choice?.message : null) ?? choice?.delta ?? {}
      const parts: readonly Loose[] = Array.isArray(delta.content) ? delta.content : []
      const inParts = parts.filter((part) => part?.type === 'text').map((part) => textsIn(part.text))
      return {
        text: before.text + textsIn(delta.content) + inParts.join('') + textsIn(delta.refusal),
        reasoning: before.reasoning + (textsIn(delta.reasoning_content) || textsIn(delta.reasoning)),
      }
    },
    { text: '', reasoning: '' },
  )
