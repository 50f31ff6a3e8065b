import {
  mapDelete,
  mapGet,
  mapLastKey,
  mapSet,
  type SortedMap,
  type SortedSet,
} from '../../../collections/sorted-map.ts'

/**
 * An index of items or parts by their names: the last one of a name, and the last one of it that is not finished. Each
 * lookup costs O(log n).
 */
export interface Positions {
  readonly last: SortedMap<string, number>
  readonly open: SortedMap<string, SortedSet<number>>
}

export const NO_POSITIONS: Positions = { last: null, open: null }

/** Adds a position that is not finished, under all of its names. */
export function withPosition({ last, open }: Positions, at: number, names: readonly string[]): Positions {
  return {
    last: names.reduce((now, name) => mapSet(now, name, at), last),
    open: names.reduce((now, name) => mapSet(now, name, mapSet(mapGet(now, name) ?? null, at, true)), open),
  }
}

/** Marks a position as finished. */
export function closePosition({ last, open }: Positions, at: number, names: readonly string[]): Positions {
  const left = names.reduce((now, name) => {
    const others = mapDelete(mapGet(now, name) ?? null, at)
    return others === null ? mapDelete(now, name) : mapSet(now, name, others)
  }, open)
  return { last, open: left }
}

/** Returns the last position of a name; -1 if there is none. */
export const lastOf = ({ last }: Positions, name: string): number => mapGet(last, name) ?? -1

/** Returns the last position of a name that is not finished; -1 if there is none. */
export const lastOpenOf = ({ open }: Positions, name: string): number => mapLastKey(mapGet(open, name) ?? null) ?? -1
