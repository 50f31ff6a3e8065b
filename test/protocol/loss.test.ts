import { expect, it } from 'vitest'
import { dropped, joinLosses, lossesIn, mapped } from '../../src/protocol/loss.ts'

it('what has no place with its client is not told', () => {
  const places: Readonly<Record<string, string | null>> = { a: 'b', invented: null }
  const losses = [dropped('a', 'x'), mapped('invented', 'y')]
  expect(lossesIn(losses, (path) => places[path] ?? null)).toEqual([dropped('b', 'x')])
})

it('what was lost when it was read, and again when it was written, is one loss', () => {
  expect(joinLosses([mapped('a', 'x')], [dropped('a', 'y')])).toEqual([dropped('a', 'y')])
  expect(joinLosses([dropped('a', 'x')], [mapped('a', 'y')])).toEqual([dropped('a', 'x')])
  expect(joinLosses([dropped('a', 'x')], [dropped('a', 'y')])).toEqual([dropped('a', 'x')])
  expect(joinLosses([mapped('a', 'x')], [mapped('a', 'y')])).toEqual([mapped('a', 'x; y')])
})

it('several things of one place are each told, and none of them twice', () => {
  const later = [dropped('a', 'x'), dropped('a', 'y'), dropped('a', 'x'), mapped('b', 'x')]
  expect(joinLosses([mapped('c', 'z')], later)).toEqual([
    mapped('c', 'z'),
    dropped('a', 'x'),
    dropped('a', 'y'),
    mapped('b', 'x'),
  ])
})
