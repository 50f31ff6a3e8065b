import { mapGet } from '../collections/sorted-map.ts'
import type { EventType } from '../protocol/event.ts'
import type { JsonRecord } from '../protocol/json.ts'
import { scalarToString } from '../text/json.ts'
import type { StartedItem } from './missing-events.ts'
import { openai } from './openai.ts'
import { readAnnotation, readCount, readLogprobs, readPart } from './read-objects.ts'

/** Returns every column of an event: the standard has all but the id of the response. */
export const columnsOf = (type: EventType): readonly string[] =>
  (openai.events[type][0] ?? ['']).slice(1).map((column: string) => column.split(':')[0] ?? column)

type ReadColumn = (record: JsonRecord, context: { readonly started: StartedItem; readonly type: EventType }) => unknown

const textColumn: (name: string) => ReadColumn = (name) => (record) =>
  typeof record[name] === 'string' ? record[name] : ''

/** How each column is read, and its value if the dialect omits it. */
export const READ_COLUMNS: Readonly<Record<string, ReadColumn>> = {
  item_id: (_, { started }) => started.item.id,
  output_index: (_, { started }) => started.index,
  content_index: (record) => readCount(record.content_index) ?? 0,
  summary_index: (record) => readCount(record.summary_index) ?? 0,
  annotation_index: (record, { started }) =>
    readCount(record.annotation_index) ?? mapGet(started.cited, contentIndex(record)) ?? 0,
  annotation: (record) => readAnnotation(record.annotation),
  part: (record) => readPart(record.part),
  logprobs: (record) => readLogprobs(record.logprobs),
  name: (record, { started }) => scalarToString(record.name) || ('name' in started.item ? started.item.name : ''),
  delta: textColumn('delta'),
  text: textColumn('text'),
  refusal: textColumn('refusal'),
  arguments: textColumn('arguments'),
  input: textColumn('input'),
}

const contentIndex = (record: JsonRecord): number => readCount(record.content_index) ?? 0
