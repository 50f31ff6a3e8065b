import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listError, listPage, parseListQuery } from '../../src/observability/list.ts'
import { check } from '../property.ts'
import { destinationOf, uuid, WORKSPACE } from './samples.ts'

const parse = (query: string) => parseListQuery(new URLSearchParams(query))
const WHOLE = { offset: 0, limit: 100, workspaceId: null }

describe('the query of the list', () => {
  it.each([
    ['', { offset: 0, limit: 50, workspaceId: null }],
    ['offset=&limit=1', { offset: 0, limit: 1, workspaceId: null }],
    ['offset=null', { offset: 0, limit: 50, workspaceId: null }],
    ['offset=7&limit=100&color=red', { offset: 7, limit: 100, workspaceId: null }],
    [`workspace_id=${WORKSPACE.toUpperCase()}`, { offset: 0, limit: 50, workspaceId: WORKSPACE }],
  ])('is parsed if it is %j', (query, meant) => {
    expect(parse(query)).toEqual({ ok: true, query: meant })
  })

  it.each([
    ['offset=-1', /^offset/],
    ['offset=1.5', /^offset/],
    ['offset=1&offset=2', /^offset/],
    ['offset=1e2', /^offset/],
    ['offset=99999999999999999999', /^offset/],
    ['limit=0', /^limit/],
    ['limit=101', /^limit/],
    ['limit=', /^limit/],
    ['limit=ten', /^limit/],
    ['limit=1&limit=2', /^limit/],
    ['workspace_id=main', /^workspace_id/],
    ['workspace_id=', /^workspace_id/],
    [`workspace_id=${WORKSPACE}&workspace_id=${uuid(1)}`, /^workspace_id/],
  ])('is rejected with the name of the parameter if it is %j', (query, problem) => {
    expect(parse(query)).toEqual({ ok: false, problem: expect.stringMatching(problem) })
  })
})

describe('a page', () => {
  it('is ordered by age, then by id, and has the count of all', () => {
    const all = [
      destinationOf('webhook', { id: uuid(3), created_at: '2026-02-01T00:00:00.000Z' }),
      destinationOf('webhook', { id: uuid(2), created_at: '2026-01-01T00:00:00.000Z' }),
      destinationOf('webhook', { id: uuid(1), created_at: '2026-02-01T00:00:00.000Z' }),
    ]
    const ids = (offset: number, limit: number) =>
      (listPage(all, WORKSPACE, { offset, limit, workspaceId: null }).data as { id: string }[]).map(({ id }) => id)
    expect(ids(0, 50)).toEqual([uuid(2), uuid(1), uuid(3)])
    expect(ids(1, 1)).toEqual([uuid(1)])
    expect(ids(3, 1)).toEqual([])
    expect(listPage(all, WORKSPACE, { ...WHOLE, offset: 9 })).toEqual({ data: [], total_count: 3 })
  })

  it('contains only the stable destinations of its workspace', () => {
    const all = [
      destinationOf('webhook'),
      destinationOf('opik', { release: 'beta' }),
      destinationOf('weave', { workspace_id: uuid(9) }),
    ]
    expect(listPage(all, WORKSPACE, WHOLE)).toMatchObject({ data: [{ type: 'webhook' }], total_count: 1 })
    expect(listPage(all, uuid(9), WHOLE)).toMatchObject({ data: [{ type: 'weave' }], total_count: 1 })
    expect(listPage(all, uuid(8), WHOLE)).toEqual({ data: [], total_count: 0 })
  })

  it('and its successors contain every destination once, for every limit and order', () => {
    check(
      fc.property(fc.shuffledSubarray([...Array(30).keys()]), fc.integer({ min: 1, max: 100 }), (numbers, limit) => {
        const all = numbers.map((number) =>
          destinationOf('webhook', { id: uuid(number), created_at: `2026-01-0${1 + (number % 3)}T00:00:00.000Z` }),
        )
        const seen: string[] = []
        for (let offset = 0; offset < numbers.length; offset += limit) {
          const { data } = listPage(all, WORKSPACE, { offset, limit, workspaceId: null })
          seen.push(...(data as { id: string }[]).map(({ id }) => id))
        }
        const expected = numbers.toSorted((a, b) => (a % 3) - (b % 3) || a - b).map(uuid)
        expect(seen).toEqual(expected)
      }),
      100,
    )
  })

  it('that failed has the status as an integer code', () => {
    expect(listError(401, 'Missing Authentication header')).toEqual({
      error: { code: 401, message: 'Missing Authentication header' },
    })
  })
})
