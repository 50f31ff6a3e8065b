import { EMPTY_LIST, type List } from '../collections/list.ts'
import { mapDelete, mapGet, mapSet, type SortedMap, type SortedSet } from '../collections/sorted-map.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { SaidType } from './event-table.ts'
import type { Report } from './rules.ts'
import type { Shapes } from './schema.ts'

/** One event of a stream: its internal type, and its fields as they were received, unchecked. */
export interface Said {
  readonly type: SaidType
  readonly fields: Readonly<Record<string, unknown>>
}

/** The events and objects that a stream can have. A rule that needs an event outside of them is not applied. */
export interface Spoken {
  /**
   * The columns of each event that the stream can have. An event without `output_index` is not addressed to an item.
   */
  readonly columns: Readonly<Partial<Record<SaidType, readonly string[]>>>
  readonly shapes: Shapes
}

/** The context in which one event is checked. */
export interface Turn {
  readonly said: Said
  readonly spoken: Spoken
  readonly report: Report
}

export interface PartSaid {
  readonly type: string
  /** The text of its deltas so far. */
  readonly text: string
  readonly whole: boolean
  readonly annotations: List<unknown>
  readonly done: boolean
}

export interface ItemSaid {
  readonly at: number
  readonly type: string
  /** The item as it was added. */
  readonly added: JsonObject
  readonly content: List<PartSaid>
  readonly summary: List<PartSaid>
  /** The text of its input deltas so far. */
  readonly input: string
  /** Its input as it was sent at once; null before. */
  readonly whole: string | null
  readonly phase: number
  /** The item as it was done; null before. */
  readonly done: JsonObject | null
}

export interface Ending {
  readonly type: SaidType
  /** null for an `error` event, which has no status. */
  readonly status: string | null
}

/** Counts by key. A key that is missing has the count 0. */
export type Counts = SortedMap<string, number>

export interface GrammarState {
  /** Type of the previous event; empty at the start. */
  readonly last: SaidType | ''
  readonly id: string | null
  readonly createdAt: number | null
  /** By output index. */
  readonly items: SortedMap<number, ItemSaid>
  /** Ids and call ids of all items. */
  readonly ids: SortedSet<string>
  readonly callIds: SortedSet<string>
  /** The number of open items of each type. */
  readonly open: Counts
  /** Reasoning that was not addressed to an item. */
  readonly thoughts: string
  /** Inputs of calls that were not addressed to an item, and that no finished call has matched. */
  readonly unclaimed: Counts
  readonly endings: List<Ending>
  /** The kinds of `endings`. */
  readonly ended: SortedSet<string>
}

export const SILENCE: GrammarState = {
  last: '',
  id: null,
  createdAt: null,
  items: null,
  ids: null,
  callIds: null,
  open: null,
  thoughts: '',
  unclaimed: null,
  endings: EMPTY_LIST,
  ended: null,
}

/**
 * Returns a string as it is, and an empty string for any other value. Objects are not converted, because they can bring
 * a `toString` of their own.
 */
export const wordOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export const speaks = ({ columns }: Spoken, type: SaidType): boolean => columns[type] !== undefined

export const isAddressed = ({ columns }: Spoken, type: SaidType): boolean =>
  columns[type]?.includes('output_index') === true

export const withItem = (state: GrammarState, item: ItemSaid): GrammarState => ({
  ...state,
  items: mapSet(state.items, item.at, item),
})

export function counted(counts: Counts, word: string, by: 1 | -1): Counts {
  const count = (mapGet(counts, word) ?? 0) + by
  return count > 0 ? mapSet(counts, word, count) : mapDelete(counts, word)
}
