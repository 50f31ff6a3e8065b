import type { BodyValue } from './body-tree.ts'

/** So many values of one key are compared with each other. */
const MOST_COMPARED = 32
/** So many values behind the first free one are looked at: a body may have the same value everywhere. */
const MOST_VISITED = 256

/** Values by a key, in their order. Values that are no longer free are skipped. */
export interface Stock {
  /** The first free value. */
  first(key: number): BodyValue | undefined
  /** The only free value; undefined if there is another one. */
  only(key: number): BodyValue | undefined
  /** The first free values. */
  some(key: number): readonly BodyValue[]
}

interface Shelf {
  readonly values: BodyValue[]
  /** Those before this position are no longer free. */
  at: number
}

/** `keyOf`: null for a value that is not in the stock. */
export function createStock(
  values: readonly BodyValue[],
  keyOf: (value: BodyValue) => number | null,
  isFree: (value: BodyValue) => boolean,
): Stock {
  const shelves = new Map<number, Shelf>()
  for (const value of values) {
    const key = keyOf(value)
    if (key === null) continue
    const shelf = shelves.get(key)
    if (shelf === undefined) shelves.set(key, { values: [value], at: 0 })
    else shelf.values.push(value)
  }

  /** `isAll`: whether no further value of the key is free. */
  const find = (key: number, most: number): { readonly found: readonly BodyValue[]; readonly isAll: boolean } => {
    const shelf = shelves.get(key)
    if (shelf === undefined) return { found: [], isAll: true }
    const { values: all } = shelf
    while (shelf.at < all.length && !isFree(all[shelf.at] as BodyValue)) shelf.at += 1
    const end = Math.min(all.length, shelf.at + MOST_VISITED)
    const found: BodyValue[] = []
    let at = shelf.at
    for (; at < end && found.length < most; at += 1) if (isFree(all[at] as BodyValue)) found.push(all[at] as BodyValue)
    return { found, isAll: at === all.length }
  }

  return {
    first: (key) => find(key, 1).found[0],
    only: (key) => {
      const { found, isAll } = find(key, 2)
      return isAll && found.length === 1 ? found[0] : undefined
    },
    some: (key) => find(key, MOST_COMPARED).found,
  }
}
