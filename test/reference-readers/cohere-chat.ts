import type { Frame } from '../../src/framing/frame.ts'
import { parseJson } from '../../src/text/json.ts'
import { type Loose, type ReadAnswer, textsIn } from './read-stream.ts'

/** Concatenates the text and the reasoning of all events or of one body. */
export const readCohere = (frames: readonly Frame[]): ReadAnswer =>
  frames.reduce<ReadAnswer>(
    (before, { data }) => {
      const value = parseJson(data) as Loose
      const message = value?.delta?.message ?? value?.message
      const blocks: readonly Loose[] = [message?.content ?? []].flat()
      const all = (field: string): string => blocks.map((block) => textsIn(block?.[field])).join('')
      return {
        text: before.text + textsIn(message?.tool_plan) + all('text'),
        reasoning: before.reasoning + all('thinking'),
      }
    },
    { text: '', reasoning: '' },
  )
