import { describe, expect, it } from 'vitest'
import { wrapEnvelope } from '../../../../src/responses/encrypted-content.ts'
import { decoded, HOME, itemsOf, passedOn, refusal, sealForeign } from '../clients.ts'

const user = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })
const CALL = { type: 'function_call', id: 'c1', name: 'f', arguments: { a: 1 } }
const CALLED = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' }
const result = (value: unknown) => ({ type: 'function_result', call_id: 'c1', name: 'f', result: value })
const output = (value: unknown) => ({ type: 'function_call_output', call_id: 'c1', output: value })

describe('the input of a client of gemini-interactions', () => {
  it.each([
    ['a text', 'Hi'],
    ['one content', { type: 'text', text: 'Hi' }],
    ['one step', { type: 'user_input', content: [{ type: 'text', text: 'Hi' }] }],
    ['a text as content', [{ type: 'user_input', content: 'Hi' }]],
    ['a list of contents', [{ type: 'text', text: 'Hi' }]],
    ['a turn', [{ role: 'user', content: 'Hi' }]],
  ])('is one message as %s', (_, input) => {
    expect(itemsOf(input)).toEqual([user('Hi')])
  })

  it('joins contents without a step to one message, and keeps turns and steps apart', () => {
    const found = itemsOf([
      { type: 'text', text: 'A' },
      { type: 'image', uri: 'https://a.example/a.png', mime_type: 'image/png', resolution: 'low' },
      { role: 'model', content: [{ type: 'text', text: 'B' }] },
      { role: 'user', content: 'C' },
    ])
    expect(found.map(({ role, content }) => [role, content.length])).toEqual([
      ['user', 2],
      ['assistant', 1],
      ['user', 1],
    ])
    expect(found[0].content[1]).toEqual({ type: 'input_image', image_url: 'https://a.example/a.png', detail: 'low' })
  })

  it.each([
    ['a text', 'done', 'done'],
    ['JSON in a text', '{"a":1}', '{"a":1}'],
    ['an object', { a: 1 }, '{"a":1}'],
    ['a list of contents', [{ type: 'text', text: 'done' }], 'done'],
    ['an object with contents', { content: [{ type: 'text', text: 'done' }] }, 'done'],
    [
      'contents with an image',
      [
        { type: 'text', text: 'done' },
        { type: 'image', data: 'AA==', mime_type: 'image/png' },
      ],
      [
        { type: 'input_text', text: 'done' },
        { type: 'input_image', image_url: 'data:image/png;base64,AA==' },
      ],
    ],
  ])('has the result of a function as %s', (_, value, expected) => {
    expect(itemsOf(['Hi', CALL, result(value)])).toEqual([user('Hi'), CALLED, output(expected)])
    expect(itemsOf(['Hi', CALL, { type: 'user_input', content: [result(value)] }])).toEqual([
      user('Hi'),
      CALLED,
      output(expected),
    ])
  })

  it('rejects a result without its call', () => {
    expect(refusal({ input: [result('done')] })).toMatchObject({ param: 'input[0]', code: 'invalid_prompt' })
  })

  it('drops a call of one of Google’s tools that has no result, and a thought without content', () => {
    const search = { type: 'function_call', id: 's', name: 'google_search', arguments: { queries: ['q'] } }
    expect(decoded({ input: ['Hi', search, { type: 'thought' }] }).losses).toEqual([
      'input[1] dropped',
      'input[2] dropped',
    ])
    const own = [{ ...search, id: 'c1' }, result('found')]
    expect(itemsOf(['Hi', ...own]).map(({ type }) => type)).toEqual([
      'message',
      'function_call',
      'function_call_output',
    ])
  })

  it('sends signed steps back to Google in their order, and unsigned ones to nobody', () => {
    const steps = [
      { type: 'thought', signature: 'dA==', summary: [{ type: 'text', text: 'Hm.' }] },
      { type: 'google_search_call', id: 's', arguments: { queries: ['q'] }, signature: 'c2ln' },
      { type: 'google_search_result', call_id: 's', result: [], signature: 'ZA==' },
      { type: 'model_output', content: [{ type: 'text', text: 'Well.' }] },
      { ...CALL, signature: 'Yw==' },
      result('done'),
    ]
    expect(passedOn(['Hi', ...steps]).slice(1)).toEqual(steps)
    expect(decoded({ input: ['Hi', ...steps] }).losses).toEqual([
      'input[1].signature dropped',
      'input[2] dropped',
      'input[5].signature dropped',
    ])
    const made = [
      { type: 'google_search_call', id: 'tool_0', arguments: {} },
      { type: 'google_search_result', call_id: 'tool_0', result: [] },
    ]
    expect(decoded({ input: ['Hi', ...made] }, HOME).losses).toEqual(['input[1] dropped'])
  })

  it('opens envelopes of this gateway, in both forms', () => {
    for (const signature of [sealForeign({ a: 1 }), wrapEnvelope(sealForeign({ a: 1 }))])
      expect(itemsOf(['Hi', { type: 'thought', signature }])[1].encrypted_content).toBe(sealForeign({ a: 1 }))
  })
})

describe('the configuration of a client of gemini-interactions', () => {
  const tools = ['f', 'g'].map((name) => ({ type: 'function', name }))
  const chosen = (choice: unknown) => decoded({ tools, generation_config: { tool_choice: choice } })

  it.each([
    ['auto', 'auto'],
    ['any', 'required'],
    ['none', 'none'],
    ['validated', 'auto'],
    [{ allowed_tools: { mode: 'any', tools: ['f'] } }, { type: 'function', name: 'f' }],
    [{ allowed_tools: { mode: 'any', tools: [] } }, 'required'],
  ])('has the tool choice %j', (choice, expected) => {
    expect(chosen(choice).body.tool_choice).toEqual(expected)
  })

  it('allows several functions, and rejects one that is not declared', () => {
    expect(chosen({ allowed_tools: { mode: 'auto', tools: ['f', 'g'] } }).body.tool_choice).toMatchObject({
      type: 'allowed_tools',
      mode: 'auto',
    })
    expect(refusal({ tools, generation_config: { tool_choice: { allowed_tools: { tools: ['x'] } } } }).param).toBe(
      'generation_config.tool_choice.allowed_tools.tools[0]',
    )
  })

  it.each([
    [{ type: 'text', mime_type: 'application/json', schema: { type: 'object', title: 'n' } }, 'n'],
    [[{ type: 'image' }, { type: 'text', schema: { type: 'object' } }], 'response'],
    [{ type: 'object', properties: {} }, 'response'],
  ])('has the response format %j', (format, name) => {
    expect(decoded({ response_format: format }).body.text.format).toMatchObject({ type: 'json_schema', name })
  })

  it('has JSON without a schema, and text by default', () => {
    expect(decoded({ response_mime_type: 'application/json' }).body.text).toEqual({ format: { type: 'json_object' } })
    expect(decoded({ response_format: { type: 'text', mime_type: 'text/plain' } }).body.text).toBeUndefined()
  })

  it('carries tools, limits, tiers and reasoning, and loses what only Google has', () => {
    const { body, losses, stop } = decoded({
      system_instruction: 'Rules',
      service_tier: 'standard',
      labels: { a: 'b' },
      tools: [
        { type: 'google_search' },
        { type: 'google_maps' },
        { type: 'mcp_server', name: 'm', url: 'https://m.example/' },
      ],
      generation_config: {
        max_output_tokens: 5,
        stop_sequences: ['.'],
        thinking_level: 'low',
        thinking_summaries: 'auto',
        seed: 1,
        topP: 0.5,
      },
    })
    expect(body).toMatchObject({
      instructions: 'Rules',
      service_tier: 'default',
      metadata: { a: 'b' },
      max_output_tokens: 5,
      reasoning: { effort: 'low', summary: 'auto' },
      tools: [
        { type: 'web_search' },
        { type: 'mcp', server_label: 'm', server_url: 'https://m.example/', require_approval: 'never' },
      ],
    })
    expect(stop).toEqual(['.'])
    expect(losses).toEqual(['generation_config.seed dropped', 'generation_config.topP dropped', 'tools[1] dropped'])
  })

  it.each([
    ['previous_interaction_id', 'v1_x'],
    ['continuation_token', 't'],
    ['cached_content', 'c'],
    ['agent', 'deep-research'],
    ['background', true],
  ])('rejects stored state: %s', (name, value) => {
    expect(refusal({ [name]: value })).toMatchObject({ status: 400, param: name })
  })

  it.each([
    ['agent_config', { type: 'dynamic' }],
    ['webhook_config', { uris: ['https://a.test/hook'] }],
    ['environment', { id: 'e' }],
  ])('drops settings of agents and of stored answers, for Google as well: %s', (name, value) => {
    const { losses, unread } = decoded({ [name]: value }, HOME)
    expect([losses, [...unread]]).toEqual([[`${name} dropped`], []])
  })

  it('accepts that answers are stored, which they are not', () => {
    expect(decoded({ store: true, background: false, previous_interaction_id: null }).losses).toEqual([])
  })
})

describe('the id of a call without one', () => {
  const call = (id?: string) => ({
    type: 'function_call',
    name: 'f',
    arguments: {},
    ...(id === undefined ? {} : { id }),
  })

  it.each([
    ['steps', [call('call_1'), call(), call('call_2'), call()]],
    ['contents of a turn', [{ role: 'model', content: [call('call_1'), call(), call('call_2'), call()] }]],
  ])('differs from the ids of other calls in %s', (_, input) => {
    const ids = itemsOf(['Hi', ...input]).flatMap(({ type, call_id }) => (type === 'function_call' ? [call_id] : []))
    expect(ids).toEqual(['call_1', 'call_1_', 'call_2', 'call_3'])
  })
})
