import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  EMPTY_LIST,
  type List,
  listAppend,
  listAt,
  listConcat,
  listLast,
  listOf,
  listToArray,
  listWith,
} from '../../src/collections/list.ts'
import { check } from '../property.ts'

type Edit = { readonly append: number } | { readonly at: number; readonly value: number }

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ append: fc.nat() }),
  fc.record({ at: fc.integer({ min: -2, max: 3000 }), value: fc.nat() }),
)

/** Lengths around those at which a level is full: 32, 1,024, 1,056, 32,768. */
const length = fc.oneof(fc.nat(100), fc.integer({ min: 1000, max: 1100 }), fc.constantFrom(32, 64, 1024, 1056, 32_800))

const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

test('a list equals an array after the same edits, and older lists stay unchanged', () => {
  check(
    fc.property(length, fc.array(edit, { maxLength: 80 }), (start, edits) => {
      let list: List<number> = listOf(numbers(start))
      let array: readonly number[] = numbers(start)
      const before = list
      for (const next of edits) {
        if ('append' in next) {
          list = listAppend(list, next.append)
          array = [...array, next.append]
        } else {
          list = listWith(list, next.at, next.value)
          if (next.at >= 0 && next.at < array.length) array = array.with(next.at, next.value)
        }
      }
      expect(listToArray(list)).toEqual(array)
      expect(list.length).toBe(array.length)
      expect(listLast(list)).toBe(array.at(-1))
      expect(listToArray(before)).toEqual(numbers(start))
    }),
    100,
  )
})

test('a list has its value at each index, and undefined outside', () => {
  for (const count of [0, 1, 32, 33, 1024, 1056, 1057, 32_768, 32_800, 33_900]) {
    const list = listOf(numbers(count))
    expect(numbers(count).every((at) => listAt(list, at) === at)).toBe(true)
    expect([-1, count, count + 40, 0.5].map((at) => listAt(list, at))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  }
})

test('a list continues as the same list after a round trip through JSON', () => {
  check(
    fc.property(length, fc.array(fc.nat(), { maxLength: 70 }), (start, more) => {
      const list = listOf(numbers(start))
      const read = JSON.parse(JSON.stringify(list)) as List<number>
      expect(read).toEqual(list)
      expect(listConcat(read, more)).toEqual(listConcat(list, more))
    }),
    50,
  )
})

test('a list keeps values that are arrays themselves', () => {
  const values = numbers(100).map((at) => [at, [at]])
  expect(listToArray(listOf(values))).toEqual(values)
  expect(listToArray(EMPTY_LIST)).toEqual([])
})

test('a change of a long list copies only a few nodes', () => {
  const list = listOf(numbers(100_000))
  expect(listWith(list, 99_999, -1).trunk).toBe(list.trunk)
  const changed = listWith(list, 5, -1)
  const shared = JSON.stringify(list).length - sizeOfNew(changed.trunk, nodesOf(list.trunk))
  expect(shared / JSON.stringify(list).length).toBeGreaterThan(0.98)
})

type Trunk = List<number>['trunk']

function nodesOf(node: Trunk, seen = new Set<unknown>()): Set<unknown> {
  seen.add(node)
  if (node !== null && 'nodes' in node) for (const child of node.nodes) nodesOf(child, seen)
  return seen
}

/** Counts the characters of the nodes that are not in `old`. */
function sizeOfNew(node: Trunk, old: Set<unknown>): number {
  if (node === null || old.has(node)) return 0
  if ('values' in node) return JSON.stringify(node).length
  return node.nodes.reduce((sum, child) => sum + 8 + sizeOfNew(child, old), 0)
}
