import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../../src/protocol/json.ts'
import { formatLoss } from '../../../../src/protocol/loss.ts'
import type { DecodeContext } from '../../../../src/wires/client-contract.ts'
import { FOREIGN_ENVELOPE, HOME } from '../client-bodies.ts'
import { bodyOf, decode, decoded, FUNCTION, inputOf, lossesOf, USER_TURN } from '../requests.ts'

const messageItem = (role: string, content: unknown): Json =>
  decoded({ messages: [...USER_TURN, { role, content }] }).body.input ?? null
describe('a request of an Anthropic client', () => {
  it('is decoded to a request of the Responses API', () => {
    expect(
      decode({ stream: true, system: 'Be brief.', temperature: 0.5, top_p: 0.9, stop_sequences: ['END'] }),
    ).toEqual({
      ok: true,
      body: {
        model: 'acme/claude-x',
        instructions: 'Be brief.',
        input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
        stream: true,
        max_output_tokens: 1000,
        temperature: 0.5,
        top_p: 0.9,
      },
      toClientPath: expect.any(Function),
      stop: ['END'],
      settings: {},
      losses: [],
      unread: new Set(),
      required: null,
      partPaths: [['messages[0].content']],
    })
  })

  it('has no fields for empty values', () => {
    const { body, stop } = decoded({ max_tokens: null, stop_sequences: [], metadata: {}, tools: [], system: '' })
    expect(Object.keys(body)).toEqual(['model', 'input', 'stream'])
    expect(body.stream).toBe(false)
    expect(stop).toBeNull()
  })

  it('takes model and stream from the URL if they are there', () => {
    const { body } = decoded({ model: undefined, stream: false }, { ...FOREIGN_ENVELOPE, model: 'a/b', stream: true })
    expect(body).toMatchObject({ model: 'a/b', stream: true })
  })

  it.each<[object, object]>([
    [
      {
        system: [
          { type: 'text', text: 'A' },
          { type: 'text', text: '' },
          { type: 'text', text: 'B' },
        ],
      },
      { instructions: 'A\n\nB' },
    ],
    [{ metadata: { user_id: 'u' } }, { user: 'u' }],
    [{ metadata: { user_id: 'u'.repeat(257) } }, {}],
    [{ service_tier: 'auto' }, { service_tier: 'auto' }],
    [{ service_tier: 'standard_only' }, { service_tier: 'default' }],
    [
      { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
      { text: { format: { type: 'json_schema', name: 'answer', schema: { type: 'object' }, strict: true } } },
    ],
    [
      { output_format: { type: 'json_schema', schema: { type: 'object' } } },
      { text: { format: { type: 'json_schema', name: 'answer', schema: { type: 'object' }, strict: true } } },
    ],
  ])('is decoded with the fields %j', (fields, expected) => {
    expect(bodyOf(fields)).toEqual(expected)
  })

  it('records fields that cannot be carried as losses', () => {
    const fields = { top_k: 5, container: 'c', mcp_servers: [{}], speed: null, odd: 1 }
    expect(lossesOf(fields)).toEqual(['top_k dropped', 'container dropped', 'mcp_servers dropped', 'odd dropped'])
    expect(lossesOf({ metadata: { user_id: 'u'.repeat(257) } })).toEqual(['metadata.user_id dropped'])
  })

  it('keeps the breakpoints of all five places, with the paths of the client', () => {
    const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } }
    const usual = { cache_control: { type: 'ephemeral' } }
    const own = { mode: 'explicit', ttl: '1h' }
    const given = decoded({
      cache_control: { type: 'ephemeral', ttl: '5m' },
      system: [
        { type: 'text', text: 'A', ...hour },
        { type: 'text', text: 'B' },
        { type: 'text', text: 'C', ...usual },
      ],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'A' },
            { type: 'text', text: 'B', ...hour },
          ],
        },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'get_weather', input: {}, ...hour }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'x', ...hour }] },
      ],
      tools: [{ ...FUNCTION, ...hour }],
    })
    expect(given.losses).toEqual([])
    expect(given.instruction_breakpoints).toEqual([
      { mode: 'explicit', ttl: '1h', end: 1 },
      { mode: 'explicit', ttl: null, end: 7 },
    ])
    expect(given.body).toMatchObject({
      prompt_cache_options: { mode: 'implicit', ttl: '5m' },
      instructions: 'A\n\nB\n\nC',
      input: [
        { content: [{ text: 'A' }, { text: 'B', prompt_cache_breakpoint: own }] },
        { type: 'function_call', prompt_cache_breakpoint: own },
        { type: 'function_call_output', prompt_cache_breakpoint: own },
      ],
      tools: [{ prompt_cache_breakpoint: own }],
    })
    const paths = {
      prompt_cache_options: 'cache_control',
      'instruction_breakpoints[1]': 'system[2].cache_control',
      'input[0].content[1].prompt_cache_breakpoint': 'messages[0].content[1].cache_control',
      'input[1].prompt_cache_breakpoint.ttl': 'messages[1].content[0].cache_control.ttl',
      'input[2].prompt_cache_breakpoint': 'messages[2].content[0].cache_control',
      'tools[0].prompt_cache_breakpoint': 'tools[0].cache_control',
    }
    for (const [ours, theirs] of Object.entries(paths)) expect(given.toClientPath(ours)).toBe(theirs)
  })

  it('drops breakpoints of another form, and those of blocks of which nothing is sent', () => {
    const text = { type: 'text', text: 'A' }
    const content = [
      { ...text, cache_control: { type: 'forever' } },
      { ...text, cache_control: { type: 'ephemeral', ttl: '3h', scope: 'global' } },
      { type: 'container_upload', file_id: 'f', cache_control: { type: 'ephemeral' } },
    ]
    expect(lossesOf({ messages: [{ role: 'user', content }] })).toEqual([
      'messages[0].content[0].cache_control dropped',
      'messages[0].content[1].cache_control.scope dropped',
      'messages[0].content[1].cache_control.ttl dropped',
      'messages[0].content[2] dropped',
      'messages[0].content[2].cache_control dropped',
    ])
  })

  it('records losses only for values that have an effect', () => {
    const direct = { ...FUNCTION, allowed_callers: ['direct'], eager_input_streaming: false }
    const search = { type: 'web_search_20250305', name: 'web_search', allowed_callers: ['direct'] }
    expect(lossesOf({ context_management: {}, tools: [direct, search] })).toEqual([])
    expect(lossesOf({ context_management: { edits: [] } })).toEqual([])
    const other = { ...FUNCTION, allowed_callers: ['direct', 'code_execution_20250825'], eager_input_streaming: true }
    expect(lossesOf({ context_management: { edits: [{ type: 'clear' }] }, tools: [other] })).toEqual([
      'context_management dropped',
      'tools[0].allowed_callers dropped',
      'tools[0].eager_input_streaming dropped',
    ])
    expect(lossesOf({ tools: [{ ...FUNCTION, allowed_callers: 'direct' }] })).toEqual([
      'tools[0].allowed_callers dropped',
    ])
  })

  it('formats a loss as a sentence', () => {
    expect(decoded({ top_k: 5 }).losses.map(formatLoss)).toEqual(['top_k dropped: this service does not support it'])
  })
})

describe('the effort of an Anthropic request', () => {
  it.each<[object, string | null]>([
    [{}, null],
    [{ thinking: { type: 'disabled' } }, 'none'],
    [{ thinking: { type: 'disabled' }, output_config: { effort: 'high' } }, 'none'],
    [{ thinking: { type: 'adaptive' } }, 'high'],
    [{ thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }, 'low'],
    [{ output_config: { effort: 'max' } }, 'max'],
    [{ thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 64_000 }, 'minimal'],
    [{ thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 10_000 }, 'low'],
    [{ thinking: { type: 'enabled', budget_tokens: 4000 }, max_tokens: 16_000 }, 'medium'],
    [{ thinking: { type: 'enabled', budget_tokens: 10_000 }, max_tokens: 16_000 }, 'high'],
    [{ thinking: { type: 'enabled', budget_tokens: 12_500 }, max_tokens: 16_000 }, 'xhigh'],
    [{ thinking: { type: 'enabled', budget_tokens: 31_999 }, max_tokens: 32_000 }, 'max'],
    [{ thinking: { type: 'enabled', budget_tokens: 10_000 }, max_tokens: null }, 'medium'],
    [{ thinking: { type: 'enabled', budget_tokens: 1024 }, output_config: { effort: 'xhigh' } }, 'xhigh'],
  ])('is decoded from %j as %s', (fields, effort) => {
    expect(bodyOf(fields)).toEqual(effort === null ? {} : { reasoning: { effort } })
  })

  it('is a recorded loss if it replaces a budget or is overruled', () => {
    expect(lossesOf({ thinking: { type: 'enabled', budget_tokens: 500 } })).toEqual(['thinking.budget_tokens mapped'])
    expect(lossesOf({ thinking: { type: 'disabled' }, output_config: { effort: 'low' } })).toEqual([
      'output_config.effort dropped',
    ])
  })
})

describe('prompts of an Anthropic client', () => {
  const parts = (content: unknown, asking?: DecodeContext) =>
    (inputOf('user', content, asking)[0] as JsonObject).content
  const source = (fields: object) => ({ type: 'document', source: fields })

  it.each<[string, object, readonly object[]]>([
    ['text', { type: 'text', text: 'A' }, [{ type: 'input_text', text: 'A' }]],
    [
      'an image',
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
      [{ type: 'input_image', image_url: 'data:image/png;base64,AA==' }],
    ],
    [
      'an image by its URL',
      { type: 'image', source: { type: 'url', url: 'https://a.example/1.png' } },
      [{ type: 'input_image', image_url: 'https://a.example/1.png' }],
    ],
    [
      'a document',
      { ...source({ type: 'base64', media_type: 'application/pdf', data: 'AA==' }), title: 'a.pdf' },
      [{ type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' }],
    ],
    [
      'a document by its URL',
      source({ type: 'url', url: 'https://a.example/1.pdf' }),
      [{ type: 'input_file', filename: null, file_url: 'https://a.example/1.pdf' }],
    ],
    [
      'a stored document',
      source({ type: 'file', file_id: 'file_1' }),
      [{ type: 'input_file', filename: null, file_id: 'file_1' }],
    ],
    [
      'a document of text',
      { ...source({ type: 'text', media_type: 'text/plain', data: 'Facts.' }), title: 'F', context: 'Old.' },
      [
        { type: 'input_text', text: 'Old.' },
        { type: 'input_text', text: 'F\n\nFacts.' },
      ],
    ],
    [
      'a document of blocks',
      source({ type: 'content', content: [{ type: 'text', text: 'A' }] }),
      [{ type: 'input_text', text: 'A' }],
    ],
    ['a document of text', source({ type: 'content', content: 'A' }), [{ type: 'input_text', text: 'A' }]],
    [
      'a search result',
      { type: 'search_result', title: 'T', source: 'https://a.example/', content: [{ type: 'text', text: 'A' }] },
      [
        { type: 'input_text', text: 'T\nhttps://a.example/' },
        { type: 'input_text', text: 'A' },
      ],
    ],
  ])('are decoded with a block for %s', (_, block, expected) => {
    expect(parts([block])).toEqual(expected)
  })

  it('keep a document of text as a file for a vendor that accepts it', () => {
    const block = source({ type: 'text', media_type: 'text/plain', data: 'é' })
    expect(parts([block], HOME)).toEqual([
      { type: 'input_file', filename: null, file_data: 'data:text/plain;base64,w6k=' },
    ])
  })

  it('may have a system message between other messages', () => {
    expect(messageItem('system', 'Be kind.')).toMatchObject([{}, { role: 'system', content: [{ text: 'Be kind.' }] }])
  })

  it.each(['tool_addition', 'tool_removal', 'mcp_tool_listing'])('record %s as a loss', (type) => {
    const tool = { type: 'tool_reference', name: 'f' }
    const content = [
      { type, tool },
      { type: 'text', text: 'A' },
    ]
    for (const role of ['user', 'system'])
      expect(lossesOf({ messages: [...USER_TURN, { role, content }] })).toEqual(['messages[1].content[0] dropped'])
  })

  it('record the reasoning between tools as mapped', () => {
    expect(lossesOf({ thinking: { type: 'between_tools' } })).toEqual(['thinking.type mapped'])
  })

  it('record container uploads as losses', () => {
    const messages = [
      {
        role: 'user',
        content: [
          { type: 'container_upload', file_id: 'x' },
          { type: 'text', text: 'A' },
        ],
      },
    ]
    expect(lossesOf({ messages })).toEqual(['messages[0].content[0] dropped'])
  })
})

describe('tool results of an Anthropic client', () => {
  const result = (fields: object) => ({ type: 'tool_result', tool_use_id: 'call_1', ...fields })
  const outputOf = (fields: object) => (inputOf('user', [result(fields)])[0] as JsonObject).output

  it.each<[object, unknown]>([
    [{ content: '18 °C' }, '18 °C'],
    [{}, ''],
    [{ content: null }, ''],
    [{ content: [] }, []],
    [{ content: [{ type: 'text', text: 'A' }] }, [{ type: 'input_text', text: 'A' }]],
    [
      { content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }] },
      [{ type: 'input_image', image_url: 'data:image/png;base64,AA==' }],
    ],
    [{ content: 'no such city', is_error: true }, 'no such city'],
    [{ content: 'fine', is_error: false }, 'fine'],
  ])('are decoded to an output from %j', (fields, output) => {
    expect(outputOf(fields)).toEqual(output)
  })

  it('keep their position before the text after them', () => {
    expect(
      inputOf('user', [result({ content: 'A' }), { type: 'text', text: 'B' }, { type: 'text', text: 'C' }]),
    ).toEqual([
      { type: 'function_call_output', call_id: 'call_1', output: 'A' },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'B' },
          { type: 'input_text', text: 'C' },
        ],
      },
    ])
  })

  it('keep the field is_error', () => {
    expect(inputOf('user', [result({ is_error: true })])).toMatchObject([{ failed: true }])
    expect(inputOf('user', [result({ is_error: false })])[0]).not.toHaveProperty('failed')
  })
})

describe('assistant messages of an Anthropic client', () => {
  it('are decoded to items in the order of their blocks', () => {
    const content = [
      { type: 'text', text: 'A' },
      { type: 'text', text: 'B' },
      { type: 'tool_use', id: 'call_1', name: 'f', input: { city: 'Bern' } },
      { type: 'text', text: 'C' },
    ]
    expect(inputOf('assistant', content)).toEqual([
      {
        type: 'message',
        role: 'assistant',
        content: [
          { type: 'output_text', text: 'A' },
          { type: 'output_text', text: 'B' },
        ],
      },
      { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{"city":"Bern"}' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'C' }] },
    ])
    expect(inputOf('assistant', 'A')).toEqual([
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'A' }] },
    ])
  })

  it('drop their citations with a loss', () => {
    const content = [{ type: 'text', text: 'A', citations: [{ type: 'web_search_result_location' }] }]
    expect(lossesOf({ messages: [...USER_TURN, { role: 'assistant', content }] })).toEqual([
      'messages[1].content[0].citations dropped',
    ])
  })
})

describe('a stored image and a call of a toolset', () => {
  it('keep the id of the file and the name of the toolset', () => {
    expect(inputOf('user', [{ type: 'image', source: { type: 'file', file_id: 'file_1' } }])).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_image', file_id: 'file_1' }] },
    ])
    const use = { type: 'tool_use', id: 'toolu_1', name: 'click', input: {}, toolset_name: 'computer' }
    expect(inputOf('assistant', [use])).toEqual([
      { type: 'function_call', call_id: 'toolu_1', name: 'click', namespace: 'computer', arguments: '{}' },
    ])
  })
})
