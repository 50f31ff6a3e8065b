import { describe, expect, it } from 'vitest'
import { validateRequest } from '../../src/validation/request.ts'
import { requestOf } from '../request-bodies.ts'

const filterOf = (x_search_filter: unknown) => requestOf({ x_search_filter }).x_search_filter

const refusal = (x_search_filter: unknown): [string | null, string] => {
  const result = validateRequest({ model: 'a/b', input: 'x', x_search_filter })
  if (result.ok) throw new Error('expected a refusal')
  expect(result.error).toMatchObject({ code: 'invalid_prompt', status: 400 })
  return [result.error.param, result.error.message]
}

const handles = (count: number): string[] => Array.from({ length: count }, (_, i) => `mill_${i}`)

describe('the field x_search_filter', () => {
  it('is accepted with all its fields, and without null fields', () => {
    const filter = {
      allowed_x_handles: ['mill', 'mill_2'],
      from_date: '2026-01-31',
      to_date: '2026-02-01',
      enable_image_understanding: true,
      enable_video_understanding: false,
    }
    expect(filterOf(filter)).toEqual(filter)
    expect(filterOf({ excluded_x_handles: ['a'], allowed_x_handles: null, from_date: null })).toEqual({
      excluded_x_handles: ['a'],
    })
    expect(filterOf({})).toEqual({})
    expect(filterOf(null)).toBeNull()
    expect(filterOf({ something_new: 1 })).toEqual({ something_new: 1 })
  })

  it('normalises handles with @ or spaces, and dates with a time of day', () => {
    expect(filterOf({ allowed_x_handles: ['@mill', ' mill_2 '] })).toEqual({ allowed_x_handles: ['mill', 'mill_2'] })
    expect(filterOf({ from_date: '2024-02-29T10:00:00Z' })).toEqual({ from_date: '2024-02-29' })
  })

  it.each(['allowed_x_handles', 'excluded_x_handles'])('accepts 10 entries in %s and rejects 11', (list) => {
    expect(filterOf({ [list]: handles(10) })).toEqual({ [list]: handles(10) })
    expect(refusal({ [list]: handles(11) })).toEqual([
      `x_search_filter.${list}`,
      `x_search_filter.${list}: expected at most 10 entries, got 11`,
    ])
  })

  it('rejects both lists together, unless one is empty', () => {
    expect(refusal({ allowed_x_handles: ['a'], excluded_x_handles: ['b'] })[0]).toBe(
      'x_search_filter.excluded_x_handles',
    )
    expect(filterOf({ allowed_x_handles: ['a'], excluded_x_handles: [] })).toEqual({
      allowed_x_handles: ['a'],
      excluded_x_handles: [],
    })
  })

  it.each([
    ['2026-02-30', 'a date like 2026-01-31'],
    ['2025-02-29', 'a date like 2026-01-31'],
    ['2026-1-5', 'a date like 2026-01-31'],
    ['yesterday', 'a date like 2026-01-31'],
    [20260101, 'a string'],
  ])('rejects the invalid from_date %j', (from_date, what) => {
    const [param, message] = refusal({ from_date })
    expect(param).toBe('x_search_filter.from_date')
    expect(message).toContain(`expected ${what}`)
  })

  it('rejects a to_date before from_date', () => {
    expect(filterOf({ from_date: '2026-01-31', to_date: '2026-01-31' })).not.toBeNull()
    expect(refusal({ from_date: '2026-01-31', to_date: '2026-01-30' })[0]).toBe('x_search_filter.to_date')
  })

  it.each([
    [{ allowed_x_handles: ['a b'] }, 'x_search_filter.allowed_x_handles[0]'],
    [{ allowed_x_handles: [''] }, 'x_search_filter.allowed_x_handles[0]'],
    [{ allowed_x_handles: 'a' }, 'x_search_filter.allowed_x_handles'],
    [{ enable_image_understanding: 'yes' }, 'x_search_filter.enable_image_understanding'],
    [[], 'x_search_filter'],
  ])('rejects %j with the path of the fault', (filter, place) => {
    expect(refusal(filter)[0]).toBe(place)
  })
})
