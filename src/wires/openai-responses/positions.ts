import { mapDelete, mapGet, mapLastKey, mapSet, type SortedMap, type SortedSet } from '../../machine/sorted-map.ts'

/**
 * Where things that may be over are found again by the names that they go by, each in O(log n): the last of a name, and the
 * last of it that is not over.
 */
export interface Positions {
  readonly last: SortedMap<string, number>
  readonly open: SortedMap<string, SortedSet<number>>
}

export const NO_POSITIONS: Positions = { last: null, open: null }

/** With one more, which is not over, under these names. */
export function withPosition({ last, open }: Positions, at: number, names: readonly string[]): Positions {
  return {
    last: names.reduce((now, name) => mapSet(now, name, at), last),
    open: names.reduce((now, name) => mapSet(now, name, mapSet(mapGet(now, name) ?? null, at, true)), open),
  }
}

/** With that one over. */
export function closePosition({ last, open }: Positions, at: number, names: readonly string[]): Positions {
  const left = names.reduce((now, name) => {
    const others = mapDelete(mapGet(now, name) ?? null, at)
    return others === null ? mapDelete(now, name) : mapSet(now, name, others)
  }, open)
  return { last, open: left }
}

/** -1 where there is none. */
export const lastOf = ({ last }: Positions, name: string): number => mapGet(last, name) ?? -1

/** The same of those that are not over. */
export const lastOpenOf = ({ open }: Positions, name: string): number => mapLastKey(mapGet(open, name) ?? null) ?? -1
