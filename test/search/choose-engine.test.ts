import { describe, expect, it } from 'vitest'
import { nativeSearchOf } from '../../src/engine/passes/search.ts'
import type { NativeSearch, OwnSearch } from '../../src/protocol/search.ts'
import { type Available, chooseSearch, engineLosses, nativeTool, toQuery } from '../../src/search/choose-engine.ts'
import { parseSearch, type SearchOptions } from '../../src/search/options.ts'
import { findVendor } from '../../src/vendors/registry.ts'
import type { WireName } from '../../src/wires/contract.ts'
import type { Quirks } from '../../src/wires/quirks.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { requestOf } from '../request-bodies.ts'

const optionsOf = (fields: object): SearchOptions => {
  const read = parseSearch(requestOf({ tools: [{ type: 'web_search', ...fields }] }))
  if (!read.ok || read.value.options === null) throw new Error('expected options')
  return read.value.options
}

const NONE: Available = { defaultEngine: null, engines: [] }
const EXA: Available = { defaultEngine: 'exa', engines: ['exa', 'parallel'] }

const UPSTREAM: OwnSearch = { domains: 'none', excludesFunctions: false, always: false, takesFunctions: true }

const way = (
  fields: object,
  own: NativeSearch | Partial<OwnSearch>,
  available: Available,
  functions = false,
): string => {
  const traits = typeof own === 'string' ? { domains: own } : own
  const chosen = chooseSearch(optionsOf(fields), { ...UPSTREAM, ...traits }, available, functions)
  if (!chosen.ok) return chosen.error.message
  return chosen.value.way === 'native' ? 'native' : chosen.value.engine
}

const NO_NATIVE = 'tools[0]: this upstream has no web search of its own'
const NO_FIT = 'tools[0]: the web search of this upstream does not support these domains'
const REMEDY = ': set "search" in the configuration, such as {"engine": "exa", "key": {"env": "EXA_API_KEY"}}'
const allowed = { filters: { allowed_domains: ['a.com'] } }
const excluded = { filters: { excluded_domains: ['a.com'] } }
const both = { filters: { allowed_domains: ['a.com'], excluded_domains: ['b.a.com'] } }
const wild = { filters: { allowed_domains: ['*.a.com'] } }

describe('the choice of a search', () => {
  it.each<[object, NativeSearch, Available, string]>([
    [{}, 'none', EXA, 'exa'],
    [{}, 'none', NONE, `${NO_NATIVE}, and no search engine is configured${REMEDY}`],
    [{}, 'plain', EXA, 'native'],
    [allowed, 'plain', EXA, 'exa'],
    [allowed, 'plain', NONE, `${NO_FIT}, and no search engine is configured${REMEDY}`],
    [allowed, 'allowed', EXA, 'native'],
    [excluded, 'allowed', EXA, 'exa'],
    [excluded, 'either', EXA, 'native'],
    [both, 'either', EXA, 'exa'],
    [both, 'both', EXA, 'native'],
    [wild, 'either', EXA, 'exa'],
    [wild, 'both', EXA, 'native'],
    [{ engine: 'native' }, 'none', EXA, NO_NATIVE],
    [{ engine: 'native', ...wild }, 'allowed', EXA, NO_FIT],
    [{ engine: 'native', ...allowed }, 'allowed', EXA, 'native'],
    [{ engine: 'parallel' }, 'both', EXA, 'parallel'],
    [{ engine: 'firecrawl' }, 'both', EXA, 'tools[0]: the search engine firecrawl is not configured'],
  ])('for %j, native search %s and engines %j is %s', (fields, own, available, expected) => {
    expect(way(fields, own, available)).toBe(expected)
  })

  it.each([
    ['openai', 'allowed'],
    ['azure', 'plain'],
    ['xai', 'either'],
    ['openrouter', 'both'],
    ['openrouter-responses', 'both'],
    ['lmstudio-responses', 'none'],
    ['anthropic', 'either'],
    ['google', 'plain'],
    ['perplexity', 'either'],
    ['groq', 'none'],
  ])('for the vendor %s finds the native search %s', (name, own) => {
    const vendor = findVendor(name)
    if (vendor === undefined) return expect.unreachable()
    expect(nativeSearchOf({ wire: WIRES[vendor.wire], quirks: vendor.quirks })).toBe(own)
  })

  it('follows the row of a vendor instead of its wire', () => {
    const of = (name: WireName, quirks: Quirks) => nativeSearchOf({ wire: WIRES[name], quirks })
    expect(of('anthropic-messages', {})).toBe('either')
    expect(of('anthropic-messages', { nativeSearch: 'none' })).toBe('none')
    expect(of('openai-chat', {})).toBe('none')
    expect(of('openai-chat', { nativeSearch: 'both' })).toBe('both')
  })
})

describe('the query of a search', () => {
  it('of an upstream has the fields of this service', () => {
    const none = { type: 'hosted', name: 'service:web_search', fields: {} }
    expect(nativeTool(optionsOf({}))).toEqual(none)
    const asked = optionsOf({
      allowed_domains: ['a.com'],
      blocked_domains: ['b.com'],
      max_uses: 2,
      search_context_size: 'low',
      user_location: { country: 'CH' },
    })
    expect(nativeTool(asked)).toMatchObject({
      fields: {
        parameters: {
          allowed_domains: ['a.com'],
          excluded_domains: ['b.com'],
          max_uses: 2,
          search_context_size: 'low',
          user_location: { type: 'approximate', country: 'CH' },
        },
      },
    })
  })

  it('of an engine has the number of the request, else of the server, else five', () => {
    expect(toQuery(optionsOf({ max_results: 9 }), 7).maxResults).toBe(9)
    expect(toQuery(optionsOf({}), 7).maxResults).toBe(7)
    expect(toQuery(optionsOf({}), null).maxResults).toBe(5)
    const sizes = ['low', 'medium', 'high'].map((search_context_size) => optionsOf({ search_context_size }))
    const lengths = sizes.map((options) => toQuery(options, null).maxCharacters)
    expect([...lengths].sort((a, b) => a - b)).toEqual(lengths)
    expect(toQuery(optionsOf({ search_context_size: 'low', max_characters: 77 }), null).maxCharacters).toBe(77)
    expect(toQuery(optionsOf({ user_location: { country: 'ch' } }), null).country).toBe('CH')
  })

  it.each([
    ['exa', ['instant', 'fast', 'auto', 'deep-lite', 'deep', 'deep-reasoning']],
    ['parallel', ['turbo', 'fast', 'basic', 'advanced']],
  ] as const)('has every mode of %s without a loss', (engine, modes) => {
    for (const mode of modes) expect([mode, engineLosses(optionsOf({ mode }), engine)]).toEqual([mode, []])
  })

  it('has the options that an engine lacks reported as losses', () => {
    const options = optionsOf({ mode: 'deep', max_results: 25, user_location: { city: 'Bern' } })
    expect(engineLosses(options, 'exa').map(({ path }) => path)).toEqual(['tools[0].user_location'])
    expect(engineLosses(options, 'perplexity').map(({ path }) => path)).toEqual([
      'tools[0].user_location',
      'tools[0].mode',
      'tools[0].max_results',
    ])
  })
})
