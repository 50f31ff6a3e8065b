import { describe, expect, it } from 'vitest'
import { applyDiff, diffStates, isSameExcept, replacesText, withoutTexts } from '../../src/fast-path/state-diff.ts'

const WORDS = 'ab\u{1f642}'

/** Returns the growth between two states, and the state after further text. */
function grown(before: unknown, after: unknown, words: string) {
  const growth = diffStates(before, after, WORDS)
  return growth === null ? null : { growth, next: applyDiff(after, growth, words) }
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
    const found = diffStates(before, after, WORDS) ?? {}
    expect(replacesText(found)).toBe(false)
    expect(applyDiff(after, found, '!').d).toBe(stays)
    expect(Array.isArray(applyDiff(after, found, '!').e.f)).toBe(true)
  })

  it('finds values that are replaced as a whole', () => {
    const growth = diffStates({ a: { b: '', n: 1 }, c: [1] }, { a: { b: WORDS, n: 9 }, c: [1, 2] }, WORDS)
    expect(growth).toEqual({ a: 'last', c: 'last' })
    expect(replacesText(growth ?? {})).toBe(true)
  })

  it('treats values below the depth limit as replaced, however deep they are', () => {
    const nest = (depth: number, text: string): unknown =>
      JSON.parse(`${'{"a":['.repeat(depth)}"${text}"${']}'.repeat(depth)}`)
    for (const depth of [5, 40, 50_000]) {
      expect(diffStates({ a: nest(depth, '') }, { a: nest(depth, WORDS) }, WORDS)).toEqual({ a: 'last' })
    }
    expect(replacesText(diffStates(nest(4, ''), nest(4, WORDS), WORDS) ?? {})).toBe(false)
  })

  it('handles fields of any name, such as __proto__', () => {
    const before = JSON.parse('{"__proto__":"","constructor":"x"}')
    const after = JSON.parse(`{"__proto__":"${WORDS}","constructor":"x"}`)
    const growth = diffStates(before, after, WORDS) ?? {}
    expect(JSON.stringify(applyDiff(after, growth, '!'))).toBe(`{"__proto__":"${WORDS}!","constructor":"x"}`)
    expect(isSameExcept(before, after, growth)).toBe(true)
    expect(isSameExcept(before, JSON.parse('{"__proto__":"","constructor":"y"}'), growth)).toBe(false)
  })

  it('is null if a field was added or the type differs', () => {
    expect(diffStates({ a: 1 }, { a: 1, b: 2 }, WORDS)).toBeNull()
    expect(diffStates(1, { a: 1 }, WORDS)).toBeNull()
  })
})

describe('the comparison of two states', () => {
  const stays = {}
  const growth = { a: 'text', e: { f: { 0: { g: 'text' } } } } as const
  const state = (a: string, g: string, h: unknown = stays) => ({ a, e: { f: [{ g, h }] } })

  it('accepts differences only in fields that grow', () => {
    expect(isSameExcept(state('', ''), state('x', 'y'), growth)).toBe(true)
    expect(isSameExcept(state('', ''), state('', '', {}), growth)).toBe(false)
    expect(isSameExcept(state('', ''), { a: '', e: { f: [] } }, growth)).toBe(false)
    expect(isSameExcept(state('', ''), { a: '', e: { f: [{ g: '', h: stays }, 1] } }, growth)).toBe(false)
    expect(isSameExcept(state('', ''), { ...state('', ''), z: 1 }, growth)).toBe(false)
  })

  it('rejects growing fields whose type changes', () => {
    expect(isSameExcept({ a: 'x' }, { a: 1 }, { a: 'text' })).toBe(false)
    expect(isSameExcept({ a: null }, { a: 'x' }, { a: 'text' })).toBe(false)
    for (const kind of ['utf16', 'code-points'] as const) {
      expect(isSameExcept({ a: 1 }, { a: 2 }, { a: kind })).toBe(true)
      expect(isSameExcept({ a: 1 }, { a: '2' }, { a: kind })).toBe(false)
      expect(isSameExcept({ a: null }, { a: 2 }, { a: kind })).toBe(false)
    }
    expect(isSameExcept({ a: 1 }, { a: {} }, { a: 'last' })).toBe(true)
  })

  it('gives the state before any text, without a change of the state itself', () => {
    const before = { a: '', n: 3, e: [{ f: '', g: 'kept' }] }
    const after = { a: WORDS, n: 7, e: [{ f: WORDS, g: 'kept' }] }
    const growth = diffStates(before, after, WORDS) ?? {}
    expect(withoutTexts(after, growth)).toEqual({ ...before, n: 7 })
    expect(after.e).toEqual([{ f: WORDS, g: 'kept' }])
    expect(withoutTexts(null, growth)).toBe(null)
  })
})
