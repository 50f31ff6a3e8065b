import { describe, expect, it } from 'vitest'
import type { Json } from '../../../../src/protocol/json.ts'
import { authorize } from '../../../../src/wires/ollama-chat/upstream/request.ts'
import { WIRES } from '../../../../src/wires/registry.ts'
import { encodeFitted } from '../../../engine/encode-request.ts'
import { targetOf } from '../../../engine/target.ts'
import { requestOf } from '../../../request-bodies.ts'
import { DONE, decodedDeltas, messageLine } from '../decoded.ts'

type Fields = Readonly<Record<string, unknown>>

function encode(fields: Fields, model = 'some-model') {
  const result = encodeFitted(WIRES['ollama-chat'], requestOf(fields), targetOf('ollama-chat', {}, model))
  if (!result.ok) throw new Error(result.error.message)
  return { path: result.path, body: result.body, losses: result.losses }
}
const messagesOf = (input: unknown): Json => encode({ input }).body.messages ?? null
const places = (fields: Fields) => encode(fields).losses.map(({ path, action }) => [path, action])

const user = (content: unknown) => ({ role: 'user', content })
const assistant = (content: unknown) => ({ role: 'assistant', content })
const call = (call_id: string, args = '{}', name = 'f') => ({ type: 'function_call', call_id, name, arguments: args })
const output = (call_id: string, out: unknown = 'ok') => ({ type: 'function_call_output', call_id, output: out })
const itsCall = (id: string, args = {}, name = 'f') => ({ id, type: 'function', function: { name, arguments: args } })
const tool = (tool_call_id: string, content = 'ok', tool_name = 'f') => ({
  role: 'tool',
  content,
  tool_call_id,
  tool_name,
})
const image = { type: 'input_image', image_url: 'data:image/png;base64,QUJD' }
const far = { type: 'input_image', image_url: 'https://a.example/x.png' }
const reasoning = (text: string, encrypted_content: string | null = null) => ({
  type: 'reasoning',
  summary: [],
  content: text === '' ? [] : [{ type: 'reasoning_text', text }],
  encrypted_content,
})

describe('messages for an ollama-chat upstream', () => {
  const cases: [string, unknown, unknown][] = [
    ['a string', 'Hi', [user('Hi')]],
    ['texts are one string', [user([1, 2].map((n) => ({ type: 'input_text', text: `${n}` })))], [user('1\n2')]],
    [
      'rules are the system’s',
      [{ role: 'developer', content: 'A' }, { role: 'system', content: 'B' }, user('C')],
      [{ role: 'system', content: 'A' }, { role: 'system', content: 'B' }, user('C')],
    ],
    [
      'an image is its data alone',
      [user([{ type: 'input_text', text: 'What?' }, image])],
      [{ ...user('What?'), images: ['QUJD'] }],
    ],
    ...['DATA:image/png;Base64,QUJD', 'data:;base64,QUJD', 'data:image/png;a=b;base64,QUJD'].map(
      (image_url): [string, unknown, unknown] => [
        `an image of ${image_url}`,
        [user([{ ...image, image_url }])],
        [{ ...user(''), images: ['QUJD'] }],
      ],
    ),
    ...['data:image/png;base64,', 'data:image/png,QUJD', 'data:image/png;base64', 'xdata:a;base64,QUJD'].map(
      (image_url): [string, unknown, unknown] => [
        `no image of ${image_url}`,
        [user([{ ...image, image_url }])],
        [user('[image: it could not be passed on]')],
      ],
    ),
    ['an image by its URL leaves a note', [user([far])], [user('[image: it could not be passed on]')]],
    ['an image among the rules', [{ role: 'system', content: [image] }], [{ role: 'system', content: '' }]],
    [
      'calls belong to the text before them, outputs have the names of their calls',
      [user('A'), assistant('B'), call('c1', '{"a":1}'), call('c2', '', 'g'), output('c1'), output('c2'), user('C')],
      [
        user('A'),
        { ...assistant('B'), tool_calls: [itsCall('c1', { a: 1 }), itsCall('c2', {}, 'g')] },
        tool('c1'),
        tool('c2', 'ok', 'g'),
        user('C'),
      ],
    ],
    [
      'an output that came late goes to its call',
      [call('c1'), user('Wait'), output('c1')],
      [{ ...assistant(''), tool_calls: [itsCall('c1')] }, tool('c1'), user('Wait')],
    ],
    ['an orphan has no name', [output('c9')], [{ role: 'tool', content: 'ok', tool_call_id: 'c9' }]],
    [
      'reasoning is sent back with its calls',
      [user('A'), reasoning('hm'), call('c1'), output('c1'), reasoning('ah'), assistant('B')],
      [
        user('A'),
        { ...assistant(''), thinking: 'hm', tool_calls: [itsCall('c1')] },
        tool('c1'),
        { ...assistant('B'), thinking: 'ah' },
      ],
    ],
    ['a refusal is text', [assistant([{ type: 'refusal', refusal: 'No' }])], [assistant('No')]],
    ['an assistant message without content', [user('A'), assistant(null), user('B')], [user('A'), user('B')]],
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
        { ...assistant(''), tool_calls: [itsCall('c1'), itsCall('c2')] },
        tool('c1', 'see\n[image 1: it follows in the next user message]'),
        tool('c2', '[image 2: it follows in the next user message]'),
        {
          ...user('image 1, from the output of the tool call c1\nimage 2, from the output of the tool call c2'),
          images: ['QUJD', 'QUJD'],
        },
        user('A'),
      ],
    ],
    [
      'a call with text as input is sent as a function',
      [
        { type: 'custom_tool_call', call_id: 'c1', name: 'g', input: 'x = 1' },
        { type: 'custom_tool_call_output', call_id: 'c1', output: '1' },
      ],
      [{ ...assistant(''), tool_calls: [itsCall('c1', { input: 'x = 1' }, 'g')] }, tool('c1', '1', 'g')],
    ],
    [
      'arguments that are no object',
      [call('c1', '{"a":'), call('c2', '[1]')],
      [{ ...assistant(''), tool_calls: [itsCall('c1', { input: '{"a":' }), itsCall('c2', { input: '[1]' })] }],
    ],
  ]
  it.each(cases)('are encoded from the input: %s', (_, input, messages) => {
    expect(messagesOf(input)).toEqual(messages)
  })

  it('begin with the instructions of the request', () => {
    expect(encode({ instructions: 'Be short' }).body.messages).toEqual([
      { role: 'system', content: 'Be short' },
      user('Hi'),
    ])
  })

  it('contain reasoning, text and calls of an earlier answer', () => {
    const { output: items } = decodedDeltas([
      messageLine({ thinking: 'hm' }),
      messageLine({ content: 'Wait.' }),
      messageLine({ tool_calls: [{ id: 'c1', function: { name: 'f', arguments: { a: [1, 'é'] } } }] }),
      DONE,
    ])
    expect(messagesOf([user('A'), ...items, output('c1')])).toEqual([
      user('A'),
      { ...assistant('Wait.'), thinking: 'hm', tool_calls: [itsCall('c1', { a: [1, 'é'] })] },
      tool('c1'),
    ])
  })
})

it('sends stop sequences of an ollama-chat request as options', () => {
  const encoded = encodeFitted(WIRES['ollama-chat'], { ...requestOf(), stop: ['a', 'b'] }, targetOf('ollama-chat'))
  expect(encoded).toMatchObject({ ok: true, body: { options: { stop: ['a', 'b'] } }, losses: [] })
})

describe('fields of an ollama-chat request', () => {
  const fn = {
    type: 'function',
    name: 'f',
    description: 'd',
    parameters: { type: 'object', properties: { a: { type: 'string' } } },
  }
  const cases: [string, Fields, Fields][] = [
    ['no fields', {}, { stream: false }],
    ['a stream', { stream: true }, { stream: true }],
    [
      'options',
      { max_output_tokens: 9, temperature: 0, top_p: 0.5, presence_penalty: 1, frequency_penalty: -1 },
      {
        stream: false,
        options: { num_predict: 9, temperature: 0, top_p: 0.5, presence_penalty: 1, frequency_penalty: -1 },
      },
    ],
    ['log probabilities', { top_logprobs: 3 }, { stream: false, logprobs: true, top_logprobs: 3 }],
    ['log probabilities by include', { include: ['message.output_text.logprobs'] }, { stream: false, logprobs: true }],
    ['no log probabilities', { top_logprobs: 0 }, { stream: false }],
    ['JSON', { text: { format: { type: 'json_object' } } }, { stream: false, format: 'json' }],
    [
      'a schema',
      { text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' } } } },
      { stream: false, format: { type: 'object' } },
    ],
    ['text', { text: { format: { type: 'text' } } }, { stream: false }],
    [
      'tools',
      { tools: [fn, { type: 'function', name: 'g' }], tool_choice: 'auto' },
      {
        stream: false,
        tools: [
          { type: 'function', function: { name: 'f', description: 'd', parameters: fn.parameters } },
          { type: 'function', function: { name: 'g', parameters: { type: 'object', properties: {} } } },
        ],
      },
    ],
    ['tools that must not be called', { tools: [fn], tool_choice: 'none' }, { stream: false }],
  ]
  it.each(cases)('are encoded for the upstream: %s', (_, fields, expected) => {
    const { path, body } = encode(fields)
    const { model, messages, ...rest } = body
    expect({ path, model, messages }).toEqual({ path: '/api/chat', model: 'some-model', messages: [user('Hi')] })
    expect(rest).toEqual(expected)
  })

  it.each([
    ['qwen3:8b', 'none', false, []],
    ['qwen3:8b', 'high', true, ['reasoning.effort']],
    ['gpt-oss:20b', 'low', 'low', []],
    ['gpt-oss:20b', 'high', 'high', []],
    ['gpt-oss:120b-cloud', 'max', 'high', ['reasoning.effort']],
    ['gpt-oss:20b', 'none', 'low', ['reasoning.effort']],
  ])('configure think for %s, effort %s', (model, effort, think, lost) => {
    const { body, losses } = encode({ reasoning: { effort } }, model)
    expect(body.think).toBe(think)
    expect(losses.map(({ path }) => path)).toEqual(lost)
  })

  it('have no think if the client requests no reasoning', () => {
    expect(encode({ reasoning: {} }).body).not.toHaveProperty('think')
  })
})

describe('losses of an ollama-chat request', () => {
  const cases: [string, Fields, [string, string][]][] = [
    [
      'nothing',
      { temperature: 1, stream: true, service_tier: 'auto', truncation: 'auto', parallel_tool_calls: true },
      [],
    ],
    [
      'fields',
      {
        metadata: { a: 'b' },
        max_tool_calls: 1,
        plugins: [{ id: 'web' }],
        user: 'u',
        service_tier: 'flex',
        prompt_cache_key: 'k',
        safety_identifier: 's',
        parallel_tool_calls: false,
      },
      [
        'max_tool_calls',
        'metadata',
        'parallel_tool_calls',
        'plugins',
        'prompt_cache_key',
        'safety_identifier',
        'service_tier',
        'user',
      ].map((name) => [name, 'dropped']),
    ],
    [
      'verbosity and summaries',
      { text: { verbosity: 'low' }, reasoning: { summary: 'auto' } },
      [
        ['reasoning.summary', 'dropped'],
        ['text.verbosity', 'dropped'],
      ],
    ],
    [
      'parts',
      {
        input: [
          user([
            far,
            { type: 'input_file', file_url: 'https://a' },
            { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
          ]),
        ],
      },
      [0, 1, 2].map((i) => [`input[0].content[${i}]`, 'dropped']),
    ],
    ['a part of an output', { input: [call('c'), output('c', [far])] }, [['input[1].output[0]', 'dropped']]],
    ['images among the rules', { input: [{ role: 'developer', content: [image] }] }, [['input[0].content', 'dropped']]],
    [
      'tools',
      { tools: [{ type: 'web_search' }, { type: 'custom', name: 'c' }, { type: 'function', name: 'f', strict: true }] },
      [
        ['tools[0]', 'dropped'],
        ['tools[1]', 'dropped'],
        ['tools[2].strict', 'dropped'],
      ],
    ],
    ['encrypted reasoning', { input: [user('A'), reasoning('', 'mr1.x'), assistant('B')] }, [['input[1]', 'dropped']]],
    ['items', { input: [user('A'), { type: 'mcp_call' }] }, [['input[1]', 'dropped']]],
    [
      'free text as input',
      { input: [{ type: 'custom_tool_call', call_id: 'c', name: 'g', input: 'x' }] },
      [['input[0]', 'mapped']],
    ],
    ['arguments that are no object', { input: [call('c1', '{"a":')] }, [['input[0].arguments', 'mapped']]],
    [
      'the name and description of a schema',
      { text: { format: { type: 'json_schema', name: 'n', description: 'd', schema: {} } } },
      [['text.format.description', 'mapped']],
    ],
  ]
  it.each(cases)('are recorded for this content: %s', (_, fields, expected) => {
    expect(places(fields)).toEqual(expected)
  })

  it.each(['required', { type: 'function', name: 'f' }])(
    'do not hide a choice that cannot be forced, which is rejected: %j',
    (tool_choice) => {
      const request = requestOf({ tools: [{ type: 'function', name: 'f' }], tool_choice })
      expect(encodeFitted(WIRES['ollama-chat'], request, targetOf('ollama-chat'))).toMatchObject({
        ok: false,
        error: { party: 'client', status: 400, param: 'tool_choice' },
      })
    },
  )
})

it('sends the key of an ollama-chat request as a bearer token', () => {
  expect(authorize('k')).toEqual({ authorization: 'Bearer k' })
})
