import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { KeptMemory } from '../../../../src/host/server/websocket/kept-memory.ts'
import {
  bytesUpTo,
  type HistoryEntry,
  itemsUpTo,
  ResponseHistory,
} from '../../../../src/host/server/websocket/response-history.ts'
import { check } from '../../../property.ts'

const entry = (before: HistoryEntry | null, bytes: number, ...items: object[]): HistoryEntry => ({
  before,
  items,
  bytes,
})

it('returns the items of all turns in order, from the latest compaction of an output on', () => {
  const first = entry(null, 1, { id: 'a' }, { id: 'b' })
  const second = entry(first, 2, { id: 'c' }, { type: 'compaction', id: 'd' }, { id: 'e' })
  const third = entry(second, 3, { id: 'f' })
  expect(itemsUpTo(first)).toEqual([{ id: 'a' }, { id: 'b' }])
  expect(itemsUpTo(third)).toEqual([{ type: 'compaction', id: 'd' }, { id: 'e' }, { id: 'f' }])
  expect(bytesUpTo(third)).toBe(6)
})

const openHistory = (
  limits: { responses: number; bytes: number },
  memory = new KeptMemory(Number.POSITIVE_INFINITY),
  keyId = 'key',
): ResponseHistory => new ResponseHistory(limits, memory, keyId)

it('drops the oldest responses beyond a limit, and keeps the turns that a later one continues', () => {
  const history = openHistory({ responses: 2, bytes: 100 })
  const first = entry(null, 60)
  const second = entry(first, 10)
  history.add('1', first)
  history.add('2', second)
  history.add('3', entry(second, 5))
  expect([history.find('1'), history.size()]).toEqual([undefined, { responses: 2, bytes: 75 }])
  history.add('4', entry(null, 90))
  expect([history.find('2'), history.find('3'), history.size()]).toEqual([
    undefined,
    undefined,
    { responses: 1, bytes: 90 },
  ])
  history.add('5', entry(null, 101))
  expect(history.size()).toEqual({ responses: 0, bytes: 0 })
})

it('counts exactly the turns that a kept response needs, whatever is added and dropped', () => {
  const step = fc.record({
    id: fc.nat(5),
    before: fc.nat(8),
    bytes: fc.integer({ min: 1, max: 40 }),
    drops: fc.boolean(),
  })
  check(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const limits = { responses: 4, bytes: 120 }
      const memory = new KeptMemory(200)
      const other = openHistory({ responses: 4, bytes: 100 }, memory)
      other.add('other', entry(null, 100))
      const history = openHistory(limits, memory, 'other')
      const made: HistoryEntry[] = []
      for (const { id, before, bytes, drops } of steps) {
        if (drops) history.drop(String(id))
        else {
          const next = entry(made.at(-before) ?? null, bytes)
          made.push(next)
          history.add(String(id), next)
        }
        const kept = new Set<HistoryEntry>()
        for (let at = 0; at <= 5; at += 1) {
          for (let one = history.find(String(at)) ?? null; one !== null; one = one.before) kept.add(one)
        }
        const sum = [...kept].reduce((total, one) => total + one.bytes, 0)
        expect(history.size().bytes).toBe(sum)
        expect(memory.held()).toBe(sum + other.size().bytes)
        expect(memory.held()).toBeLessThanOrEqual(200)
        expect(sum).toBeLessThanOrEqual(limits.bytes)
        expect(history.size().responses).toBeLessThanOrEqual(limits.responses)
      }
    }),
    500,
  )
})

it('drops responses of the key that uses most of the shared memory, and those of no other key', () => {
  const memory = new KeptMemory(100)
  const limits = { responses: 8, bytes: 100 }
  const small = openHistory(limits, memory, 'small')
  small.add('mine', entry(null, 30))
  const histories = ['1', '2', '3'].map(() => openHistory(limits, memory, 'large'))
  for (const [at, history] of histories.entries()) history.add(String(at), entry(null, 25))
  expect(small.size()).toEqual({ responses: 1, bytes: 30 })
  expect(histories.map((history) => history.size().responses).sort()).toEqual([0, 1, 1])
  expect(memory.held()).toBe(80)
})

it('keeps nothing of a connection that has closed', () => {
  const memory = new KeptMemory(100)
  const history = openHistory({ responses: 8, bytes: 100 }, memory)
  history.add('1', entry(null, 30))
  history.close()
  history.add('2', entry(null, 30))
  expect([history.size(), memory.held()]).toEqual([{ responses: 0, bytes: 0 }, 0])
})
