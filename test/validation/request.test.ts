import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { formatLoss } from '../../src/protocol/loss.ts'
import { bodyOf } from '../../src/validation/body-schema.ts'
import { additionalTools, configurationUpdate, toolSearchOutput } from '../../src/validation/input/changing-items.ts'
import { toInputSchema } from '../../src/validation/json-schema.ts'
import { validateRequest } from '../../src/validation/request.ts'
import { requestOf } from '../request-bodies.ts'

const call = { type: 'function', name: 'f' }

describe('the JSON Schema of an item that changes a request', () => {
  it.each([
    [additionalTools, ['type', 'tools']],
    [toolSearchOutput, ['type']],
    [configurationUpdate, ['type']],
  ])('requires what its client sends, and has no member that is the item itself: %#', (schema, required) => {
    const described = toInputSchema(schema)
    expect(described.required).toEqual(required)
    expect(described.properties).toHaveProperty('type')
    expect(described.properties).not.toHaveProperty('item')
  })
})

describe('the JSON Schema of a request', () => {
  const compiled = () =>
    new Ajv2020({ strict: false, validateFormats: false }).compile(toInputSchema(bodyOf('lenient')))
  const body = (more: object) => ({ model: 'm', input: 'Hi', ...more })

  it.each([
    { input: [{ type: 'a_new_item', more: 1 }] },
    { tools: [{ type: 'a_new_tool', more: 1 }] },
    { tool_choice: { type: 'a_new_tool' } },
    { text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' } } } },
  ])('accepts an object of a type that is not listed, and any object as a schema: %j', (more) => {
    const fits = compiled()
    expect(fits(body(more)), JSON.stringify(fits.errors)).toBe(true)
  })

  it.each([
    { input: ['a_new_item'] },
    { input: [{ type: 7 }] },
    { tools: ['a_new_tool'] },
    { tools: [{ more: 1 }] },
    { tool_choice: {} },
    { text: { format: { type: 'json_schema', name: 'n', schema: 'object' } } },
    { text: { format: { type: 'json_schema', name: 'n', schema: [] } } },
  ])('rejects what is no such object: %j', (more) => {
    expect(compiled()(body(more))).toBe(false)
  })
})

describe('normalisation of a request', () => {
  it('fills in the fields that are missing', () => {
    expect(requestOf()).toEqual({
      model: 'vendor/model',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
      stream: false,
      instructions: null,
      max_output_tokens: null,
      max_tool_calls: null,
      temperature: null,
      top_p: null,
      presence_penalty: null,
      frequency_penalty: null,
      top_logprobs: null,
      reasoning: null,
      tools: [],
      tool_choice: null,
      names: {},
      given: { tools: [], tool_choice: null },
      parallel_tool_calls: null,
      text: null,
      truncation: null,
      service_tier: null,
      metadata: null,
      user: null,
      safety_identifier: null,
      prompt_cache_key: null,
      prompt_cache_options: null,
      prompt_cache_retention: null,
      include: [],
      plugins: [],
      x_search_filter: null,
      stop: null,
      instruction_breakpoints: [],
      needs_sources: false,
    })
  })

  it('treats null as missing in every field but model and input', () => {
    const empty = requestOf()
    const nulls = Object.fromEntries(Object.keys(empty).map((key) => [key, null]))
    expect(requestOf({ ...nulls, model: 'vendor/model', input: 'Hi' })).toEqual(empty)
  })

  it('accepts defaults that SDKs add, and unknown keys', () => {
    const unasked = {
      service_tier: 'auto',
      store: false,
      stream: false,
      stream_options: { include_obfuscation: false },
      background: false,
      client_metadata: { a: 1 },
    }
    expect(requestOf(unasked)).toEqual({ ...requestOf(), service_tier: 'auto' })
  })

  const items: [string, unknown, unknown][] = [
    [
      'a message without type',
      { role: 'developer', content: 'Be short' },
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be short' }] },
    ],
    [
      'an assistant message without id and status',
      { role: 'assistant', content: 'Hello', phase: 'final_answer' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }], phase: 'final_answer' },
    ],
    [
      'an assistant message as it was answered',
      {
        type: 'message',
        id: 'msg_1',
        status: 'completed',
        role: 'assistant',
        content: [
          { type: 'output_text', text: 'Hello', annotations: [], logprobs: [] },
          { type: 'refusal', refusal: 'No' },
        ],
      },
      {
        type: 'message',
        role: 'assistant',
        content: [
          { type: 'output_text', text: 'Hello' },
          { type: 'refusal', refusal: 'No' },
        ],
      },
    ],
    ['null content', { role: 'assistant', content: null }, { type: 'message', role: 'assistant', content: [] }],
    [
      'an image without detail',
      { role: 'user', content: [{ type: 'input_image', image_url: 'https://a/b.png' }] },
      {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_image', image_url: 'https://a/b.png', detail: null }],
      },
    ],
    [
      'a sound',
      { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }] },
      { type: 'message', role: 'user', content: [{ type: 'input_audio', data: 'AA==', format: 'wav' }] },
    ],
    [
      'a call without id',
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
    ],
    [
      'an output with id and status null',
      { type: 'function_call_output', id: null, status: null, call_id: 'c1', output: 'ok' },
      { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'ok' }] },
    ],
    [
      'an output of parts',
      {
        type: 'function_call_output',
        call_id: 'c1',
        output: [{ type: 'input_file', file_data: 'data:,', filename: 'a' }],
      },
      {
        type: 'function_call_output',
        call_id: 'c1',
        output: [{ type: 'input_file', filename: 'a', file_data: 'data:,', file_url: null, file_id: null }],
      },
    ],
    [
      'a summary of strings',
      { type: 'reasoning', id: 'rs_1', summary: ['a'], encrypted_content: 'x' },
      { type: 'reasoning', summary: ['a'], content: [], encrypted_content: 'x' },
    ],
    [
      'a summary of parts, the rest null',
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'a' }], content: null, encrypted_content: null },
      { type: 'reasoning', summary: ['a'], content: [], encrypted_content: null },
    ],
    [
      'raw reasoning',
      { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'a' }] },
      { type: 'reasoning', summary: [], content: ['a'], encrypted_content: null },
    ],
    [
      'a search that an upstream ran',
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
      { type: 'other', item: { type: 'web_search_call', id: 'ws_1', status: 'completed' } },
    ],
    ['a type from Object.prototype', { type: 'constructor' }, { type: 'other', item: { type: 'constructor' } }],
    ['a type of our own', { type: 'other' }, { type: 'other', item: { type: 'other' } }],
  ]
  it.each(items)('normalises an input item: %s', (_, item, normalised) => {
    expect(requestOf({ input: [item] }).input).toEqual([normalised])
  })

  it('distinguishes functions, custom tools and server tools', () => {
    const tools = [
      { type: 'function', name: 'f', strict: null },
      { type: 'custom', name: 'c', format: { type: 'text' } },
      { type: 'service:web_search', parameters: { max_results: 3 } },
    ]
    expect(requestOf({ tools }).tools).toEqual([
      { type: 'function', name: 'f', description: null, parameters: null, strict: null },
      { type: 'custom', name: 'c', description: null, format: { type: 'text' } },
      { type: 'hosted', name: 'service:web_search', fields: { parameters: { max_results: 3 } } },
    ])
  })

  it('keeps only the tools that allowed_tools lists, with its mode', () => {
    const tools = [call, { ...call, name: 'g' }]
    const tool_choice = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'g' }] }
    const request = requestOf({ tools, tool_choice })
    expect(request.tools.map(({ name }) => name)).toEqual(['g'])
    expect(request.tool_choice).toBe('required')
  })

  it('rejects allowed_tools with an entry that names no tool', () => {
    const problem = (...allowed: object[]) =>
      validateRequest({
        model: 'm',
        input: 'a',
        tools: [call, { type: 'namespace', name: 'crm', tools: [{ type: 'function', name: 'find' }] }],
        tool_choice: { type: 'allowed_tools', mode: 'auto', tools: allowed },
      })
    const refused = (param: string, name: string) => ({
      ok: false,
      error: { param, message: `${param}: expected a tool that is in tools, got "${name}"` },
    })
    const known = { type: 'function', name: call.name }
    expect(problem(known, { type: 'function', name: 'find' }, { type: 'namespace', name: 'crm' }).ok).toBe(true)
    expect(problem(known, { type: 'function', name: 'zz' })).toMatchObject(refused('tool_choice.tools[1].name', 'zz'))
    expect(problem({ type: 'namespace', name: 'zz' })).toMatchObject(refused('tool_choice.tools[0].name', 'zz'))
    expect(problem({ type: 'web_search' })).toMatchObject(refused('tool_choice.tools[0].type', 'web_search'))
  })

  it('reports no loss for a field that requests the default', () => {
    for (const prompt_cache_retention of ['in-memory', 'in_memory', null]) {
      expect(validateRequest({ model: 'm', input: 'a', prompt_cache_retention })).toMatchObject({ losses: [] })
    }
    const lasting = (ttl: string) => validateRequest({ model: 'm', input: 'a', prompt_cache_options: { ttl } })
    expect(lasting('12h')).toMatchObject({ losses: [], request: { prompt_cache_options: { ttl: '12h' } } })
    expect(lasting('7d')).toMatchObject({
      losses: [{ path: 'prompt_cache_options.ttl' }],
      request: { prompt_cache_options: { ttl: null } },
    })
    const prewarm = (value: boolean) =>
      validateRequest({ model: 'm', input: 'a', prompt_cache_options: { prewarm: value } })
    expect(prewarm(false)).toMatchObject({ losses: [] })
    expect(prewarm(true)).toMatchObject({ losses: [{ path: 'prompt_cache_options.prewarm' }] })
  })

  it('reports every unknown field as dropped', () => {
    const odd = { top_k: 4, models: null, provider: {}, 'a secret': 1, stream_options: { include_obfuscation: true } }
    const result = validateRequest({ model: 'm', input: 'a', ...odd })
    expect(result.ok && result.losses.map(({ path, action }) => [path, action])).toEqual([
      ['top_k', 'dropped'],
      ['provider', 'dropped'],
      ['["a secret"]', 'dropped'],
      ['stream_options.include_obfuscation', 'dropped'],
    ])
  })

  it('rejects a summary entry that is neither a text nor has one, with its path', () => {
    const place = (summary: unknown) => {
      const result = validateRequest({ model: 'm', input: [{ type: 'reasoning', summary: [summary] }] })
      return result.ok ? null : result.error.param
    }
    expect(place(5)).toBe('input[0].summary[0]')
    expect(place({ type: 'summary_text' })).toBe('input[0].summary[0].text')
    expect([place('Hm'), place({ text: 'Hm' })]).toEqual([null, null])
  })

  it('reports annotations and logprobs of the history as dropped, with the reason', () => {
    const content = [{ type: 'output_text', text: 'x', annotations: [{ type: 'url_citation' }], logprobs: [] }]
    const result = validateRequest({ model: 'm', input: [{ role: 'assistant', content }] })
    expect(result.ok && result.losses.map(formatLoss)).toEqual([
      'input[0].content[0].annotations dropped: earlier answers are sent without it',
    ])
  })

  it('keeps the choice of a server tool', () => {
    const request = requestOf({ tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search' } })
    expect(request.tool_choice).toEqual({ type: 'hosted', name: 'web_search' })
  })
})
