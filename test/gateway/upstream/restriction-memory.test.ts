import { describe, expect, it } from 'vitest'
import type { Restriction } from '../../../src/engine/rules/refusal.ts'
import { createRestrictionMemory, type LearningRequest } from '../../../src/gateway/upstream/restriction-memory.ts'

const HOUR = 3_600_000

const from = (conversation: number | null, more: Partial<LearningRequest> = {}): LearningRequest => ({
  vendor: 'acme',
  wire: 'openai-chat',
  model: 'm',
  identity: { account: 'a', vendor: 'v' },
  conversation: () => conversation,
  ...more,
})

const refuses = (path: string, scope: Restriction['scope'] = 'model'): Restriction => ({
  scope,
  quirks: { refusesMembers: [path] },
})

describe('a restriction about a model', () => {
  it('is for its conversation until another one confirms it', () => {
    const memory = createRestrictionMemory(() => 0)
    memory.note(from(1), refuses('a'))
    memory.note(from(1), refuses('a'))
    expect(memory.quirksFor(from(1), {})).toEqual({ refusesMembers: ['a'] })
    expect(memory.quirksFor(from(2), {})).toEqual({})
    expect(memory.linesFor(from(2))).toEqual([])
    memory.note(from(2), refuses('a'))
    for (const request of [from(1), from(2), from(3), from(null)])
      expect(memory.quirksFor(request, {})).toEqual({ refusesMembers: ['a'] })
  })

  it('is kept for twelve hours, which other restrictions do not renew', () => {
    let now = 0
    const memory = createRestrictionMemory(() => now)
    for (const conversation of [1, 2]) memory.note(from(conversation), refuses('a'))
    now = 11 * HOUR
    for (const conversation of [1, 2]) memory.note(from(conversation), refuses('b'))
    expect(memory.quirksFor(from(3), {})).toEqual({ refusesMembers: ['a', 'b'] })
    now = 12 * HOUR
    expect(memory.quirksFor(from(3), {})).toEqual({ refusesMembers: ['b'] })
  })

  it('cannot be confirmed after the model has accepted the member from another conversation', () => {
    const memory = createRestrictionMemory(() => 0)
    memory.note(from(1), refuses('tools.*.strict'))
    memory.noteAccepted(from(1), { tools: [{ strict: true }] })
    memory.noteAccepted(from(2), { tools: [{ name: 'f' }] })
    memory.noteAccepted(from(2), { tools: [{ name: 'f' }, { strict: true }] })
    for (const conversation of [3, 4, 5]) memory.note(from(conversation), refuses('tools.*.strict'))
    expect(memory.quirksFor(from(6), {})).toEqual({})
    expect(memory.quirksFor(from(1), {})).toEqual({ refusesMembers: ['tools.*.strict'] })
  })

  it('is not refuted by bodies without the member, nor by its own conversation', () => {
    const memory = createRestrictionMemory(() => 0)
    memory.note(from(1), refuses('a'))
    memory.noteAccepted(from(1), { a: 1 })
    memory.noteAccepted(from(2), { b: 1 })
    memory.note(from(2), refuses('a'))
    expect(memory.quirksFor(from(3), {})).toEqual({ refusesMembers: ['a'] })
  })

  it.each([
    ['vendor', { vendor: 'other' }],
    ['wire', { wire: 'openai-responses' as const }],
    ['model', { model: 'n' }],
    ['credential under the same name', { identity: { account: 'b', vendor: 'w' } }],
  ])('is not for another %s', (_, other) => {
    const memory = createRestrictionMemory(() => 0)
    for (const conversation of [1, 2]) memory.note(from(conversation), refuses('a'))
    expect(memory.quirksFor(from(1, other), {})).toEqual({})
  })

  it('is for each member of a pool', () => {
    const memory = createRestrictionMemory(() => 0)
    for (const conversation of [1, 2]) memory.note(from(conversation), refuses('a'))
    expect(memory.quirksFor(from(3, { identity: { account: 'b', vendor: 'v' } }), {})).toEqual({
      refusesMembers: ['a'],
    })
  })

  it('reaches a conversation that many others follow, and those are bounded', () => {
    const memory = createRestrictionMemory(() => 0)
    for (const conversation of [1, 2]) memory.note(from(conversation), refuses('kept'))
    for (let conversation = 10; conversation < 1000; conversation += 1)
      memory.note(from(conversation), refuses(`m${conversation}`))
    expect(memory.quirksFor(from(1), {})).toEqual({ refusesMembers: ['kept'] })
    expect(memory.quirksFor(from(999), {})).toEqual({ refusesMembers: ['kept', 'm999'] })
    expect(memory.quirksFor(from(10), {})).toEqual({ refusesMembers: ['kept'] })
  })
})

describe('a restriction about a key', () => {
  const SUMMARY = refuses('reasoning.summary', 'key')

  it('is for all models and conversations of its credential, and for no other credential', () => {
    const memory = createRestrictionMemory(() => 0)
    memory.note(from(1), SUMMARY)
    expect(memory.quirksFor(from(2, { model: 'n' }), {})).toEqual({ refusesMembers: ['reasoning.summary'] })
    expect(memory.quirksFor(from(1, { identity: { account: 'b', vendor: 'v' } }), {})).toEqual({})
    expect(memory.quirksFor(from(1, { vendor: 'other' }), {})).toEqual({})
  })
})

it('applies what is for one request to that request only', () => {
  const memory = createRestrictionMemory(() => 0)
  const restriction = refuses('metadata', 'request')
  expect(memory.quirksFor(from(1), {}, [restriction])).toEqual({ refusesMembers: ['metadata'] })
  expect(memory.note(from(1), restriction)).toBe(false)
  expect(memory.note(from(1), { scope: 'model', facts: { longestUser: 64 } })).toBe(true)
  expect(memory.linesFor(from(1))).toEqual(['vendors.acme.quirks: {"modelFacts":{"m":{"longestUser":64}}}'])
})

it('does not identify a conversation before a restriction depends on it', () => {
  const memory = createRestrictionMemory(() => 0)
  const unasked = from(1, {
    conversation: () => {
      throw new Error('asked')
    },
  })
  expect(memory.quirksFor(unasked, {})).toEqual({})
  for (const conversation of [1, 2]) memory.note(from(conversation), refuses('a'))
  memory.noteAccepted(unasked, { a: 1 })
  expect(memory.quirksFor(unasked, {})).toEqual({ refusesMembers: ['a'] })
})
