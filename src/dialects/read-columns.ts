import { mapGet } from '../collections/sorted-map.ts'
import type { EventType } from '../protocol/event.ts'
import type { Bag } from '../protocol/json.ts'
import { wordOf } from '../text/json.ts'
import type { Begun } from './missing-events.ts'
import { openai } from './openai.ts'
import { toAnnotation, toCount, toLogprobs, toPart } from './read-objects.ts'

/** Returns every column of an event: the standard has all but the id of the response. */
export const columnsOf = (type: EventType): readonly string[] =>
  (openai.events[type][0] ?? ['']).slice(1).map((column: string) => column.split(':')[0] ?? column)

type ReadColumn = (bag: Bag, place: { readonly begun: Begun; readonly type: EventType }) => unknown

const textColumn: (name: string) => ReadColumn = (name) => (bag) => (typeof bag[name] === 'string' ? bag[name] : '')

/** How each column is read, and its value if the dialect omits it. */
export const READ_COLUMNS: Readonly<Record<string, ReadColumn>> = {
  item_id: (_, { begun }) => begun.item.id,
  output_index: (_, { begun }) => begun.index,
  content_index: (bag) => toCount(bag.content_index) ?? 0,
  summary_index: (bag) => toCount(bag.summary_index) ?? 0,
  annotation_index: (bag, { begun }) => toCount(bag.annotation_index) ?? mapGet(begun.cited, contentIndex(bag)) ?? 0,
  annotation: (bag) => toAnnotation(bag.annotation),
  part: (bag) => toPart(bag.part),
  logprobs: (bag) => toLogprobs(bag.logprobs),
  name: (bag, { begun }) => wordOf(bag.name) || ('name' in begun.item ? begun.item.name : ''),
  delta: textColumn('delta'),
  text: textColumn('text'),
  refusal: textColumn('refusal'),
  arguments: textColumn('arguments'),
  input: textColumn('input'),
}

const contentIndex = (bag: Bag): number => toCount(bag.content_index) ?? 0
