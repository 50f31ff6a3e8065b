import type { BodyValue, TreeReader } from './body-tree.ts'
import { entriesAround } from './body-tree.ts'
import type { GrowingMatching } from './matching.ts'
import { createStock, type Stock } from './stock.ts'

export const isLeaf = ({ children }: BodyValue): boolean => children.length === 0

/** The client's free values by what identifies them. The results are values of the client's body for one of the upstream's. */
export interface ClientValues {
  /** The free value at the same place, if it is equal. */
  samePlace(upstream: BodyValue): BodyValue | undefined
  /** The first equal value: at the same place, of the same name, or any. */
  anywhere(upstream: BodyValue): BodyValue | undefined
  /** The first equal value at the same place or of the same name. */
  sameName(upstream: BodyValue): BodyValue | undefined
  /** The only equal value whose name differs at most in case and underscores. */
  onlyNamed(upstream: BodyValue): BodyValue | undefined
  /** The only equal value. */
  only(upstream: BodyValue): BodyValue | undefined
  /** An equal value of an entry that corresponds to one around the value. */
  equalBeside(upstream: BodyValue): BodyValue | undefined
  /** A leaf of the same name in an entry that corresponds to one of `entries`, by default those around the value. */
  namedBeside(
    upstream: BodyValue,
    isRight: (client: BodyValue) => boolean,
    entries?: readonly BodyValue[],
  ): BodyValue | undefined
  /** The value of a stock, by another id than its own: the nearest one, or the first. */
  nearest(upstream: BodyValue, id: number, stock: NearStock): BodyValue | undefined
  /** `idOf`: null for a value that is not in the stock. */
  stockBy(idOf: (client: BodyValue) => number | null): NearStock
}

/** Free values by an id, and by the entry that they are in. */
export interface NearStock {
  readonly all: Stock
  readonly inEntry: Stock
}

/** More than the ids of any two bodies. */
const KEY_BASE = 2 ** 26

const pairKey = (one: number, other: number): number => one * KEY_BASE + other

/** The entry that a value is in. Entries are in the one around them. */
const holderOf = ({ entry, index, parent }: BodyValue): BodyValue =>
  index === null || parent === null ? entry : parent.entry

/** The number of equal steps at the ends of two paths. */
export function commonSteps(one: BodyValue, other: BodyValue): number {
  let [left, right, count]: [BodyValue | null, BodyValue | null, number] = [one, other, 0]
  while (
    left?.parent &&
    right?.parent &&
    left.index === right.index &&
    (left.index !== null || left.name === right.name)
  )
    [left, right, count] = [left.parent, right.parent, count + 1]
  return count
}

/** The one whose path ends most alike. */
function mostAlike(value: BodyValue, found: readonly BodyValue[]): BodyValue | undefined {
  if (found.length < 2) return found[0]
  const steps = found.map((source) => commonSteps(source, value))
  return found[steps.indexOf(Math.max(...steps))]
}

/** The values of the client's body at the same places. */
function findPlaces(upstream: BodyValue, client: BodyValue): ReadonlyMap<BodyValue, BodyValue> {
  const places = new Map<BodyValue, BodyValue>()
  const visit = (one: BodyValue, other: BodyValue): void => {
    places.set(one, other)
    if (one.kind !== other.kind || one.children.length === 0) return
    const named = one.kind === 'list' ? null : new Map(other.children.map((child) => [child.name, child]))
    one.children.forEach((child, at) => {
      const source = named === null ? other.children[at] : named.get(child.name)
      if (source !== undefined) visit(child, source)
    })
  }
  visit(upstream, client)
  return places
}

/** `reader`: the one of both bodies. */
export function createClientValues(matching: GrowingMatching, reader: TreeReader): ClientValues {
  const { client, upstream, isFree, entriesOf } = matching
  const inBody = client.values.slice(1)
  const stock = (keyOf: (value: BodyValue) => number | null): Stock => createStock(inBody, keyOf, isFree)
  const nameId = memoize(reader.idOfText)
  const plainNameId = memoize((name) => reader.idOfText(name.replaceAll('_', '').toLowerCase()))
  const places = findPlaces(upstream.root, client.root)
  const stockBy = (idOf: (value: BodyValue) => number | null): NearStock => ({
    all: stock(idOf),
    inEntry: stock((value) => {
      const id = idOf(value)
      return id === null ? null : pairKey(holderOf(value).order, id)
    }),
  })
  const { all: equal, inEntry: equalIn } = stockBy(({ id }) => id)
  const named = stock(({ id, name }) => pairKey(id, nameId(name)))
  const plainlyNamed = stock((value) => (isLeaf(value) ? pairKey(value.id, plainNameId(value.name)) : null))
  const namedIn = stock((value) => (isLeaf(value) ? pairKey(holderOf(value).order, nameId(value.name)) : null))

  const samePlace = (value: BodyValue): BodyValue | undefined => {
    const source = places.get(value)
    return source !== undefined && source.id === value.id && isFree(source) ? source : undefined
  }
  const sameName = (value: BodyValue): BodyValue | undefined =>
    samePlace(value) ?? named.first(pairKey(value.id, nameId(value.name)))

  const beside = (
    value: BodyValue,
    findIn: (entry: BodyValue) => readonly BodyValue[],
    entries: readonly BodyValue[],
  ): BodyValue | undefined => {
    for (const entry of entries) {
      for (const source of entriesOf(entry)) {
        const found = mostAlike(value, findIn(source))
        if (found !== undefined) return found
      }
    }
    return undefined
  }

  const idBeside = (value: BodyValue, id: number, inEntry: Stock): BodyValue | undefined =>
    beside(value, ({ order }) => inEntry.some(pairKey(order, id)), entriesAround(value))

  return {
    samePlace,
    sameName,
    stockBy,
    nearest: (value, id, { all, inEntry }) => idBeside(value, id, inEntry) ?? all.first(id),
    anywhere: (value) => sameName(value) ?? equal.first(value.id),
    onlyNamed: (value) => plainlyNamed.only(pairKey(value.id, plainNameId(value.name))),
    only: (value) => equal.only(value.id),
    equalBeside: (value) => idBeside(value, value.id, equalIn),
    namedBeside: (value, isRight, entries = entriesAround(value)) =>
      beside(value, ({ order }) => namedIn.some(pairKey(order, nameId(value.name))).filter(isRight), entries),
  }
}

function memoize(idOf: (name: string) => number): (name: string) => number {
  const known = new Map<string, number>()
  return (name) => {
    const found = known.get(name) ?? idOf(name)
    known.set(name, found)
    return found
  }
}
