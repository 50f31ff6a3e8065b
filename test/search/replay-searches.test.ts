import { describe, expect, it } from 'vitest'
import { replaySearches } from '../../src/search/replay-searches.ts'
import { requestOf } from '../request-bodies.ts'

const recalled = (...items: readonly object[]) => {
  const { request, sources } = replaySearches(
    requestOf({ input: [{ role: 'user', content: 'Q' }, ...items] }),
    'look',
    'links',
  )
  return { input: request.input.slice(1), sources }
}

const results = [
  { url: 'https://a.example/', title: 'A', content: 'Text', date: '2026-01-01' },
  { url: 'https://b.example/', title: null, content: null, date: null },
]
const action = { type: 'search', query: 'mills', sources: [{ type: 'url', url: 'https://c.example/' }] }

describe('a search of an earlier answer', () => {
  it('becomes the original call and its output', () => {
    const { input, sources } = recalled({ type: 'web_search_call', id: 'ws', status: 'completed', action, results })
    expect(sources.map(({ url, number }) => [url, number])).toEqual([
      ['https://a.example/', 1],
      ['https://b.example/', 2],
    ])
    expect(input).toEqual([
      { type: 'function_call', call_id: 'call_search_1', name: 'look', arguments: '{"query":"mills"}' },
      {
        type: 'function_call_output',
        call_id: 'call_search_1',
        output: [
          {
            type: 'input_text',
            text: expect.stringContaining('[1] A\nURL: https://a.example/\nDate: 2026-01-01\nText'),
          },
        ],
      },
    ])
  })

  it('keeps at least its pages if the client did not request their content', () => {
    const { input, sources } = recalled({ type: 'web_search_call', id: 'ws', action })
    expect(sources.map(({ url }) => url)).toEqual(['https://c.example/'])
    expect(input.map(({ type }) => type)).toEqual(['function_call', 'function_call_output'])
  })

  it.each([
    { type: 'web_search_call', id: 'ws' },
    { type: 'web_search_call', action: { type: 'search', query: 7, sources: [] } },
    { type: 'web_search_call', action: { type: 'search', query: 'x' } },
    { type: 'web_search_call', action: 'x', results },
    { type: 'file_search_call', action, results },
    { type: 'web_search_call', action, results, encrypted_content: 'sealed' },
  ])('is left unchanged if it is incomplete or foreign: %j', (item) => {
    expect(recalled(item)).toEqual({ input: [{ type: 'other', item }], sources: [] })
  })

  it('skips results that are not valid', () => {
    const odd = [null, 7, {}, { url: '' }, { url: 'https://a.example/', title: 3, content: {}, date: [] }]
    expect(recalled({ type: 'web_search_call', action, results: odd }).sources).toEqual([
      { url: 'https://a.example/', title: null, content: null, date: null, number: 1 },
    ])
  })
})
