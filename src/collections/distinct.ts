import { EMPTY_LIST, type List, listAppend } from './list.ts'
import { mapGet, mapSet, type SortedSet } from './sorted-map.ts'

/** A persistent list of strings without duplicates, in order of first insertion. Plain JSON. */
export interface Distinct {
  readonly values: List<string>
  readonly known: SortedSet<string>
}

export const NO_VALUES: Distinct = { values: EMPTY_LIST, known: null }

/** The list with a string appended, unless it is already in it. O(log n). */
export const addDistinct = ({ values, known }: Distinct, value: string): Distinct =>
  mapGet(known, value) === true
    ? { values, known }
    : { values: listAppend(values, value), known: mapSet(known, value, true) }
