import { describe, expect, it } from 'vitest'
import { findVendor } from '../../../../src/vendors/registry.ts'
import { authorize } from '../../../../src/wires/anthropic-messages/upstream/request.ts'
import { WIRES } from '../../../../src/wires/registry.ts'
import { encodeFitted } from '../../../engine/encode-request.ts'
import { sealed, targetOf } from '../../../engine/target.ts'
import { requestOf } from '../../../request-bodies.ts'
import {
  bodyOf,
  call,
  encode,
  type Fields,
  lossesOf,
  MODEL,
  NEW,
  NEWEST,
  output,
  textContent,
  user,
} from '../bodies.ts'

const fn = { type: 'function', name: 'f' }
const schema = { type: 'object', properties: {} }

describe('fields of an anthropic-messages request', () => {
  const cases: [string, Fields, string, Fields, string[]][] = [
    ['no fields', {}, MODEL, {}, []],
    ['stream', { stream: true }, MODEL, { stream: true }, []],
    ['sampling', { temperature: 0.3 }, MODEL, { temperature: 0.3 }, []],
    ['a temperature too high', { temperature: 1.7 }, MODEL, { temperature: 1 }, ['temperature mapped']],
    ['top_p', { top_p: 0.5 }, MODEL, { top_p: 0.5 }, []],
    ['both, where one is taken', { temperature: 0.3, top_p: 0.5 }, MODEL, { temperature: 0.3 }, ['top_p dropped']],
    [
      'both, where both are',
      { temperature: 0.3, top_p: 0.5 },
      'claude-3-haiku-20240307',
      { temperature: 0.3, top_p: 0.5 },
      [],
    ],
    [
      'sampling that the model rejects',
      { temperature: 0.3, top_p: 0.5 },
      NEWEST,
      {},
      ['temperature dropped', 'top_p dropped'],
    ],
    [
      'fields without effect',
      { temperature: 1, top_p: 1, presence_penalty: 0, top_logprobs: 0, service_tier: 'auto', truncation: 'disabled' },
      NEWEST,
      {},
      [],
    ],
    ['the usual tier', { service_tier: 'default' }, MODEL, { service_tier: 'standard_only' }, []],
    ['a priority tier', { service_tier: 'priority' }, MODEL, { service_tier: 'auto' }, ['service_tier mapped']],
    ['a user', { user: 'u' }, MODEL, { metadata: { user_id: 'u' } }, []],
    ['two users', { user: 'u', safety_identifier: 's' }, MODEL, { metadata: { user_id: 's' } }, ['user dropped']],
    [
      'a schema',
      { text: { format: { type: 'json_schema', name: 'n', schema } } },
      MODEL,
      { output_config: { format: { type: 'json_schema', schema } } },
      [],
    ],
    [
      'a schema without structured outputs',
      { text: { format: { type: 'json_schema', name: 'n', schema } } },
      'claude-opus-4-0',
      {
        system: [textContent(`Answer with JSON that matches this schema and nothing else:\n${JSON.stringify(schema)}`)],
      },
      ['text.format.schema mapped'],
    ],
    [
      'a schema with a description, for a model without schemas',
      { text: { format: { type: 'json_schema', name: 'n', description: 'd', schema } } },
      'claude-opus-4-0',
      {
        system: [textContent(`Answer with JSON that matches this schema and nothing else:\n${JSON.stringify(schema)}`)],
      },
      ['text.format.description dropped', 'text.format.schema mapped'],
    ],
    [
      'JSON',
      { text: { format: { type: 'json_object' } }, instructions: 'A' },
      MODEL,
      { system: [textContent('A'), textContent('Answer with one JSON object and nothing else.')] },
      ['text.format mapped'],
    ],
    ['text', { text: { format: { type: 'text' } } }, MODEL, {}, []],
    [
      'unsupported fields',
      {
        presence_penalty: 1,
        frequency_penalty: 1,
        top_logprobs: 1,
        metadata: { a: 'b' },
        prompt_cache_key: 'k',
        truncation: 'auto',
        plugins: [{ id: 'web' }],
        max_tool_calls: 3,
        text: { verbosity: 'low' },
        service_tier: 'flex',
      },
      MODEL,
      {},
      [
        'max_tool_calls',
        'service_tier',
        'presence_penalty',
        'frequency_penalty',
        'top_logprobs',
        'metadata',
        'prompt_cache_key',
        'text.verbosity',
        'truncation',
        'plugins',
      ].map((name) => `${name} dropped`),
    ],
  ]
  it.each(cases)('are encoded for the upstream: %s', (_, fields, model, body, losses) => {
    expect(bodyOf(fields, model)).toEqual(body)
    expect(lossesOf(fields, model)).toEqual(losses)
  })

  it.each([
    ['claude-3-haiku-20240307', 4096],
    ['claude-3-5-sonnet-20241022', 8192],
    ['claude-3-7-sonnet@20250219', 64_000],
    ['claude-sonnet-4-20250514', 64_000],
    ['claude-opus-4-1-20250805', 32_000],
    ['anthropic/claude-opus-4.5', 64_000],
    ['claude-haiku-4-5-20251001', 64_000],
    ['claude-sonnet-4-6', 128_000],
    ['claude-opus-5', 128_000],
    ['somebody-elses-model', 4096],
  ])('limit the model %s to %i tokens', (model, most) => {
    expect(encode({}, model).body.max_tokens).toBe(most)
    expect(encode({ max_output_tokens: 77 }, model).body.max_tokens).toBe(77)
  })
})

describe('the reasoning of an anthropic-messages request', () => {
  const reasoning = (effort: string, more: Fields = {}) => ({ reasoning: { effort }, ...more })
  const budget = (budget_tokens: number) => ({ thinking: { type: 'enabled', budget_tokens } })
  const adaptive = (effort: string) => ({
    thinking: { type: 'adaptive', display: 'summarized' },
    output_config: { effort },
  })
  const cases: [string, string, Fields, Fields, string[]][] = [
    ['none', MODEL, reasoning('none'), {}, []],
    ['none', NEW, reasoning('none'), { thinking: { type: 'disabled' } }, []],
    ['minimal', MODEL, reasoning('minimal'), budget(1280), []],
    ['low', MODEL, reasoning('low'), budget(6400), []],
    ['medium', MODEL, reasoning('medium'), budget(19_200), []],
    ['high', MODEL, reasoning('high'), budget(38_400), []],
    ['the minimum', MODEL, reasoning('low', { max_output_tokens: 5000 }), budget(1024), []],
    ['minimal', NEW, reasoning('minimal'), adaptive('low'), ['reasoning.effort mapped']],
    ['medium', NEW, reasoning('medium'), adaptive('medium'), []],
    ['xhigh', NEW, reasoning('xhigh'), adaptive('high'), ['reasoning.effort mapped']],
    ['xhigh', NEWEST, reasoning('xhigh'), adaptive('xhigh'), []],
    ['max', NEW, reasoning('max'), adaptive('max'), []],
    ['high', 'claude-3-5-haiku-latest', reasoning('high'), {}, ['reasoning.effort dropped']],
    ['a summary', MODEL, { reasoning: { effort: 'low', summary: 'auto' } }, budget(6400), []],
    ['a summary without reasoning', MODEL, { reasoning: { summary: 'auto' } }, {}, ['reasoning.summary dropped']],
    [
      'and sampling',
      MODEL,
      reasoning('low', { temperature: 0.2, top_p: 0.5 }),
      budget(6400),
      ['temperature dropped', 'top_p dropped'],
    ],
    [
      'and a mild top_p',
      MODEL,
      reasoning('low', { temperature: 1, top_p: 0.97 }),
      { ...budget(6400), top_p: 0.97 },
      [],
    ],
    [
      'and a schema',
      NEW,
      reasoning('low', { text: { format: { type: 'json_schema', name: 'n', schema } } }),
      {
        thinking: { type: 'adaptive', display: 'summarized' },
        output_config: { effort: 'low', format: { type: 'json_schema', schema } },
      },
      [],
    ],
  ]
  it.each(cases)('is configured (%s) for the model %s', (_, model, fields, body, losses) => {
    expect(bodyOf(fields, model)).toEqual(body)
    expect(lossesOf(fields, model)).toEqual(losses)
  })

  it('raises a limit that is smaller than the smallest budget', () => {
    const { body, losses } = encode(reasoning('high', { max_output_tokens: 500 }))
    expect(body).toMatchObject({ max_tokens: 1524, ...budget(1024) })
    expect(losses).toMatchObject([{ path: 'max_output_tokens', action: 'mapped' }])
  })

  it('has a budget that is always smaller than the limit', () => {
    for (const effort of ['minimal', 'low', 'medium', 'high', 'xhigh', 'max']) {
      for (const max_output_tokens of [1, 1023, 1024, 1025, 2000, 64_000]) {
        const { thinking, max_tokens } = encode(reasoning(effort, { max_output_tokens })).body
        expect((thinking as { budget_tokens: number }).budget_tokens).toBeGreaterThanOrEqual(1024)
        expect(max_tokens as number).toBeGreaterThan((thinking as { budget_tokens: number }).budget_tokens)
      }
    }
  })

  it.each([
    [MODEL, {}],
    [NEW, { thinking: { type: 'disabled' } }],
  ])('is off for %s if a tool must be called', (model, thinking) => {
    for (const tool_choice of ['required', { type: 'function', name: 'f' }]) {
      const fields = reasoning('high', { tools: [fn], tool_choice })
      const { tools: _, tool_choice: __, ...rest } = bodyOf(fields, model)
      expect(rest).toEqual(thinking)
      expect(lossesOf(fields, model)).toEqual(['reasoning.effort dropped'])
    }
    expect(bodyOf(reasoning('high', { tools: [fn], tool_choice: 'auto' }), model)).toHaveProperty('thinking')
  })

  it('has no budget if answered calls of the history have no reasoning before them', () => {
    const payload = { type: 'thinking', thinking: 'hm', signature: 's' }
    const own = { type: 'reasoning', summary: [], encrypted_content: sealed('anthropic-messages', payload, MODEL) }
    const loop = [call('c'), output('c')]
    const thinks = (input: unknown[], model = MODEL) =>
      'thinking' in bodyOf(reasoning('low', { input, tools: [fn] }), model)
    expect(thinks([user('A'), ...loop])).toBe(false)
    expect(lossesOf(reasoning('low', { input: [user('A'), ...loop], tools: [fn] }))).toEqual([
      'reasoning.effort dropped',
    ])
    expect(thinks([user('A'), own, ...loop])).toBe(true)
    expect(thinks([user('A'), ...loop, { role: 'assistant', content: 'B' }, user('C')])).toBe(true)
    expect(thinks([user('A'), ...loop], NEW)).toBe(true)
  })
})

describe('tools of an anthropic-messages request', () => {
  const tool = { name: 'f', input_schema: { type: 'object', properties: {} } }
  const cases: [string, Fields, Fields, string[]][] = [
    [
      'a function',
      { tools: [{ ...fn, description: 'd', parameters: schema }] },
      { tools: [{ name: 'f', description: 'd', input_schema: schema }] },
      [],
    ],
    ['one without parameters', { tools: [fn] }, { tools: [tool] }, []],
    [
      'a root that is no object yet',
      { tools: [{ ...fn, parameters: { properties: { a: {} } } }] },
      { tools: [{ name: 'f', input_schema: { type: 'object', properties: { a: {} } } }] },
      [],
    ],
    ['a strict one', { tools: [{ ...fn, strict: true }] }, { tools: [{ ...tool, strict: true }] }, []],
    ['auto', { tools: [fn], tool_choice: 'auto' }, { tools: [tool], tool_choice: { type: 'auto' } }, []],
    [
      'none',
      { tools: [fn], tool_choice: 'none', parallel_tool_calls: false },
      { tools: [tool], tool_choice: { type: 'none' } },
      [],
    ],
    ['required', { tools: [fn], tool_choice: 'required' }, { tools: [tool], tool_choice: { type: 'any' } }, []],
    [
      'a named one',
      { tools: [fn], tool_choice: { type: 'function', name: 'f' }, parallel_tool_calls: false },
      { tools: [tool], tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true } },
      [],
    ],
    [
      'one at a time',
      { tools: [fn], parallel_tool_calls: false },
      { tools: [tool], tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
      [],
    ],
    ['many at a time', { tools: [fn], parallel_tool_calls: true }, { tools: [tool] }, []],
    ['no tools, no choice', { tool_choice: 'auto', parallel_tool_calls: false }, {}, []],
    [
      'one that takes text',
      {
        tools: [
          { type: 'custom', name: 'c', description: 'd', format: { type: 'grammar', syntax: 'lark', definition: 'x' } },
        ],
      },
      {
        tools: [
          {
            name: 'c',
            description: 'd\n\nThe input must match this format: {"type":"grammar","syntax":"lark","definition":"x"}',
            input_schema: { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] },
          },
        ],
      },
      ['tools[0] mapped'],
    ],
    [
      'one that it runs not',
      { tools: [fn, { type: 'file_search', vector_store_ids: ['v'] }] },
      { tools: [tool] },
      ['tools[1] dropped'],
    ],
    [
      'one of its own',
      { tools: [{ type: 'bash_20250124', name: 'bash', cache_control: { type: 'ephemeral' } }] },
      { tools: [{ type: 'bash_20250124', name: 'bash', cache_control: { type: 'ephemeral' } }] },
      [],
    ],
    [
      'code',
      { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] },
      { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] },
      [],
    ],
  ]
  it.each(cases)('are encoded with their choice: %s', (_, fields, body, losses) => {
    expect(bodyOf(fields)).toEqual(body)
    expect(lossesOf(fields)).toEqual(losses)
  })

  it('are not strict for an old model', () => {
    const fields = { tools: [{ ...fn, strict: true }] }
    expect(bodyOf(fields, 'claude-3-7-sonnet-latest')).toEqual({ tools: [tool] })
    expect(lossesOf(fields, 'claude-3-7-sonnet-latest')).toEqual(['tools[0].strict dropped'])
  })

  it.each([
    [{ tools: [{ type: 'file_search' }], tool_choice: 'required' }],
    [{ tools: [fn, { type: 'file_search' }], tool_choice: { type: 'file_search' } }],
  ])('are rejected if the choice cannot be forced: %j', (fields) => {
    const result = encodeFitted(
      WIRES['anthropic-messages'],
      requestOf(fields),
      targetOf('anthropic-messages', {}, MODEL),
    )
    expect(result).toMatchObject({ ok: false, error: { party: 'client', status: 400, param: 'tool_choice' } })
  })

  it('need a beta header if they are beta features', () => {
    const { headers } = encode({
      tools: [{ type: 'code_interpreter' }, { type: 'web_fetch_20250910', name: 'web_fetch' }],
    })
    expect(headers).toEqual({
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'code-execution-2025-08-25,web-fetch-2025-09-10',
    })
  })
})

describe('a web search over anthropic-messages', () => {
  const search = { type: 'web_search_20250305', name: 'web_search' }
  it.each([
    'web_search',
    'web_search_preview',
    'web_search_preview_2025_03_11',
    'service:web_search',
    'openrouter:web_search',
  ])('is encoded from the tool %s', (type) => {
    expect(bodyOf({ tools: [{ type }] })).toEqual({ tools: [search] })
  })

  const cases: [string, Fields, Fields, string[]][] = [
    ['domains', { filters: { allowed_domains: ['a.example'] } }, { allowed_domains: ['a.example'] }, []],
    ['domains to block', { filters: { excluded_domains: ['b.example'] } }, { blocked_domains: ['b.example'] }, []],
    [
      'both',
      { filters: { allowed_domains: ['a'], blocked_domains: ['b'] } },
      { allowed_domains: ['a'] },
      ['tools[0].filters.blocked_domains dropped'],
    ],
    [
      'parameters',
      { parameters: { allowed_domains: ['a'], max_uses: 2 } },
      { allowed_domains: ['a'], max_uses: 2 },
      [],
    ],
    [
      'a location',
      { user_location: { type: 'approximate', city: 'Bern', country: 'CH', region: null } },
      { user_location: { type: 'approximate', city: 'Bern', country: 'CH' } },
      [],
    ],
    [
      'a location inside approximate',
      { user_location: { type: 'approximate', approximate: { city: 'Bern' } } },
      { user_location: { type: 'approximate', city: 'Bern' } },
      [],
    ],
    ['a number of uses', { max_uses: 3 }, { max_uses: 3 }, []],
    ['a size', { search_context_size: 'high' }, {}, ['tools[0].search_context_size dropped']],
    ['null values', { filters: null, user_location: null, search_context_size: null }, {}, []],
  ]
  it.each(cases)('is encoded with its options: %s', (_, fields, encoded, losses) => {
    expect(bodyOf({ tools: [{ type: 'web_search', ...fields }] })).toEqual({ tools: [{ ...search, ...encoded }] })
    expect(lossesOf({ tools: [{ type: 'web_search', ...fields }] })).toEqual(losses)
  })

  it('is limited by max_tool_calls of the request', () => {
    const fields = { tools: [{ type: 'web_search' }, fn], max_tool_calls: 4 }
    expect(bodyOf(fields).tools).toMatchObject([{ ...search, max_uses: 4 }, { name: 'f' }])
    expect(lossesOf(fields)).toEqual(['max_tool_calls mapped'])
  })

  it('keeps a limit of its own', () => {
    const fields = { tools: [{ type: 'web_search', max_uses: 2 }], max_tool_calls: 4 }
    expect(bodyOf(fields).tools).toEqual([{ ...search, max_uses: 2 }])
  })

  it('may be forced by any of its names', () => {
    const fields = { tools: [fn, { type: 'web_search_preview' }], tool_choice: { type: 'web_search_preview' } }
    expect(bodyOf(fields).tool_choice).toEqual({ type: 'tool', name: 'web_search' })
  })
})

describe('the path and the headers of an anthropic-messages request', () => {
  const quirksOf = (vendor: string) => findVendor(vendor)?.quirks ?? {}

  it('have the version in a header for Anthropic', () => {
    const { path, headers, body } = encode({ stream: true }, MODEL, quirksOf('anthropic'))
    expect(path).toBe('/v1/messages')
    expect(headers).toEqual({ 'anthropic-version': '2023-06-01' })
    expect(body).toMatchObject({ model: MODEL })
    expect(authorize('k', quirksOf('anthropic'))).toEqual({ 'x-api-key': 'k' })
  })

  it('have the model in the path for Vertex, and the version in the body', () => {
    const quirks = quirksOf('vertex-anthropic')
    const model = 'claude-3-7-sonnet@20250219'
    const { path, headers, body } = encode({ stream: true }, model, quirks)
    expect(path).toBe('/claude-3-7-sonnet@20250219:streamRawPredict')
    expect(encode({}, model, quirks).path).toBe('/claude-3-7-sonnet@20250219:rawPredict')
    expect(encode({}, 'a/../b?c', quirks).path).toBe('/a%2F..%2Fb%3Fc:rawPredict')
    expect(headers).toEqual({})
    expect(body).toMatchObject({ anthropic_version: 'vertex-2023-10-16', stream: true })
    expect(body).not.toHaveProperty('model')
    expect(authorize('k', quirks)).toEqual({ authorization: 'Bearer k' })
  })

  it('have the key in another header if the vendor is configured so', () => {
    expect(authorize('k', { keyHeader: 'x-proxy-key' })).toEqual({ 'x-proxy-key': 'k' })
    expect(authorize('k', { keyHeader: 'authorization' })).toEqual({ authorization: 'Bearer k' })
  })
})

describe('a set of tools of Anthropic', () => {
  it('has no name', () => {
    const type = 'computer_toolset_20260801'
    expect(bodyOf({ tools: [{ type, configs: {} }] }).tools).toEqual([{ type, configs: {} }])
  })
})
