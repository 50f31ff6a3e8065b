import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  mapDelete,
  mapGet,
  mapKeys,
  mapSet,
  mapSize,
  mapValues,
  type SortedMap,
} from '../../src/collections/sorted-map.ts'
import { check } from '../property.ts'

const key = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', '', 'a', 'b'),
  fc.string({ maxLength: 2 }),
  fc.nat(200).map((n) => `key_${n}`),
)

const edits = fc.array(fc.tuple(key, fc.option(fc.nat(), { nil: null })), { maxLength: 400 })

type Edits = readonly (readonly [string, number | null])[]

function edited(edits: Edits): { readonly map: SortedMap<string, number>; readonly twin: Map<string, number> } {
  let map: SortedMap<string, number> = null
  const twin = new Map<string, number>()
  for (const [name, value] of edits) {
    map = value === null ? mapDelete(map, name) : mapSet(map, name, value)
    if (value === null) twin.delete(name)
    else twin.set(name, value)
  }
  return { map, twin }
}

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

test('a sorted map equals a Map after the same edits, with its keys in order', () => {
  check(
    fc.property(edits, (list) => {
      const { map, twin } = edited(list)
      const keys = [...twin.keys()].sort(byCodeUnit)
      expect(mapKeys(map)).toEqual(keys)
      expect(mapValues(map)).toEqual(keys.map((name) => twin.get(name)))
      expect(mapSize(map)).toBe(twin.size)
      for (const [name] of list) expect(mapGet(map, name)).toBe(twin.get(name))
    }),
    300,
  )
})

test('a sorted map has no values under names that every object inherits', () => {
  expect(mapGet(mapSet(null, 'a', 1), '__proto__')).toBeUndefined()
  expect(mapGet(mapSet(null, '__proto__', 1), 'constructor')).toBeUndefined()
  expect(mapKeys(mapSet(null, '__proto__', 1))).toEqual(['__proto__'])
})

test('an edit leaves older maps unchanged, and returns the same map if it changes nothing', () => {
  check(
    fc.property(edits, key, (list, name) => {
      const { map } = edited(list)
      const before = JSON.stringify(map)
      mapDelete(mapSet(map, name, -1), name)
      mapDelete(map, name)
      expect(JSON.stringify(map)).toBe(before)
      const value = mapGet(map, name)
      expect(value === undefined ? mapDelete(map, name) : mapSet(map, name, value)).toBe(map)
    }),
    200,
  )
})

test('a sorted map continues as the same map after a round trip through JSON', () => {
  check(
    fc.property(edits, edits, (list, more) => {
      const { map } = edited(list)
      const read = JSON.parse(JSON.stringify(map)) as typeof map
      expect(read).toEqual(map)
      expect(mapSet(read, 'x', 1)).toEqual(mapSet(map, 'x', 1))
      expect(mapDelete(read, more[0]?.[0] ?? '')).toEqual(mapDelete(map, more[0]?.[0] ?? ''))
    }),
    200,
  )
})

const depth = (map: SortedMap<number, true>): number =>
  map === null ? 0 : 1 + Math.max(depth(map.left), depth(map.right))

test('a sorted map stays shallow for keys in any order, and after deletions', () => {
  const count = 20_000
  const orders: readonly ((i: number) => number)[] = [(i) => i, (i) => count - i, (i) => (i % 2 === 0 ? i : -i)]
  for (const order of orders) {
    let map: SortedMap<number, true> = null
    for (let i = 0; i < count; i++) map = mapSet(map, order(i), true)
    expect(mapSize(map)).toBe(count)
    expect(depth(map)).toBeLessThan(36)
    for (let i = 0; i < count; i += 1) if (i % 3 !== 0) map = mapDelete(map, order(i))
    expect(depth(map)).toBeLessThan(32)
    expect(mapKeys(map)).toEqual([...mapKeys(map)].sort((a, b) => a - b))
  }
})
