import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_LENGTHS } from '../../src/protocol/limits.ts'
import {
  addLoss,
  dropped,
  formatLoss,
  formatLosses,
  joinLosses,
  type Loss,
  mapped,
  reportedLosses,
} from '../../src/protocol/loss.ts'
import { check } from '../property.ts'

const lossesOf = (count: number): readonly Loss[] =>
  Array.from({ length: count }, (_, i) => (i % 2 === 0 ? dropped(`field_${i}`, 'x') : mapped(`field_${i}`, 'y')))

const entryOf = ({ path, action }: Loss): string => `${path} ${action}`

describe('a list of losses on one line', () => {
  it('is complete if it fits', () => {
    expect(formatLosses(lossesOf(2), 31)).toBe('field_0 dropped, field_1 mapped')
    expect(formatLosses(lossesOf(1), 15)).toBe('field_0 dropped')
    expect(formatLosses([], 15)).toBe('')
  })

  it('never ends inside an entry, and counts the entries that it omits', () => {
    const most = fc.integer({ min: 20, max: 1000 })
    check(
      fc.property(fc.nat(MAX_LENGTHS.losses), most, (count, room) => {
        const losses = lossesOf(count)
        const line = formatLosses(losses, room)
        expect(line.length).toBeLessThanOrEqual(room)
        const entries = line === '' ? [] : line.split(', ')
        const [, left] = /^and (\d+) more$/.exec(entries.at(-1) ?? '') ?? []
        const kept = left === undefined ? entries : entries.slice(0, -1)
        expect(kept).toEqual(losses.slice(0, kept.length).map(entryOf))
        expect(kept.length + Number(left ?? 0)).toBe(count)
      }),
    )
  })

  it('does not count losses beyond the limit', () => {
    expect(formatLosses(lossesOf(MAX_LENGTHS.losses + 1), 50)).toBe('field_0 dropped, field_1 mapped, and more')
    expect(formatLosses(lossesOf(MAX_LENGTHS.losses + 1), 1e6)).toMatch(/, field_99 mapped, and more dropped$/)
  })
})

it('a list of too many losses ends with an entry that states it', () => {
  const losses: Loss[] = []
  for (const loss of lossesOf(150)) addLoss(losses, loss)
  for (const reported of [reportedLosses(losses), reportedLosses(lossesOf(150))]) {
    expect(reported).toHaveLength(MAX_LENGTHS.losses + 1)
    expect(reported.map(formatLoss).at(-1)).toBe('and more dropped: only the first 100 losses are listed')
  }
})

it('losses of the same path from decoding and encoding become one', () => {
  expect(joinLosses([mapped('a', 'x')], [dropped('a', 'y')])).toEqual([dropped('a', 'y')])
  expect(joinLosses([dropped('a', 'x')], [mapped('a', 'y')])).toEqual([dropped('a', 'x')])
  expect(joinLosses([dropped('a', 'x')], [dropped('a', 'y')])).toEqual([dropped('a', 'x')])
  expect(joinLosses([mapped('a', 'x')], [mapped('a', 'y')])).toEqual([mapped('a', 'x; y')])
})

it('different losses of one path are kept, each once', () => {
  const later = [dropped('a', 'x'), dropped('a', 'y'), dropped('a', 'x'), mapped('b', 'x')]
  expect(joinLosses([mapped('c', 'z')], later)).toEqual([
    mapped('c', 'z'),
    dropped('a', 'x'),
    dropped('a', 'y'),
    mapped('b', 'x'),
  ])
})

it('reports every loss of a path with several losses from encoding, also if decoding changed the same value', () => {
  const later = [dropped('a', 'x'), mapped('a', 'y'), dropped('b', 'z')]
  expect(joinLosses([mapped('a', 'w'), mapped('b', 'v')], later)).toEqual([
    mapped('a', 'w'),
    dropped('b', 'z'),
    dropped('a', 'x'),
    mapped('a', 'y'),
  ])
})
