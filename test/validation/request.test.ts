import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { validateRequest } from '../../src/validation/request.ts'
import { check } from '../property.ts'
import { requestOf } from '../requests.ts'

const refusal = (body: unknown) => {
  const result = validateRequest(body)
  if (result.ok) throw new Error(`accepted: ${JSON.stringify(result.request)}`)
  return result.error
}

const user = (...content: unknown[]) => ({ input: [{ role: 'user', content }] })
const call = { type: 'function', name: 'f' }

describe('what is refused, and how', () => {
  const wrong: [string, unknown, string][] = [
    ['no object', null, 'body: expected an object, got null'],
    ['a list', [], 'body: expected an object, got a list'],
    ['no model', { input: 'a' }, 'model: expected a string, got nothing'],
    ['an empty model', { model: ' ', input: 'a' }, 'model: expected a string that is not empty, got ""'],
    ['no input', { model: 'm' }, 'input: expected a string or a list of input items, got nothing'],
    ['a number as input', { model: 'm', input: 4 }, 'input: expected a string or a list of input items, got 4'],
  ]
  it.each(wrong)('%s', (_, body, message) => {
    expect(refusal(body).message).toBe(message)
  })

  const fields: [Record<string, unknown>, string, string][] = [
    [{ temperature: 2.1 }, 'temperature', 'expected at most 2, got 2.1'],
    [{ temperature: -1 }, 'temperature', 'expected at least 0, got -1'],
    [{ temperature: '1' }, 'temperature', 'expected a number, got "1"'],
    [{ top_p: 1.5 }, 'top_p', 'expected at most 1, got 1.5'],
    [{ max_output_tokens: 0 }, 'max_output_tokens', 'expected at least 1, got 0'],
    [{ max_output_tokens: 1.5 }, 'max_output_tokens', 'expected a whole number, got 1.5'],
    [{ top_logprobs: 21 }, 'top_logprobs', 'expected at most 20, got 21'],
    [{ stream: 'yes' }, 'stream', 'expected true or false, got "yes"'],
    [
      { reasoning: { effort: 'huge' } },
      'reasoning.effort',
      'expected one of none, minimal, low, medium, high, xhigh, max, got "huge"',
    ],
    [{ truncation: 'some' }, 'truncation', 'expected one of auto, disabled, got "some"'],
    [{ metadata: { a: 1 } }, 'metadata.a', 'expected a string, got 1'],
    [{ plugins: {} }, 'plugins', 'expected a list, got an object'],
    [{ plugins: ['web'] }, 'plugins[0]', 'expected an object, got "web"'],
    [{ x_search_filter: [] }, 'x_search_filter', 'expected an object, got a list'],
    [{ tools: [{ type: 'function' }] }, 'tools[0].name', 'expected a string, got nothing'],
    [
      { tools: [{ name: 'f' }] },
      'tools[0].type',
      'expected one of function, custom, or the type of a server tool, got nothing',
    ],
    [{ tools: [{ ...call, parameters: [] }] }, 'tools[0].parameters', 'expected an object, got a list'],
    [{ tool_choice: 'any' }, 'tool_choice', 'expected auto, none, required or an object, got "any"'],
    [
      { tools: [call], tool_choice: { type: 'function', name: 'g' } },
      'tool_choice.name',
      'expected a tool that is in tools, got "g"',
    ],
    [{ text: { format: { type: 'json_schema', name: 'a' } } }, 'text.format.schema', 'expected an object, got nothing'],
    [
      { text: { format: { type: 'yaml' } } },
      'text.format.type',
      'expected one of text, json_object, json_schema, got "yaml"',
    ],
    [{ input: [4] }, 'input[0]', 'expected an object, got 4'],
    [
      { input: [{ content: 'a' }] },
      'input[0].type',
      'expected one of message, function_call, function_call_output, reasoning, or another type of item, got nothing',
    ],
    [
      { input: [{ role: 'tool', content: 'a' }] },
      'input[0].role',
      'expected one of user, assistant, system, developer, got "tool"',
    ],
    [
      { input: ['a', { role: 'user' }].map((content) => ({ role: 'user', content })) },
      'input[1].content',
      'expected a string or a list of content parts, got an object',
    ],
    [user({ type: 'input_text', text: 4 }), 'input[0].content[0].text', 'expected a string, got 4'],
    [
      user({ type: 'input_video' }),
      'input[0].content[0].type',
      'expected one of input_text, input_image, input_file, input_audio, got "input_video"',
    ],
    [
      user({ type: 'input_image', image_url: null }),
      'input[0].content[0].image_url',
      'expected the URL of an image, or a data: URL of it, got null',
    ],
    [
      user({ type: 'input_image', image_url: { url: 'https://a' } }),
      'input[0].content[0].image_url',
      'expected the URL of an image, or a data: URL of it, got an object',
    ],
    [user({ type: 'input_file' }), 'input[0].content[0]', 'expected one of file_data, file_url and file_id'],
    [
      { input: [{ type: 'function_call', name: 'f', arguments: '' }] },
      'input[0].call_id',
      'expected a string, got nothing',
    ],
    [
      { input: [{ type: 'function_call_output', call_id: 'c' }] },
      'input[0].output',
      'expected a string or a list of content parts, got nothing',
    ],
  ]
  it.each(fields)('%j', (more, place, what) => {
    const error = refusal({ model: 'm', input: 'a', ...more })
    expect(error).toMatchObject({ party: 'client', code: 'invalid_prompt', status: 400, param: place })
    expect(error.message).toBe(`${place}: ${what}`)
  })

  it.each([
    [{ store: true }, 'store'],
    [{ background: true }, 'background'],
    [{ previous_response_id: 'resp_1' }, 'previous_response_id'],
    [{ conversation: 'conv_1' }, 'conversation'],
    [{ prompt: { id: 'pmpt_1' } }, 'prompt'],
    [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input[0]'],
    [{ input: [{ id: 'msg_1' }] }, 'input[0]'],
  ])('needs a memory: %j', (more, place) => {
    const { param, status, message } = refusal({ model: 'm', input: 'a', ...more })
    expect({ param, status }).toEqual({ param: place, status: 400 })
    expect(message).toContain('this service stores n')
  })
})

describe('what is normalised', () => {
  it('fills in what was left out', () => {
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
      parallel_tool_calls: null,
      text: null,
      truncation: null,
      service_tier: null,
      metadata: null,
      user: null,
      safety_identifier: null,
      prompt_cache_key: null,
      include: [],
      plugins: [],
      x_search_filter: null,
    })
  })

  it('takes null for left out, everywhere but in model and input', () => {
    const empty = requestOf()
    const nulls = Object.fromEntries(Object.keys(empty).map((key) => [key, null]))
    expect(requestOf({ ...nulls, model: 'vendor/model', input: 'Hi' })).toEqual(empty)
  })

  it('takes what SDKs send unasked, and keys that nobody knows', () => {
    const unasked = { service_tier: 'auto', store: false, stream: false, background: false, client_metadata: { a: 1 } }
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
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] },
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
      'raw thoughts',
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
  it.each(items)('%s', (_, item, normalised) => {
    expect(requestOf({ input: [item] }).input).toEqual([normalised])
  })

  it('tells functions, custom tools and tools of the service apart', () => {
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

  it('takes allowed_tools for a request without the other tools', () => {
    const tools = [call, { ...call, name: 'g' }]
    const tool_choice = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'g' }] }
    const request = requestOf({ tools, tool_choice })
    expect(request.tools.map(({ name }) => name)).toEqual(['g'])
    expect(request.tool_choice).toBe('required')
  })

  it('keeps the choice of a tool of the service', () => {
    const request = requestOf({ tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search' } })
    expect(request.tool_choice).toEqual({ type: 'hosted', name: 'web_search' })
  })
})

const PLACE = /^(?:body|model|[a-z_]+(?:\.[\w-]+|\[\d+\]|\["?[^\n]*\])*)$/

function expectAnswer(body: unknown): void {
  const result = validateRequest(body)
  if (result.ok) {
    expect(result.request.model.length).toBeGreaterThan(0)
    expect(Array.isArray(result.request.input)).toBe(true)
    return
  }
  const { status, param, message } = result.error
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(500)
  expect(param).toMatch(PLACE)
  expect(message.startsWith(`${param}: `)).toBe(true)
}

const WORDS = [
  'message',
  'function_call',
  'function_call_output',
  'reasoning',
  'custom_tool_call',
  'item_reference',
  'user',
  'assistant',
  'system',
  'input_text',
  'input_image',
  'input_file',
  'input_audio',
  'output_text',
  'refusal',
  'function',
  'custom',
  'allowed_tools',
  'json_schema',
  '__proto__',
  'constructor',
  'toString',
  'other',
  'hosted',
]
const KEYS = [
  'type',
  'role',
  'content',
  'text',
  'name',
  'call_id',
  'arguments',
  'output',
  'id',
  'status',
  'summary',
  'image_url',
  'tools',
  'tool_choice',
  'mode',
  'format',
  'schema',
  'effort',
  'encrypted_content',
  '__proto__',
  'fields',
  'item',
]
const FIELDS = Object.keys(requestOf())

/** JSON made of the words that the schemas know, so that it gets deep into them. */
const { familiar } = fc.letrec<{ familiar: unknown }>((tie) => ({
  familiar: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(fc.constantFrom(...WORDS, null, true, 0, 1, -1, 1.5), fc.string(), fc.double()),
    fc.array(tie('familiar'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie('familiar'), { maxKeys: 6 }),
  ),
}))

describe('any JSON at all', () => {
  const runs = process.env.LONG === undefined ? 2000 : 100_000

  it('is a request, or an error with its place', () => {
    check(fc.property(fc.jsonValue(), expectAnswer), runs)
  })

  it('in a body of known fields', () => {
    const body = fc.dictionary(fc.constantFrom(...FIELDS, 'store', 'prompt'), familiar, { maxKeys: 5 })
    check(
      fc.property(body, fc.boolean(), (fields, named) => {
        expectAnswer(named ? { model: 'm', input: 'a', ...fields } : fields)
      }),
      runs,
    )
  })

  it('as an item, a part and a tool', () => {
    check(
      fc.property(familiar, (value) => {
        expectAnswer({ model: 'm', input: [value] })
        expectAnswer({ model: 'm', input: [{ role: 'user', content: [value] }] })
        expectAnswer({ model: 'm', input: 'a', tools: [value], tool_choice: value })
      }),
      runs,
    )
  })
})
