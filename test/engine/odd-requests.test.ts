import { describe, expect, it } from 'vitest'
import { explainRequest } from '../../src/api/explain-request.ts'
import type { TargetName } from '../../src/api/names.ts'
import { valueAt } from '../../src/text/json-path.ts'

/**
 * Requests as programs send them, in forms that their vendors refuse: a row has the members that the upstream must
 * receive, by their paths; undefined for none.
 */
type Row = readonly [
  title: string,
  upstream: readonly [vendor: string, model: string],
  body: object,
  sent: Readonly<Record<string, unknown>>,
]

function check(client: TargetName, [, [vendor, model], body, sent]: Row): void {
  const found = explainRequest({ model: 'm', ...body }, { client, vendor, model })
  if (!found.ok) throw new Error(found.error.message)
  for (const [path, value] of Object.entries(sent))
    expect({ [path]: valueAt(found.upstream, path) }).toEqual({ [path]: value })
}

// ---------------------------------------------------------------- Responses

const OPENAI = ['openai', 'gpt-5.4'] as const
const HOSTS = [OPENAI, ['groq', 'openai/gpt-oss-120b'], ['anthropic', 'claude-sonnet-5-5']] as const
const EMPTY = { type: 'object', properties: {} }
const CLOSED = { ...EMPTY, additionalProperties: false }
const said = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }
const asked = (more: object = {}) => ({
  type: 'function_call',
  call_id: 'c1',
  name: 'look',
  arguments: '{"q":1}',
  ...more,
})
const found = (more: object = {}) => ({ type: 'function_call_output', call_id: 'c1', output: 'ok', ...more })
const history = (...items: object[]) => ({ input: [said, ...items] })
const answered = (output: unknown) => history(asked(), found({ output }))

const RESPONSES: readonly Row[] = [
  [
    'arguments that are an object',
    OPENAI,
    history(asked({ arguments: { q: 1 } }), found()),
    { 'input.1.arguments': '{"q":1}' },
  ],
  [
    'the input of a custom tool that is an object, in a call with the id of the item alone',
    OPENAI,
    history(
      { type: 'custom_tool_call', id: 'c1', name: 'look', input: { q: 1 } },
      { type: 'custom_tool_call_output', call_id: 'c1', output: 'ok' },
    ),
    { 'input.1.call_id': 'c1', 'input.1.input': '{"q":1}' },
  ],
  ['no output', OPENAI, answered(null), { 'input.2.output': '' }],
  ['an output that is an object', OPENAI, answered({ t: 3 }), { 'input.2.output': '{"t":3}' }],
  ['an output that is a number', OPENAI, answered(3), { 'input.2.output': '3' }],
  ['an output of values that are no parts', OPENAI, answered([{ t: 3 }]), { 'input.2.output': '[{"t":3}]' }],
  [
    'the parts of an MCP server as an output',
    OPENAI,
    answered([{ type: 'text', text: 'a' }]),
    { 'input.2.output': 'a' },
  ],
  [
    'ids that are empty',
    OPENAI,
    history(asked({ call_id: '' }), found({ call_id: '' })),
    { 'input.1.call_id': 'call_without_id', 'input.2.call_id': 'call_without_id' },
  ],
  [
    'the id of the item alone',
    OPENAI,
    history(asked({ call_id: null, id: 'c1' }), found()),
    { 'input.1.call_id': 'c1' },
  ],
  [
    'a text of the user in an answer',
    OPENAI,
    history({ role: 'assistant', content: [{ type: 'input_text', text: 'a' }] }, said),
    { 'input.1.content': 'a' },
  ],
  [
    'a text of an answer in a prompt',
    OPENAI,
    { input: [{ role: 'user', content: [{ type: 'output_text', text: 'a' }] }] },
    { 'input.0.content': 'a' },
  ],
  [
    'parts of chat completions',
    OPENAI,
    {
      input: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
          ],
        },
      ],
    },
    {
      'input.0.content.0.type': 'input_text',
      'input.0.content.1': { type: 'input_image', image_url: 'https://a.example/b.png' },
    },
  ],
  ['an empty answer', OPENAI, history({ role: 'assistant', content: null }, said), { 'input.1.role': 'user' }],
  ['the name of a participant', OPENAI, { input: [{ ...said, name: 'bob' }] }, { 'input.0.name': undefined }],
  [
    'a function of chat completions',
    OPENAI,
    {
      input: 'Hi',
      tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }],
      tool_choice: { type: 'function', function: { name: 'look' } },
    },
    { 'tools.0.name': 'look', 'tools.0.function': undefined, tool_choice: { type: 'function', name: 'look' } },
  ],
]

const chatAnswer = {
  role: 'assistant',
  content: 'a',
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
}

const OF_CHAT: readonly Row[] = [
  [
    'the history of chat completions',
    OPENAI,
    { input: [said, chatAnswer, { role: 'tool', tool_call_id: 'c1', content: 'ok' }] },
    {
      'input.1': { type: 'message', role: 'assistant', content: 'a' },
      'input.2': { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
      'input.3': { type: 'function_call_output', call_id: 'c1', output: 'ok' },
    },
  ],
  [
    'messages in the place of input',
    OPENAI,
    { messages: [{ role: 'user', content: 'Hi' }] },
    { 'input.0.content': 'Hi' },
  ],
  [
    'settings of chat completions',
    OPENAI,
    { input: 'Hi', max_tokens: 100, reasoning_effort: 'low', stop: ['a'], seed: 3, verbosity: 'low' },
    {
      max_output_tokens: 100,
      'reasoning.effort': 'low',
      'text.verbosity': 'low',
      max_tokens: undefined,
      reasoning_effort: undefined,
      stop: undefined,
      seed: undefined,
    },
  ],
  [
    'its own settings beside them',
    OPENAI,
    { input: 'Hi', max_tokens: 100, max_output_tokens: 50, reasoning: { effort: 'high' }, reasoning_effort: 'low' },
    { max_output_tokens: 50, 'reasoning.effort': 'high' },
  ],
  [
    'a format of chat completions',
    OPENAI,
    {
      input: 'Hi',
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object', properties: {} } } },
    },
    { 'text.format.name': 'a', response_format: undefined },
  ],
  [
    'the usage of a stream',
    OPENAI,
    { input: 'Hi', stream: true, stream_options: { include_usage: true } },
    { stream_options: undefined },
  ],
  [
    'a picture as an object',
    OPENAI,
    {
      input: [
        {
          role: 'user',
          content: [{ type: 'input_image', image_url: { url: 'https://a.example/b.png', detail: 'low' } }],
        },
      ],
    },
    { 'input.0.content.0': { type: 'input_image', image_url: 'https://a.example/b.png', detail: 'low' } },
  ],
  [
    'a schema of a list',
    OPENAI,
    { input: 'Hi', text: { format: { type: 'json_schema', name: 'a', schema: { type: 'array', items: {} } } } },
    { 'text.format': undefined },
  ],
  [
    'what ChatGPT does not have',
    ['chatgpt', 'gpt-5.4'],
    { input: 'Hi', prompt_cache_retention: '24h' },
    { prompt_cache_retention: undefined },
  ],
]

const POINTS = {
  type: 'object',
  properties: {
    p: { $ref: '#/$defs/P', description: 'a point' },
    q: { allOf: [{ $ref: '#/$defs/P' }] },
    t: { type: 'string', minLength: 1 },
    u: { oneOf: [{ type: 'string' }, { type: 'null' }] },
  },
  required: ['p', 'q', 't', 'u'],
  additionalProperties: false,
  $defs: { P: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'], additionalProperties: false } },
}

const LOOK = { type: 'function', name: 'look', parameters: EMPTY }

const RESPONSES_ELSEWHERE: readonly Row[] = [
  ['a message alone', OPENAI, { input: { role: 'user', content: 'Hi' } }, { 'input.0.content': 'Hi' }],
  ['texts in the place of messages', OPENAI, { input: ['Hi'] }, { 'input.0.content': 'Hi' }],
  ...['text', 'input_text'].map(
    (type): Row => [
      `a part of the type ${type} in the place of a message`,
      OPENAI,
      { input: [{ type, text: 'Hi' }] },
      { 'input.0': { type: 'message', role: 'user', content: 'Hi' } },
    ],
  ),
  ...[
    { type: 'input_image', image_url: 'https://a.example/b.png' },
    { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
  ].map(
    (part): Row => [
      `a part of the type ${part.type} in the place of a message`,
      OPENAI,
      { input: [part] },
      {
        'input.0': {
          type: 'message',
          role: 'user',
          content: [{ type: 'input_image', image_url: 'https://a.example/b.png' }],
        },
      },
    ],
  ),
  ['a system prompt beside the input', OPENAI, { input: 'Hi', system: 'S' }, { instructions: 'S', system: undefined }],
  ...[
    { name: 'look', input_schema: EMPTY },
    { type: 'custom', name: 'look', input_schema: EMPTY },
    { name: 'look', parameters: EMPTY },
  ].map(
    (tool): Row => [
      `a tool with the members ${Object.keys(tool).join(', ')}`,
      OPENAI,
      { input: 'Hi', tools: [tool] },
      { 'tools.0': LOOK },
    ],
  ),
  ...(
    [
      ['any', 'required'],
      [{ type: 'any' }, 'required'],
      [{ type: 'auto' }, 'auto'],
      [
        { type: 'tool', name: 'look' },
        { type: 'function', name: 'look' },
      ],
    ] as const
  ).map(
    ([choice, sent]): Row => [
      `the choice ${JSON.stringify(choice)}`,
      OPENAI,
      { input: 'Hi', tools: [LOOK], tool_choice: choice },
      { tool_choice: sent },
    ],
  ),
  [
    'a tool that draws to Copilot, which has none',
    ['copilot-responses', 'gpt-5.4'],
    { input: 'Hi', tools: [{ type: 'image_generation' }, { type: 'function', name: 'look', parameters: EMPTY }] },
    { 'tools.0.name': 'look', 'tools.1': undefined },
  ],
  [
    'a tool that draws to OpenAI',
    OPENAI,
    { input: 'Hi', tools: [{ type: 'image_generation' }] },
    { 'tools.0.type': 'image_generation' },
  ],
  [
    'a strict schema with words that OpenAI refuses',
    OPENAI,
    { input: 'Hi', tools: [{ type: 'function', name: 'look', strict: true, parameters: POINTS }] },
    {
      'tools.0.strict': true,
      'tools.0.parameters.properties': {
        p: { description: 'a point', anyOf: [{ $ref: '#/$defs/P' }] },
        q: { $ref: '#/$defs/P' },
        t: { type: 'string', description: 'minLength: 1' },
        u: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      },
    },
  ],
  [
    'a schema with a list of one schema to Claude',
    ['anthropic', 'claude-opus-4-8'],
    { input: 'Hi', tools: [{ type: 'function', name: 'look', strict: true, parameters: POINTS }] },
    {
      'tools.0.strict': true,
      'tools.0.input_schema.properties.p': { $ref: '#/$defs/P', description: 'a point' },
      'tools.0.input_schema.properties.q': { $ref: '#/$defs/P' },
    },
  ],
  [
    'bounds of a search that OpenAI does not have',
    OPENAI,
    { input: 'Hi', tools: [{ type: 'web_search', max_uses: 3, allowed_domains: ['a.example'] }] },
    { 'tools.0': { type: 'web_search', filters: { allowed_domains: ['a.example'] } } },
  ],
  [
    'the search of the service to OpenAI',
    OPENAI,
    { input: 'Hi', tools: [{ type: 'service:web_search', parameters: { search_context_size: 'low' } }] },
    { 'tools.0': { type: 'web_search', search_context_size: 'low' } },
  ],
  [
    'the documents’ word for the retention of a cache',
    OPENAI,
    { input: 'Hi', prompt_cache_retention: 'in-memory' },
    { prompt_cache_retention: 'in_memory' },
  ],
]

describe('a Responses client', () => {
  it.each(RESPONSES_ELSEWHERE)('may send %s', (...row) => check('openai', row))

  it.each(OF_CHAT)('may send %s', (...row) => check('openai', row))

  it.each(RESPONSES)('may send %s', (...row) => check('openai', row))

  it.each(HOSTS)('is understood by %s %s with outputs that are no texts', (vendor, model) => {
    const body = history(asked({ arguments: { q: 1 } }), found({ output: { t: 3 } }))
    const explained = explainRequest({ model: 'm', ...body }, { client: 'openai', vendor, model })
    expect(explained).toMatchObject({ ok: true })
    expect(JSON.stringify(explained.ok && explained.upstream)).toContain('{\\"t\\":3}')
  })

  it('is refused in the dialect beta, which has bounds of its own', () => {
    const body = { model: 'm', ...answered({ t: 3 }) }
    expect(explainRequest(body, { client: 'beta', vendor: 'openai' })).toMatchObject({ ok: false })
  })
})

// ---------------------------------------------------------------- Gemini

const GEMINI = ['google', 'gemini-2.5-flash'] as const
const turn = (role: string | undefined, ...parts: object[]) => ({ role, parts })
const hi = turn('user', { text: 'Hi' })
const functionCall = turn('model', { functionCall: { name: 'look', args: {} }, thoughtSignature: 'abcd' })
const functionResponse = (response: unknown, role = 'user') =>
  turn(role, { functionResponse: { name: 'look', response } })
const declared = (parameters: object, more: object = {}) => ({
  contents: [hi],
  tools: [{ functionDeclarations: [{ name: 'look', parameters, ...more }] }],
})
const object = (properties: object, more: object = {}) => ({ type: 'OBJECT', properties, ...more })
const SENT_SCHEMA = 'tools.0.functionDeclarations.0'
const asJsonSchema = { [`${SENT_SCHEMA}.parameters`]: undefined }

/** Schemas in Google's own form that Google refuses. */
const REFUSED_SCHEMAS: readonly (readonly [string, object])[] = [
  ['a keyword of JSON Schema', object({ a: { type: 'STRING' } }, { $schema: 'x' })],
  ['a closed object', object({ a: { type: 'STRING' } }, { additionalProperties: false })],
  ['several types', object({ a: { type: ['string', 'null'] } })],
  ['values of numbers', object({ a: { type: 'INTEGER', enum: [1, 2] } })],
  ['an empty value', object({ a: { type: 'STRING', enum: ['', 'b'] } })],
  ['a format of JSON Schema', object({ a: { type: 'STRING', format: 'uri' } })],
  ['an array without items', object({ a: { type: 'ARRAY' } })],
  ['a required property that does not exist', object({ a: { type: 'STRING' } }, { required: ['b'] })],
  ['no properties', object({})],
  ['a reference inside', object({ a: { type: 'ARRAY', items: { $ref: '#/$defs/A' } } })],
]

const ACCEPTED_SCHEMA = object(
  {
    a: { type: 'STRING', enum: ['b', 'c'], nullable: true },
    d: { type: 'ARRAY', items: { type: 'NUMBER', format: 'double' }, minItems: '1' },
    e: { anyOf: [{ type: 'STRING', format: 'date-time' }, object({ f: { type: 'BOOLEAN' } })] },
  },
  { required: ['a'], propertyOrdering: ['a', 'd', 'e'] },
)

const GEMINI_ROWS: readonly Row[] = [
  [
    'the role assistant',
    GEMINI,
    { contents: [hi, turn('assistant', { text: 'a' }), hi] },
    { 'contents.1.role': 'model' },
  ],
  [
    'the role tool',
    GEMINI,
    { contents: [hi, functionCall, functionResponse({}, 'tool')] },
    { 'contents.2.role': 'user' },
  ],
  [
    'no role to Vertex',
    ['vertex', 'gemini-2.5-flash'],
    { contents: [turn(undefined, { text: 'a' })] },
    { 'contents.0.role': 'user' },
  ],
  [
    'a response that is a list',
    GEMINI,
    { contents: [hi, functionCall, functionResponse(['a'])] },
    { 'contents.2.parts.0.functionResponse.response': { output: '["a"]' } },
  ],
  [
    'an instruction that is a text',
    GEMINI,
    { contents: [hi], systemInstruction: 'S' },
    { systemInstruction: { parts: [{ text: 'S' }] } },
  ],
  [
    'an image without a type',
    GEMINI,
    { contents: [turn('user', { inlineData: { mimeType: 'application/octet-stream', data: 'iVBORw0KGgoAAAAA' } })] },
    { 'contents.0.parts.0.inlineData.mimeType': 'image/png' },
  ],
  [
    'a PDF without a type',
    GEMINI,
    { contents: [turn('user', { inlineData: { mimeType: 'application/octet-stream', data: 'JVBERi0x' } })] },
    { 'contents.0.parts.0.inlineData.mimeType': 'application/pdf' },
  ],
  [
    'two schemas for one answer',
    GEMINI,
    {
      contents: [hi],
      generationConfig: {
        responseMimeType: 'application/json',
        responseSchema: object({ a: { type: 'STRING' } }),
        responseJsonSchema: { type: 'object' },
      },
    },
    { 'generationConfig.responseSchema': undefined, 'generationConfig.responseJsonSchema': { type: 'object' } },
  ],
  [
    'a schema without a type of the answer',
    GEMINI,
    { contents: [hi], generationConfig: { responseSchema: object({ a: { type: 'STRING' } }) } },
    { 'generationConfig.responseMimeType': 'application/json' },
  ],
  [
    'a number of probabilities that were not requested',
    GEMINI,
    { contents: [hi], generationConfig: { logprobs: 5 } },
    { generationConfig: undefined },
  ],
  ['tools that are empty', GEMINI, { contents: [hi], tools: [{ functionDeclarations: [] }, {}] }, { tools: undefined }],
  [
    'names of allowed functions with the mode AUTO',
    GEMINI,
    {
      contents: [hi],
      tools: [{ functionDeclarations: [{ name: 'look' }, { name: 'peek' }] }],
      toolConfig: { functionCallingConfig: { mode: 'AUTO', allowedFunctionNames: ['peek'] } },
    },
    {
      'toolConfig.functionCallingConfig.allowedFunctionNames': undefined,
      [`${SENT_SCHEMA}.name`]: 'peek',
      'tools.0.functionDeclarations.1': undefined,
    },
  ],
  [
    'a wish to see reasoning to a model without any',
    ['google', 'gemini-2.0-flash'],
    { contents: [hi], generationConfig: { temperature: 1, thinkingConfig: { includeThoughts: true } } },
    { generationConfig: { temperature: 1 } },
  ],
  [
    'two forms of one schema',
    GEMINI,
    declared(ACCEPTED_SCHEMA, { parametersJsonSchema: { type: 'object' } }),
    { ...asJsonSchema, [`${SENT_SCHEMA}.parametersJsonSchema`]: { type: 'object' } },
  ],
  [
    'a tool of Google beside what the gateway changes',
    GEMINI,
    {
      contents: [turn('assistant', { text: 'a' }), hi],
      tools: [{ newTool: { a: 1 } }, { functionDeclarations: [{ name: 'look' }] }],
    },
    { 'tools.0': { newTool: { a: 1 } }, 'tools.1.functionDeclarations.0.name': 'look' },
  ],
]

const GEMINI_FORMS: readonly Row[] = [
  ['a text in the place of contents', GEMINI, { contents: 'Hi' }, { contents: [hi] }],
  ['a text in the place of parts', GEMINI, { contents: [{ role: 'user', parts: 'Hi' }] }, { contents: [hi] }],
  ['texts in the place of parts', GEMINI, { contents: [{ role: 'user', parts: ['Hi'] }] }, { contents: [hi] }],
  ['a message of Chat Completions', GEMINI, { contents: [{ role: 'user', content: 'Hi' }] }, { contents: [hi] }],
  [
    'parts of other protocols',
    GEMINI,
    {
      contents: [
        turn(
          'user',
          { type: 'text', text: 'Hi' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
        ),
      ],
    },
    { 'contents.0.parts': [{ text: 'Hi' }, { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }] },
  ],
  ...[
    { type: 'function', function: { name: 'look', parameters: { type: 'object' } } },
    { name: 'look', input_schema: { type: 'object' } },
  ].map(
    (tool): Row => [
      `a tool with the members ${Object.keys(tool).join(' and ')}`,
      GEMINI,
      { contents: [hi], tools: [tool] },
      { 'tools.0': { functionDeclarations: [{ name: 'look', parametersJsonSchema: { type: 'object' } }] } },
    ],
  ),
  ...(['auto', 'none', 'validated'] as const).map(
    (mode): Row => [
      `the mode ${mode}`,
      GEMINI,
      {
        contents: [hi],
        tools: [{ functionDeclarations: [{ name: 'look' }] }],
        tool_config: { function_calling_config: { mode } },
      },
      { 'tool_config.function_calling_config.mode': mode.toUpperCase() },
    ],
  ),
  [
    'the mode of others',
    GEMINI,
    {
      contents: [hi],
      tools: [{ functionDeclarations: [{ name: 'look' }] }],
      toolConfig: { functionCallingConfig: { mode: 'REQUIRED' } },
    },
    { 'toolConfig.functionCallingConfig.mode': 'ANY' },
  ],
  [
    'the earlier search',
    GEMINI,
    { contents: [hi], tools: [{ google_search_retrieval: {} }] },
    { 'tools.0': { googleSearch: {} } },
  ],
  [
    'a wish to see reasoning that is off',
    GEMINI,
    { contents: [hi], generation_config: { thinking_config: { thinking_budget: 0, include_thoughts: true } } },
    { 'generation_config.thinking_config': { thinking_budget: 0 } },
  ],
  [
    'an instruction without a text',
    GEMINI,
    { contents: [hi], systemInstruction: { parts: [] } },
    { systemInstruction: undefined },
  ],
  [
    'empty stop words',
    GEMINI,
    { contents: [hi], generationConfig: { stopSequences: ['', 'END'] } },
    { 'generationConfig.stopSequences': ['END'] },
  ],
  [
    'a picture as a data URL',
    GEMINI,
    { contents: [turn('user', { inlineData: { mimeType: 'image/png', data: 'data:image/png;base64,iVBORw0KGgo=' } })] },
    { 'contents.0.parts.0.inlineData.data': 'iVBORw0KGgo=' },
  ],
  [
    'members of Vertex',
    GEMINI,
    { contents: [hi], labels: { a: 'b' }, safetySettings: [{ category: 'C', threshold: 'OFF', method: 'SEVERITY' }] },
    { labels: undefined, 'safetySettings.0': { category: 'C', threshold: 'OFF' } },
  ],
  [
    'these members to Vertex',
    ['vertex', 'gemini-2.5-flash'],
    { contents: [hi], labels: { a: 'b' } },
    { labels: { a: 'b' } },
  ],
]

describe('a Gemini client', () => {
  it.each(GEMINI_FORMS)('may send %s', (...row) => check('gemini-generate', row))

  it.each(GEMINI_ROWS)('may send %s', (...row) => check('gemini-generate', row))

  it.each(REFUSED_SCHEMAS)('may send a schema with %s, which is sent as a JSON schema', (_, schema) => {
    check('gemini-generate', ['', GEMINI, declared(schema), asJsonSchema])
  })

  it('keeps a schema that Google accepts', () => {
    const sent = { [`${SENT_SCHEMA}.parameters`]: ACCEPTED_SCHEMA }
    check('gemini-generate', ['', GEMINI, declared(ACCEPTED_SCHEMA), sent])
  })

  it('keeps a closed object for Vertex, which has the keyword', () => {
    const schema = object({ a: { type: 'STRING' } }, { additionalProperties: false })
    const sent = { [`${SENT_SCHEMA}.parameters`]: schema }
    check('gemini-generate', ['', ['vertex', 'gemini-2.5-flash'], declared(schema), sent])
  })
})

// ---------------------------------------------------------------- Messages

const CLAUDE = ['anthropic', 'claude-sonnet-4-5'] as const
const VERTEX_CLAUDE = ['vertex-anthropic', 'claude-sonnet-4-5'] as const
const prompt = { role: 'user', content: 'Hi' }
const use = (more: object = {}) => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id: 't1', name: 'look', input: {}, ...more }],
})
const used = (more: object = {}) => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: 't1', content: 'ok', ...more }],
})
const talk = (...messages: object[]) => ({ max_tokens: 1000, messages: [prompt, ...messages] })
const set = (settings: object) => ({ max_tokens: 1000, messages: [prompt], ...settings })
const mark = (more: object = {}) => ({ cache_control: { type: 'ephemeral', ...more } })

const MESSAGES: readonly Row[] = [
  [
    'a failure without a text',
    CLAUDE,
    talk(use(), used({ content: '', is_error: true })),
    { 'messages.2.content.0.content': 'The tool failed without a message.' },
  ],
  ['no result', CLAUDE, talk(use(), used({ content: null })), { 'messages.2.content.0.content': undefined }],
  [
    'ids that are empty',
    CLAUDE,
    talk(use({ id: '' }), used({ tool_use_id: '' })),
    { 'messages.1.content.0.id': 'call_without_id', 'messages.2.content.0.tool_use_id': 'call_without_id' },
  ],
  [
    'a breakpoint on reasoning',
    CLAUDE,
    talk(
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'a', signature: 'EqQB', ...mark() },
          { type: 'text', text: 'b' },
        ],
      },
      prompt,
    ),
    { 'messages.1.content.0.cache_control': undefined, 'messages.1.content.0.thinking': 'a' },
  ],
  [
    'a short lifetime before a long one',
    CLAUDE,
    {
      max_tokens: 1000,
      system: [{ type: 'text', text: 'S', ...mark() }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'a', ...mark({ ttl: '1h' }) }] }],
    },
    { 'system.0.cache_control.ttl': '1h', 'messages.0.content.0.cache_control.ttl': '1h' },
  ],
  [
    'a long lifetime before a short one, which stays',
    CLAUDE,
    {
      max_tokens: 1000,
      system: [{ type: 'text', text: 'S', ...mark({ ttl: '1h' }) }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'a', ...mark() }] }],
    },
    { 'system.0.cache_control.ttl': '1h', 'messages.0.content.0.cache_control.ttl': undefined },
  ],
  [
    'null for settings',
    CLAUDE,
    set({ system: null, tools: null, tool_choice: null, top_p: null }),
    { system: undefined, tools: undefined, tool_choice: undefined, top_p: undefined },
  ],
  ['an empty system prompt', CLAUDE, set({ system: '' }), { system: undefined }],
  ['other metadata', CLAUDE, set({ metadata: { user_id: 'a', trace: 'b' } }), { metadata: { user_id: 'a' } }],
  ['a long id of a user', CLAUDE, set({ metadata: { user_id: 'u'.repeat(300) } }), { metadata: undefined }],
  ['a temperature above the range', CLAUDE, set({ temperature: 1.5 }), { temperature: 1 }],
  [
    'members of betas that Vertex does not have',
    VERTEX_CLAUDE,
    set({ system: [{ type: 'text', text: 'S', ...mark({ scope: 'global' }) }], speed: 'fast', inference_geo: 'us' }),
    { 'system.0.cache_control': { type: 'ephemeral' }, speed: undefined, inference_geo: undefined },
  ],
  [
    'these members to Anthropic',
    CLAUDE,
    set({ system: [{ type: 'text', text: 'S', ...mark({ scope: 'global' }) }], inference_geo: 'us' }),
    { 'system.0.cache_control.scope': 'global', inference_geo: 'us' },
  ],
]

const bare = { name: 'look', input_schema: { type: 'object', properties: {} } }
const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } }

const MESSAGES_FORMS: readonly Row[] = [
  ...(
    [
      ['auto', { type: 'auto' }],
      ['required', { type: 'any' }],
      [{ type: 'required' }, { type: 'any' }],
      [
        { type: 'function', function: { name: 'look' } },
        { type: 'tool', name: 'look' },
      ],
      [
        { type: 'function', name: 'look' },
        { type: 'tool', name: 'look' },
      ],
      [{ type: 'none', disable_parallel_tool_use: true }, { type: 'none' }],
    ] as const
  ).map(
    ([choice, sent]): Row => [
      `the choice ${JSON.stringify(choice)}`,
      CLAUDE,
      set({ tools: [bare], tool_choice: choice }),
      { tool_choice: sent },
    ],
  ),
  [
    'a function of chat completions',
    CLAUDE,
    set({ tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }] }),
    { 'tools.0': bare },
  ],
  ['a list for an empty schema', CLAUDE, set({ tools: [{ name: 'look', input_schema: [] }] }), { 'tools.0': bare }],
  [
    'a picture of chat completions',
    CLAUDE,
    {
      max_tokens: 100,
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }] },
      ],
    },
    { 'messages.0.content.0': picture },
  ],
  [
    'data in an address',
    CLAUDE,
    {
      max_tokens: 100,
      messages: [
        {
          role: 'user',
          content: [{ type: 'image', source: { type: 'url', url: 'data:image/png;base64,iVBORw0KGgo=' } }],
        },
      ],
    },
    { 'messages.0.content.0': picture },
  ],
  [
    'an address in data',
    CLAUDE,
    {
      max_tokens: 100,
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'image',
              source: { type: 'base64', media_type: 'image/png', data: 'data:image/png;base64,iVBORw0KGgo=' },
            },
          ],
        },
      ],
    },
    { 'messages.0.content.0.source.data': 'iVBORw0KGgo=' },
  ],
  [
    'texts in a list',
    CLAUDE,
    { max_tokens: 100, messages: [{ role: 'user', content: ['a'] }] },
    { 'messages.0.content': [{ type: 'text', text: 'a' }] },
  ],
  [
    'one block',
    CLAUDE,
    { max_tokens: 100, messages: [{ role: 'user', content: { type: 'text', text: 'a' } }] },
    { 'messages.0.content': [{ type: 'text', text: 'a' }] },
  ],
  [
    'a result that is an object',
    CLAUDE,
    talk(use(), used({ content: { t: 3 } })),
    { 'messages.2.content.0.content': '{"t":3}' },
  ],
  ['a stop word alone', CLAUDE, set({ stop_sequences: 'END' }), { stop_sequences: ['END'] }],
  ['a number that means none', CLAUDE, set({ top_k: -1 }), { top_k: undefined }],
  ['no limit', CLAUDE, { messages: [prompt] }, { max_tokens: 64_000 }],
  [
    'reasoning without a budget',
    CLAUDE,
    set({ max_tokens: 9000, thinking: { type: 'enabled' } }),
    { 'thinking.type': 'enabled', 'thinking.budget_tokens': 5400 },
  ],
  [
    'a budget alone',
    CLAUDE,
    set({ max_tokens: 9000, thinking: { budget_tokens: 2000 } }),
    { thinking: { type: 'enabled', budget_tokens: 2000 } },
  ],
  [
    'a budget beside no reasoning',
    CLAUDE,
    set({ thinking: { type: 'disabled', budget_tokens: 0 } }),
    { 'thinking.budget_tokens': undefined },
  ],
  [
    'a budget beside adaptive reasoning',
    ['anthropic', 'claude-opus-4-8'],
    set({ thinking: { type: 'adaptive', budget_tokens: 2000 } }),
    { 'thinking.type': 'adaptive', 'thinking.budget_tokens': undefined },
  ],
  [
    'an effort of others',
    ['anthropic', 'claude-opus-4-8'],
    set({ output_config: { effort: 'minimal' } }),
    { 'output_config.effort': 'low' },
  ],
  [
    'members of an SDK',
    CLAUDE,
    set({ betas: ['a'], stream_options: {}, n: 1 }),
    { betas: undefined, stream_options: undefined, n: undefined },
  ],
  [
    'top_k beside reasoning that a forced call turns off',
    CLAUDE,
    set({
      max_tokens: 9000,
      top_k: 5,
      thinking: { type: 'enabled', budget_tokens: 2000 },
      tools: [bare],
      tool_choice: { type: 'any' },
    }),
    { top_k: 5, thinking: undefined },
  ],
]

const DEEPSEEK = ['deepseek', 'deepseek-v4-pro'] as const
const MANTLE_CLAUDE = ['bedrock-mantle-anthropic', 'anthropic.claude-sonnet-4-5'] as const
const think = { type: 'thinking', thinking: 'a', signature: 'EqQBCkYIBxgCKkA' }
const answer = (...content: object[]) => ({ role: 'assistant', content })
const BASH = { type: 'bash_20250124', name: 'bash' }
const JSON_FORMAT = {
  type: 'json_schema',
  schema: { type: 'object', properties: {}, additionalProperties: false },
}

/** Requests of programs for Claude that other models and platforms receive. */
const MESSAGES_ELSEWHERE: readonly Row[] = [
  ...(
    [
      ['a limit', { max_completion_tokens: 9, max_tokens: undefined }, { max_tokens: 9 }],
      ['a limit of Responses', { max_output_tokens: 9, max_tokens: undefined }, { max_tokens: 9 }],
      ['stops', { stop: ['a'] }, { stop_sequences: ['a'], stop: undefined }],
      ['a user', { user: 'u' }, { 'metadata.user_id': 'u', user: undefined }],
      ['an effort', { reasoning_effort: 'low' }, { 'output_config.effort': 'low', reasoning_effort: undefined }],
      [
        'a format',
        { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: CLOSED } } },
        { 'output_config.format': { type: 'json_schema', schema: CLOSED } },
      ],
      [
        'one call at a time',
        { tools: [{ name: 'look', input_schema: EMPTY }], parallel_tool_calls: false },
        { tool_choice: { type: 'auto', disable_parallel_tool_use: true }, parallel_tool_calls: undefined },
      ],
      ['texts as the system prompt', { system: ['S'] }, { 'system.0': { type: 'text', text: 'S' } }],
      ['one block as the system prompt', { system: { type: 'text', text: 'S' } }, { 'system.0.text': 'S' }],
      ['a text in the place of messages', { messages: 'Hi' }, { 'messages.0.role': 'user' }],
      ['a message alone', { messages: { role: 'user', content: 'Hi' } }, { 'messages.0.role': 'user' }],
      [
        'a system message first',
        { messages: [{ role: 'system', content: 'S' }, prompt] },
        { 'system.0.text': 'S', 'messages.0.role': 'user', 'messages.1': undefined },
      ],
      ['a tool without a schema', { tools: [{ name: 'look' }] }, { 'tools.0.input_schema': EMPTY }],
      [
        'the text of a schema',
        { tools: [{ name: 'look', input_schema: JSON.stringify(CLOSED) }] },
        { 'tools.0.input_schema': CLOSED },
      ],
      [
        'calls and results of Chat Completions',
        { messages: [prompt, chatAnswer, { role: 'tool', tool_call_id: 'c1', content: 'ok' }] },
        {
          'messages.1.content.1': { type: 'tool_use', id: 'c1', name: 'look', input: {} },
          'messages.2.content.0.tool_use_id': 'c1',
        },
      ],
    ] as const
  ).map(
    ([title, body, sent]): Row => [
      `${title} in the form of another protocol`,
      ['anthropic', 'claude-sonnet-5'],
      { max_tokens: 100, messages: [prompt], ...body },
      sent,
    ],
  ),
  ...([DEEPSEEK, ['zai', 'glm-5.2'], ['openrouter', 'z-ai/glm-5.2']] as const).map(
    (upstream): Row => [
      `a system message between the messages to ${upstream[0]}`,
      upstream,
      talk({ role: 'system', content: 'Agents: none' }),
      { 'messages.1': { role: 'user', content: 'Agents: none' } },
    ],
  ),
  [
    'a system message between the messages to a model that has them',
    ['anthropic', 'claude-opus-4-8'],
    talk({ role: 'system', content: 'Agents: none' }),
    { 'messages.1.role': 'system' },
  ],
  ['the type of a usual tool', DEEPSEEK, set({ tools: [{ type: 'custom', ...bare }] }), { 'tools.0': bare }],
  [
    'the type of a usual tool to Claude',
    CLAUDE,
    set({ tools: [{ type: 'custom', ...bare }] }),
    { 'tools.0.type': 'custom' },
  ],
  ...([OPENAI, ['google', 'gemini-3.7-flash'], DEEPSEEK] as const).map(
    (upstream): Row => [
      `a tool that Claude alone knows to ${upstream[0]}`,
      upstream,
      set({ tools: [bare, BASH], ...(upstream === OPENAI ? { tool_choice: { type: 'tool', name: 'bash' } } : {}) }),
      upstream === OPENAI
        ? { 'tools.1.name': 'bash', 'tools.1.type': 'function', tool_choice: { type: 'function', name: 'bash' } }
        : upstream === DEEPSEEK
          ? { 'tools.1.name': 'bash', 'tools.1.type': undefined, 'tools.1.input_schema.type': 'object' }
          : { 'tools.0.functionDeclarations.1.name': 'bash' },
    ],
  ),
  ['that tool to Claude', CLAUDE, set({ tools: [BASH] }), { 'tools.0': BASH }],
  [
    'a search of tools, which other models do not have',
    DEEPSEEK,
    set({ tools: [{ type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' }, bare] }),
    { 'tools.0.name': 'look', 'tools.1': undefined },
  ],
  ...([VERTEX_CLAUDE, MANTLE_CLAUDE] as const).map(
    (upstream): Row => [
      `a breakpoint of the whole request to ${upstream[0]}`,
      upstream,
      set(mark()),
      { cache_control: undefined, 'messages.0.content.0.cache_control': { type: 'ephemeral' } },
    ],
  ),
  ['a breakpoint of the whole request', CLAUDE, set(mark()), { cache_control: { type: 'ephemeral' } }],
  [
    'the earlier place of a schema',
    CLAUDE,
    set({ output_format: JSON_FORMAT }),
    { output_format: undefined, 'output_config.format': JSON_FORMAT },
  ],
  [
    'a schema to a vendor whose documents do not name it',
    DEEPSEEK,
    set({ output_config: { format: JSON_FORMAT } }),
    { output_config: undefined, 'system.0.type': 'text' },
  ],
  [
    'an empty list of arguments, as PHP has it',
    CLAUDE,
    talk(use({ input: [] }), used()),
    { 'messages.1.content.0.input': {} },
  ],
  [
    'reasoning alone at the end',
    CLAUDE,
    set({ messages: [prompt, answer(think)] }),
    { 'messages.0.role': 'user', 'messages.1': undefined },
  ],
  [
    'reasoning at the end of an answer to be continued',
    CLAUDE,
    {
      max_tokens: 9000,
      thinking: { type: 'enabled', budget_tokens: 2000 },
      messages: [prompt, answer(think, { type: 'text', text: 'So' }, think)],
    },
    {
      'messages.1.content.1': { type: 'text', text: 'So' },
      'messages.1.content.2': undefined,
      'thinking.type': 'enabled',
    },
  ],
  [
    'reasoning behind the beginning of an open turn',
    CLAUDE,
    {
      max_tokens: 9000,
      thinking: { type: 'enabled', budget_tokens: 2000 },
      messages: [prompt, answer({ type: 'text', text: 'So' }, think, ...use().content), used()],
    },
    { 'messages.1.content.0.type': 'text', 'messages.1.content.1.type': 'tool_use', thinking: undefined },
  ],
  [
    'a picture to a model that reads none',
    DEEPSEEK,
    { max_tokens: 100, messages: [{ role: 'user', content: [picture, { type: 'text', text: 'a' }] }] },
    { 'messages.0.content.0': { type: 'text', text: '[image: it could not be passed on]' } },
  ],
]

describe('a Messages client', () => {
  it.each(MESSAGES_ELSEWHERE)('may send %s', (...row) => check('anthropic-messages', row))

  it.each(MESSAGES_FORMS)('may send %s', (...row) => check('anthropic-messages', row))

  it.each(MESSAGES)('may send %s', (...row) => check('anthropic-messages', row))
})

// ---------------------------------------------------------------- chat completions

const GPT = ['openai-chat', 'gpt-4o'] as const
const GROQ = ['groq', 'llama-3.3-70b-versatile'] as const
const MISTRAL = ['mistral', 'mistral-large-latest'] as const
const FIREWORKS = ['fireworks', 'accounts/fireworks/models/llama-v3p3-70b-instruct'] as const
const chatCall = (more: object = {}) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' }, ...more }],
})
const chatResult = (content: unknown, more: object = {}) => ({ role: 'tool', tool_call_id: 'c1', content, ...more })
const chat = (...messages: object[]) => ({ messages: [prompt, ...messages] })
const ask = (settings: object) => ({ messages: [prompt], ...settings })
const copied = { role: 'assistant', content: 'a', refusal: null, annotations: [], audio: null, function_call: null }
const SHOT = [{ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }]
const jsonFormat = (more: object) => ({
  response_format: {
    type: 'json_schema',
    json_schema: { schema: { type: 'object', properties: {}, additionalProperties: false }, strict: true, ...more },
  },
})

const MANY = Array.from({ length: 130 }, (_, at) => ({ type: 'function', function: { name: `look_${at}` } }))
const callOfLast = chatCall({ function: { name: 'look_129', arguments: '{}' } })

const CHAT: readonly Row[] = [
  [
    'more tools than OpenAI accepts',
    GPT,
    { ...chat(callOfLast, chatResult('ok')), tools: MANY },
    { 'tools.126.function.name': 'look_126', 'tools.127.function.name': 'look_129', 'tools.128': undefined },
  ],
  [
    'options of a stream without one',
    GPT,
    ask({ stream_options: { include_usage: true } }),
    { stream_options: undefined },
  ],
  ['no stop words in a list', GPT, ask({ stop: [] }), { stop: undefined }],
  ['a number of probabilities alone', GPT, ask({ top_logprobs: 5 }), { top_logprobs: undefined }],
  ['-1 for no limit', GPT, ask({ max_tokens: -1 }), { max_tokens: undefined }],
  ['-1 for no limit to the Responses API', OPENAI, ask({ max_tokens: -1 }), { max_output_tokens: undefined }],
  [
    '-1 for no limit to llama.cpp, which has it',
    ['llamacpp', 'some-model'],
    ask({ max_tokens: -1 }),
    { max_tokens: -1 },
  ],
  [
    'a bias to a model that reasons',
    ['openai-chat', 'gpt-5.4'],
    ask({ logit_bias: { 5: -100 }, reasoning_effort: 'low' }),
    { logit_bias: undefined },
  ],
  ['a bias to a model that does not reason', GPT, ask({ logit_bias: { 5: -100 } }), { logit_bias: { 5: -100 } }],
  [
    'a bias without reasoning',
    ['openai-chat', 'gpt-5.4'],
    ask({ logit_bias: { 5: 1 }, reasoning_effort: 'none' }),
    { logit_bias: { 5: 1 } },
  ],
  [
    'settings of other servers to OpenAI',
    GPT,
    ask({
      top_k: 4,
      min_p: 0.1,
      repetition_penalty: 1.1,
      chat_template_kwargs: { enable_thinking: false },
      provider: { order: ['a'] },
    }),
    {
      top_k: undefined,
      min_p: undefined,
      repetition_penalty: undefined,
      chat_template_kwargs: undefined,
      provider: undefined,
    },
  ],
  ['settings of a server to it', ['vllm', 'some-model'], ask({ top_k: 4, min_p: 0.1 }), { top_k: 4, min_p: 0.1 }],
  ['a seed to Mistral', MISTRAL, ask({ seed: 4, random_seed: 5 }), { seed: undefined, random_seed: 5 }],
  [
    'breakpoints to Groq',
    GROQ,
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'a', ...mark() }] }] },
    { 'messages.0.content.0': { type: 'text', text: 'a' } },
  ],
  [
    'breakpoints to OpenRouter',
    ['openrouter', 'anthropic/claude-sonnet-4.5'],
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'a', ...mark() }] }] },
    { 'messages.0.content.0.cache_control': { type: 'ephemeral' } },
  ],
  ['an answer as it came to Groq', GROQ, chat(copied, prompt), { 'messages.1': { role: 'assistant', content: 'a' } }],
  ['an answer as it came to OpenAI', GPT, chat(copied, prompt), { 'messages.1': copied }],
  [
    'calls as a stream has them to Fireworks',
    FIREWORKS,
    chat(chatCall({ index: 0 }), chatResult('ok')),
    { 'messages.1.tool_calls.0.index': undefined },
  ],
  [
    'the name of a participant to Mistral',
    MISTRAL,
    { messages: [{ ...prompt, name: 'bob' }] },
    { 'messages.0.name': undefined },
  ],
  [
    'the name of a function beside its result to Groq',
    GROQ,
    chat(chatCall(), chatResult('ok', { name: 'look' })),
    { 'messages.2.name': 'look' },
  ],
  ['a tool without a type', GPT, ask({ tools: [{ function: { name: 'look' } }] }), { 'tools.0.type': 'function' }],
  [
    'an image in a result',
    GPT,
    chat(chatCall(), chatResult([{ type: 'text', text: 'a' }, ...SHOT])),
    { 'messages.3.role': 'user', 'messages.3.content.1': SHOT[0] },
  ],
  [
    'an image in a result to OpenRouter',
    ['openrouter', 'openai/gpt-4o'],
    chat(chatCall(), chatResult(SHOT)),
    { 'messages.2.content': SHOT },
  ],
  ['a result that is an object', GPT, chat(chatCall(), chatResult({ t: 3 })), { 'messages.2.content': '{"t":3}' }],
  ['a result that is a number', GROQ, chat(chatCall(), chatResult(3)), { 'messages.2.content': '3' }],
  [
    'a result that is a list of values',
    GPT,
    chat(chatCall(), chatResult([1, { t: 3 }])),
    { 'messages.2.content': '[1,{"t":3}]' },
  ],
  [
    'a result without an id',
    GPT,
    chat(chatCall(), { role: 'tool', content: 'ok' }),
    { 'messages.2.tool_call_id': 'c1' },
  ],
  [
    'results without ids, by their names',
    GPT,
    chat(
      {
        role: 'assistant',
        content: null,
        tool_calls: ['a', 'b'].map((name) => ({ id: name, type: 'function', function: { name, arguments: '{}' } })),
      },
      { role: 'tool', name: 'b', content: 'B' },
      { role: 'tool', name: 'a', content: 'A' },
    ),
    {
      'messages.2': { role: 'tool', tool_call_id: 'a', content: 'A' },
      'messages.3': { role: 'tool', tool_call_id: 'b', content: 'B' },
    },
  ],
  [
    'calls with ids that are empty',
    GPT,
    chat(chatCall({ id: '' }), chatResult('ok', { tool_call_id: '' })),
    { 'messages.1.tool_calls.0.id': 'call_1_0', 'messages.2.tool_call_id': 'call_1_0' },
  ],
  [
    'no arguments to vLLM',
    ['vllm', 'some-model'],
    chat(chatCall({ function: { name: 'look', arguments: '' } }), chatResult('ok')),
    { 'messages.1.tool_calls.0.function.arguments': '{}' },
  ],
  [
    'no arguments to OpenAI, which accepts them',
    GPT,
    chat(chatCall({ function: { name: 'look', arguments: '' } }), chatResult('ok')),
    { 'messages.1.tool_calls.0.function.arguments': '' },
  ],
  ['a prompt without a content', GPT, { messages: [{ role: 'user', content: null }] }, { 'messages.0.content': '' }],
  [
    'an answer without a text to Moonshot',
    ['moonshot', 'kimi-k2.6'],
    chat({ role: 'assistant', content: '' }, prompt),
    { 'messages.1.role': 'user' },
  ],
  [
    'a name of a format that has spaces',
    GPT,
    ask(jsonFormat({ name: 'My Schema!' })),
    { 'response_format.json_schema.name': 'My_Schema_' },
  ],
  ['a format without a name', GPT, ask(jsonFormat({})), { 'response_format.json_schema.name': 'response' }],
  [
    'that name to the Responses API',
    OPENAI,
    ask(jsonFormat({ name: 'My Schema!' })),
    { 'text.format.name': 'My_Schema_' },
  ],
  [
    'that name to vLLM, where any is accepted',
    ['vllm', 'some-model'],
    ask(jsonFormat({ name: 'My Schema!' })),
    { 'response_format.json_schema.name': 'My Schema!' },
  ],
  [
    'a system message alone to Claude',
    CLAUDE,
    { messages: [{ role: 'system', content: 'S' }] },
    { 'messages.0.role': 'user', system: undefined },
  ],
  [
    'a system message alone to OpenAI',
    GPT,
    { messages: [{ role: 'system', content: 'S' }] },
    { 'messages.0.role': 'system' },
  ],
]

const shown = (...content: readonly unknown[]) => ({ messages: [{ role: 'user', content }] })
const look = { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }
const picked = { type: 'function', function: { name: 'look' } }
const LOCAL = ['lmstudio', 'zephyr'] as const
const CEREBRAS = ['cerebras', 'gpt-oss-120b'] as const
const SHOWN = { type: 'image_url', image_url: { url: 'https://a.example/b.png' } }

const CHAT_FORMS: readonly Row[] = [
  [
    'the address of a picture alone',
    GPT,
    shown({ type: 'image_url', image_url: 'https://a.example/b.png' }),
    { 'messages.0.content.0': SHOWN },
  ],
  [
    'parts of the Responses API',
    GPT,
    shown({ type: 'input_text', text: 'a' }, { type: 'input_image', image_url: 'https://a.example/b.png' }),
    { 'messages.0.content': [{ type: 'text', text: 'a' }, SHOWN] },
  ],
  ['a picture of the Messages API', CLAUDE, shown(picture), { 'messages.0.content.0': picture }],
  [
    'sound as a data URL',
    GPT,
    shown({ type: 'input_audio', input_audio: { data: 'data:audio/wav;base64,AAAA', format: 'audio/x-wav' } }),
    { 'messages.0.content.0.input_audio': { data: 'AAAA', format: 'wav' } },
  ],
  ['a tool of the Responses API', GPT, ask({ tools: [{ type: 'function', ...look.function }] }), { 'tools.0': look }],
  [
    'a tool of the Messages API',
    GPT,
    ask({ tools: [{ name: 'look', input_schema: look.function.parameters }] }),
    { 'tools.0': look },
  ],
  [
    'a list for an empty schema',
    GPT,
    ask({ tools: [{ type: 'function', function: { name: 'look', parameters: [] } }] }),
    { 'tools.0': look },
  ],
  ...(
    [
      [{ type: 'function', name: 'look' }, picked],
      [{ type: 'tool', name: 'look' }, picked],
      [{ type: 'auto' }, 'auto'],
      [{ type: 'any' }, 'required'],
      ['any', 'required'],
    ] as const
  ).map(
    ([choice, sent]): Row => [
      `the choice ${JSON.stringify(choice)}`,
      GPT,
      ask({ tools: [look], tool_choice: choice }),
      { tool_choice: sent },
    ],
  ),
  ['any to Mistral, whose word it is', MISTRAL, ask({ tools: [look], tool_choice: 'any' }), { tool_choice: 'any' }],
  [
    'an effort as an object',
    ['openai-chat', 'gpt-5.4'],
    ask({ reasoning_effort: { effort: 'HIGH' } }),
    { reasoning_effort: 'high' },
  ],
  ['no effort as a text', ['openai-chat', 'gpt-5.4'], ask({ reasoning_effort: '' }), { reasoning_effort: undefined }],
  ['empty stop words', GPT, ask({ stop: ['', 'END'] }), { stop: ['END'] }],
  ['an empty stop word', GEMINI, ask({ stop: '' }), { generationConfig: undefined }],
  [
    'a schema without its object',
    GPT,
    ask({ response_format: { type: 'json_schema', schema: { type: 'object', properties: {} } } }),
    { 'response_format.json_schema.schema': { type: 'object', properties: {} } },
  ],
  ['a name with a space', GPT, { messages: [{ ...prompt, name: 'Ann <B>' }] }, { 'messages.0.name': 'Ann__B_' }],
  ['metadata of an answer that is not stored', GPT, ask({ metadata: { a: 'b' } }), { metadata: undefined }],
  ['metadata of a stored answer', GPT, ask({ metadata: { a: 'b' }, store: true }), { metadata: { a: 'b' } }],
  [
    'a key and options of its library',
    GPT,
    ask({ api_key: 'sk-a', timeout: 5, drop_params: true }),
    { api_key: undefined, timeout: undefined, drop_params: undefined },
  ],
  ['several answers to Groq', ['groq', 'openai/gpt-oss-120b'], ask({ n: 2 }), { n: undefined }],
  ['a schema to a model of Groq without them', GROQ, ask(jsonFormat({ name: 'a' })), { response_format: undefined }],
  [
    'a schema to one with them',
    ['groq', 'openai/gpt-oss-120b'],
    ask(jsonFormat({ name: 'a' })),
    { 'response_format.type': 'json_schema' },
  ],
  ['JSON to LM Studio', LOCAL, ask({ response_format: { type: 'json_object' } }), { response_format: undefined }],
  ['the name of a tool to LM Studio', LOCAL, ask({ tools: [look], tool_choice: picked }), { tool_choice: 'required' }],
  [
    'a schema beside functions to Cerebras',
    CEREBRAS,
    ask({ tools: [look], ...jsonFormat({ name: 'a' }) }),
    { response_format: undefined },
  ],
  ['a whole answer of a model that only streams', ['alibaba', 'qwen3-32b'], ask({}), { stream: true }],
  ['a whole answer of another one', ['alibaba', 'qwen-plus'], ask({}), { stream: undefined }],
  ['a temperature of 0 to MiniMax', ['minimax', 'MiniMax-M2'], ask({ temperature: 0 }), { temperature: 0.01 }],
  [
    'a temperature above the range of Z.ai',
    ['zai', 'glm-4.6'],
    ask({ temperature: 1.5, stop: ['a', 'b'] }),
    { temperature: 1, stop: ['a'] },
  ],
  [
    'a picture that xAI refuses',
    ['xai-chat', 'grok-4.6'],
    shown({ type: 'image_url', image_url: { url: 'data:image/webp;base64,UklGRiQAAABXRUJQVlA4' } }),
    { 'messages.0.content': '[image: it could not be passed on]' },
  ],
  [
    'ids that one form would make equal',
    CLAUDE,
    chat(
      {
        role: 'assistant',
        content: null,
        tool_calls: ['a.b', 'a_2e_b'].map((id) => ({
          id,
          type: 'function',
          function: { name: 'look', arguments: '{}' },
        })),
      },
      { role: 'tool', tool_call_id: 'a.b', content: '1' },
      { role: 'tool', tool_call_id: 'a_2e_b', content: '2' },
    ),
    {
      'messages.1.content.0.id': 'a_2e_b',
      'messages.1.content.1.id': 'a_5f_2e_5f_b',
      'messages.2.content.1.tool_use_id': 'a_5f_2e_5f_b',
    },
  ],
]

const M3 = ['minimax', 'MiniMax-M3'] as const
const DRAWN = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
const MISSING_IMAGE = '[image: it could not be passed on]'

const ITEMS = [
  { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
  { type: 'reasoning', id: 'r', summary: [] },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a', annotations: [] }] },
  { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
  { type: 'function_call', call_id: 'c2', name: 'look', arguments: '{}' },
  { type: 'function_call_output', call_id: 'c1', output: 'ok' },
  { type: 'function_call_output', call_id: 'c2', output: 'ok' },
]
const OF_ITEMS = {
  'messages.0.content': 'Hi',
  'messages.1.content': 'a',
  'messages.1.tool_calls.0.id': 'c1',
  'messages.1.tool_calls.1.id': 'c2',
  'messages.2': { role: 'tool', tool_call_id: 'c1', content: 'ok' },
  'messages.4': undefined,
}

const CHAT_ELSEWHERE: readonly Row[] = [
  ['a body of Responses', GPT, { input: ITEMS, include: ['a'], store: false }, { ...OF_ITEMS, include: undefined }],
  ['items of Responses in its messages', GPT, { messages: ITEMS }, OF_ITEMS],
  [
    'settings of other protocols',
    GPT,
    {
      messages: 'Hi',
      system: 'S',
      max_output_tokens: 9,
      stop_sequences: ['a'],
      text: { format: { type: 'json_schema', name: 'a', schema: EMPTY } },
    },
    {
      'messages.0': { role: 'system', content: 'S' },
      'messages.1.content': 'Hi',
      max_tokens: 9,
      stop: ['a'],
      'response_format.json_schema.name': 'a',
      text: undefined,
      system: undefined,
    },
  ],
  [
    'calls and results of the Messages API',
    GPT,
    {
      messages: [
        prompt,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 't', signature: 's' },
            { type: 'text', text: 'a' },
            { type: 'tool_use', id: 'c1', name: 'look', input: { q: 1 } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'ok' }] },
            { type: 'text', text: 'go' },
          ],
        },
      ],
    },
    {
      'messages.1.content': 'a',
      'messages.1.tool_calls.0.function.arguments': '{"q":1}',
      'messages.2': { role: 'tool', tool_call_id: 'c1', content: 'ok' },
      'messages.3.content': 'go',
    },
  ],
  [
    'the text of a schema',
    GPT,
    {
      messages: [prompt],
      tools: [{ type: 'function', function: { name: 'look', parameters: JSON.stringify(CLOSED) } }],
    },
    { 'tools.0.function.parameters': CLOSED },
  ],
  ...(
    [
      ['zai', 'glm-5.2'],
      ['groq', 'openai/gpt-oss-120b'],
      ['bedrock', 'us.meta.llama3-3-70b-instruct-v1:0'],
      ['openai-chat', 'o3-mini'],
    ] as const
  ).map(
    (upstream): Row => [
      `a picture to ${upstream[1]}, which reads none`,
      upstream,
      shown(DRAWN),
      {
        [upstream[0] === 'bedrock' ? 'messages.0.content.0.text' : 'messages.0.content']: MISSING_IMAGE,
      },
    ],
  ),
  [
    'a screenshot of a tool to a model that reads none',
    ['zai', 'glm-5.2'],
    chat(chatCall(), chatResult([DRAWN])),
    { 'messages.2.content': MISSING_IMAGE, 'messages.3': undefined },
  ],
  [
    'a picture to a model of the same vendor that reads it',
    ['zai', 'glm-4.6v'],
    shown(DRAWN),
    { 'messages.0.content.0': DRAWN },
  ],
  ...([GPT, CLAUDE, ['groq', 'openai/gpt-oss-120b']] as const).map(
    (upstream): Row => [
      `a picture that a model has drawn to ${upstream[0]}`,
      upstream,
      chat({ role: 'assistant', content: [{ type: 'text', text: 'a' }, DRAWN] }, prompt),
      upstream === CLAUDE
        ? { 'messages.1.content.1.text': MISSING_IMAGE }
        : { 'messages.1.content': `a${MISSING_IMAGE}` },
    ],
  ),
  [
    'that picture to a router',
    ['openrouter', 'google/gemini-3-pro-image'],
    chat({ role: 'assistant', content: [DRAWN] }, prompt),
    { 'messages.1.content.0': DRAWN },
  ],
  ...([GPT, GROQ, MISTRAL] as const).map(
    (upstream): Row => [
      `blocks of another gateway in an answer to ${upstream[0]}`,
      upstream,
      chat({ role: 'assistant', content: 'a', thinking_blocks: [think], images: [DRAWN] }, prompt),
      { 'messages.1': { role: 'assistant', content: 'a' } },
    ],
  ),
  [
    'two system messages to MiniMax',
    M3,
    { messages: [{ role: 'system', content: 'A' }, { role: 'system', content: 'B' }, prompt] },
    { 'messages.0': { role: 'system', content: 'A\nB' }, 'messages.1': prompt },
  ],
  [
    'a function without a schema to MiniMax',
    M3,
    ask({ tools: [{ type: 'function', function: { name: 'look' } }] }),
    { 'tools.0.function.parameters': { type: 'object', properties: {} } },
  ],
  [
    'a function without a schema to OpenAI, which accepts it',
    GPT,
    ask({ tools: [{ type: 'function', function: { name: 'look' } }] }),
    { 'tools.0.function.parameters': undefined },
  ],
  [
    'the switch of other vendors to MiniMax',
    M3,
    ask({ thinking: { type: 'enabled' } }),
    { thinking: { type: 'adaptive' } },
  ],
  ['its own switch to MiniMax', M3, ask({ thinking: { type: 'disabled' } }), { thinking: { type: 'disabled' } }],
  [
    'a system message alone to Z.ai',
    ['zai', 'glm-5.2'],
    { messages: [{ role: 'system', content: 'S' }] },
    { 'messages.0.role': 'user' },
  ],
  [
    'a hot temperature to Claude at Databricks',
    ['databricks', 'databricks-claude-sonnet-4-5'],
    ask({ temperature: 1.6 }),
    { temperature: 1 },
  ],
  [
    'a hot temperature to Claude at a router',
    ['openrouter', 'anthropic/claude-sonnet-4.5'],
    ask({ temperature: 1.6 }),
    { temperature: 1.6 },
  ],
  [
    'the documents’ word for the retention of a cache',
    GPT,
    ask({ prompt_cache_retention: 'in-memory' }),
    { prompt_cache_retention: 'in_memory' },
  ],
  [
    'the documents’ word for that retention to the Responses API',
    OPENAI,
    ask({ prompt_cache_retention: 'in-memory' }),
    { prompt_cache_retention: 'in_memory' },
  ],
  [
    'an answer first to Perplexity',
    ['perplexity', 'sonar'],
    { messages: [{ role: 'system', content: 'S' }, { role: 'assistant', content: 'a' }, prompt] },
    { 'messages.1': { role: 'user', content: '…' }, 'messages.2.role': 'assistant' },
  ],
]

/** Schemas that no vendor reads as JSON Schema, and the ones that are meant. */
const SCHEMAS: readonly (readonly [title: string, sent: object, meant: object])[] = [
  ['null for what is left out', { a: { type: 'string', description: null, enum: null } }, { a: { type: 'string' } }],
  [
    'types of another language',
    { a: { type: 'float' }, b: { type: 'int' }, c: { type: 'str' }, d: { type: ['bool', 'None'] } },
    { a: { type: 'number' }, b: { type: 'integer' }, c: { type: 'string' }, d: { type: ['boolean', 'null'] } },
  ],
  ['types in capitals', { a: { type: 'STRING' } }, { a: { type: 'string' } }],
  ['a type that is unknown', { a: { type: 'any', description: 'x' } }, { a: { description: 'x' } }],
  ['no types', { a: { type: [] } }, { a: {} }],
  [
    'bounds of the fourth draft',
    { a: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false } },
    { a: { type: 'number', exclusiveMinimum: 0, maximum: 9 } },
  ],
  [
    'items one by one',
    { a: { type: 'array', items: [{ type: 'string' }, { type: 'int' }] } },
    { a: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'integer' }] } } },
  ],
  ['no values', { a: { type: 'string', enum: [] } }, { a: { type: 'string' } }],
  ['values twice', { a: { enum: ['x', 'y', 'x'] } }, { a: { enum: ['x', 'y'] } }],
  ['a choice of nothing', { a: { anyOf: [] } }, { a: {} }],
  ['numbers as texts', { a: { type: 'string', maxLength: '8' } }, { a: { type: 'string', maxLength: 8 } }],
  ['a reference that leads nowhere', { a: { $ref: '#/$defs/X', description: 'x' } }, { a: { description: 'x' } }],
  ['a type in the place of a schema', { a: 'string' }, { a: { type: 'string' } }],
  [
    'an empty list in the place of an object',
    { a: { type: 'object', properties: [], additionalProperties: false } },
    { a: { type: 'object', properties: {}, additionalProperties: false } },
  ],
]

describe('a schema that is no JSON Schema', () => {
  it.each(SCHEMAS)('has what is meant: %s', (_, properties, meant) => {
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties } } }]
    check('openai-chat', ['', GPT, ask({ tools }), { 'tools.0.function.parameters.properties': meant }])
  })

  it('names the properties that are required, in one list', () => {
    const parameters = {
      type: 'object',
      properties: { a: { type: 'string', required: true }, b: { type: 'string', required: false } },
      required: ['b', 'b'],
    }
    const sent = {
      'tools.0.input_schema.required': ['b', 'a'],
      'tools.0.input_schema.properties.a': { type: 'string' },
    }
    const tools = [{ name: 'look', input_schema: parameters }]
    check('anthropic-messages', ['', CLAUDE, set({ tools }), sent])
  })

  it('is mended as the schema of an answer as well', () => {
    const schema = { type: 'object', properties: { a: { type: 'str' } }, required: null }
    const body = ask({ response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } })
    const sent = { type: 'object', properties: { a: { type: 'string' } } }
    check('openai-chat', ['', GPT, body, { 'response_format.json_schema.schema': sent }])
  })
})

describe('a client of chat completions', () => {
  it.each([...CHAT, ...CHAT_FORMS, ...CHAT_ELSEWHERE])('may send %s', (...row) => check('openai-chat', row))
})

// ---------------------------------------------------------------- Ollama

const OLLAMA = ['ollama', 'qwen3'] as const

const OLLAMA_ROWS: readonly Row[] = [
  [
    'a picture in parts',
    OLLAMA,
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
          ],
        },
      ],
    },
    { 'messages.0': { role: 'user', content: 'a', images: ['iVBORw0KGgo='] } },
  ],
  [
    'a tool of the Messages API',
    OLLAMA,
    { messages: [prompt], tools: [{ name: 'look', input_schema: EMPTY }] },
    { 'tools.0': { type: 'function', function: { name: 'look', parameters: EMPTY } } },
  ],
  [
    'contents in parts',
    OLLAMA,
    { messages: [{ role: 'user', content: ['a', 'b'].map((text) => ({ type: 'text', text })) }] },
    { 'messages.0.content': 'a\nb' },
  ],
  [
    'the role developer',
    OLLAMA,
    { messages: [{ role: 'developer', content: 'S' }, prompt] },
    { 'messages.0.role': 'system' },
  ],
  [
    'an image as a data URL',
    OLLAMA,
    { messages: [{ ...prompt, images: ['data:image/png;base64,iVBORw0KGgo='] }] },
    { 'messages.0.images': ['iVBORw0KGgo='] },
  ],
]

describe('an Ollama client', () => {
  it.each(OLLAMA_ROWS)('may send %s', (...row) => check('ollama-chat', row))
})
