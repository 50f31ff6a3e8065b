import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { findVendor, VENDOR_NAMES } from '../../../../src/vendors/registry.ts'
import { authorize } from '../../../../src/wires/openai-responses/upstream/request.ts'
import type { Quirks } from '../../../../src/wires/quirks.ts'
import { WIRES } from '../../../../src/wires/registry.ts'
import { encodeFitted } from '../../../engine/encode-request.ts'
import { targetOf } from '../../../engine/target.ts'
import { requestOf } from '../../../request-bodies.ts'

type Fields = Readonly<Record<string, unknown>>

const quirksOf = (vendor: string): Quirks => findVendor(vendor)?.quirks ?? {}

function encode(fields: Fields, quirks: Quirks = {}, model = 'some-model') {
  const result = encodeFitted(WIRES['openai-responses'], requestOf(fields), targetOf('openai-responses', quirks, model))
  if (!result.ok) throw new Error(result.error.message)
  return { body: result.body, losses: result.losses.map(({ path, action }) => `${path} ${action}`), path: result.path }
}

const inputOf = (input: unknown, quirks: Quirks = {}) => encode({ input }, quirks).body.input
const user = (content: unknown) => ({ type: 'message', role: 'user', content })

describe('a request over openai-responses', () => {
  it('requests an answer that is not stored and encrypted reasoning that can be sent back', () => {
    expect(encode({})).toEqual({
      path: '/responses',
      body: { model: 'some-model', input: [user('Hi')], store: false, include: ['reasoning.encrypted_content'] },
      losses: [],
    })
  })

  const format = { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true }
  const same: [string, Fields][] = [
    ['stream', { stream: true }],
    ['instructions', { instructions: 'Be short' }],
    ['sampling', { temperature: 0, top_p: 0.5, presence_penalty: 1, frequency_penalty: -1 }],
    ['limits', { max_output_tokens: 9, max_tool_calls: 2 }],
    [
      'an account',
      {
        metadata: { a: 'b' },
        user: 'u',
        safety_identifier: 's',
        prompt_cache_key: 'k',
        service_tier: 'flex',
        truncation: 'auto',
      },
    ],
    ['a schema', { text: { format, verbosity: 'low' } }],
    ['JSON', { text: { format: { type: 'json_object' } } }],
    ['an effort', { reasoning: { effort: 'minimal', summary: 'concise' } }],
    [
      'a function',
      {
        tools: [{ type: 'function', name: 'f', description: 'd', parameters: { type: 'object' }, strict: false }],
        tool_choice: { type: 'function', name: 'f' },
        parallel_tool_calls: false,
      },
    ],
    [
      'tools of the upstream',
      {
        tools: [
          { type: 'mcp', server_label: 'wiki', server_url: 'https://a' },
          { type: 'web_search', search_context_size: 'low' },
        ],
        tool_choice: { type: 'mcp' },
      },
    ],
  ]
  it.each(same)('carries %s unchanged to the upstream', (_, fields) => {
    const { body, losses } = encode(fields)
    const { model, input, store, include, ...rest } = body
    expect(rest).toEqual(fields)
    expect(losses).toEqual([])
  })

  it.each([
    [
      'fields with default values',
      {
        service_tier: 'auto',
        truncation: 'disabled',
        text: { format: { type: 'text' } },
        tool_choice: 'auto',
        parallel_tool_calls: true,
      },
    ],
    ['zero log probabilities', { top_logprobs: 0 }],
  ])('leaves out values without effect: %s', (_, fields) => {
    expect(encode(fields)).toEqual(encode({}))
  })

  it('adds log probabilities and other requested values to include', () => {
    const include = ['reasoning.encrypted_content', 'message.output_text.logprobs']
    expect(encode({ top_logprobs: 2 }).body).toMatchObject({ top_logprobs: 2, include })
    expect(encode({ include: ['message.output_text.logprobs'] }).body).toMatchObject({ include })
    expect(encode({ include: ['web_search_call.action.sources', 'reasoning.encrypted_content'] }).body.include).toEqual(
      ['reasoning.encrypted_content', 'web_search_call.action.sources'],
    )
  })
})

describe('the input of an openai-responses request', () => {
  const image = { type: 'input_image', image_url: 'data:image/png;base64,AA==' }
  const file = { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' }
  const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' }
  const output = (it: unknown) => ({ type: 'function_call_output', call_id: 'c1', output: it })
  const assistant = (content: unknown) => ({ type: 'message', role: 'assistant', content })

  const cases: [string, unknown, unknown][] = [
    ['a string', 'Hi', [user('Hi')]],
    ['a text part', [user([{ type: 'input_text', text: 'Hi' }])], [user('Hi')]],
    [
      'texts, images and files',
      [user([{ type: 'input_text', text: 'A' }, { ...image, detail: 'original' }, file])],
      [user([{ type: 'input_text', text: 'A' }, { ...image, detail: 'original' }, file])],
    ],
    [
      'a sound',
      [user([{ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }])],
      [user([{ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }])],
    ],
    ['rules', [{ role: 'system', content: 'A' }], [{ type: 'message', role: 'system', content: 'A' }]],
    [
      'an answer, without its id',
      [{ ...assistant([{ type: 'output_text', text: 'A', annotations: [] }]), id: 'msg_x_0', status: 'completed' }],
      [assistant('A')],
    ],
    [
      'an answer of two parts',
      [
        assistant([
          { type: 'output_text', text: 'A' },
          { type: 'refusal', refusal: 'B' },
        ]),
      ],
      [
        assistant([
          { type: 'output_text', text: 'A' },
          { type: 'refusal', refusal: 'B' },
        ]),
      ],
    ],
    ['an answer of nothing', [assistant([]), assistant('')], []],
    [
      'a call and its output, without their ids',
      [
        { ...call, id: 'fc_x_0', status: 'completed' },
        { ...output('ok'), id: 'fco_1' },
      ],
      [call, output('ok')],
    ],
    ['a call without arguments', [{ ...call, arguments: '' }], [{ ...call, arguments: '{}' }]],
    ['an output of nothing', [output('')], [output('')]],
    [
      'an output with an image and a file',
      [output([{ type: 'input_text', text: 'see' }, image, file])],
      [output([{ type: 'input_text', text: 'see' }, image, file])],
    ],
    [
      'an order that only a flat list can have',
      [call, user('Wait'), output('ok'), assistant('A'), assistant('B')],
      [call, user('Wait'), output('ok'), assistant('A'), assistant('B')],
    ],
  ]
  it.each(cases)("is encoded from the client's input: %s", (_, input, items) => {
    expect(inputOf(input)).toEqual(items)
  })

  it('has function calls instead of custom calls if the vendor has no custom tools', () => {
    const custom = { type: 'custom_tool_call', call_id: 'c1', name: 'g', input: 'x = 1' }
    const answer = { type: 'custom_tool_call_output', call_id: 'c1', output: '1' }
    expect(inputOf([custom, answer], { customTools: true })).toEqual([custom, answer])
    const { body, losses } = encode({ input: [custom, answer] })
    expect(body.input).toEqual([
      { type: 'function_call', call_id: 'c1', name: 'g', arguments: '{"input":"x = 1"}' },
      output('1'),
    ])
    expect(losses).toEqual(['input[0] mapped'])
  })

  it('has items of hosted tools only for vendors that accept them', () => {
    const search = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'a' } }
    const ran = { type: 'local_shell_call_output', call_id: 'c1', output: 'ok' }
    expect(inputOf([search, ran], { hostedHistory: true })).toEqual([search, ran])
    expect(encode({ input: [search, ran] })).toMatchObject({
      body: { input: [] },
      losses: ['input[0] dropped', 'input[1] dropped'],
    })
  })

  it('has another form or a note for parts that the vendor does not accept', () => {
    const { body, losses } = encode({ input: [user([file]), { role: 'developer', content: 'A' }] }, { files: 'none' })
    expect(body.input).toEqual([
      user('[file: it could not be passed on]'),
      { type: 'message', role: 'system', content: 'A' },
    ])
    expect(losses).toEqual(['input[0].content[0] dropped'])
    expect(inputOf([assistant([{ type: 'refusal', refusal: 'No' }])], { refusalAsText: true })).toEqual([
      assistant('No'),
    ])
  })

  it('has a shorter call id, the same for call and output, if the id is too long', () => {
    const long = 'c'.repeat(65)
    const [first, second] = inputOf(
      [
        { ...call, call_id: long },
        { ...output('ok'), call_id: long },
      ],
      { callIds: 'long' },
    ) as unknown as JsonObject[]
    expect(first?.call_id).toMatch(/^[A-Za-z0-9]{9}$/)
    expect(second?.call_id).toBe(first?.call_id)
    expect(inputOf([{ ...call, call_id: 'c'.repeat(64) }], { callIds: 'long' })).toMatchObject([
      { call_id: 'c'.repeat(64) },
    ])
  })
})

describe('a request to OpenAI over openai-responses', () => {
  const openai = quirksOf('openai')

  it.each([
    [
      'gpt-5',
      { temperature: 1, top_p: 1, top_logprobs: 1 },
      ['temperature dropped', 'top_p dropped', 'top_logprobs dropped'],
    ],
    ['gpt-5.1', { temperature: 1, reasoning: { effort: 'none' } }, []],
    ['gpt-4o', { temperature: 1 }, []],
    [
      'gpt-4o',
      { reasoning: { effort: 'low', summary: 'auto' } },
      ['reasoning.effort dropped', 'reasoning.summary dropped'],
    ],
    ['gpt-4o', { reasoning: { effort: 'none' } }, []],
    ['gpt-4o', { max_output_tokens: 3 }, ['max_output_tokens mapped']],
    ['o4-mini', { reasoning: { effort: 'minimal' } }, ['reasoning.effort mapped']],
  ])('is adapted to the model %s: %j', (model, fields, expected) => {
    const { body, losses } = encode(fields, openai, model)
    expect(losses).toEqual(expected)
    for (const name of Object.keys(fields))
      expect(name in body).toBe(
        !expected.some((it) => it.startsWith(name) && it.endsWith('dropped')) &&
          !(name === 'reasoning' && model === 'gpt-4o'),
      )
  })

  it('requests encrypted reasoning if the model reasons', () => {
    for (const model of ['gpt-4o', 'gpt-4.1-mini', 'gpt-3.5-turbo', 'chatgpt-4o-latest', 'gpt-5-chat-latest']) {
      expect(encode({}, openai, model).body.include).toBeUndefined()
    }
    for (const model of ['gpt-5', 'gpt-5.1-codex', 'o3', 'codex-mini', 'my-deployment', 'gpt-45']) {
      expect(encode({}, openai, model).body.include).toEqual(['reasoning.encrypted_content'])
    }
  })

  it('requests a summary if the client requests reasoning', () => {
    const reasoning = { effort: 'high' }
    expect(encode({ reasoning }, openai, 'gpt-5').body.reasoning).toEqual({ effort: 'high', summary: 'auto' })
    expect(encode({ reasoning }, {}, 'gpt-5').body.reasoning).toEqual({ effort: 'high' })
    expect(encode({ reasoning: { effort: 'none' } }, openai, 'gpt-5.1').body.reasoning).toEqual({ effort: 'none' })
    const shy: Quirks = { ...openai, refuses: ['reasoning.summary'] }
    expect(encode({ reasoning: { effort: 'high', summary: 'auto' } }, shy, 'gpt-5')).toMatchObject({
      body: { reasoning: { effort: 'high' } },
      losses: ['reasoning.summary dropped'],
    })
  })

  it('keeps custom tools, which are a recorded loss for other vendors', () => {
    const fields = {
      tools: [
        { type: 'custom', name: 'c', format: { type: 'text' } },
        { type: 'function', name: 'f' },
      ],
      tool_choice: { type: 'custom', name: 'c' },
    }
    expect(encode(fields, openai).body).toMatchObject({
      tools: [
        { type: 'custom', name: 'c', format: { type: 'text' } },
        { name: 'f', parameters: { type: 'object' } },
      ],
      tool_choice: { type: 'custom', name: 'c' },
    })
    expect(encode({ tools: fields.tools }).losses).toEqual(['tools[0] dropped'])
  })
})

describe('requests to other vendors over openai-responses', () => {
  it('stream always, have instructions, and drop many fields for ChatGPT', () => {
    const { body, losses } = encode(
      { max_output_tokens: 99, temperature: 1, input: [{ role: 'system', content: 'A' }] },
      quirksOf('chatgpt'),
      'gpt-5.4',
    )
    expect(body).toEqual({
      model: 'gpt-5.4',
      store: false,
      stream: true,
      instructions: '',
      include: ['reasoning.encrypted_content'],
      input: [{ type: 'message', role: 'developer', content: 'A' }],
    })
    expect(losses).toEqual(['max_output_tokens dropped', 'temperature dropped'])
  })

  it('have three steps of effort for xAI', () => {
    expect(encode({ reasoning: { effort: 'xhigh' } }, quirksOf('xai'), 'grok-4.3')).toMatchObject({
      body: { reasoning: { effort: 'high' } },
      losses: ['reasoning.effort mapped'],
    })
    expect(encode({ reasoning: { effort: 'medium' } }, quirksOf('xai'), 'grok-4.3').losses).toEqual([])
    expect(encode({ presence_penalty: 1 }, quirksOf('xai')).losses).toEqual(['presence_penalty dropped'])
  })

  it.each(VENDOR_NAMES.filter((name) => findVendor(name)?.wire === 'openai-responses'))(
    'are encoded for %s without a loss',
    (name) => {
      expect(encode({ stream: true }, quirksOf(name))).toMatchObject({
        losses: [],
        body: { stream: true, store: false },
      })
    },
  )

  it.each([
    ['openai', { authorization: 'Bearer k' }],
    ['azure', { 'api-key': 'k' }],
  ])('have the key in the header of %s', (vendor, headers) => {
    expect(authorize('k', quirksOf(vendor))).toEqual(headers)
  })
})
