import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../src/protocol/json.ts'
import { formatLoss } from '../../../src/protocol/loss.ts'
import { validateRequest } from '../../../src/validation/request.ts'
import { messagesClient } from '../../../src/wires/anthropic-messages/client.ts'
import type { Asking } from '../../../src/wires/client.ts'
import { ABROAD, HOME } from './clients.ts'

const SAY = [{ role: 'user', content: 'Hi' }]

const decode = (fields: object, asking: Asking = ABROAD) =>
  messagesClient.decodeRequest(
    { model: 'acme/claude-x', max_tokens: 1000, messages: SAY, ...fields } as JsonObject,
    asking,
  )

function decoded(fields: object, asking?: Asking) {
  const result = decode(fields, asking)
  if (!result.ok) throw new Error(result.error.message)
  expect(validateRequest(result.body)).toMatchObject({ ok: true })
  return result
}

/** The body without what every body here has. */
function bodyOf(fields: object, asking?: Asking): JsonObject {
  const { model: _, input: __, stream: ___, max_output_tokens: ____, ...rest } = decoded(fields, asking).body
  return rest
}

const lossesOf = (fields: object, asking?: Asking): readonly string[] =>
  decoded(fields, asking).losses.map(({ path, action }) => `${path} ${action}`)

const said = (role: string, content: unknown): Json =>
  decoded({ messages: [...SAY, { role, content }] }).body.input ?? null
const inputOf = (role: string, content: unknown, asking?: Asking): readonly Json[] =>
  (decoded({ messages: [{ role, content }] }, asking).body.input ?? []) as readonly Json[]

const faultOf = (fields: object): string => {
  const result = decode(fields)
  if (result.ok) return 'none'
  const { code, param, message, status, party } = result.error
  expect({ code, status, party }).toEqual({ code: 'invalid_prompt', status: 400, party: 'client' })
  expect(message.startsWith(`${param}: `)).toBe(true)
  return message
}

const FUNCTION = { name: 'f', description: 'D', input_schema: { type: 'object', properties: {} } }

describe('a request', () => {
  it('becomes one of the Responses API', () => {
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
      stop: ['END'],
      settings: {},
      losses: [],
    })
  })

  it('that says little asks for little', () => {
    const { body, stop } = decoded({ max_tokens: null, stop_sequences: [], metadata: {}, tools: [], system: '' })
    expect(Object.keys(body)).toEqual(['model', 'input', 'stream'])
    expect(body.stream).toBe(false)
    expect(stop).toBeNull()
  })

  it('takes model and stream from the address where they are there', () => {
    const { body } = decoded({ model: undefined, stream: false }, { ...ABROAD, model: 'a/b', stream: true })
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
  ])('%j', (fields, expected) => {
    expect(bodyOf(fields)).toEqual(expected)
  })

  it('tells of what it cannot carry', () => {
    const fields = { top_k: 5, container: 'c', mcp_servers: [{}], context_management: {}, speed: null, odd: 1 }
    expect(lossesOf(fields)).toEqual([
      'top_k dropped',
      'container dropped',
      'context_management dropped',
      'mcp_servers dropped',
    ])
    expect(lossesOf({ metadata: { user_id: 'u'.repeat(257) } })).toEqual(['metadata.user_id dropped'])
    const mark = { cache_control: { type: 'ephemeral' } }
    expect(
      lossesOf({
        system: [{ type: 'text', text: 'A', ...mark }],
        messages: [{ role: 'user', content: [{ type: 'text', text: 'A', ...mark }] }],
        tools: [{ ...FUNCTION, ...mark }],
      }),
    ).toEqual([
      'system[0].cache_control dropped',
      'messages[0].content[0].cache_control dropped',
      'tools[0].cache_control dropped',
    ])
  })

  it('tells it in a sentence', () => {
    expect(decoded({ top_k: 5 }).losses.map(formatLoss)).toEqual(['top_k dropped: no request of ours has it'])
  })
})

describe('effort', () => {
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
  ])('of %j is %s', (fields, effort) => {
    expect(bodyOf(fields)).toEqual(effort === null ? {} : { reasoning: { effort } })
  })

  it('is told where it is another word for a budget', () => {
    expect(lossesOf({ thinking: { type: 'enabled', budget_tokens: 500 } })).toEqual(['thinking.budget_tokens mapped'])
    expect(lossesOf({ thinking: { type: 'disabled' }, output_config: { effort: 'low' } })).toEqual([
      'output_config.effort dropped',
    ])
  })
})

describe('prompts', () => {
  const parts = (content: unknown, asking?: Asking) => (inputOf('user', content, asking)[0] as JsonObject).content
  const source = (fields: object) => ({ type: 'document', source: fields })

  it.each<[string, object, readonly object[]]>([
    ['text', { type: 'text', text: 'A' }, [{ type: 'input_text', text: 'A' }]],
    [
      'an image',
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
      [{ type: 'input_image', image_url: 'data:image/png;base64,AA==' }],
    ],
    [
      'an image elsewhere',
      { type: 'image', source: { type: 'url', url: 'https://a.example/1.png' } },
      [{ type: 'input_image', image_url: 'https://a.example/1.png' }],
    ],
    [
      'a document',
      { ...source({ type: 'base64', media_type: 'application/pdf', data: 'AA==' }), title: 'a.pdf' },
      [{ type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' }],
    ],
    [
      'a document elsewhere',
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
    ['a document of words', source({ type: 'content', content: 'A' }), [{ type: 'input_text', text: 'A' }]],
    [
      'what was found',
      { type: 'search_result', title: 'T', source: 'https://a.example/', content: [{ type: 'text', text: 'A' }] },
      [
        { type: 'input_text', text: 'T\nhttps://a.example/' },
        { type: 'input_text', text: 'A' },
      ],
    ],
  ])('%s', (_, block, expected) => {
    expect(parts([block])).toEqual(expected)
  })

  it('send a document of text as one to a vendor that takes them', () => {
    const block = source({ type: 'text', media_type: 'text/plain', data: 'é' })
    expect(parts([block], HOME)).toEqual([
      { type: 'input_file', filename: null, file_data: 'data:text/plain;base64,w6k=' },
    ])
  })

  it('may be rules in the midst', () => {
    expect(said('system', 'Be kind.')).toMatchObject([{}, { role: 'system', content: [{ text: 'Be kind.' }] }])
  })

  it('lose what is of another service only', () => {
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
    const cited = { ...source({ type: 'url', url: 'x' }), citations: { enabled: true } }
    expect(lossesOf({ messages: [{ role: 'user', content: [cited] }] })).toEqual([
      'messages[0].content[0].citations dropped',
    ])
  })
})

describe('results', () => {
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
    [{ content: 'no such city', is_error: true }, 'Error: no such city'],
    [{ is_error: true }, 'Error:'],
    [
      { content: [{ type: 'text', text: 'A' }], is_error: true },
      [
        { type: 'input_text', text: 'Error:' },
        { type: 'input_text', text: 'A' },
      ],
    ],
    [{ content: 'fine', is_error: false }, 'fine'],
  ])('%j', (fields, output) => {
    expect(outputOf(fields)).toEqual(output)
  })

  it('stand where they stood, and the words after them too', () => {
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

  it('tell that they failed, and that this is told', () => {
    const messages = [{ role: 'user', content: [result({ is_error: true })] }]
    expect(lossesOf({ messages })).toEqual(['messages[0].content[0].is_error mapped'])
  })
})

describe('answers', () => {
  it('are items in the order of their blocks', () => {
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

  it('go without their citations', () => {
    const content = [{ type: 'text', text: 'A', citations: [{ type: 'web_search_result_location' }] }]
    expect(lossesOf({ messages: [...SAY, { role: 'assistant', content }] })).toEqual([
      'messages[1].content[0].citations dropped',
    ])
  })
})

describe('tools', () => {
  const tools = (...list: readonly object[]) => bodyOf({ tools: list }).tools

  it.each<[object, object]>([
    [FUNCTION, { type: 'function', name: 'f', description: 'D', parameters: FUNCTION.input_schema }],
    [
      { type: 'custom', name: 'f', input_schema: {}, strict: true },
      { type: 'function', name: 'f', parameters: {}, strict: true },
    ],
    [{ type: 'web_search_20250305', name: 'web_search' }, { type: 'web_search' }],
    [
      {
        type: 'web_search_20250305',
        name: 'web_search',
        max_uses: 3,
        allowed_domains: ['a.example'],
        blocked_domains: null,
        user_location: { type: 'approximate', city: 'Bern' },
      },
      {
        type: 'web_search',
        filters: { allowed_domains: ['a.example'] },
        user_location: { type: 'approximate', city: 'Bern' },
        max_uses: 3,
      },
    ],
    [
      { type: 'web_search_20260209', name: 'web_search', blocked_domains: ['b.example'] },
      { type: 'web_search', filters: { blocked_domains: ['b.example'] } },
    ],
    [
      { type: 'code_execution_20250825', name: 'code_execution' },
      { type: 'code_interpreter', container: { type: 'auto' } },
    ],
    [
      { type: 'bash_20250124', name: 'bash' },
      { type: 'bash_20250124', name: 'bash' },
    ],
    [
      { type: 'web_fetch_20250910', name: 'web_fetch', max_uses: 2, cache_control: { type: 'ephemeral' } },
      { type: 'web_fetch_20250910', name: 'web_fetch', max_uses: 2 },
    ],
  ])('%j', (tool, expected) => {
    expect(tools(tool)).toEqual([expected])
  })

  it('are left to their own vendor as they are', () => {
    const tool = { type: 'code_execution_20250825', name: 'code_execution' }
    expect(bodyOf({ tools: [tool] }, HOME).tools).toEqual([tool])
  })

  it('tell of what they cannot carry', () => {
    expect(
      lossesOf({ tools: [{ ...FUNCTION, input_examples: [{}], defer_loading: true, allowed_callers: [] }] }),
    ).toEqual(['tools[0].input_examples dropped', 'tools[0].defer_loading dropped', 'tools[0].allowed_callers dropped'])
    expect(lossesOf({ tools: [{ type: 'mcp_toolset', mcp_server_name: 's' }] })).toEqual(['tools[0] dropped'])
    expect(lossesOf({ tools: [{ type: 'web_search_20260209', name: 'web_search' }] })).toEqual(['tools[0].type mapped'])
  })

  it.each<[object, object]>([
    [{ type: 'auto' }, { tool_choice: 'auto' }],
    [{ type: 'any' }, { tool_choice: 'required' }],
    [{ type: 'none' }, { tool_choice: 'none' }],
    [{ type: 'tool', name: 'f' }, { tool_choice: { type: 'function', name: 'f' } }],
    [{ type: 'tool', name: 'web_search' }, { tool_choice: { type: 'web_search' } }],
    [{ type: 'tool', name: 'bash' }, { tool_choice: { type: 'bash_20250124' } }],
    [
      { type: 'auto', disable_parallel_tool_use: true },
      { tool_choice: 'auto', parallel_tool_calls: false },
    ],
    [{ type: 'auto', disable_parallel_tool_use: false }, { tool_choice: 'auto' }],
  ])('may be chosen: %j', (tool_choice, expected) => {
    const list = [
      FUNCTION,
      { type: 'web_search_20250305', name: 'web_search' },
      { type: 'bash_20250124', name: 'bash' },
    ]
    const { tools: _, ...rest } = bodyOf({ tools: list, tool_choice })
    expect(rest).toEqual(expected)
  })
})

describe('a fault', () => {
  const user = (...content: readonly unknown[]) => ({ messages: [{ role: 'user', content }] })
  const assistant = (...content: readonly unknown[]) => ({ messages: [...SAY, { role: 'assistant', content }] })
  const document = (source: unknown) => user({ type: 'document', source })

  it.each<[string, object]>([
    ['model: expected a string that is not empty, got nothing', { model: undefined }],
    ['messages: expected a list with at least one message, got nothing', { messages: undefined }],
    ['messages: expected a list with at least one message, got a list', { messages: [] }],
    ['messages[0]: expected an object, got "Hi"', { messages: ['Hi'] }],
    [
      'messages[0].role: expected one of user, assistant, system, got "tool"',
      { messages: [{ role: 'tool', content: '' }] },
    ],
    [
      'messages[0].content: expected a string or a list of content blocks, got nothing',
      { messages: [{ role: 'user' }] },
    ],
    ['messages[0].content[1]: expected an object, got null', user({ type: 'text', text: 'A' }, null)],
    ['messages[0].content[0].text: expected a string, got 1', user({ type: 'text', text: 1 })],
    [
      'messages[0].content[0].type: expected one of text, image, document, search_result, got "sound"',
      user({ type: 'sound' }),
    ],
    ['messages[0].content[0].source: expected an object, got nothing', user({ type: 'image' })],
    [
      'messages[0].content[0].source.data: expected a string that is not empty, got nothing',
      user({ type: 'image', source: { type: 'base64', media_type: 'image/png' } }),
    ],
    [
      'messages[0].content[0].source: a stored image cannot be passed on; send its data, or a URL of it',
      user({ type: 'image', source: { type: 'file', file_id: 'x' } }),
    ],
    ['messages[0].content[0].source.type: expected one of base64, text, url, file, content, got nothing', document({})],
    [
      'messages[0].content[0].source.content[0].text: expected a string, got nothing',
      document({ type: 'content', content: [{ type: 'text' }] }),
    ],
    [
      'messages[0].content[0].tool_use_id: expected a string that is not empty, got nothing',
      user({ type: 'tool_result' }),
    ],
    [
      'messages[0].content[0].content[0].type: expected one of text, image, document, search_result, got "x"',
      user({ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'x' }] }),
    ],
    [
      'messages[1].content[0].input: expected an object, got a list',
      assistant({ type: 'tool_use', id: 'a', name: 'f', input: [] }),
    ],
    [
      'messages[1].content[0].thinking: expected a string, got nothing',
      assistant({ type: 'thinking', signature: 'x' }),
    ],
    ['max_tokens: expected a whole number from 1 on, got 0', { max_tokens: 0 }],
    ['max_tokens: expected a whole number from 1 on, got "9"', { max_tokens: '9' }],
    ['temperature: expected a number from 0 to 1, got 2', { temperature: 2 }],
    ['stream: expected true or false, got "yes"', { stream: 'yes' }],
    ['system[0].type: expected text, got "image"', { system: [{ type: 'image', text: '' }] }],
    ['stop_sequences[1]: expected a string that is not empty, got 1', { stop_sequences: ['a', 1] }],
    [
      'thinking.type: expected one of disabled, adaptive, between_tools, enabled, got "toString"',
      { thinking: { type: 'toString' } },
    ],
    [
      'thinking.budget_tokens: expected a whole number above 0, got -1',
      { thinking: { type: 'enabled', budget_tokens: -1 } },
    ],
    [
      'output_config.effort: expected one of low, medium, high, xhigh, max, got "lots"',
      { output_config: { effort: 'lots' } },
    ],
    [
      'output_config.format.schema: expected an object, got nothing',
      { output_config: { format: { type: 'json_schema' } } },
    ],
    ['tools[0].name: expected a string that is not empty, got nothing', { tools: [{ input_schema: {} }] }],
    ['tools[0].input_schema: expected an object, got nothing', { tools: [{ name: 'f' }] }],
    [
      'tool_choice.name: expected a tool that is in tools, got "g"',
      { tools: [FUNCTION], tool_choice: { type: 'tool', name: 'g' } },
    ],
    ['tool_choice.type: expected one of auto, any, tool, none, got "required"', { tool_choice: { type: 'required' } }],
    ['metadata.user_id: expected a string, got 7', { metadata: { user_id: 7 } }],
    ['service_tier: expected one of auto, standard_only, got "flex"', { service_tier: 'flex' }],
  ])('%s', (message, fields) => {
    expect(faultOf(fields)).toBe(message)
  })

  it('is to go on with a conversation that nobody keeps, and clients know what to do', () => {
    const result = decode({ messages: [], thread: { type: 'continue', previous_message_id: 'msg_1' } })
    expect(result.ok ? null : messagesClient.encodeError(result.error, 'req_1')).toEqual({
      status: 404,
      body: {
        type: 'error',
        error: {
          type: 'not_found_error',
          message: 'thread: this service keeps no conversations; send the whole of it',
          details: { error_code: 'thread_not_found' },
        },
        request_id: 'req_1',
      },
    })
    expect(lossesOf({ thread: { type: 'create' } })).toEqual(['thread dropped'])
  })

  it('is the first there is', () => {
    expect(faultOf({ model: '', messages: 1, stream: 1 })).toBe('model: expected a string that is not empty, got ""')
  })
})
