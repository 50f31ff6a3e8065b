import { mapEntries, mapGet, type SortedMap } from '../collections/sorted-map.ts'
import type { Event } from '../protocol/event.ts'
import type { Item } from '../protocol/item.ts'
import type { Part } from '../protocol/part.ts'

/** Creates the events that a stream omits because it carries their content only at the end of an item. */

/**
 * An item that has begun, with the amount of its content that was emitted, so that the rest is emitted before its end.
 */
export interface StartedItem {
  readonly index: number
  readonly item: Item
  /** UTF-16 units emitted, by list and index (`content 0`, `summary 1`, `input 0`). */
  readonly text: SortedMap<string, number>
  /** Annotations emitted, by content index. */
  readonly cited: SortedMap<number, number>
  readonly done: boolean
}

type DeltaEvent = Extract<Event, { readonly delta: string }>

export function partKey(event: DeltaEvent): string {
  if ('summary_index' in event) return `summary ${event.summary_index}`
  return 'content_index' in event ? `content ${event.content_index}` : 'input 0'
}

/** A text as its end carries it. */
interface FinishedText {
  readonly type: DeltaEvent['type']
  readonly index: number
  readonly text: string
}

/** Arguments are the only content that a dialect of this service emits as a whole, without its deltas. */
export function finishedTexts(event: Event): readonly FinishedText[] {
  switch (event.type) {
    case 'function_call_arguments.done':
      return [{ type: 'function_call_arguments.delta', index: 0, text: event.arguments }]
    case 'custom_tool_call_input.done':
      return [{ type: 'custom_tool_call_input.delta', index: 0, text: event.input }]
    default:
      return []
  }
}

const wholeParts = (parts: readonly Part[]): readonly FinishedText[] =>
  parts.map((part, index) => ({
    index,
    type: PIECE_OF[part.type],
    text: part.type === 'refusal' ? part.refusal : part.text,
  }))

const PIECE_OF = {
  output_text: 'output_text.delta',
  refusal: 'refusal.delta',
  reasoning_text: 'reasoning_text.delta',
  summary_text: 'reasoning_summary_text.delta',
} as const satisfies Record<Part['type'], DeltaEvent['type']>

/**
 * Returns the lists of texts of an item. Either all of a list was emitted, or each of its texts is compared with the
 * amount that was emitted of it.
 */
function runsOf(item: Item): readonly (readonly FinishedText[])[] {
  switch (item.type) {
    case 'message':
      return [wholeParts(item.content)]
    case 'reasoning':
      return [wholeParts(item.summary), wholeParts(item.content)]
    case 'function_call':
      return [[{ type: 'function_call_arguments.delta', index: 0, text: item.arguments }]]
    case 'custom_tool_call':
      return [[{ type: 'custom_tool_call_input.delta', index: 0, text: item.input }]]
    default:
      return []
  }
}

export function missingEvents(responseId: string, started: StartedItem, item: Item): readonly Event[] {
  const runs = runsOf(item).flatMap((wholes) => {
    const total = wholes.reduce((sum, whole) => sum + whole.text.length, 0)
    const lengths = mapEntries(started.text).filter(([key]) => key.startsWith(listOf(wholes)))
    const all = lengths.reduce((sum, [, length]) => sum + length, 0) >= total
    return all ? [] : wholes.flatMap((whole) => missingPartEvents(responseId, started, whole))
  })
  return item.type === 'message' ? [...runs, ...missingCitations(responseId, started, item.content)] : runs
}

const addressOf = (responseId: string, { item, index }: StartedItem) => ({
  response_id: responseId,
  item_id: item.id,
  output_index: index,
})

const pieceOf = (
  responseId: string,
  started: StartedItem,
  { type, index }: FinishedText,
  delta: string,
): DeltaEvent => {
  const inner = type === 'reasoning_summary_text.delta' ? { summary_index: index } : { content_index: index }
  const logprobs = type === 'output_text.delta' ? { logprobs: [] } : {}
  const indices = /_call_/.test(type) ? {} : inner
  return { type, ...addressOf(responseId, started), ...indices, delta, ...logprobs } as DeltaEvent
}

const listOf = ([whole]: readonly FinishedText[]): string =>
  whole === undefined || /_call_/.test(whole.type) ? 'input' : /summary/.test(whole.type) ? 'summary' : 'content'

export function missingPartEvents(responseId: string, started: StartedItem, whole: FinishedText): readonly Event[] {
  const rest = whole.text.slice(mapGet(started.text, partKey(pieceOf(responseId, started, whole, ''))) ?? 0)
  return rest === '' ? [] : [pieceOf(responseId, started, whole, rest)]
}

const missingCitations = (responseId: string, started: StartedItem, parts: readonly Part[]): readonly Event[] =>
  parts.flatMap((part, content_index) => {
    if (part.type !== 'output_text') return []
    const cited = mapGet(started.cited, content_index) ?? 0
    return part.annotations.slice(cited).map((annotation, i): Event => {
      const address = { ...addressOf(responseId, started), content_index }
      return { type: 'output_text.annotation.added', ...address, annotation_index: cited + i, annotation }
    })
  })
