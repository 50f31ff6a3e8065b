import * as fc from 'fast-check'
import { expect, it } from 'vitest'
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

it('drops the oldest responses beyond a limit, and keeps the turns that a later one continues', () => {
  const history = new ResponseHistory({ responses: 2, bytes: 100 })
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
      const history = new ResponseHistory(limits)
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
        expect(sum).toBeLessThanOrEqual(limits.bytes)
        expect(history.size().responses).toBeLessThanOrEqual(limits.responses)
      }
    }),
    500,
  )
})
