/** Values of a node. 32 keeps paths short (four levels for a million values) and copies small. */
const WIDTH = 32

type ListNode<T> = { readonly values: readonly T[] } | { readonly nodes: readonly ListNode<T>[] }

/**
 * A persistent list as plain JSON, for the states of machines: an array would be copied whole at every change.
 *
 * - `tail` holds the last values (at most 32). `trunk`, a trie of full nodes, holds all earlier ones.
 * - Append, read and replace cost O(log32 n) and leave every older list unchanged; `listToArray` costs O(n).
 * - Values are JSON: no `undefined`.
 */
export interface List<T> {
  readonly length: number
  readonly tail: readonly T[]
  /** All values before the tail; null if there are none. */
  readonly trunk: ListNode<T> | null
  /** Levels of nodes above the values of `trunk`, minus one. */
  readonly height: number
}

export const EMPTY_LIST: List<never> = { length: 0, tail: [], trunk: null, height: 0 }

/** The number of values in a full node of that height. */
const capacity = (height: number): number => WIDTH ** (height + 1)

/** The list with a value appended. O(log32 n). */
export function listAppend<T>(list: List<T>, value: T): List<T> {
  const { length, tail, trunk, height } = list
  // A spread would leave room for many more values, in each of the lists of every stream.
  if (tail.length < WIDTH) return { length: length + 1, tail: tail.concat([value]), trunk, height }
  const count = length - tail.length
  if (trunk === null) return { length: length + 1, tail: [value], trunk: { values: tail }, height: 0 }
  return count === capacity(height)
    ? { length: length + 1, tail: [value], trunk: { nodes: [trunk, pathTo(height, tail)] }, height: height + 1 }
    : { length: length + 1, tail: [value], trunk: withLeaf(trunk, height, count, tail), height }
}

const pathTo = <T>(height: number, values: readonly T[]): ListNode<T> =>
  height === 0 ? { values } : { nodes: [pathTo(height - 1, values)] }

/** The node, which must not be full, with one more leaf after its `count` values. */
function withLeaf<T>(node: ListNode<T>, height: number, count: number, leaf: readonly T[]): ListNode<T> {
  if (!('nodes' in node)) return { values: leaf }
  const below = capacity(height - 1)
  const slot = Math.floor(count / below)
  const child = node.nodes[slot]
  const grown = child === undefined ? pathTo(height - 1, leaf) : withLeaf(child, height - 1, count % below, leaf)
  return { nodes: [...node.nodes.slice(0, slot), grown] }
}

/** The list with these values appended. O(k log32 n) for k values. */
export function listConcat<T>(list: List<T>, values: Iterable<T>): List<T> {
  let next = list
  for (const value of values) next = listAppend(next, value)
  return next
}

/** A list of these values. O(n). */
export const listOf = <T>(values: Iterable<T>): List<T> => listConcat<T>(EMPTY_LIST, values)

/** The value at an index, from 0; undefined outside the list. O(log32 n). */
export function listAt<T>({ length, tail, trunk, height }: List<T>, at: number): T | undefined {
  const count = length - tail.length
  return at >= count || trunk === null ? tail[at - count] : valueIn(trunk, height, at)
}

function valueIn<T>(trunk: ListNode<T>, height: number, at: number): T | undefined {
  let node = trunk
  for (let below = capacity(height - 1), rest = at; 'nodes' in node; below /= WIDTH) {
    const child = node.nodes[Math.floor(rest / below)]
    if (child === undefined) return undefined
    node = child
    rest %= below
  }
  return node.values[at % WIDTH]
}

/** The last value; undefined in an empty list. O(1). */
export const listLast = <T>({ tail }: List<T>): T | undefined => tail.at(-1)

/** The list with the value at an index replaced; the same list if the index is out of range. O(log32 n). */
export function listWith<T>(list: List<T>, at: number, value: T): List<T> {
  const { length, tail, trunk, height } = list
  if (!(at >= 0 && at < length)) return list
  const count = length - tail.length
  return at >= count || trunk === null
    ? { length, tail: tail.with(at - count, value), trunk, height }
    : { length, tail, trunk: nodeWith(trunk, height, at, value), height }
}

function nodeWith<T>(node: ListNode<T>, height: number, at: number, value: T): ListNode<T> {
  if (!('nodes' in node)) return { values: node.values.with(at, value) }
  const below = capacity(height - 1)
  const slot = Math.floor(at / below)
  const child = node.nodes[slot]
  return child === undefined ? node : { nodes: node.nodes.with(slot, nodeWith(child, height - 1, at % below, value)) }
}

/** The values, in order. O(n). A short list returns its internal array, which callers must not modify. */
export function listToArray<T>({ tail, trunk }: List<T>): readonly T[] {
  if (trunk === null) return tail
  const values: T[] = []
  collect(trunk, values)
  for (const value of tail) values.push(value)
  return values
}

function collect<T>(node: ListNode<T>, values: T[]): void {
  if ('nodes' in node) for (const child of node.nodes) collect(child, values)
  else for (const value of node.values) values.push(value)
}
