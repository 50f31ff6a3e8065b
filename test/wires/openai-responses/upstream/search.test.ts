import { describe, expect, it } from 'vitest'
import { runSteps } from '../../../../src/text/steps.ts'
import { findVendor } from '../../../../src/vendors/registry.ts'
import { encodeRequest } from '../../../../src/wires/openai-responses/upstream/request.ts'
import { targetOf } from '../../../engine/target.ts'
import { requestOf } from '../../../request-bodies.ts'

type Fields = Readonly<Record<string, unknown>>

const ask = (fields: Fields, vendor: string) =>
  runSteps(encodeRequest(requestOf(fields), targetOf('openai-responses', findVendor(vendor)?.quirks ?? {})))

function encode(fields: Fields, vendor: string) {
  const result = ask(fields, vendor)
  if (!result.ok) throw new Error(result.error.message)
  return { body: result.body, losses: result.losses.map(({ path }) => path) }
}

const service = (parameters: Fields) => ({ tools: [{ type: 'service:web_search', parameters }] })
const DOMAINS = { allowed_domains: ['a.example'], excluded_domains: ['b.example'] }

describe('a web search over openai-responses', () => {
  const cases: [string, string, Fields, Fields, string[]][] = [
    ['openai', 'the service’s tool', service({}), { type: 'web_search' }, []],
    ['openai', 'under its other name', { tools: [{ type: 'openrouter:web_search' }] }, { type: 'web_search' }, []],
    [
      'openai',
      'with wishes',
      service({
        engine: 'native',
        search_context_size: 'low',
        allowed_domains: ['a.example'],
        user_location: { type: 'approximate', country: 'CH' },
      }),
      {
        type: 'web_search',
        filters: { allowed_domains: ['a.example'] },
        search_context_size: 'low',
        user_location: { type: 'approximate', country: 'CH' },
      },
      [],
    ],
    [
      'openai',
      'with wishes beside',
      { tools: [{ type: 'service:web_search', filters: DOMAINS }] },
      { type: 'web_search', filters: { allowed_domains: ['a.example'] } },
      ['tools[0].filters.excluded_domains'],
    ],
    [
      'openai',
      'with wishes that it has not',
      service({ engine: 'exa', max_results: 3 }),
      { type: 'web_search' },
      ['tools[0].parameters.engine', 'tools[0].parameters.max_results'],
    ],
    [
      'openai',
      'its own tool',
      { tools: [{ type: 'web_search_preview', filters: DOMAINS }] },
      { type: 'web_search_preview', filters: DOMAINS },
      [],
    ],
    [
      'azure',
      'the service’s tool',
      service({ search_context_size: 'high' }),
      { type: 'web_search_preview', search_context_size: 'high' },
      [],
    ],
    [
      'azure',
      'OpenAI’s tool',
      { tools: [{ type: 'web_search', filters: { allowed_domains: ['a.example'] } }] },
      { type: 'web_search_preview' },
      ['tools[0].filters.allowed_domains'],
    ],
    [
      'xai',
      'the service’s tool',
      service({ ...DOMAINS, search_context_size: 'low' }),
      { type: 'web_search', filters: DOMAINS },
      ['tools[0].parameters.search_context_size'],
    ],
    [
      'openrouter-responses',
      'its own tool',
      service({ engine: 'exa' }),
      { type: 'openrouter:web_search', parameters: { engine: 'exa' } },
      [],
    ],
    [
      'openai',
      'the plugin',
      { plugins: [{ id: 'web', include_domains: ['a.example'], max_results: 5 }] },
      { type: 'web_search', filters: { allowed_domains: ['a.example'] } },
      ['plugins[0].max_results'],
    ],
    [
      'xai',
      'the plugin',
      { plugins: [{ id: 'web', exclude_domains: ['a.example'] }] },
      { type: 'web_search', filters: { excluded_domains: ['a.example'] } },
      [],
    ],
    ['openai', 'tool and plugin', { ...service({}), plugins: [{ id: 'web' }] }, { type: 'web_search' }, ['plugins[0]']],
  ]
  it.each(cases)('is encoded for %s: %s', (vendor, _, fields, tool, lost) => {
    const { body, losses } = encode(fields, vendor)
    expect(body.tools).toEqual([tool])
    expect(losses).toEqual(lost)
  })

  it.each([
    ['openai', 'web_search'],
    ['azure', 'web_search_preview'],
    ['openrouter-responses', 'openrouter:web_search'],
  ])('can be forced by a tool choice for %s', (vendor, type) => {
    const { body } = encode({ ...service({}), tool_choice: { type: 'service:web_search' } }, vendor)
    expect(body.tool_choice).toEqual({ type })
  })
})

describe('the search filter of X over openai-responses', () => {
  const filter = { allowed_x_handles: ['mill'], from_date: '2026-01-01', enable_image_understanding: true }

  it('is the tool x_search for xAI', () => {
    expect(encode({ x_search_filter: filter }, 'xai').body.tools).toEqual([{ type: 'x_search', ...filter }])
    const { body, losses } = encode({ ...service({}), x_search_filter: { later: 1 } }, 'xai')
    expect(body.tools).toEqual([{ type: 'web_search' }, { type: 'x_search' }])
    expect(losses).toEqual(['x_search_filter.later'])
  })

  it('is sent unchanged to OpenRouter', () => {
    expect(encode({ x_search_filter: filter }, 'openrouter-responses').body.x_search_filter).toEqual(filter)
  })

  it.each(['openai', 'azure', 'lmstudio-responses'])('is rejected for the vendor %s', (vendor) => {
    expect(ask({ x_search_filter: filter }, vendor)).toMatchObject({
      ok: false,
      error: { party: 'client', status: 400, param: 'x_search_filter' },
    })
  })
})

describe('a tool choice over openai-responses', () => {
  it.each([
    [{ tools: [{ type: 'custom', name: 'c' }], tool_choice: 'required' }],
    [{ tools: [], tool_choice: 'required' }],
    [
      {
        tools: [
          { type: 'custom', name: 'c' },
          { type: 'function', name: 'f' },
        ],
        tool_choice: { type: 'custom', name: 'c' },
      },
    ],
  ])('is rejected if the upstream cannot force it: %j', (fields) => {
    expect(ask(fields, 'xai')).toMatchObject({ ok: false, error: { status: 400, param: 'tool_choice' } })
  })

  it('is sent with parallel_tool_calls only beside tools, or a loss if the vendor refuses it', () => {
    const tools = [{ type: 'function', name: 'f' }]
    expect(encode({ tools, parallel_tool_calls: true }, 'openai').body.parallel_tool_calls).toBe(true)
    expect(encode({ parallel_tool_calls: true }, 'openai').body.parallel_tool_calls).toBeUndefined()
    const quirks = { refuses: ['parallel_tool_calls'] } as const
    const result = runSteps(
      encodeRequest(requestOf({ tools, parallel_tool_calls: false }), targetOf('openai-responses', quirks)),
    )
    expect(result).toMatchObject({ ok: true, losses: [{ path: 'parallel_tool_calls' }] })
  })
})
