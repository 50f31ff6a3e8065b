import { mapDelete, mapGet, mapSet, type SortedMap, type SortedSet } from '../collections/sorted-map.ts'
import type { ItemType } from '../protocol/item.ts'

/** An index that finds the items of an answer in O(log n). A position is an index in the list of items. */
export interface ItemIndex {
  /** Items that are not done. */
  readonly open: SortedSet<number>
  /** Open items that may have become complete since the last item began. */
  readonly candidates: SortedSet<number>
  /** By key: open items of any type. */
  readonly openUnder: SortedMap<string, SortedSet<number>>
  /** By type and key: the last item, open or done. */
  readonly last: SortedMap<string, number>
}

export const NO_ITEMS: ItemIndex = { open: null, candidates: null, openUnder: null, last: null }

/** Unambiguous, because no type contains a space. */
const nameOf = (type: ItemType, key: string): string => `${type} ${key}`

export const indexAdded = (index: ItemIndex, at: number, type: ItemType, key: string): ItemIndex => ({
  open: mapSet(index.open, at, true),
  candidates: mapSet(index.candidates, at, true),
  openUnder: mapSet(index.openUnder, key, mapSet(mapGet(index.openUnder, key) ?? null, at, true)),
  last: mapSet(index.last, nameOf(type, key), at),
})

export function indexDone(index: ItemIndex, at: number, key: string): ItemIndex {
  const left = mapDelete(mapGet(index.openUnder, key) ?? null, at)
  return {
    open: mapDelete(index.open, at),
    candidates: mapDelete(index.candidates, at),
    openUnder: left === null ? mapDelete(index.openUnder, key) : mapSet(index.openUnder, key, left),
    last: index.last,
  }
}

/** Replaces the items that are checked when the next one begins. */
export const withCandidates = ({ open, openUnder, last }: ItemIndex, candidates: SortedSet<number>): ItemIndex => ({
  open,
  candidates,
  openUnder,
  last,
})

/** Returns the last item of that type and key; -1 if there is none. */
export const lastItem = ({ last }: ItemIndex, type: ItemType, key: string): number =>
  mapGet(last, nameOf(type, key)) ?? -1

/** Returns that item if it is open, else -1. Only calls may be open twice under one type and key. */
export function lastOpen(index: ItemIndex, type: ItemType, key: string): number {
  const at = lastItem(index, type, key)
  return at >= 0 && mapGet(index.open, at) === true ? at : -1
}
