import type { Frame } from '../../src/framing/frame.ts'
import { parseJson } from '../../src/text/json.ts'
import { type Loose, type ReadAnswer, textsIn } from './read-stream.ts'

const joined = (contents: readonly Loose[] | undefined): string =>
  (contents ?? []).map((one) => textsIn(one?.text)).join('')

/** Concatenates the text and the reasoning of all events or of one body. */
export const readInteraction = (frames: readonly Frame[]): ReadAnswer =>
  frames.reduce<ReadAnswer>(
    (before, { data }) => {
      const value = parseJson(data) as Loose
      const steps: readonly Loose[] = [...(value?.steps ?? []), value?.step ?? {}]
      const { type, text, content } = value?.delta ?? {}
      const outputs = steps.filter((step) => step.type === 'model_output').map((step) => joined(step.content))
      const thoughts = steps.filter((step) => step.type === 'thought').map((step) => joined(step.summary))
      return {
        text: before.text + outputs.join('') + (type === 'text' ? textsIn(text) : ''),
        reasoning: before.reasoning + thoughts.join('') + (type === 'thought_summary' ? textsIn(content?.text) : ''),
      }
    },
    { text: '', reasoning: '' },
  )
