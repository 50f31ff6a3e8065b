import type { Frame } from '../../src/framing/frame.ts'
import { parseJson } from '../../src/text/json.ts'
import { type Loose, type ReadAnswer, textsIn } from './read-stream.ts'

const listOf = (value: Loose): readonly Loose[] => (Array.isArray(value) ? value : [])

const wordsOf = (parts: Loose): string =>
  listOf(parts)
    .map((part) => textsIn(part?.text) || textsIn(part?.refusal))
    .join('')

const wordsOfItem = (item: Loose): ReadAnswer => ({
  text: item?.type === 'message' ? wordsOf(item.content) : '',
  reasoning: item?.type === 'reasoning' ? wordsOf(item.summary) + wordsOf(item.content) : '',
})

const TEXT_DELTA = /^response\.(?:output_text|refusal)\.delta$/
const REASONING_DELTA = /^response\.reasoning_(?:summary_)?text\.delta$/

/** A whole answer has the values of the finished item, from which the deltas of a shortened recording differ. */
const finalOf = (pieces: string, whole: string): string => (whole === '' ? pieces : whole)

/** Concatenates the text and the reasoning of a body's output, or of a stream's items by output index. */
export function readResponses(frames: readonly Frame[]): ReadAnswer {
  const events = frames.map(({ data }) => parseJson(data) as Loose)
  const body = events.length === 1 ? listOf(events[0]?.output) : []
  const edges = events.filter((event) => event?.type === 'response.output_item.added')
  const done = events.filter((event) => event?.type === 'response.output_item.done')
  const pieces = (index: Loose, which: RegExp): string =>
    events
      .filter((event) => which.test(event?.type) && (event.output_index ?? index) === index)
      .map((event) => textsIn(event.delta))
      .join('')
  const streamed = edges.map((added): ReadAnswer => {
    const at = added.output_index
    const whole = wordsOfItem(
      done.find((event) => (event.output_index ?? event.item?.id) === at || event.item?.id === added.item?.id)?.item,
    )
    const isMessage = added.item?.type === 'message'
    return {
      text: isMessage ? finalOf(pieces(at, TEXT_DELTA), whole.text) : '',
      reasoning: isMessage ? '' : finalOf(pieces(at, REASONING_DELTA), whole.reasoning),
    }
  })
  const all = [...body.map(wordsOfItem), ...streamed]
  return { text: all.map(({ text }) => text).join(''), reasoning: all.map(({ reasoning }) => reasoning).join('') }
}
