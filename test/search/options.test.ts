import { describe, expect, it } from 'vitest'
import { parseSearch, splitOnline } from '../../src/search/options.ts'
import { withSearchTool } from '../../src/search/plan.ts'
import { searchTool } from '../../src/search/prompt.ts'
import { requestOf } from '../request-bodies.ts'

const reading = (fields: Readonly<Record<string, unknown>>) => {
  const read = parseSearch(requestOf(fields))
  if (!read.ok) throw new Error(read.error.message)
  return read.value
}

const refusal = (fields: Readonly<Record<string, unknown>>): [string | null, string] => {
  const read = parseSearch(requestOf(fields))
  if (read.ok) throw new Error('expected a refusal')
  expect(read.error.status).toBe(400)
  return [read.error.param, read.error.message]
}

const NOTHING = {
  engine: 'auto',
  mode: null,
  maxResults: null,
  maxTotalResults: null,
  maxUses: null,
  maxCharacters: null,
  contextSize: null,
  filter: { allowed: [], excluded: [] },
  location: null,
  offline: false,
  prompt: null,
  unknownFields: [],
}

describe('a search tool', () => {
  it.each([
    'service:web_search',
    'openrouter:web_search',
    'web_search',
    'web_search_preview',
    'web_search_2025_08_26',
    'web_search_preview_2025_03_11',
    'web_search_20250305',
  ])('may have the type %s', (type) => {
    expect(reading({ tools: [{ type }] }).options).toEqual({ ...NOTHING, kind: 'tool', path: 'tools[0]' })
  })

  it.each(['web_searches', 'my_web_search', 'service:web_fetch', 'web_search_2025', 'file_search'])(
    'is not of type %s',
    (type) => {
      expect(reading({ tools: [{ type }] }).options).toBeNull()
    },
  )

  it('has its fields in parameters, beside its type, or in filters', () => {
    const location = { type: 'approximate', country: 'CH', city: 'Bern' }
    const nested = {
      engine: 'exa',
      mode: 'deep',
      max_results: 7,
      max_total_results: 20,
      max_uses: 2,
      max_characters: 900,
      search_context_size: 'high',
      allowed_domains: ['A.com', 'https://b.com/'],
      excluded_domains: ['c.com'],
      user_location: location,
    }
    const expected = {
      kind: 'tool',
      engine: 'exa',
      mode: 'deep',
      maxResults: 7,
      maxTotalResults: 20,
      maxUses: 2,
      maxCharacters: 900,
      contextSize: 'high',
      filter: { allowed: ['a.com', 'b.com'], excluded: ['c.com'] },
      location: { country: 'CH', city: 'Bern', region: null, timezone: null },
      offline: false,
      prompt: null,
      unknownFields: [],
    }
    const fn = { type: 'function', name: 'f' }
    expect(reading({ tools: [fn, { type: 'service:web_search', parameters: nested }] }).options).toEqual({
      ...expected,
      path: 'tools[1]',
    })
    const { allowed_domains, excluded_domains, ...rest } = nested
    const filters = { allowed_domains, blocked_domains: excluded_domains }
    expect(reading({ tools: [{ type: 'web_search', ...rest, filters }] }).options).toMatchObject(expected)
  })

  it('accepts null for every omitted field', () => {
    const tool = { type: 'web_search', filters: null, user_location: null, search_context_size: null, max_uses: null }
    expect(reading({ tools: [tool] }).options).toMatchObject(NOTHING)
  })

  it('is not offered if no tool may be called', () => {
    expect(reading({ tools: [{ type: 'web_search' }], tool_choice: 'none' }).options).toBeNull()
  })

  it.each([
    [{ max_results: 0 }, 'tools[0].parameters.max_results', 'expected at least 1, got 0'],
    [{ max_results: 26 }, 'tools[0].parameters.max_results', 'expected at most 25, got 26'],
    [{ max_results: 2.5 }, 'tools[0].parameters.max_results', 'expected a whole number'],
    [{ max_characters: 100_001 }, 'tools[0].parameters.max_characters', 'expected at most 100000'],
    [{ engine: 'google' }, 'tools[0].parameters.engine', 'expected one of auto, native, exa'],
    [{ allowed_domains: ['a.com', 'a b'] }, 'tools[0].parameters.allowed_domains[1]', 'expected a domain like'],
    [{ filters: { allowed_domains: 'a.com' } }, 'tools[0].parameters.filters.allowed_domains', 'expected a list'],
    [{ user_location: { country: 'Switzerland' } }, 'tools[0].parameters.user_location.country', 'two letters'],
    [{ search_context_size: 'huge' }, 'tools[0].parameters.search_context_size', 'expected one of low, medium, high'],
  ])('is rejected with the path of the mistake: %j', (parameters, place, message) => {
    const [param, text] = refusal({ tools: [{ type: 'service:web_search', parameters }] })
    expect(param).toBe(place)
    expect(text).toContain(`${place}: `)
    expect(text).toContain(message)
  })

  it.each([{ max_results: 1 }, { max_results: 25 }, { max_characters: 100_000 }])('is valid with %j', (parameters) => {
    expect(reading({ tools: [{ type: 'service:web_search', parameters }] }).options).not.toBeNull()
  })
})

describe('the plugin', () => {
  it('is parsed and reported as deprecated', () => {
    const plugin = {
      id: 'web',
      engine: 'firecrawl',
      max_results: 3,
      include_domains: ['*.a.com'],
      exclude_domains: ['b.com'],
      search_prompt: 'Here:',
    }
    const { options, notices, request } = reading({ plugins: [{ id: 'web', enabled: false }, plugin] })
    expect(options).toEqual({
      ...NOTHING,
      kind: 'plugin',
      path: 'plugins[1]',
      engine: 'firecrawl',
      maxResults: 3,
      filter: { allowed: ['*.a.com'], excluded: ['b.com'] },
      prompt: 'Here:',
    })
    expect(notices).toEqual([expect.stringMatching(/^plugins\[1\]: the plugin "web" is deprecated; use the tool/)])
    expect(request.plugins).toEqual([])
  })

  it('is ignored if it is disabled', () => {
    const { options, notices, request } = reading({ plugins: [{ id: 'web', enabled: false }] })
    expect([options, notices, request.plugins]).toEqual([null, [], []])
  })

  it.each([
    ['perplexity', 20, true],
    ['perplexity', 21, false],
    ['exa', 25, true],
    ['exa', 26, false],
  ])('for %s with %d results is accepted: %j', (engine, max_results, taken) => {
    expect(parseSearch(requestOf({ plugins: [{ id: 'web', engine, max_results }] })).ok).toBe(taken)
  })

  it('is rejected with the path of its mistake', () => {
    expect(refusal({ plugins: [{ id: 'web' }, { id: 'web', include_domains: [3] }] })).toEqual([
      'plugins[1].include_domains[0]',
      'plugins[1].include_domains[0]: expected a string, got 3',
    ])
  })
})

describe('the suffix :online', () => {
  it.each([
    ['a/b:online', 'a/b', true],
    ['a/b:free:online', 'a/b:free', true],
    ['a/b:online:free', 'a/b:free', true],
    ['a/b:7b', 'a/b:7b', false],
    ['a/online', 'a/online', false],
    ['a/b:onlines', 'a/b:onlines', false],
  ])('is separated from %s: %s, %j', (model, without, online) => {
    expect(splitOnline(model)).toEqual({ model: without, online })
  })

  it('equals the plugin without fields, and is deprecated as well', () => {
    const { options, notices, request } = reading({ model: 'a/b:online' })
    expect(options).toEqual({ ...NOTHING, kind: 'plugin', path: 'model' })
    expect(notices).toEqual([expect.stringContaining('the suffix ":online" is deprecated')])
    expect(request.model).toBe('a/b')
  })
})

describe('several requests for a search', () => {
  it('are reduced to one, the tool before the plugin before the suffix, and the others are losses', () => {
    const asked = { model: 'a/b:online', tools: [{ type: 'web_search' }, { type: 'web_search', max_uses: 1 }] }
    const { options, losses, notices } = reading({ ...asked, plugins: [{ id: 'web' }] })
    expect(options?.path).toBe('tools[0]')
    expect(losses.map(({ path }) => path)).toEqual(['tools[1]', 'plugins[0]', 'model'])
    expect(notices).toHaveLength(2)
  })

  it('are all validated, including those that are dropped', () => {
    const plugins = [{ id: 'web', max_results: 99 }]
    expect(refusal({ tools: [{ type: 'web_search' }], plugins })[0]).toBe('plugins[0].max_results')
  })
})

describe('the function that replaces the search tool', () => {
  const fn = { type: 'function', name: 'f' }

  it('stands once, at the position of the first search tool', () => {
    const asked = requestOf({ tools: [{ type: 'web_search' }, fn, { type: 'web_search_preview' }] })
    expect(withSearchTool(asked, searchTool('look')).tools.map(({ name }) => name)).toEqual(['look', 'f'])
    expect(withSearchTool(asked, null).tools.map(({ name }) => name)).toEqual(['f'])
    expect(withSearchTool(requestOf({ tools: [fn] }), searchTool('look')).tools.map(({ name }) => name)).toEqual([
      'f',
      'look',
    ])
  })

  it('is forced only if the search was forced', () => {
    const asked = requestOf({ tools: [{ type: 'web_search' }, fn], tool_choice: { type: 'web_search' } })
    expect(withSearchTool(asked, searchTool('look')).tool_choice).toEqual({ type: 'function', name: 'look' })
    const other = requestOf({ tools: [{ type: 'web_search' }, fn], tool_choice: { type: 'function', name: 'f' } })
    expect(withSearchTool(other, searchTool('look')).tool_choice).toEqual({ type: 'function', name: 'f' })
  })
})
