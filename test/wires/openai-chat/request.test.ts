import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/protocol/json.ts'
import { sealReasoning } from '../../../src/responses/envelope.ts'
import { findVendor } from '../../../src/vendors/table.ts'
import { authorize, encodeRequest } from '../../../src/wires/openai-chat/request.ts'
import type { Quirks } from '../../../src/wires/quirks.ts'
import { check } from '../../property.ts'
import { requestOf } from '../../requests.ts'

type Fields = Readonly<Record<string, unknown>>

function encode(fields: Fields, quirks: Quirks = {}, model = 'some-model') {
  const result = encodeRequest(requestOf(fields), model, quirks)
  if (!result.ok) throw new Error(result.error.message)
  return { body: result.body, losses: result.losses }
}

const messagesOf = (input: unknown, quirks: Quirks = {}): Json => encode({ input }, quirks).body.messages ?? null

const user = (content: unknown) => ({ role: 'user', content })
const assistant = (content: unknown) => ({ role: 'assistant', content })
const call = (call_id: string, args = '{}', name = 'f') => ({ type: 'function_call', call_id, name, arguments: args })
const output = (call_id: string, out: unknown = 'ok') => ({ type: 'function_call_output', call_id, output: out })
const thought = (text: string, encrypted_content: string | null = null) => ({
  type: 'reasoning',
  summary: [],
  content: [{ type: 'reasoning_text', text }],
  encrypted_content,
})
const chatCall = (id: string, args = '{}', name = 'f') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})
const tool = (tool_call_id: string, content = 'ok') => ({ role: 'tool', tool_call_id, content })
const image = { type: 'input_image', image_url: 'data:image/png;base64,AA==' }
const chatImage = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }

describe('messages', () => {
  const cases: [string, unknown, unknown][] = [
    ['a string', 'Hi', [user('Hi')]],
    ['texts only', [user([1, 2].map((n) => ({ type: 'input_text', text: `${n}` })))], [user('1\n2')]],
    [
      'a text and an image',
      [
        user([
          { type: 'input_text', text: 'What?' },
          { ...image, detail: 'original' },
        ]),
      ],
      [
        user([
          { type: 'text', text: 'What?' },
          { type: 'image_url', image_url: { url: image.image_url, detail: 'high' } },
        ]),
      ],
    ],
    [
      'a file and a sound',
      [
        user([
          { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' },
          { type: 'input_file', file_id: 'file-1' },
          { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
        ]),
      ],
      [
        user([
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' } },
          { type: 'file', file: { file_id: 'file-1' } },
          { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
        ]),
      ],
    ],
    [
      'rules are the system’s',
      [{ role: 'developer', content: 'A' }, { role: 'system', content: 'B' }, user('C')],
      [{ role: 'system', content: 'A' }, { role: 'system', content: 'B' }, user('C')],
    ],
    [
      'an assistant’s text and calls are one message, its outputs follow',
      [user('A'), assistant('B'), call('c1', '{"a":1}'), call('c2', ''), output('c1'), output('c2'), user('C')],
      [
        user('A'),
        { ...assistant('B'), tool_calls: [chatCall('c1', '{"a":1}'), chatCall('c2', '{}')] },
        tool('c1'),
        tool('c2'),
        user('C'),
      ],
    ],
    [
      'calls one after the other are two messages',
      [call('c1'), output('c1'), call('c2'), output('c2')],
      [
        { ...assistant(null), tool_calls: [chatCall('c1')] },
        tool('c1'),
        { ...assistant(null), tool_calls: [chatCall('c2')] },
        tool('c2'),
      ],
    ],
    [
      'an output that came late goes to its call',
      [call('c1'), user('Wait'), output('c1')],
      [{ ...assistant(null), tool_calls: [chatCall('c1')] }, tool('c1'), user('Wait')],
    ],
    [
      'a call id that is used again',
      [call('c1'), output('c1', 'first'), user('more'), call('c1'), output('c1', 'second')],
      [
        { ...assistant(null), tool_calls: [chatCall('c1')] },
        tool('c1', 'first'),
        user('more'),
        { ...assistant(null), tool_calls: [chatCall('c1')] },
        tool('c1', 'second'),
      ],
    ],
    [
      'text between and after calls',
      [assistant('A'), call('c1'), assistant('B'), output('c1')],
      [{ ...assistant('A\n\nB'), tool_calls: [chatCall('c1')] }, tool('c1')],
    ],
    ['two texts are two messages', [assistant('A'), assistant('B')], [assistant('A'), assistant('B')]],
    [
      'an orphan and an unanswered call are left to the upstream',
      [call('c1'), output('c2')],
      [{ ...assistant(null), tool_calls: [chatCall('c1')] }, tool('c2')],
    ],
    ['an assistant that said nothing', [user('A'), assistant(null), user('B')], [user('A'), user('B')]],
    ['a refusal', [assistant([{ type: 'refusal', refusal: 'No' }])], [{ ...assistant(null), refusal: 'No' }]],
    [
      'a search of the upstream breaks no turn',
      [
        { type: 'reasoning', summary: [] },
        { type: 'web_search_call', id: 'ws' },
        assistant('A'),
        call('c1'),
        output('c1'),
      ],
      [{ ...assistant('A'), tool_calls: [chatCall('c1')] }, tool('c1')],
    ],
    [
      'images of tools follow after all tools of the turn',
      [
        call('c1'),
        call('c2'),
        output('c1', [{ type: 'input_text', text: 'see' }, image]),
        output('c2', [image]),
        user('A'),
      ],
      [
        { ...assistant(null), tool_calls: [chatCall('c1'), chatCall('c2')] },
        tool('c1', 'see\n[image 1: it follows in the next user message]'),
        tool('c2', '[image 2: it follows in the next user message]'),
        user([
          { type: 'text', text: 'image 1, from the output of the tool call c1:' },
          chatImage,
          { type: 'text', text: 'image 2, from the output of the tool call c2:' },
          chatImage,
        ]),
        user('A'),
      ],
    ],
    [
      'a call with text as input is sent as a function',
      [
        { type: 'custom_tool_call', call_id: 'c1', name: 'g', input: 'x = 1' },
        { type: 'custom_tool_call_output', call_id: 'c1', output: '1' },
      ],
      [{ ...assistant(null), tool_calls: [chatCall('c1', '{"input":"x = 1"}', 'g')] }, tool('c1', '1')],
    ],
  ]
  it.each(cases)('%s', (_, input, messages) => {
    expect(messagesOf(input)).toEqual(messages)
  })

  it('puts the instructions first', () => {
    expect(encode({ instructions: 'Be short' }).body.messages).toEqual([
      { role: 'system', content: 'Be short' },
      user('Hi'),
    ])
  })

  it('calls rules the developer’s where the model knows developers', () => {
    const openai = findVendor('openai')?.quirks ?? {}
    const input = [{ role: 'system', content: 'A' }, user('B')]
    const roles = (model: string) =>
      (encode({ input, instructions: 'C' }, openai, model).body.messages as { role: string }[]).map(({ role }) => role)
    expect(roles('gpt-5-mini')).toEqual(['developer', 'developer', 'user'])
    expect(roles('gpt-4o')).toEqual(['system', 'system', 'user'])
  })

  it('keeps every call next to its output, in any order of items', () => {
    const ids = fc.constantFrom('a', 'b', 'c')
    const item = fc.oneof(
      ids.map((id) => call(id)),
      ids.map((id) => output(id)),
      fc.constantFrom(user('u'), assistant('t'), thought('r')),
    )
    check(
      fc.property(fc.array(item, { maxLength: 12 }), (input) => {
        const messages = messagesOf(input) as unknown as { role: string; tool_calls?: unknown[] }[]
        const count = (type: string) => input.filter((it) => 'type' in it && it.type === type).length
        expect(messages.flatMap((it) => it.tool_calls ?? [])).toHaveLength(count('function_call'))
        expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(count('function_call_output'))
      }),
    )
  })
})

describe('what cannot be carried is told', () => {
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
      ['verbosity', 'service_tier', 'prompt_cache_key'],
    ],
    ['reasoning', { input: [user('A'), thought('x'), assistant('B')] }, {}, ['input[1]']],
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
      'what it refuses',
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
  it.each(cases)('%s', (_, fields, quirks, places) => {
    expect(encode(fields, quirks).losses.map((loss) => loss.slice(0, loss.indexOf(': ')))).toEqual(places)
  })

  it('leaves a note where a part was', () => {
    expect(messagesOf([user([{ type: 'input_file', file_data: 'data:,' }])], { files: 'none' })).toEqual([
      user('[file: it could not be passed on]'),
    ])
  })
})

describe('thoughts', () => {
  const loop = [user('A'), thought('hm'), assistant('B'), call('c1'), output('c1')]
  const turn = [user('A'), thought('hm'), assistant('B'), user('C')]
  const told = (input: unknown, quirks: Quirks) => (messagesOf(input, quirks) as Json[])[1]

  it.each(['reasoning_content', 'reasoning'] as const)('go back as %s in a tool loop only', (field) => {
    expect(told(loop, { reasoningHistory: field })).toEqual({
      ...assistant('B'),
      [field]: 'hm',
      tool_calls: [chatCall('c1')],
    })
    expect(told(turn, { reasoningHistory: field })).toEqual(assistant('B'))
  })

  it('go back as a part', () => {
    expect(told(turn, { reasoningHistory: 'thinking' })).toEqual(
      assistant([
        { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
        { type: 'text', text: 'B' },
      ]),
    )
  })

  it('go back as they were sealed', () => {
    const details = [{ type: 'reasoning.encrypted', data: 'x', index: 0 }]
    const sealed = thought('hm', sealReasoning('openai-chat', details))
    const quirks: Quirks = { reasoningHistory: 'reasoning_details' }
    expect(told([user('A'), sealed, assistant('B')], quirks)).toEqual({ ...assistant('B'), reasoning_details: details })
    expect(told(turn, quirks)).toEqual({ ...assistant('B'), reasoning: 'hm' })
  })

  it('of another upstream are lost, and that is told', () => {
    const foreign = thought('', sealReasoning('anthropic-messages', 'signature'))
    const input = [user('A'), foreign, assistant('B'), call('c1')]
    for (const reasoningHistory of ['reasoning_details', 'reasoning_content'] as const) {
      const { body, losses } = encode({ input }, { reasoningHistory })
      expect(JSON.stringify(body)).not.toContain('signature')
      expect(losses).toEqual([expect.stringMatching(/^input\[1\]: /)])
    }
  })
})

describe('fields', () => {
  const fn = { type: 'function', name: 'f' }
  const cases: [string, Fields, Quirks, Fields][] = [
    ['nothing asked', {}, {}, {}],
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
      'a schema where there is none',
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
  it.each(cases)('%s', (_, fields, quirks, expected) => {
    const { model, messages, ...rest } = encode(fields, quirks).body
    expect({ model, messages }).toEqual({ model: 'some-model', messages: [user('Hi')] })
    expect(rest).toEqual(expected)
  })

  it.each([
    ['required', {}, ['f', 'g'], 'required'],
    ['required', { requiredWord: 'any' }, ['f', 'g'], 'any'],
    [{ type: 'function', name: 'g' }, {}, ['f', 'g'], { type: 'function', function: { name: 'g' } }],
    [{ type: 'function', name: 'g' }, { noNamedChoice: true, requiredWord: 'any' }, ['g'], 'any'],
  ] as [unknown, Quirks, string[], unknown][])('the choice %j with %j', (tool_choice, quirks, names, told) => {
    const { body } = encode({ tools: [fn, { ...fn, name: 'g' }], tool_choice }, quirks)
    expect((body.tools as { function: { name: string } }[]).map((it) => it.function.name)).toEqual(names)
    expect(body.tool_choice).toEqual(told)
  })

  it.each([
    [{ tools: [fn], tool_choice: 'required' }, { refuses: ['tools'] }],
    [{ tools: [{ type: 'web_search' }], tool_choice: 'required' }, {}],
    [{ tools: [fn, { type: 'web_search' }], tool_choice: { type: 'web_search' } }, {}],
    [{ tools: [fn, { type: 'custom', name: 'c' }], tool_choice: { type: 'custom', name: 'c' } }, {}],
  ] as [Fields, Quirks][])('refuses what it cannot force: %j', (fields, quirks) => {
    const result = encodeRequest(requestOf(fields), 'm', quirks)
    expect(result).toMatchObject({ ok: false, error: { party: 'client', status: 400, param: 'tool_choice' } })
  })
})

describe('vendors', () => {
  const quirksOf = (name: string): Quirks => findVendor(name)?.quirks ?? {}

  it.each([
    ['deepseek', 'deepseek-v4', 'none', { thinking: { type: 'disabled' } }],
    ['deepseek', 'deepseek-v4', 'xhigh', { thinking: { type: 'enabled' }, reasoning_effort: 'max' }],
    ['groq', 'openai/gpt-oss-20b', 'minimal', { reasoning_effort: 'low' }],
    ['groq', 'qwen/qwen3-32b', 'high', { reasoning_effort: 'default', reasoning_format: 'parsed' }],
    ['groq', 'llama-3.3-70b-versatile', 'high', {}],
    ['xai', 'grok-3-mini', 'medium', { reasoning_effort: 'high' }],
    ['xai', 'grok-4', 'medium', {}],
    ['mistral', 'magistral-medium-latest', 'low', { prompt_mode: 'reasoning' }],
    ['mistral', 'mistral-small-latest', 'high', { reasoning_effort: 'high' }],
    ['perplexity', 'sonar-reasoning', 'minimal', { reasoning_effort: 'minimal' }],
    ['openrouter', 'openai/gpt-5', 'medium', { reasoning: { effort: 'medium' } }],
    ['moonshot', 'kimi-k2.6', 'low', { thinking: { type: 'enabled' } }],
    ['moonshot', 'kimi-k3', 'high', { reasoning_effort: 'high' }],
    ['alibaba', 'qwen3-max', 'low', { enable_thinking: true, thinking_budget: 4096 }],
    ['alibaba', 'qwen3-max', 'none', { enable_thinking: false }],
    ['zai', 'glm-4.7', 'high', { thinking: { type: 'enabled' } }],
    ['zai', 'glm-5', 'high', { thinking: { type: 'enabled' }, reasoning_effort: 'high' }],
    ['vllm', 'qwen3', 'none', { chat_template_kwargs: { enable_thinking: false } }],
    ['openai', 'o4-mini', 'minimal', { reasoning_effort: 'low' }],
    ['openai', 'gpt-5.1', 'none', { reasoning_effort: 'none' }],
  ])('%s, %s: effort %s', (vendor, model, effort, expected) => {
    const { model: _, messages: __, ...rest } = encode({ reasoning: { effort } }, quirksOf(vendor), model).body
    expect(rest).toEqual(expected)
  })

  it('OpenAI’s thinking models take no sampling, and another limit', () => {
    const fields = { temperature: 0.5, top_p: 1, max_output_tokens: 9, top_logprobs: 1 }
    const { body, losses } = encode(fields, quirksOf('openai'), 'gpt-5-mini')
    expect(body).toEqual({ model: 'gpt-5-mini', messages: [user('Hi')], max_completion_tokens: 9 })
    expect(losses.map((loss) => loss.split(':')[0])).toEqual(['temperature', 'top_p', 'top_logprobs'])
    expect(encode(fields, quirksOf('openai'), 'gpt-4o').body).toMatchObject({ temperature: 0.5, max_tokens: 9 })
    const calm = encode({ ...fields, reasoning: { effort: 'none' } }, quirksOf('openai'), 'gpt-5.1').body
    expect(calm).toMatchObject({ temperature: 0.5, max_completion_tokens: 9 })
  })

  it('Mistral wants nine letters as an id, and no user after a tool', () => {
    const input = [call('call_long_one'), call('abcdefgh1'), output('call_long_one', [image]), output('abcdefgh1')]
    const messages = messagesOf(input, quirksOf('mistral')) as unknown as {
      role: string
      tool_calls: { id: string }[]
      tool_call_id: string
    }[]
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'tool', 'assistant', 'user'])
    const ids = messages[0]?.tool_calls.map(({ id }) => id) ?? []
    expect(ids[0]).toMatch(/^[A-Za-z0-9]{9}$/)
    expect(ids).toEqual([messages[1]?.tool_call_id, messages[2]?.tool_call_id])
    expect(ids[1]).toBe('abcdefgh1')
  })

  it('OpenAI refuses ids of more than 40 characters', () => {
    const long = 'c'.repeat(41)
    const messages = messagesOf([call(long), output(long)], quirksOf('openai'))
    expect(JSON.stringify(messages)).not.toContain(long)
  })

  it('Perplexity wants its roles in turns', () => {
    const input = [user('A'), user('B'), assistant('C'), assistant('D'), user([image]), user('E')]
    expect(messagesOf(input, quirksOf('perplexity'))).toEqual([
      user('A\nB'),
      assistant('C\nD'),
      user([chatImage, { type: 'text', text: 'E' }]),
    ])
  })

  it('Mistral takes documents and bare sounds', () => {
    const parts = [
      { type: 'input_file', filename: 'a.pdf', file_url: 'https://a/a.pdf' },
      { type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } },
    ]
    expect(messagesOf([user(parts)], quirksOf('mistral'))).toEqual([
      user([
        { type: 'document_url', document_url: 'https://a/a.pdf', document_name: 'a.pdf' },
        { type: 'input_audio', input_audio: 'AA==' },
      ]),
    ])
  })
})

describe('authorize', () => {
  it.each([
    ['openai', { authorization: 'Bearer k' }],
    ['azure', { 'api-key': 'k' }],
  ])('%s', (vendor, headers) => {
    expect(authorize('k', findVendor(vendor)?.quirks ?? {})).toEqual(headers)
  })
})
