import { expect, it } from 'vitest'
import { createLessonMemory } from '../../../src/gateway/upstream/lesson-memory.ts'

const HOUR = 3_600_000
const UPSTREAM = { vendor: 'acme', model: 'm' }

it('keeps each lesson for twelve hours, which other lessons do not renew', () => {
  let now = 0
  const memory = createLessonMemory(() => now)
  memory.note(UPSTREAM, { scope: 'model', quirks: { refusesMembers: ['a'] } })
  now = 11 * HOUR
  memory.note(UPSTREAM, { scope: 'model', quirks: { refusesMembers: ['b'] } })
  expect(memory.quirksFor(UPSTREAM, {})).toEqual({ refusesMembers: ['a', 'b'] })
  now = 12 * HOUR
  expect(memory.quirksFor(UPSTREAM, {})).toEqual({ refusesMembers: ['b'] })
})

it('applies what is for one request to that request only', () => {
  const memory = createLessonMemory(() => 0)
  const lesson = { scope: 'request', quirks: { refusesMembers: ['metadata'] } } as const
  expect(memory.quirksFor(UPSTREAM, {}, [lesson])).toEqual({ refusesMembers: ['metadata'] })
  expect(memory.note(UPSTREAM, lesson)).toBe(false)
  expect(memory.note(UPSTREAM, { scope: 'model', facts: { longestUser: 64 } })).toBe(true)
  expect(memory.linesFor(UPSTREAM)).toEqual(['vendors.acme.quirks: {"modelFacts":{"m":{"longestUser":64}}}'])
})
