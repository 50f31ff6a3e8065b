/**
 * A subtree is rebuilt if its sibling is more than three times as heavy. Hirai and Yamamoto (2011) proved this factor
 * sound with a `RATIO` of 2.
 */
const DELTA = 3
const RATIO = 2

interface MapNode<K extends string | number, V> {
  readonly key: K
  readonly value: V
  readonly size: number
  readonly left: SortedMap<K, V>
  readonly right: SortedMap<K, V>
}

/**
 * A persistent map as plain JSON, in the order of its keys, for the states of machines: an object or a list would be
 * copied or searched whole at every step. A weight-balanced tree; null is the empty map.
 *
 * - Read, set and delete cost O(log n) comparisons in the worst case, for any keys. There is no hash for which an
 *   upstream could choose colliding keys, and no object literal that `__proto__` could affect. Older maps stay
 *   unchanged.
 * - Strings are ordered by code unit, numbers by value. Values are JSON: no `undefined`.
 */
export type SortedMap<K extends string | number, V> = MapNode<K, V> | null

/** A persistent set of keys, in their order. */
export type SortedSet<K extends string | number> = SortedMap<K, true>

/** The number of keys. O(1). */
export const mapSize = <K extends string | number, V>(map: SortedMap<K, V>): number => map?.size ?? 0

/** The value of a key; undefined if the key is missing. O(log n). */
export function mapGet<K extends string | number, V>(map: SortedMap<K, V>, key: K): V | undefined {
  let node = map
  while (node !== null && node.key !== key) node = key < node.key ? node.left : node.right
  return node?.value
}

/** The map with the value set; the same map if the key already has that value. O(log n). */
export function mapSet<K extends string | number, V>(map: SortedMap<K, V>, key: K, value: V): SortedMap<K, V> {
  if (map === null) return { key, value, size: 1, left: null, right: null }
  if (key === map.key) return value === map.value ? map : node(key, value, map.left, map.right)
  const left = key < map.key ? mapSet(map.left, key, value) : map.left
  const right = key < map.key ? map.right : mapSet(map.right, key, value)
  return left === map.left && right === map.right ? map : balanced(map.key, map.value, left, right)
}

/** The map without the key; the same map if the key is missing. O(log n). */
export function mapDelete<K extends string | number, V>(map: SortedMap<K, V>, key: K): SortedMap<K, V> {
  if (map === null) return null
  if (key === map.key) return joined(map.left, map.right)
  const left = key < map.key ? mapDelete(map.left, key) : map.left
  const right = key < map.key ? map.right : mapDelete(map.right, key)
  return left === map.left && right === map.right ? map : balanced(map.key, map.value, left, right)
}

/** The keys, ascending. O(n). */
export function mapKeys<K extends string | number, V>(map: SortedMap<K, V>): K[] {
  const keys: K[] = []
  visit(map, (key) => keys.push(key))
  return keys
}

/** The values, in the order of their keys. O(n). */
export function mapValues<K extends string | number, V>(map: SortedMap<K, V>): V[] {
  const values: V[] = []
  visit(map, (_, value) => values.push(value))
  return values
}

/** Pairs of key and value, ascending by key. O(n). */
export function mapEntries<K extends string | number, V>(map: SortedMap<K, V>): [K, V][] {
  const entries: [K, V][] = []
  visit(map, (key, value) => entries.push([key, value]))
  return entries
}

/** The largest key; undefined in an empty map. O(log n). */
export const mapLastKey = <K extends string | number, V>(map: SortedMap<K, V>): K | undefined =>
  map === null ? undefined : last(map).key

function visit<K extends string | number, V>(map: SortedMap<K, V>, see: (key: K, value: V) => void): void {
  if (map === null) return
  visit(map.left, see)
  see(map.key, map.value)
  visit(map.right, see)
}

const weight = <K extends string | number, V>(map: SortedMap<K, V>): number => mapSize(map) + 1

const node = <K extends string | number, V>(
  key: K,
  value: V,
  left: SortedMap<K, V>,
  right: SortedMap<K, V>,
): MapNode<K, V> => ({ key, value, size: mapSize(left) + mapSize(right) + 1, left, right })

/** Builds a balanced node from two subtrees that are at most one key away from balance. */
function balanced<K extends string | number, V>(
  key: K,
  value: V,
  left: SortedMap<K, V>,
  right: SortedMap<K, V>,
): MapNode<K, V> {
  if (right !== null && weight(right) > DELTA * weight(left)) return rotatedLeft(key, value, left, right)
  if (left !== null && weight(left) > DELTA * weight(right)) return rotatedRight(key, value, left, right)
  return node(key, value, left, right)
}

function rotatedLeft<K extends string | number, V>(
  key: K,
  value: V,
  left: SortedMap<K, V>,
  right: MapNode<K, V>,
): MapNode<K, V> {
  const inner = right.left
  if (inner === null || weight(inner) < RATIO * weight(right.right))
    return node(right.key, right.value, node(key, value, left, inner), right.right)
  const outer = node(right.key, right.value, inner.right, right.right)
  return node(inner.key, inner.value, node(key, value, left, inner.left), outer)
}

function rotatedRight<K extends string | number, V>(
  key: K,
  value: V,
  left: MapNode<K, V>,
  right: SortedMap<K, V>,
): MapNode<K, V> {
  const inner = left.right
  if (inner === null || weight(inner) < RATIO * weight(left.left))
    return node(left.key, left.value, left.left, node(key, value, inner, right))
  const outer = node(left.key, left.value, left.left, inner.left)
  return node(inner.key, inner.value, outer, node(key, value, inner.right, right))
}

/** Joins two subtrees whose parent was deleted. */
function joined<K extends string | number, V>(left: SortedMap<K, V>, right: SortedMap<K, V>): SortedMap<K, V> {
  if (left === null) return right
  if (right === null) return left
  const next = left.size > right.size ? last(left) : first(right)
  return left.size > right.size
    ? balanced(next.key, next.value, mapDelete(left, next.key), right)
    : balanced(next.key, next.value, left, mapDelete(right, next.key))
}

function first<K extends string | number, V>(map: MapNode<K, V>): MapNode<K, V> {
  let now = map
  while (now.left !== null) now = now.left
  return now
}

function last<K extends string | number, V>(map: MapNode<K, V>): MapNode<K, V> {
  let now = map
  while (now.right !== null) now = now.right
  return now
}
