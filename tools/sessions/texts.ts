import { isObject, parseJson } from '../../src/text/json.ts'
import { type Chance, choose } from './lab.ts'

const SPACES = [' ', ' ', ' ', '  ', '\n', '\n\n', ' – '] as const

/** Words of which none occurs twice, with white space of several kinds between them. */
export function wordsOf(count: number, name: number, chance: Chance): string {
  let text = ''
  for (let at = 0; at < count; at += 1) text += `${at === 0 ? '' : choose(SPACES, chance)}word${at}of${name}`
  return text
}

/** The whole frames of a stream, without comments. */
export const framesIn = (stream: string): readonly string[] =>
  stream
    .split('\n\n')
    .slice(0, -1)
    .filter((frame) => frame.startsWith('event:') || frame.includes('data:'))

const dataOf = (frame: string): unknown => parseJson(/^data: (.*)$/m.exec(frame)?.[1] ?? '')

/** The text of a stream of the Responses API, from its deltas. */
export const textIn = (stream: string): string =>
  framesIn(stream)
    .map(dataOf)
    .map((event) => (isObject(event) && event.type === 'response.output_text.delta' ? String(event.delta) : ''))
    .join('')

/** Null for a frame without one, such as the terminator. */
export function numberIn(frame: string): number | null {
  const event = dataOf(frame)
  return isObject(event) && typeof event.sequence_number === 'number' ? event.sequence_number : null
}
