import { EMPTY_LIST, type List } from '../machine/list.ts'
import { mapDelete, mapGet, mapSet, type SortedMap, type SortedSet } from '../machine/sorted-map.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { SaidType } from './grammar-moves.ts'
import type { Report } from './grammar-rules.ts'
import type { Shapes } from './grammar-shapes.ts'

/** One event of a stream, under our name, with the fields it came with: whatever they are. */
export interface Said {
  readonly type: SaidType
  readonly fields: Readonly<Record<string, unknown>>
}

/** What a stream is able to say. What can only be told by an event that it has no word for is not owed. */
export interface Spoken {
  /** The columns of each event it has a word for. One without `output_index` is not addressed to an item. */
  readonly columns: Readonly<Partial<Record<SaidType, readonly string[]>>>
  readonly shapes: Shapes
}

/** One event on its way through the grammar. */
export interface Turn {
  readonly said: Said
  readonly spoken: Spoken
  readonly report: Report
}

export interface PartSaid {
  readonly type: string
  /** The deltas so far. */
  readonly text: string
  readonly whole: boolean
  readonly annotations: List<unknown>
  readonly done: boolean
}

export interface ItemSaid {
  readonly at: number
  readonly type: string
  /** As it was added. */
  readonly added: JsonObject
  readonly content: List<PartSaid>
  readonly summary: List<PartSaid>
  /** The deltas of its input so far. */
  readonly input: string
  /** Its input as it was told at once; null before. */
  readonly whole: string | null
  readonly phase: number
  /** As it was done; null before. */
  readonly done: JsonObject | null
}

export interface Ending {
  readonly type: SaidType
  /** null of an error event, which has none. */
  readonly status: string | null
}

/** How many there are of each; none of what is not in it. */
export type Counts = SortedMap<string, number>

export interface GrammarState {
  /** Type of the event before; empty at the start. */
  readonly last: SaidType | ''
  readonly id: string | null
  readonly createdAt: number | null
  /** By output index. */
  readonly items: SortedMap<number, ItemSaid>
  /** Ids and call ids of all of them. */
  readonly ids: SortedSet<string>
  readonly callIds: SortedSet<string>
  /** How many of each type are not done. */
  readonly open: Counts
  /** Reasoning that was not addressed to an item. */
  readonly thoughts: string
  /** Inputs of calls that were not addressed to an item, and that no finished call has claimed. */
  readonly unclaimed: Counts
  readonly endings: List<Ending>
  /** Their kinds. */
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

/** Of what should be a string: itself, or nothing. Objects are not asked, for they can bring a `toString` of their own. */
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
