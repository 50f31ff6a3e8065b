import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/protocol/json.ts'
import { authorize, encodeRequest } from '../../../src/wires/cohere-chat/request.ts'
import { requestOf } from '../../requests.ts'
import { targetOf } from '../../target.ts'
import { args, callEnd, end, call as itsStart, thought as itsThought, plan, START, told } from './told.ts'

type Fields = Readonly<Record<string, unknown>>

function encode(fields: Fields, model = 'some-model') {
  const result = encodeRequest(requestOf(fields), targetOf('cohere-chat', {}, model))
  if (!result.ok) throw new Error(result.error.message)
  return { path: result.path, body: result.body, losses: result.losses }
}
const messagesOf = (input: unknown): Json => encode({ input }).body.messages ?? null
const places = (fields: Fields) => encode(fields).losses.map(({ path, action }) => [path, action])

const user = (content: unknown) => ({ role: 'user', content })
const assistant = (content: unknown) => ({ role: 'assistant', content })
const call = (call_id: string, given = '{}', name = 'f') => ({ type: 'function_call', call_id, name, arguments: given })
const output = (call_id: string, out: unknown = 'ok') => ({ type: 'function_call_output', call_id, output: out })
const itsCall = (id: string, given = '{}', name = 'f') => ({
  id,
  type: 'function',
  function: { name, arguments: given },
})
const tool = (tool_call_id: string, content: unknown = 'ok') => ({ role: 'tool', tool_call_id, content })
const image = { type: 'input_image', image_url: 'https://a.example/x.png' }
const itsImage = { type: 'image_url', image_url: { url: 'https://a.example/x.png' } }
const file = { type: 'input_file', filename: 'a.txt', file_data: `data:text/plain;base64,${btoa('Gr\u00c3\u00bcezi')}` }
const pdf = { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,QUJD' }
const sound = { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }
const thought = (text: string, encrypted_content: string | null = null) => ({
  type: 'reasoning',
  summary: [],
  content: text === '' ? [] : [{ type: 'reasoning_text', text }],
  encrypted_content,
})

describe('messages', () => {
  const cases: [string, unknown, unknown][] = [
    ['a string', 'Hi', [user('Hi')]],
    ['texts are one string', [user([1, 2].map((n) => ({ type: 'input_text', text: `${n}` })))], [user('1\n2')]],
    [
      'rules are the system’s',
      [{ role: 'developer', content: 'A' }, { role: 'system', content: 'B' }, user('C')],
      [{ role: 'system', content: 'A' }, { role: 'system', content: 'B' }, user('C')],
    ],
    [
      'images by their URL, or their data',
      [
        user([
          { type: 'input_text', text: 'What?' },
          { ...image, detail: 'original' },
          { type: 'input_image', image_url: 'data:image/png;base64,QUJD' },
        ]),
      ],
      [
        user([
          { type: 'text', text: 'What?' },
          { type: 'image_url', image_url: { ...itsImage.image_url, detail: 'high' } },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } },
        ]),
      ],
    ],
    [
      'an image among the rules',
      [{ role: 'system', content: [{ type: 'input_text', text: 'A' }, image] }],
      [{ role: 'system', content: 'A' }],
    ],
    [
      'what cannot be carried leaves a note',
      [user([pdf, sound])],
      [user('[file: it could not be passed on]\n[sound: it could not be passed on]')],
    ],
    [
      'words before calls are a plan',
      [user('A'), assistant('B'), call('c1', '{"a":1}'), call('c2', '', 'g'), output('c1'), output('c2'), user('C')],
      [
        user('A'),
        { role: 'assistant', tool_plan: 'B', tool_calls: [itsCall('c1', '{"a":1}'), itsCall('c2', '{}', 'g')] },
        tool('c1'),
        tool('c2'),
        user('C'),
      ],
    ],
    [
      'calls without words',
      [call('c1'), output('c1')],
      [{ role: 'assistant', tool_calls: [itsCall('c1')] }, tool('c1')],
    ],
    [
      'an output that came late goes to its call',
      [call('c1'), user('Wait'), output('c1')],
      [{ role: 'assistant', tool_calls: [itsCall('c1')] }, tool('c1'), user('Wait')],
    ],
    ['an orphan is left to the upstream', [output('c9')], [tool('c9')]],
    [
      'thoughts are blocks',
      [user('A'), thought('hm'), call('c1'), output('c1'), thought('ah'), assistant('B')],
      [
        user('A'),
        { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm' }], tool_calls: [itsCall('c1')] },
        tool('c1'),
        assistant([
          { type: 'thinking', thinking: 'ah' },
          { type: 'text', text: 'B' },
        ]),
      ],
    ],
    ['a refusal is text', [assistant([{ type: 'refusal', refusal: 'No' }])], [assistant('No')]],
    ['an assistant that said nothing', [user('A'), assistant(null), user('B')], [user('A'), user('B')]],
    [
      'an output of several texts',
      [
        call('c1'),
        output('c1', [
          { type: 'input_text', text: 'a' },
          { type: 'input_text', text: 'b' },
        ]),
      ],
      [{ role: 'assistant', tool_calls: [itsCall('c1')] }, tool('c1', 'a\nb')],
    ],
    [
      'a text file in an output is a document',
      [call('c1'), output('c1', [{ type: 'input_text', text: 'see' }, file])],
      [
        { role: 'assistant', tool_calls: [itsCall('c1')] },
        tool('c1', [
          { type: 'text', text: 'see' },
          { type: 'document', document: { data: { title: 'a.txt', text: 'Grüezi' } } },
        ]),
      ],
    ],
    [
      'images of tools follow after all tools of the turn',
      [call('c1'), call('c2'), output('c1', [{ type: 'input_text', text: 'see' }, image]), output('c2', [image])],
      [
        { role: 'assistant', tool_calls: [itsCall('c1'), itsCall('c2')] },
        tool('c1', 'see\n[image 1: it follows in the next user message]'),
        tool('c2', '[image 2: it follows in the next user message]'),
        user([
          { type: 'text', text: 'image 1, from the output of the tool call c1:' },
          itsImage,
          { type: 'text', text: 'image 2, from the output of the tool call c2:' },
          itsImage,
        ]),
      ],
    ],
    [
      'a call with text as input is sent as a function',
      [{ type: 'custom_tool_call', call_id: 'c1', name: 'g', input: 'x = 1' }],
      [{ role: 'assistant', tool_calls: [itsCall('c1', '{"input":"x = 1"}', 'g')] }],
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

  it('takes back what it has said: thoughts, plan and calls of an answer', () => {
    const { output: items } = told([
      START,
      itsThought('hm'),
      plan('I will'),
      itsStart(0, 'f_1', 'f'),
      args(0, '{"a": 1}'),
      callEnd(0),
      end('TOOL_CALL'),
    ])
    expect(messagesOf([user('A'), ...items, output('f_1')])).toEqual([
      user('A'),
      {
        role: 'assistant',
        content: [{ type: 'thinking', thinking: 'hm' }],
        tool_plan: 'I will',
        tool_calls: [itsCall('f_1', '{"a": 1}')],
      },
      tool('f_1'),
    ])
  })
})

describe('documents', () => {
  const documentsOf = (part: object) => encode({ input: [user([part])] }).body.documents
  const data = (file_data: string, more: object = {}) => ({ type: 'input_file', filename: 'n', file_data, ...more })

  it('texts go beside the messages, with a note in their place', () => {
    const { body, losses } = encode({ input: [user([{ type: 'input_text', text: 'Read.' }, file])] })
    expect(body.messages).toEqual([user('Read.\n[file "a.txt": it is among the documents]')])
    expect(body.documents).toEqual([{ data: { title: 'a.txt', text: 'Grüezi' } }])
    expect(losses).toEqual([expect.objectContaining({ path: 'input[0].content[1]', action: 'mapped' })])
  })

  it.each([
    ['percents', data('data:text/markdown,%23%20A'), '# A'],
    ['JSON', data('data:application/json;base64,e30='), '{}'],
    ['a kind of XML', data('data:image/svg+xml,x'), undefined],
    ['a kind of JSON', data('data:application/ld+json,{}'), '{}'],
    ['a charset', data('data:text/plain;charset=utf-8;base64,QQ=='), 'A'],
    ['no text', pdf, undefined],
    ['broken base64', data('data:text/plain;base64,@'), undefined],
    ['bytes that are no text', data('data:text/plain;base64,/w=='), undefined],
    ['broken percents', data('data:text/plain,%zz'), undefined],
    ['a URL', { type: 'input_file', file_url: 'https://a.example/a.txt' }, undefined],
  ])('%s', (_, part, text) => {
    expect(documentsOf(part)).toEqual(text === undefined ? undefined : [{ data: { title: 'n', text } }])
  })
})

describe('fields', () => {
  const cases: [string, Fields, Fields][] = [
    ['nothing asked', {}, { stream: false }],
    ['a stream', { stream: true }, { stream: true }],
    [
      'sampling',
      { max_output_tokens: 9, temperature: 0, top_p: 0.5, presence_penalty: 1, frequency_penalty: 0 },
      { stream: false, max_tokens: 9, temperature: 0, p: 0.5, presence_penalty: 1, frequency_penalty: 0 },
    ],
    [
      'sampling beyond what it takes',
      { top_p: 1, presence_penalty: -1, frequency_penalty: 2 },
      { stream: false, p: 0.99, presence_penalty: 0, frequency_penalty: 1 },
    ],
    [
      'JSON',
      { text: { format: { type: 'json_object' } } },
      { stream: false, response_format: { type: 'json_object' } },
    ],
    [
      'a schema',
      { text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' } } } },
      { stream: false, response_format: { type: 'json_object', json_schema: { type: 'object' } } },
    ],
    ['text', { text: { format: { type: 'text' } } }, { stream: false }],
  ]
  it.each(cases)('%s', (_, fields, expected) => {
    const { path, body } = encode(fields)
    const { model, messages, ...rest } = body
    expect({ path, model, messages }).toEqual({ path: '/v2/chat', model: 'some-model', messages: [user('Hi')] })
    expect(rest).toEqual(expected)
  })

  const reasons: [string, string, number | undefined, unknown, string[]][] = [
    ['command-a-reasoning-08-2025', 'none', undefined, { type: 'disabled' }, []],
    ['command-a-reasoning-08-2025', 'low', undefined, { type: 'enabled', token_budget: 2048 }, []],
    ['command-a-reasoning-08-2025', 'low', 1000, { type: 'enabled', token_budget: 750 }, []],
    ['command-a-reasoning-08-2025', 'minimal', 1, { type: 'enabled', token_budget: 1 }, []],
    ['command-a-plus-05-2026', 'high', undefined, { type: 'enabled' }, []],
    ['command-a-03-2025', 'high', undefined, undefined, ['reasoning.effort']],
    ['command-r-plus', 'none', undefined, undefined, []],
  ]
  it.each(reasons)('%s, effort %s, limit %s', (model, effort, max_output_tokens, thinking, lost) => {
    const { body, losses } = encode({ reasoning: { effort }, max_output_tokens: max_output_tokens ?? null }, model)
    expect(body.thinking).toEqual(thinking)
    expect(losses.map(({ path }) => path)).toEqual(lost)
  })
})

describe('tools', () => {
  const fn = (name: string, more: object = {}) => ({ type: 'function', name, ...more })
  const its = (name: string, more: object = { parameters: { type: 'object', properties: {} } }) => ({
    type: 'function',
    function: { name, ...more },
  })
  const parameters = { type: 'object', properties: { a: {} }, required: ['a'] }
  const cases: [string, Fields, Fields][] = [
    [
      'any',
      { tools: [fn('f', { description: 'd', parameters }), fn('g')], tool_choice: 'auto' },
      { tools: [its('f', { description: 'd', parameters }), its('g')] },
    ],
    ['none', { tools: [fn('f')], tool_choice: 'none' }, { tools: [its('f')], tool_choice: 'NONE' }],
    ['required', { tools: [fn('f')], tool_choice: 'required' }, { tools: [its('f')], tool_choice: 'REQUIRED' }],
    [
      'one of them',
      { tools: [fn('f'), fn('g')], tool_choice: fn('g') },
      { tools: [its('g')], tool_choice: 'REQUIRED' },
    ],
    ['no tools, no choice', { tool_choice: 'none' }, {}],
    [
      'strict',
      { tools: [fn('f', { parameters, strict: true })] },
      { tools: [its('f', { parameters })], strict_tools: true },
    ],
    [
      'strict, of the one that is shown',
      { tools: [fn('f', { parameters, strict: true }), fn('g')], tool_choice: fn('f') },
      { tools: [its('f', { parameters })], strict_tools: true, tool_choice: 'REQUIRED' },
    ],
    [
      'strict for some',
      { tools: [fn('f', { parameters, strict: true }), fn('g')] },
      { tools: [its('f', { parameters }), its('g')] },
    ],
    ['strict without required parameters', { tools: [fn('f', { strict: true })] }, { tools: [its('f')] }],
  ]
  it.each(cases)('%s', (_, fields, expected) => {
    const { model, messages, stream, ...rest } = encode(fields).body
    expect(rest).toEqual(expected)
  })

  it.each([
    [{ tools: [{ type: 'web_search' }], tool_choice: 'required' }],
    [{ tools: [fn('f'), { type: 'web_search' }], tool_choice: { type: 'web_search' } }],
    [{ tools: [fn('f'), { type: 'custom', name: 'c' }], tool_choice: { type: 'custom', name: 'c' } }],
  ])('refuses what it cannot force: %j', (fields) => {
    expect(encodeRequest(requestOf(fields), targetOf('cohere-chat'))).toMatchObject({
      ok: false,
      error: { party: 'client', status: 400, param: 'tool_choice' },
    })
  })
})

describe('what cannot be carried is told', () => {
  const strict = { type: 'function', name: 'f', strict: true }
  const cases: [string, Fields, [string, string][]][] = [
    [
      'nothing',
      { temperature: 1, stream: true, service_tier: 'auto', truncation: 'disabled', parallel_tool_calls: true },
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
        truncation: 'auto',
      },
      [
        'max_tool_calls',
        'metadata',
        'parallel_tool_calls',
        'plugins',
        'prompt_cache_key',
        'safety_identifier',
        'service_tier',
        'truncation',
        'user',
      ].map((name) => [name, 'dropped']),
    ],
    [
      'verbosity, summaries, log probabilities',
      { text: { verbosity: 'low' }, reasoning: { summary: 'auto' }, top_logprobs: 2 },
      [
        ['reasoning.summary', 'dropped'],
        ['text.verbosity', 'dropped'],
        ['top_logprobs', 'dropped'],
      ],
    ],
    [
      'sampling beyond what it takes',
      { top_p: 1, presence_penalty: -1 },
      [
        ['top_p', 'mapped'],
        ['presence_penalty', 'mapped'],
      ],
    ],
    [
      'parts',
      { input: [user([pdf, sound])] },
      [
        ['input[0].content[0]', 'dropped'],
        ['input[0].content[1]', 'dropped'],
      ],
    ],
    ['a part of an output', { input: [call('c'), output('c', [sound])] }, [['input[1].output[0]', 'dropped']]],
    ['images among the rules', { input: [{ role: 'developer', content: [image] }] }, [['input[0].content', 'dropped']]],
    [
      'tools',
      { tools: [{ type: 'web_search' }, { type: 'custom', name: 'c' }, strict] },
      [
        ['tools[0]', 'dropped'],
        ['tools[1]', 'dropped'],
        ['tools[2].strict', 'dropped'],
      ],
    ],
    ['sealed thoughts', { input: [user('A'), thought('', 'mr1.x'), assistant('B')] }, [['input[1]', 'dropped']]],
    ['items', { input: [user('A'), { type: 'mcp_call' }] }, [['input[1]', 'dropped']]],
    [
      'free text as input',
      { input: [{ type: 'custom_tool_call', call_id: 'c', name: 'g', input: 'x' }] },
      [['input[0]', 'mapped']],
    ],
    [
      'what a schema is for',
      { text: { format: { type: 'json_schema', name: 'n', description: 'd', schema: {} } } },
      [['text.format.description', 'mapped']],
    ],
  ]
  it.each(cases)('%s', (_, fields, expected) => {
    expect(places(fields)).toEqual(expected)
  })
})

it('the key is a bearer’s', () => {
  expect(authorize('k')).toEqual({ authorization: 'Bearer k' })
})
