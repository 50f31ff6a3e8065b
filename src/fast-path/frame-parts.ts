import type { FrameParts, Output } from '../output/frame-printer.ts'
import { quote } from '../text/json.ts'
import { firstDifference } from '../text/json-diff.ts'

/** Returns the constant parts around the text of these outputs; null if the text is not in them once or twice. */
export function partsOf(outputs: readonly Output[], words: string, sequence: number): FrameParts | null {
  const [output] = outputs
  if (typeof output !== 'string') {
    const isOfRun = outputs.length === 1 && output !== undefined && 'words' in output && output.words === words
    return isOfRun && output.number === sequence - (output.more ? 1 : 0) ? output.parts : null
  }
  const text = outputs.every((one) => typeof one === 'string') ? outputs.join('') : ''
  const quoted = quote(words)
  const [head, ...rest] = text.split(quoted)
  const tail = rest.at(-1)
  if (head === undefined || tail === undefined || rest.length > 2) return null
  const parts = { head: `${head}"`, numbered: false, middle: '', tail: `"${tail}` }
  return rest.length === 1 ? parts : { ...parts, between: `"${rest[0]}"` }
}

export const areSameParts = (one: FrameParts | null, other: FrameParts | null): boolean =>
  one === other || (one !== null && other !== null && firstDifference(one, other) === null)
