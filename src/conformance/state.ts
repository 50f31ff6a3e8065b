import { EMPTY_LIST, type List } from '../collections/list.ts'
import { mapDelete, mapGet, mapSet, type SortedMap, type SortedSet } from '../collections/sorted-map.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { ReceivedType } from './event-table.ts'
import type { Report } from './rules.ts'
import type { ObjectSchemas } from './schema.ts'

/** One event of a stream: its internal type, and its fields as they were received, unchecked. */
export interface ReceivedEvent {
  readonly type: ReceivedType
  readonly fields: Readonly<Record<string, unknown>>
}

/** The events and objects that a stream can have. A rule that needs an event outside of them is not applied. */
export interface DialectEvents {
  /**
   * The columns of each event that the stream can have. An event without `output_index` is not addressed to an item.
   */
  readonly columns: Readonly<Partial<Record<ReceivedType, readonly string[]>>>
  readonly shapes: ObjectSchemas
}

export interface CheckContext {
  readonly event: ReceivedEvent
  readonly dialect: DialectEvents
  readonly report: Report
}

export interface PartRecord {
  readonly type: string
  /** The text of its deltas so far. */
  readonly text: string
  readonly whole: boolean
  readonly annotations: List<unknown>
  readonly done: boolean
}

export interface ItemRecord {
  readonly at: number
  readonly type: string
  readonly added: JsonObject
  readonly content: List<PartRecord>
  readonly summary: List<PartRecord>
  /** The text of its input deltas so far. */
  readonly input: string
  /** Its input as it was sent at once; null before. */
  readonly whole: string | null
  readonly phase: number
  /** The item as it was done; null before. */
  readonly done: JsonObject | null
}

export interface TerminalRecord {
  readonly type: ReceivedType
  /** null for an `error` event, which has no status. */
  readonly status: string | null
}

/** Counts by key. A key that is missing has the count 0. */
type NameCounts = SortedMap<string, number>

export interface CheckState {
  /** Type of the previous event; empty at the start. */
  readonly last: ReceivedType | ''
  readonly id: string | null
  readonly createdAt: number | null
  /** By output index. */
  readonly items: SortedMap<number, ItemRecord>
  /** Ids and call ids of all items. */
  readonly ids: SortedSet<string>
  readonly callIds: SortedSet<string>
  /** The number of open items of each type. */
  readonly open: NameCounts
  /** Reasoning that was not addressed to an item. */
  readonly reasoning: string
  /** Inputs of calls that were not addressed to an item, and that no finished call has matched. */
  readonly unclaimed: NameCounts
  readonly endings: List<TerminalRecord>
  /** The kinds of `endings`. */
  readonly ended: SortedSet<string>
}

export const INITIAL_CHECK: CheckState = {
  last: '',
  id: null,
  createdAt: null,
  items: null,
  ids: null,
  callIds: null,
  open: null,
  reasoning: '',
  unclaimed: null,
  endings: EMPTY_LIST,
  ended: null,
}

/**
 * Returns a string as it is, and an empty string for any other value. Objects are not converted, because they can bring
 * a `toString` of their own.
 */
export const nameOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export const supports = ({ columns }: DialectEvents, type: ReceivedType): boolean => columns[type] !== undefined

export const isAddressed = ({ columns }: DialectEvents, type: ReceivedType): boolean =>
  columns[type]?.includes('output_index') === true

export const withItemRecord = (state: CheckState, item: ItemRecord): CheckState => ({
  ...state,
  items: mapSet(state.items, item.at, item),
})

export function withCount(counts: NameCounts, word: string, by: 1 | -1): NameCounts {
  const count = (mapGet(counts, word) ?? 0) + by
  return count > 0 ? mapSet(counts, word, count) : mapDelete(counts, word)
}
