import { describe, expect, it } from 'vitest'
import { grow, growthOf, sameBut, tellsLast } from '../../src/template/growth.ts'

const WORDS = 'ab\u{1f642}'

/** What grew, and the state after other words. */
function grown(before: unknown, after: unknown, words: string) {
  const growth = growthOf(before, after, WORDS)
  return growth === null ? null : { growth, next: grow(after, growth, words) }
}

describe('a state grows by words', () => {
  it('as text, in units, in characters, and deep inside', () => {
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

  it('or tells anew, and then as a whole', () => {
    const growth = growthOf({ a: { b: '', n: 1 }, c: [1] }, { a: { b: WORDS, n: 9 }, c: [1, 2] }, WORDS)
    expect(growth).toEqual({ a: 'last', c: 'last' })
    expect(tellsLast(growth ?? {})).toBe(true)
  })

  it('is told anew where it lies too deep, however deep that is', () => {
    const nest = (depth: number, text: string): unknown =>
      JSON.parse(`${'{"a":['.repeat(depth)}"${text}"${']}'.repeat(depth)}`)
    for (const depth of [5, 40, 50_000]) {
      expect(growthOf({ a: nest(depth, '') }, { a: nest(depth, WORDS) }, WORDS)).toEqual({ a: 'last' })
    }
    expect(tellsLast(growthOf(nest(4, ''), nest(4, WORDS), WORDS) ?? {})).toBe(false)
  })

  it('under any name', () => {
    const before = JSON.parse('{"__proto__":"","constructor":"x"}')
    const after = JSON.parse(`{"__proto__":"${WORDS}","constructor":"x"}`)
    const growth = growthOf(before, after, WORDS) ?? {}
    expect(JSON.stringify(grow(after, growth, '!'))).toBe(`{"__proto__":"${WORDS}!","constructor":"x"}`)
    expect(sameBut(before, after, growth)).toBe(true)
    expect(sameBut(before, JSON.parse('{"__proto__":"","constructor":"y"}'), growth)).toBe(false)
  })

  it('is another where it has other fields', () => {
    expect(growthOf({ a: 1 }, { a: 1, b: 2 }, WORDS)).toBeNull()
    expect(growthOf(1, { a: 1 }, WORDS)).toBeNull()
  })
})

describe('two states are the same', () => {
  const stays = {}
  const growth = { a: 'text', e: { f: { 0: { g: 'text' } } } } as const
  const state = (a: string, g: string, h: unknown = stays) => ({ a, e: { f: [{ g, h }] } })

  it('where they differ in what grows alone', () => {
    expect(sameBut(state('', ''), state('x', 'y'), growth)).toBe(true)
    expect(sameBut(state('', ''), state('', '', {}), growth)).toBe(false)
    expect(sameBut(state('', ''), { a: '', e: { f: [] } }, growth)).toBe(false)
    expect(sameBut(state('', ''), { a: '', e: { f: [{ g: '', h: stays }, 1] } }, growth)).toBe(false)
    expect(sameBut(state('', ''), { ...state('', ''), z: 1 }, growth)).toBe(false)
  })

  it('as long as it can grow', () => {
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
