import { describe, expect, it } from 'vitest'
import { findVendor } from '../../../../src/vendors/registry.ts'
import { authorize } from '../../../../src/wires/openai-chat/upstream/request.ts'
import type { Quirks } from '../../../../src/wires/quirks.ts'
import { WIRES } from '../../../../src/wires/registry.ts'
import { encodeFitted } from '../../../engine/encode-request.ts'
import { targetOf } from '../../../engine/target.ts'
import { requestOf } from '../../../request-bodies.ts'
import { assistant, call, encode, type Fields, image, messagesOf, output, reasoningChunk, user } from '../chats.ts'

describe('losses of a request to a chat upstream', () => {
  const cases: [string, Fields, Quirks, string[]][] = [
    ['nothing', { temperature: 1, stream: true, service_tier: 'auto', truncation: 'disabled' }, {}, []],
    [
      'fields',
      { metadata: { a: 'b' }, max_tool_calls: 1, truncation: 'auto', plugins: [{ id: 'web' }] },
      {},
      ['max_tool_calls', 'metadata', 'truncation', 'plugins'],
    ],
    [
      'fields of OpenAI',
      { service_tier: 'flex', prompt_cache_key: 'k', text: { verbosity: 'low' } },
      {},
      ['text.verbosity', 'service_tier', 'prompt_cache_key'],
    ],
    ['reasoning', { input: [user('A'), reasoningChunk('x'), assistant('B')] }, {}, ['input[1]']],
    ['items', { input: [user('A'), { type: 'mcp_call' }] }, {}, ['input[1]']],
    [
      'a file by its URL',
      { input: [user([{ type: 'input_file', file_url: 'https://a' }])] },
      {},
      ['input[0].content[0]'],
    ],
    [
      'a file in an output',
      { input: [call('c'), output('c', [{ type: 'input_file', file_url: 'https://a' }])] },
      {},
      ['input[1].output[0]'],
    ],
    ['an image among the rules', { input: [{ role: 'system', content: [image] }] }, {}, ['input[0].content']],
    ['tools', { tools: [{ type: 'web_search' }, { type: 'custom', name: 'c' }] }, {}, ['tools[0]', 'tools[1]']],
    ['a summary', { reasoning: { summary: 'auto' } }, {}, ['reasoning.summary']],
    ['an effort that it has not', { reasoning: { effort: 'xhigh' } }, { effort: 'template' }, ['reasoning.effort']],
    ['a temperature too high', { temperature: 2 }, { maxTemperature: 1.5 }, ['temperature']],
    [
      'unsupported content',
      { user: 'u', top_logprobs: 2 },
      { refuses: ['user', 'top_logprobs'] },
      ['user', 'top_logprobs'],
    ],
    [
      'calls one at a time',
      { tools: [{ type: 'function', name: 'f' }], parallel_tool_calls: false },
      { refuses: ['parallel_tool_calls'] },
      ['parallel_tool_calls'],
    ],
  ]
  it.each(cases)('are recorded for this content: %s', (_, fields, quirks, places) => {
    expect(encode(fields, quirks).losses.map(({ path }) => path)).toEqual(places)
  })

  it('leave a note in place of a dropped part', () => {
    expect(messagesOf([user([{ type: 'input_file', file_data: 'data:,' }])], { files: 'none' })).toEqual([
      user('[file: it could not be passed on]'),
    ])
  })
})

describe('a request to a chat upstream', () => {
  const fn = { type: 'function', name: 'f' }
  const cases: [string, Fields, Quirks, Fields][] = [
    ['no fields', {}, {}, {}],
    ['stream', { stream: true }, {}, { stream: true, stream_options: { include_usage: true } }],
    ['stream without options', { stream: true }, { noStreamOptions: true }, { stream: true }],
    [
      'sampling',
      { temperature: 0, top_p: 0.5, presence_penalty: 1, frequency_penalty: -1, user: 'u' },
      {},
      { temperature: 0, top_p: 0.5, presence_penalty: 1, frequency_penalty: -1, user: 'u' },
    ],
    ['a limit', { max_output_tokens: 9 }, {}, { max_tokens: 9 }],
    [
      'a limit by another name',
      { max_output_tokens: 9 },
      { maxTokensField: 'max_completion_tokens' },
      { max_completion_tokens: 9 },
    ],
    ['logprobs', { top_logprobs: 2 }, {}, { logprobs: true, top_logprobs: 2 }],
    ['logprobs by include', { include: ['message.output_text.logprobs'] }, {}, { logprobs: true }],
    ['no logprobs', { top_logprobs: 0 }, {}, {}],
    ['an effort', { reasoning: { effort: 'minimal' } }, {}, { reasoning_effort: 'minimal' }],
    ['json_object', { text: { format: { type: 'json_object' } } }, {}, { response_format: { type: 'json_object' } }],
    [
      'a schema',
      { text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true } } },
      {},
      {
        response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' }, strict: true } },
      },
    ],
    [
      'a schema without structured outputs',
      { text: { format: { type: 'json_schema', name: 'n', schema: {} } } },
      { noJsonSchema: true },
      { response_format: { type: 'json_object' } },
    ],
    [
      'fields of OpenAI',
      { service_tier: 'flex', text: { verbosity: 'low' }, prompt_cache_key: 'k' },
      { openaiFields: true },
      { service_tier: 'flex', verbosity: 'low', prompt_cache_key: 'k' },
    ],
    [
      'tools',
      {
        tools: [{ ...fn, description: 'd', strict: true, parameters: { type: 'object' } }],
        tool_choice: 'auto',
        parallel_tool_calls: false,
      },
      {},
      {
        tools: [
          { type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' }, strict: true } },
        ],
        tool_choice: 'auto',
        parallel_tool_calls: false,
      },
    ],
    ['no tools, no choice', { tool_choice: 'none', parallel_tool_calls: true }, {}, {}],
    [
      'custom tools',
      {
        tools: [{ type: 'custom', name: 'c', format: { type: 'grammar', syntax: 'lark', definition: 'd' } }],
        tool_choice: { type: 'custom', name: 'c' },
      },
      { customTools: true },
      {
        tools: [
          {
            type: 'custom',
            custom: { name: 'c', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'd' } } },
          },
        ],
        tool_choice: { type: 'custom', custom: { name: 'c' } },
      },
    ],
  ]
  it.each(cases)('encodes its fields with the quirks of the vendor: %s', (_, fields, quirks, expected) => {
    const { model, messages, ...rest } = encode(fields, quirks).body
    expect({ model, messages }).toEqual({ model: 'some-model', messages: [user('Hi')] })
    expect(rest).toEqual(expected)
  })

  it.each([
    ['required', {}, ['f', 'g'], 'required'],
    ['required', { requiredWord: 'any' }, ['f', 'g'], 'any'],
    [{ type: 'function', name: 'g' }, {}, ['f', 'g'], { type: 'function', function: { name: 'g' } }],
    [{ type: 'function', name: 'g' }, { noNamedChoice: true, requiredWord: 'any' }, ['g'], 'any'],
  ] as [unknown, Quirks, string[], unknown][])(
    'maps the tool choice %j for %j',
    (tool_choice, quirks, names, expected) => {
      const { body } = encode({ tools: [fn, { ...fn, name: 'g' }], tool_choice }, quirks)
      expect((body.tools as { function: { name: string } }[]).map((it) => it.function.name)).toEqual(names)
      expect(body.tool_choice).toEqual(expected)
    },
  )

  it.each([
    [{ tools: [{ type: 'web_search' }], tool_choice: 'required' }, {}],
    [{ tools: [fn, { type: 'web_search' }], tool_choice: { type: 'web_search' } }, {}],
    [{ tools: [fn, { type: 'custom', name: 'c' }], tool_choice: { type: 'custom', name: 'c' } }, {}],
  ] as [Fields, Quirks][])('is rejected if the upstream cannot force the tool choice: %j', (fields, quirks) => {
    const result = encodeFitted(WIRES['openai-chat'], requestOf(fields), targetOf('openai-chat', quirks))
    expect(result).toMatchObject({ ok: false, error: { party: 'client', status: 400, param: 'tool_choice' } })
  })
})

describe('a search over openai-chat', () => {
  it.each([
    [{ type: 'service:web_search', parameters: { max_results: 3 } }, { max_results: 3 }],
    [{ type: 'openrouter:web_search' }, {}],
    [
      { type: 'web_search', filters: { allowed_domains: ['a.com'] }, search_context_size: 'low' },
      { allowed_domains: ['a.com'], search_context_size: 'low' },
    ],
  ])('is sent as a hosted tool of OpenRouter: %j', (tool, parameters) => {
    const { body, losses } = encode({ tools: [tool] }, findVendor('openrouter')?.quirks)
    expect(body.tools).toEqual([{ type: 'openrouter:web_search', parameters }])
    expect(losses).toEqual([])
  })

  it.each(['openai', 'groq'])('is dropped with a loss for %s, which has no tool for it', (vendor) => {
    const { body, losses } = encode({ tools: [{ type: 'web_search' }] }, findVendor(vendor)?.quirks)
    expect(body.tools).toBeUndefined()
    expect(losses.map(({ path }) => path)).toEqual(['tools[0]'])
  })

  it.each(['openai', 'openrouter', 'xai'])('is rejected for %s if it has a filter of X', (vendor) => {
    const filtered = requestOf({ x_search_filter: { allowed_x_handles: ['a'] } })
    expect(
      encodeFitted(WIRES['openai-chat'], filtered, targetOf('openai-chat', findVendor(vendor)?.quirks)),
    ).toMatchObject({
      ok: false,
      error: { party: 'client', status: 400, param: 'x_search_filter' },
    })
  })
})

describe('the key of a chat request', () => {
  it.each([
    ['openai-chat', { authorization: 'Bearer k' }],
    ['azure-chat', { 'api-key': 'k' }],
  ])('is sent in the header that %s expects', (vendor, headers) => {
    expect(authorize('k', findVendor(vendor)?.quirks ?? {})).toEqual(headers)
  })
})

describe('stop sequences of a chat request', () => {
  const encoded = (quirks: Quirks, model = 'some-model', fields: Fields = {}) => {
    const result = encodeFitted(
      WIRES['openai-chat'],
      { ...requestOf(fields), stop: ['a', 'b'] },
      targetOf('openai-chat', quirks, model),
    )
    if (!result.ok) throw new Error(result.error.message)
    return [result.body.stop, result.losses.map(({ path }) => path)]
  }

  it('are sent unchanged, but dropped for models that refuse them while they reason', () => {
    expect(encoded({})).toEqual([['a', 'b'], []])
    expect(encoded({ openaiModels: true }, 'gpt-4.1')).toEqual([['a', 'b'], []])
    expect(encoded({ openaiModels: true }, 'o3')).toEqual([undefined, ['stop']])
  })
})
