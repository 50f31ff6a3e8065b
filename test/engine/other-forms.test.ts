import { describe, expect, it } from 'vitest'
import { explainRequest } from '../../src/api/explain-request.ts'
import type { TargetName } from '../../src/api/names.ts'

/** Requests that mix protocols, with a value that must leave, or have a loss that names its place. */
const NO_INPUT = { type: 'object', properties: {} }
const asks = { role: 'user', content: 'Hi' }
const tool = { name: 'f', parameters: NO_INPUT }

const ROWS: readonly (readonly [title: string, client: TargetName, vendor: string, body: object, value: string])[] = [
  [
    'reasoning beside calls of another protocol',
    'openai-responses',
    'openai',
    {
      input: [
        asks,
        {
          role: 'assistant',
          content: null,
          reasoning_content: 'x',
          tool_calls: [{ id: 'c', function: { name: 'f' } }],
        },
      ],
    },
    'reasoning_content',
  ],
  [
    'a refusal beside calls',
    'openai-responses',
    'groq',
    { input: [asks, { role: 'assistant', content: null, refusal: 'never', tool_calls: [] }] },
    'never',
  ],
  [
    'a conversation beside another one',
    'openai-responses',
    'groq',
    { input: 'Hi', messages: [{ role: 'system', content: 'x' }] },
    'messages',
  ],
  [
    'members of a tool',
    'anthropic-messages',
    'anthropic',
    { tools: [{ ...tool, defer_loading: true }] },
    'defer_loading',
  ],
  ['members of a function', 'openai-chat', 'groq', { tools: [{ ...tool, far: 1 }] }, 'far'],
  [
    'members of an image',
    'openai-chat',
    'alibaba',
    {
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: 'https://a.example/b.png', max_pixels: 3 }] },
      ],
    },
    'max_pixels',
  ],
  ['a schema that is a text', 'anthropic-messages', 'groq', { tools: [{ ...tool, parameters: '{"own":1}' }] }, '"own'],
  [
    'a function that is a text',
    'openai-chat',
    'groq',
    { tools: [{ ...tool, type: 'function', function: 'far' }] },
    'far',
  ],
  [
    'a second schema',
    'anthropic-messages',
    'anthropic',
    { tools: [{ type: 'function', function: { ...tool, input_schema: { far: 1 } } }] },
    'far',
  ],
  [
    'a name that contradicts another one',
    'anthropic-messages',
    'anthropic',
    { tools: [{ type: 'function', name: 'far', function: tool }] },
    '"far".*"f"',
  ],
  [
    'members of a choice',
    'openai-chat',
    'groq',
    { tools: [tool], tool_choice: { type: 'any', far: 1 } },
    'tool_choice|far',
  ],
  [
    'members of a source',
    'openai-chat',
    'groq',
    {
      messages: [
        { role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'https://a.example', far: 1 } }] },
      ],
    },
    'far',
  ],
  [
    'members beside the schema of a format',
    'openai-chat',
    'openai-chat',
    { response_format: { type: 'json_schema', schema: NO_INPUT, far: 1 } },
    'far',
  ],
  ...['anthropic', 'openai'].map(
    (vendor) =>
      [
        `the detail of a picture, at ${vendor}`,
        'anthropic-messages',
        vendor,
        {
          messages: [
            {
              role: 'user',
              content: [{ type: 'image_url', image_url: { url: 'https://a.example/b.png', detail: 'low' } }],
            },
          ],
        },
        'messages\\[0\\]\\.content\\[0\\]\\.image_url\\.detail',
      ] as const,
  ),
  [
    'the settings of an earlier search',
    'gemini-generate',
    'google',
    { tools: [{ googleSearchRetrieval: { dynamicRetrievalConfig: { mode: 'MODE_DYNAMIC' } } }] },
    'dynamicRetrievalConfig',
  ],
  [
    'the namespace of a call of the Responses API',
    'openai-chat',
    'groq',
    { messages: [asks, { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}', namespace: 'crm' }] },
    'namespace',
  ],
  [
    'the members of a body of the Responses API',
    'openai-chat',
    'groq',
    {
      messages: undefined,
      input: [{ type: 'message', role: 'user', content: 'Hi' }],
      include: ['reasoning.encrypted_content'],
    },
    'include',
  ],
  [
    'the truncation of a body of the Responses API',
    'openai-chat',
    'groq',
    { messages: undefined, input: [{ type: 'message', role: 'user', content: 'Hi' }], truncation: 'auto' },
    'truncation',
  ],
  [
    'a breakpoint on a call of the Messages API',
    'openai-chat',
    'groq',
    {
      messages: [
        asks,
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'c', name: 'f', input: {}, cache_control: { type: 'x' } }],
        },
      ],
    },
    'cache_control',
  ],
  [
    'a user beside the one of the protocol',
    'anthropic-messages',
    'groq',
    { max_tokens: 9, user: 'jane', metadata: { user_id: 'joe' }, messages: [asks] },
    '"path":"user"',
  ],
  [
    'an effort beside the one of the protocol',
    'anthropic-messages',
    'groq',
    { max_tokens: 9, reasoning_effort: 'low', output_config: { effort: 'high' }, messages: [asks] },
    'reasoning_effort',
  ],
  [
    'a member of a call in a body of the Messages API',
    'anthropic-messages',
    'groq',
    {
      max_tokens: 9,
      messages: [
        asks,
        {
          role: 'assistant',
          tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{}' }, extra_content: { a: 1 } }],
        },
      ],
    },
    'extra_content',
  ],
]

it.each(ROWS)('%s: nothing vanishes', (_, client, vendor, body, value) => {
  const usual = client === 'gemini-generate' ? { contents: [{ parts: [{ text: 'Hi' }] }] } : { messages: [asks] }
  const given = { model: 'm', max_tokens: 100, ...(client === 'openai-responses' ? {} : usual), ...body }
  const found = explainRequest(given, { client, vendor, model: 'm' })
  const told = found.ok ? [found.upstream, found.losses] : found.error
  expect(JSON.stringify(told)).toMatch(new RegExp(value))
})

it.each([
  [{ type: 'auto', disable_parallel_tool_use: true }, undefined, 'auto', false],
  [{ type: 'any', disable_parallel_tool_use: false }, undefined, 'required', true],
  [
    { type: 'tool', name: 'f', disable_parallel_tool_use: true },
    false,
    { type: 'function', function: { name: 'f' } },
    false,
  ],
])('a choice of Anthropic (%j) also limits the calls of an answer', (tool_choice, parallel, choice, expected) => {
  const body = { model: 'm', messages: [asks], tools: [tool], tool_choice, parallel_tool_calls: parallel }
  for (const passthrough of [true, false])
    expect(
      explainRequest(body, { client: 'openai-chat', vendor: 'openai-chat', model: 'm', passthrough }),
    ).toMatchObject({
      upstream: { tool_choice: choice, parallel_tool_calls: expected },
      losses: [],
    })
})

it('a choice that contradicts its body is refused with its place', () => {
  const tool_choice = { type: 'auto', disable_parallel_tool_use: true }
  const body = { model: 'm', messages: [asks], tools: [tool], tool_choice, parallel_tool_calls: true }
  const found = explainRequest(body, { client: 'openai-chat', vendor: 'google', model: 'm' })
  expect(found).toMatchObject({ ok: false, error: { param: expect.stringMatching(/^tool_choice/) } })
})

it('a picture of another protocol has a media type that Claude reads', () => {
  const part = { type: 'image_url', image_url: { url: 'data:image/jpg;base64,QUFB' } }
  const body = { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: part }] }
  const source = { type: 'base64', media_type: 'image/jpeg', data: 'QUFB' }
  expect(explainRequest(body, { client: 'anthropic-messages', vendor: 'anthropic', model: 'm' })).toMatchObject({
    isPassed: true,
    upstream: { messages: [{ content: [{ type: 'image', source }] }] },
  })
})

it('a picture without data stays as it came', () => {
  const part = { type: 'image', source: { type: 'base64', media_type: 'image/png' } }
  const body = { model: 'm', messages: [{ role: 'user', content: [part] }] }
  const found = explainRequest(body, { client: 'openai-chat', vendor: 'groq', model: 'm' })
  expect(JSON.stringify(found)).not.toContain('undefined')
})

it.each(['openai', 'azure', 'anthropic'])('the settings of %s on another wire are those of the wire', (vendor) => {
  const body = { model: 'm', messages: [asks], stop: ['END'], seed: 7, user: 'u' }
  const options = { client: 'openai-chat', vendor, wire: 'openai-chat', model: 'm' } as const
  expect(explainRequest(body, options)).toMatchObject({ upstream: { stop: ['END'], seed: 7, user: 'u' }, losses: [] })
})

describe('a conversation of other protocols in Chat Completions', () => {
  const use = { type: 'tool_use', id: 'c', name: 'f', input: { a: 1 } }
  const explained = (vendor: string, client: TargetName, body: object, model = 'm') => {
    const result = explainRequest({ model, ...body }, { vendor, client, model })
    if (!result.ok) return { error: result.error.message, text: '', losses: [] }
    return { error: null, text: JSON.stringify(result.upstream), losses: result.losses.map(({ path }) => path) }
  }

  it('keeps both rules, the reasoning and both kinds of calls', () => {
    const own = { id: 'd', type: 'function', function: { name: 'f', arguments: '{"b":2}' } }
    const { text, losses } = explained('zai', 'openai-chat', {
      system: [{ type: 'text', text: 'first rule' }],
      instructions: 'second rule',
      messages: [
        asks,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'because', signature: 'S' },
            { type: 'redacted_thinking', data: 'D' },
            use,
          ],
          tool_calls: [own],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'x', is_error: true }] },
        { role: 'tool', tool_call_id: 'd', content: 'y' },
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'therefore' }], encrypted_content: 'E' },
        { type: 'function_call', call_id: 'e', name: 'f', arguments: '{"c":3}' },
        { type: 'function_call_output', call_id: 'e', output: 'z' },
      ],
    })
    for (const value of ['first rule', 'second rule', 'because', 'therefore', '\\"a\\":1', '\\"b\\":2', '\\"c\\":3'])
      expect(text).toContain(value)
    expect(losses).toEqual([
      'messages[1].content[0].signature',
      'messages[1].content[1]',
      'messages[2].content[0].is_error',
      'messages[4].encrypted_content',
    ])
  })

  it('has losses at the places of its reasoning', () => {
    const { losses } = explained('openai-chat', 'openai-chat', {
      messages: [
        asks,
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'therefore' }] },
        { type: 'function_call', call_id: 'e', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'e', output: 'z' },
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'no answer' }] },
        asks,
      ],
    })
    expect(losses).toEqual(['messages[4]', 'messages[1]'])
  })

  it.each<[string, TargetName, object, string]>([
    [
      'behind rules and results',
      'openai-chat',
      {
        system: 's',
        instructions: 'i',
        messages: [
          { role: 'assistant', content: [{ type: 'text', text: 'x' }, use] },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'c' },
              { type: 'text', text: 'y' },
            ],
          },
          { role: 'user', content: [{ type: 'far' }] },
        ],
      },
      'messages[2].content[0].type: ',
    ],
    [
      'behind calls of the Responses API',
      'openai-chat',
      {
        input: [
          asks,
          { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
          { type: 'function_call', call_id: 'd', name: 'f', arguments: '{}' },
          { role: 'far', content: 'x' },
        ],
      },
      'input[3].role: ',
    ],
    [
      'behind a system message of the Messages API',
      'anthropic-messages',
      {
        max_tokens: 9,
        messages: [{ role: 'system', content: 's' }, asks, { role: 'user', content: [{ type: 'far' }] }],
      },
      'messages[2].content[0].type: ',
    ],
  ])('has errors at the places of the client, %s', (_, client, body, place) => {
    expect(explained('google', client, body).error).toContain(place)
  })

  it('has losses under the names of the client', () => {
    const chat = explained(
      'openai-chat',
      'openai-chat',
      {
        input: 'Hi',
        text: { verbosity: 'low', format: { type: 'text' } },
      },
      'gpt-4o',
    )
    expect(chat.losses).toEqual(['text.verbosity'])
    const messages = explained('ollama', 'anthropic-messages', { max_tokens: 9, messages: [asks], user: 'U' })
    expect(messages.losses).toEqual(['user'])
  })
})
