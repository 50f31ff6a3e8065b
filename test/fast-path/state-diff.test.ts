import { describe, expect, it } from 'vitest'
import { grow, growthOf, sameBut, tellsLast } from '../../src/fast-path/state-diff.ts'

const WORDS = 'ab\u{1f642}'

/** Returns the growth between two states, and the state after further text. */
function grown(before: unknown, after: unknown, words: string) {
  const growth = growthOf(before, after, WORDS)
  return growth === null ? null : { growth, next: grow(after, growth, words) }
}

describe('the growth of a state by a text', () => {
  it('finds appended text and counts of UTF-16 units and characters, also deep inside the state', () => {
    const stays = { x: 1 }
    const before = { a: 'x', b: 1, c: 1, d: stays, e: { f: [stays, { g: '', h: null }] } }
    const after = { a: `x${WORDS}`, b: 5, c: 4, d: stays, e: { f: [stays, { g: WORDS, h: null }] } }
    expect(grown(before, after, '!')).toEqual({
      growth: { a: 'text', b: 'utf16', c: 'code-points', e: { f: { 1: { g: 'text' } } } },
      next: { a: `x${WORDS}!`, b: 6, c: 5, d: stays, e: { f: [stays, { g: `${WORDS}!`, h: null }] } },
    })
    const found = growthOf(before, after, WORDS) ?? {}
    expect(tellsLast(found)).toBe(false)
    expect(grow(after, found, '!').d).toBe(stays)
    expect(Array.isArray(grow(after, found, '!').e.f)).toBe(true)
  })

  it('finds values that are replaced as a whole', () => {
    const growth = growthOf({ a: { b: '', n: 1 }, c: [1] }, { a: { b: WORDS, n: 9 }, c: [1, 2] }, WORDS)
    expect(growth).toEqual({ a: 'last', c: 'last' })
    expect(tellsLast(growth ?? {})).toBe(true)
  })

  it('treats values below the depth limit as replaced, however deep they are', () => {
    const nest = (depth: number, text: string): unknown =>
      JSON.parse(`${'{"a":['.repeat(depth)}"${text}"${']}'.repeat(depth)}`)
    for (const depth of [5, 40, 50_000]) {
      expect(growthOf({ a: nest(depth, '') }, { a: nest(depth, WORDS) }, WORDS)).toEqual({ a: 'last' })
    }
    expect(tellsLast(growthOf(nest(4, ''), nest(4, WORDS), WORDS) ?? {})).toBe(false)
  })

  it('handles fields of any name, such as __proto__', () => {
    const before = JSON.parse('{"__proto__":"","constructor":"x"}')
    const after = JSON.parse(`{"__proto__":"${WORDS}","constructor":"x"}`)
    const growth = growthOf(before, after, WORDS) ?? {}
    expect(JSON.stringify(grow(after, growth, '!'))).toBe(`{"__proto__":"${WORDS}!","constructor":"x"}`)
    expect(sameBut(before, after, growth)).toBe(true)
    expect(sameBut(before, JSON.parse('{"__proto__":"","constructor":"y"}'), growth)).toBe(false)
  })

  it('is null if a field was added or the type differs', () => {
    expect(growthOf({ a: 1 }, { a: 1, b: 2 }, WORDS)).toBeNull()
    expect(growthOf(1, { a: 1 }, WORDS)).toBeNull()
  })
})

describe('the comparison of two states', () => {
  const stays = {}
  const growth = { a: 'text', e: { f: { 0: { g: 'text' } } } } as const
  const state = (a: string, g: string, h: unknown = stays) => ({ a, e: { f: [{ g, h }] } })

  it('accepts differences only in fields that grow', () => {
    expect(sameBut(state('', ''), state('x', 'y'), growth)).toBe(true)
    expect(sameBut(state('', ''), state('', '', {}), growth)).toBe(false)
    expect(sameBut(state('', ''), { a: '', e: { f: [] } }, growth)).toBe(false)
    expect(sameBut(state('', ''), { a: '', e: { f: [{ g: '', h: stays }, 1] } }, growth)).toBe(false)
    expect(sameBut(state('', ''), { ...state('', ''), z: 1 }, growth)).toBe(false)
  })

  it('rejects growing fields whose type changes', () => {
    expect(sameBut({ a: 'x' }, { a: 1 }, { a: 'text' })).toBe(false)
    expect(sameBut({ a: null }, { a: 'x' }, { a: 'text' })).toBe(false)
    for (const kind of ['utf16', 'code-points'] as const) {
      expect(sameBut({ a: 1 }, { a: 2 }, { a: kind })).toBe(true)
      expect(sameBut({ a: 1 }, { a: '2' }, { a: kind })).toBe(false)
      expect(sameBut({ a: null }, { a: 2 }, { a: kind })).toBe(false)
    }
    expect(sameBut({ a: 1 }, { a: {} }, { a: 'last' })).toBe(true)
  })
})
