import { describe, expect, it } from 'vitest'
import { explainRequest } from '../../src/api/explain-request.ts'
import type { TargetName } from '../../src/api/names.ts'
import { toBase64 } from '../../src/text/base64.ts'
import { valueAt } from '../../src/text/json-path.ts'

/**
 * Requests that clients send on as other vendors accept them: public reports of gateways and libraries, each with what
 * the upstream must receive instead, by its path; undefined for none. `lost`: paths of losses.
 */
type Row = readonly [
  title: string,
  client: TargetName,
  upstream: readonly [vendor: string, model: string],
  body: object,
  sent: Readonly<Record<string, unknown>>,
  lost?: readonly string[],
]

function check([, client, [vendor, model], body, sent, lost = []]: Row): void {
  const found = explainRequest({ model: 'm', ...body }, { client, vendor, model })
  if (!found.ok) throw new Error(found.error.message)
  for (const [path, value] of Object.entries(sent))
    expect({ [path]: valueAt(found.upstream, path) }).toEqual({ [path]: value })
  const paths = found.losses.map(({ path }) => path)
  for (const path of lost) expect(paths).toContain(path)
}

const named = (rows: readonly Row[]) => rows.map((row) => [row[0], row] as const)

const [CHAT, MESSAGES, GEMINI] = ['openai-chat', 'anthropic-messages', 'gemini-generate'] as const
const CLAUDE = ['anthropic', 'claude-sonnet-4-6'] as const
const BEDROCK = ['bedrock', 'us.anthropic.claude-sonnet-4-6'] as const
const GOOGLE = ['google', 'gemini-3.8-flash'] as const
const VERTEX = ['vertex', 'gemini-3.8-flash'] as const
const DEEPSEEK = ['deepseek', 'deepseek-v4-pro'] as const
const OLLAMA = ['ollama', 'qwen3:14b'] as const

const HI = { role: 'user', content: 'Hi' }
const TEXT = { type: 'text', text: 'Hi' }
const user = (...content: readonly object[]) => ({ role: 'user', content })
const assistant = (...content: readonly object[]) => ({ role: 'assistant', content })
const chat = (...messages: readonly object[]) => ({ messages })
const messages = (...list: readonly object[]) => ({ max_tokens: 2000, messages: list })
const EMPTY = { type: 'object', properties: {} }
const LOOK = { type: 'function', function: { name: 'look', parameters: EMPTY } }

// ---------------------------------------------------------------- files

const file = (filename: string, type: string, data: string) =>
  user(TEXT, { type: 'file', file: { filename, file_data: `data:${type};base64,${data}` } })
const JSON_FILE = file('a.json', 'application/json', toBase64('{"a":1}'))
const CODE = file('a.py', 'text/x-python', toBase64('print(1)'))
const DOCX = file('a.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'UEsDBA==')
const NO_FILE = '[file: it could not be passed on]'

const FILES: readonly Row[] = [
  [
    'JSON to Bedrock, as plain text (strands-agents/sdk-python#3019)',
    CHAT,
    BEDROCK,
    chat(JSON_FILE),
    {
      'messages.0.content.1.document.format': 'txt',
      'messages.0.content.1.document.source.bytes': toBase64('{"a":1}'),
    },
    ['messages[0].content[1]'],
  ],
  [
    'JSON to the Gemini API, as plain text (langgenius/dify#23307)',
    CHAT,
    GOOGLE,
    chat(JSON_FILE),
    { 'contents.0.parts.1.inlineData.mimeType': 'text/plain' },
    ['messages[0].content[1]'],
  ],
  ['code to the Gemini API', CHAT, GOOGLE, chat(CODE), { 'contents.0.parts.1.inlineData.mimeType': 'text/x-python' }],
  [
    'code to Vertex, as plain text (epam/ai-dial-adapter-vertexai#148)',
    CHAT,
    VERTEX,
    chat(CODE),
    { 'contents.0.parts.1.inlineData.mimeType': 'text/plain' },
  ],
  [
    'a file without a type, which its name has',
    CHAT,
    GOOGLE,
    chat(file('a.md', 'application/octet-stream', toBase64('# a'))),
    { 'contents.0.parts.1.inlineData.mimeType': 'text/markdown' },
  ],
  [
    'a document of Word to Google, as a note (QuantumNous/new-api#1139)',
    CHAT,
    GOOGLE,
    chat(DOCX),
    { 'contents.0.parts.1.text': NO_FILE },
    ['messages[0].content[1]'],
  ],
  ['a document of Word to Bedrock', CHAT, BEDROCK, chat(DOCX), { 'messages.0.content.1.document.format': 'docx' }],
  ['JSON to Ollama, as its text', CHAT, OLLAMA, chat(JSON_FILE), { 'messages.0.content': 'Hi\na.json\n\n{"a":1}' }],
  [
    'JSON to a vendor without files, as its text',
    CHAT,
    ['zai', 'glm-5.2'],
    chat(JSON_FILE),
    { 'messages.0.content': 'Hi\na.json\n\n{"a":1}' },
    ['messages[0].content[1]'],
  ],
  [
    'a file that is no text to a vendor without files, as a note',
    CHAT,
    OLLAMA,
    chat(DOCX),
    { 'messages.0.content': `Hi\n${NO_FILE}` },
  ],
  [
    'a file of Google’s own client, which stays',
    GEMINI,
    GOOGLE,
    { contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'application/json', data: 'e30=' } }] }] },
    { 'contents.0.parts.0.inlineData.mimeType': 'application/json' },
  ],
]

describe('a file of text', () => {
  it.each(named(FILES))('may be %s', (_, row) => check(row))
})

// ---------------------------------------------------------------- blocks of Claude

const use = (id: string, name = 'look') => ({ type: 'tool_use', id, name, input: {} })
const result = (id: string, content: unknown) => ({ type: 'tool_result', tool_use_id: id, content })
const TOOL = { name: 'look', input_schema: EMPTY }
const SEARCH = [
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } },
  { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
]
const DOCUMENT = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'the text' } }
const PDF = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjQK' } }

const OTHER_MODELS: readonly Row[] = [
  [
    'a tool that a search found (MoonshotAI/Kimi-K2#118)',
    MESSAGES,
    DEEPSEEK,
    {
      ...messages(
        HI,
        assistant({ type: 'thinking', thinking: 'Hm', signature: 's' }, use('t1')),
        user(result('t1', [{ type: 'tool_reference', tool_name: 'look' }])),
      ),
      tools: [{ ...TOOL, defer_loading: true }],
    },
    {
      'messages.2.content.0.content': 'The tool look was found and can be called.',
      'tools.0.defer_loading': undefined,
    },
  ],
  [
    'a search of the server (anthropics/claude-code#64158)',
    MESSAGES,
    ['zai', 'glm-5.2'],
    messages(HI, assistant(...SEARCH, TEXT), HI),
    { 'messages.1.content.0': TEXT, 'messages.1.content.1': undefined },
    ['messages[1].content[0]'],
  ],
  [
    'reasoning that only Claude reads (farion1231/cc-switch#5362)',
    MESSAGES,
    ['fireworks', 'accounts/fireworks/models/kimi-k2p6'],
    messages(HI, assistant({ type: 'redacted_thinking', data: 'abc' }, TEXT), HI),
    { 'messages.1.content.0': TEXT },
    ['messages[1].content[0]'],
  ],
  [
    'a compaction, as its text',
    MESSAGES,
    DEEPSEEK,
    messages(HI, assistant({ type: 'compaction', content: 'So far' }, TEXT), HI),
    { 'messages.1.content.0': { type: 'text', text: 'So far' } },
  ],
  [
    'a document of text, as its text',
    MESSAGES,
    DEEPSEEK,
    messages(user(DOCUMENT, TEXT)),
    { 'messages.0.content.0': { type: 'text', text: 'the text' } },
  ],
  [
    'a PDF, as a note',
    MESSAGES,
    DEEPSEEK,
    messages(user(PDF, TEXT)),
    { 'messages.0.content.0': { type: 'text', text: NO_FILE } },
    ['messages[0].content[0]'],
  ],
  ...(['z-ai/glm-5.2', 'openai/gpt-5.4'] as const).map(
    (model): Row => [
      `a PDF to ${model}, which a router reads for it`,
      MESSAGES,
      ['openrouter', model],
      messages(user(PDF, TEXT)),
      { 'messages.0.content.0': PDF },
    ],
  ),
  [
    'a PDF that a tool returned, to a router',
    MESSAGES,
    ['openrouter', 'z-ai/glm-5.2'],
    { ...messages(HI, assistant(use('t1')), user(result('t1', [PDF]))), tools: [TOOL] },
    { 'messages.2.content.0.content.0': PDF },
  ],
]

describe('a conversation with Claude', () => {
  it.each(named(OTHER_MODELS))('may go on with another model: %s', (_, row) => check(row))
})

// ---------------------------------------------------------------- citations

const cited = (block: object) => ({ ...block, citations: { enabled: true } })
const FORMAT = { format: { type: 'json_schema', schema: { ...EMPTY, additionalProperties: false } } }

const CITATIONS: readonly Row[] = [
  [
    'beside a format, which excludes them (agno-agi/agno#7513)',
    MESSAGES,
    CLAUDE,
    { ...messages(user(cited(PDF), TEXT)), output_config: FORMAT },
    { 'messages.0.content.0': PDF, 'output_config.format.type': 'json_schema' },
    ['messages[0].content[0].citations'],
  ],
  [
    'of some documents alone (UKGovernmentBEIS/inspect_ai#4527)',
    MESSAGES,
    CLAUDE,
    messages(user(cited(PDF), PDF, TEXT)),
    { 'messages.0.content.0.citations.enabled': true, 'messages.0.content.1.citations.enabled': true },
  ],
  [
    'of some documents alone, on Bedrock',
    MESSAGES,
    BEDROCK,
    messages(user(cited(PDF), PDF, TEXT)),
    { 'messages.0.content.1.document.citations.enabled': true },
  ],
  [
    'of each document, which stay',
    MESSAGES,
    CLAUDE,
    messages(user(cited(PDF), TEXT)),
    { 'messages.0.content.0': cited(PDF) },
  ],
]

describe('a request for citations', () => {
  it.each(named(CITATIONS))('may ask for those %s', (_, row) => check(row))
})

// ---------------------------------------------------------------- models without functions

const called = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c1', ...LOOK, function: { name: 'look', arguments: '{"q":1}' } }],
}
const output = { role: 'tool', tool_call_id: 'c1', content: 'ok' }

const PLAIN: readonly Row[] = [
  [
    'functions to DeepSeek R1 on Bedrock (langchain-ai/langchain-aws#447)',
    CHAT,
    ['bedrock', 'us.deepseek.r1-v1:0'],
    { ...chat(HI), tools: [LOOK], tool_choice: 'required' },
    { toolConfig: undefined, 'messages.0.content.0.text': 'Hi' },
    ['tools[0].function'],
  ],
  [
    'calls to Gemma on Ollama, as texts',
    CHAT,
    ['ollama', 'gemma3:27b'],
    { ...chat(HI, called, output), tools: [LOOK] },
    {
      tools: undefined,
      'messages.1': { role: 'assistant', content: '[call of look: {"q":1}]' },
      'messages.2': { role: 'user', content: '[result of look]\nok' },
    },
    ['messages[1].tool_calls[0]', 'messages[2]'],
  ],
  [
    'a result that is an error, as one',
    MESSAGES,
    ['bedrock', 'us.deepseek.r1-v1:0'],
    {
      ...messages(HI, assistant(use('t1')), user({ ...result('t1', 'no such file'), is_error: true })),
      tools: [TOOL],
    },
    { 'messages.2.content.0.text': '[error of look]', 'messages.2.content.1.text': 'no such file' },
  ],
  [
    'reasoning to a model of Ollama without it (CherryHQ/cherry-studio#18744)',
    CHAT,
    ['ollama', 'llama3.3:70b'],
    { ...chat(HI), reasoning_effort: 'high' },
    { think: undefined },
    ['reasoning_effort'],
  ],
  [
    'reasoning to one that has it',
    CHAT,
    ['ollama', 'qwen3:14b'],
    { ...chat(HI), reasoning_effort: 'high' },
    { think: true },
  ],
  [
    'a format beside functions to Ollama, which then calls none (ollama/ollama#11037)',
    CHAT,
    OLLAMA,
    { ...chat(HI), tools: [LOOK], response_format: { type: 'json_object' } },
    { format: undefined },
    ['response_format'],
  ],
  [
    'an image to a model of Cohere without sight (langchain-ai/langchain-cohere#182)',
    CHAT,
    ['cohere', 'command-a-03-2025'],
    chat(user(TEXT, { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } })),
    { 'messages.0.content': 'Hi\n[image: it could not be passed on]' },
    ['messages[0].content[1]'],
  ],
  [
    'an image to one that sees',
    CHAT,
    ['cohere', 'command-a-vision-07-2025'],
    chat(user(TEXT, { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } })),
    { 'messages.0.content.1.type': 'image_url' },
  ],
  [
    'an empty message to Cohere (kwaroran/Risuai#504)',
    CHAT,
    ['cohere', 'command-a-03-2025'],
    chat(HI, { role: 'assistant', content: 'a' }, { role: 'user', content: '' }, HI),
    { 'messages.2': { role: 'user', content: 'Hi' } },
  ],
]

describe('what a model does not have', () => {
  it.each(named(PLAIN))('is no reason for a refusal: %s', (_, row) => check(row))

  it.each(['gemini-3-pro-image', 'gemini-2.5-flash-image'])('are functions alone: server tools stay, %s', (model) => {
    const found = explainRequest(
      {
        model: 'm',
        contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
        tools: [{ googleSearch: {} }, { functionDeclarations: [{ name: 'look' }] }],
      },
      {
        client: GEMINI,
        vendor: 'google',
        model,
        quirks: { modelFacts: { '*': { tools: false } } },
      },
    )
    if (!found.ok) throw new Error(found.error.message)
    expect(found.upstream.tools).toEqual([{ googleSearch: {} }])
  })
})

// ---------------------------------------------------------------- signatures, schemas and names at Google

const signed = (signature: string) => ({
  ...called,
  tool_calls: [{ ...called.tool_calls[0], extra_content: { google: { thought_signature: signature } } }],
})
const MARK = 'skip_thought_signature_validator'
const REFERENCE = {
  ...EMPTY,
  properties: { n: { $ref: '#/$defs/N', description: 'A number' } },
  $defs: { N: { type: 'number' } },
}

const AT_GOOGLE: readonly Row[] = [
  [
    'the name of a member in the place of a signature (badlogic/pi-mono#654)',
    CHAT,
    GOOGLE,
    { ...chat(HI, signed('reasoning_content'), output), tools: [LOOK] },
    { 'contents.1.parts.0.thoughtSignature': MARK },
  ],
  [
    'an id of OpenAI there, in a body of Google’s own',
    GEMINI,
    GOOGLE,
    {
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }] },
        { role: 'model', parts: [{ functionCall: { name: 'look', args: {} }, thoughtSignature: 'fc_1|d' }] },
        { role: 'user', parts: [{ functionResponse: { name: 'look', response: { output: 'ok' } } }] },
      ],
    },
    { 'contents.1.parts.0.thoughtSignature': MARK },
  ],
  [
    'a signature, which stays',
    CHAT,
    GOOGLE,
    { ...chat(HI, signed('CiQB4/H/Xg=='), output), tools: [LOOK] },
    { 'contents.1.parts.0.thoughtSignature': 'CiQB4/H/Xg==' },
  ],
  [
    'a description beside a reference, which then stands beside a union (su-kaka/gcli2api#374)',
    CHAT,
    GOOGLE,
    { ...chat(HI), tools: [{ type: 'function', function: { name: 'look', parameters: REFERENCE } }] },
    {
      'tools.0.functionDeclarations.0.parametersJsonSchema.properties.n': {
        description: 'A number',
        anyOf: [{ $ref: '#/$defs/N' }],
      },
    },
    ['tools[0].function.parameters.properties.n'],
  ],
  [
    'other keywords beside a reference',
    CHAT,
    GOOGLE,
    {
      ...chat(HI),
      tools: [
        {
          type: 'function',
          function: {
            name: 'look',
            parameters: { ...REFERENCE, properties: { n: { $ref: '#/$defs/N', type: 'number' } } },
          },
        },
      ],
    },
    { 'tools.0.functionDeclarations.0.parametersJsonSchema.properties.n': { $ref: '#/$defs/N' } },
  ],
  [
    'a reference as all parameters, and a union beside it',
    CHAT,
    GOOGLE,
    {
      ...chat(HI),
      tools: [
        {
          type: 'function',
          function: {
            name: 'look',
            parameters: { $ref: '#/$defs/A', anyOf: [{ required: ['v'] }], $defs: { A: EMPTY } },
          },
        },
      ],
    },
    {
      'tools.0.functionDeclarations.0.parametersJsonSchema': {
        type: 'object',
        anyOf: [{ $ref: '#/$defs/A' }],
        $defs: { A: EMPTY },
      },
    },
  ],
  [
    'a reference as all parameters, beside which no type may stand',
    CHAT,
    GOOGLE,
    {
      ...chat(HI),
      tools: [{ type: 'function', function: { name: 'look', parameters: { $ref: '#/$defs/A', $defs: { A: EMPTY } } } }],
    },
    {
      'tools.0.functionDeclarations.0.parametersJsonSchema': {
        type: 'object',
        anyOf: [{ $ref: '#/$defs/A' }],
        $defs: { A: EMPTY },
      },
    },
  ],
  [
    'a tool of Google’s own beside functions (cloudwego/eino-ext#761)',
    GEMINI,
    GOOGLE,
    {
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      tools: [{ google_search: {} }, { function_declarations: [{ name: 'look' }] }],
      tool_config: { function_calling_config: { mode: 'AUTO' } },
    },
    {
      'tool_config.includeServerSideToolInvocations': true,
      'tool_config.function_calling_config.mode': 'AUTO',
    },
  ],
  [
    'the same where the client has decided it',
    GEMINI,
    GOOGLE,
    {
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      tools: [{ googleSearch: {} }, { functionDeclarations: [{ name: 'look' }] }],
      toolConfig: { includeServerSideToolInvocations: false },
    },
    { 'toolConfig.includeServerSideToolInvocations': false },
  ],
]

describe('a request to Google', () => {
  it.each(named(AT_GOOGLE))('may have %s', (_, row) => check(row))

  it('has names of functions that begin with a letter on Vertex', () => {
    const found = explainRequest(
      { model: 'm', ...chat(HI), tools: [{ type: 'function', function: { name: '1look' } }] },
      { client: CHAT, vendor: 'vertex', model: 'gemini-3.8-flash' },
    )
    if (!found.ok) throw new Error(found.error.message)
    expect(valueAt(found.upstream, 'tools.0.functionDeclarations.0.name')).toMatch(/^[a-z_]/i)
  })
})

// ---------------------------------------------------------------- histories of the Messages API

const HISTORY: readonly Row[] = [
  [
    'no text (charmbracelet/crush#910)',
    MESSAGES,
    CLAUDE,
    messages(HI, assistant({ type: 'text', text: null }, use('t1')), user(result('t1', 'ok'))),
    { 'messages.1.content': [use('t1')] },
  ],
  [
    'reasoning without a text (danny-avila/LibreChat#13888)',
    MESSAGES,
    BEDROCK,
    messages(HI, assistant({ type: 'thinking', thinking: null, signature: '' }, TEXT), HI),
    { 'messages.1.content': [{ text: 'Hi' }] },
  ],
  [
    'the name of a member in the place of a signature (openclaw/openclaw#91205)',
    MESSAGES,
    CLAUDE,
    messages(HI, assistant({ type: 'thinking', thinking: 'Hm', signature: 'reasoning_content' }, TEXT), HI),
    { 'messages.1.content': [TEXT] },
    ['messages[1].content[0]'],
  ],
  [
    'an answer without content',
    MESSAGES,
    ['copilot', 'claude-sonnet-4.6'],
    messages(HI, { role: 'assistant', content: null }, HI),
    { 'messages.1.role': 'user' },
  ],
  [
    'documents whose names differ in their case alone, on Bedrock (strands-agents/samples#290)',
    CHAT,
    BEDROCK,
    chat(file('Report.csv', 'text/csv', 'YQ=='), file('report.csv', 'text/csv', 'YQ==')),
    {
      'messages.0.content.1.document.name': 'Report',
      'messages.0.content.3.document.name': 'report (2)',
    },
  ],
]

describe('a history', () => {
  it.each(named(HISTORY))('may have %s', (_, row) => check(row))
})

// ---------------------------------------------------------------- members of other protocols

const closedObject = (type: unknown) => ({
  type: 'object',
  properties: { a: { type } },
  required: ['a'],
  additionalProperties: false,
})

const REFERRING = {
  ...closedObject('string'),
  properties: { a: { $ref: '#/$defs/A', description: 'x' } },
  $defs: { A: closedObject('string') },
}

const OTHERS: readonly Row[] = [
  [
    'the description of a format of Chat Completions, in its schema',
    MESSAGES,
    CLAUDE,
    {
      ...messages(HI),
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'a', description: 'An answer', schema: { ...EMPTY, additionalProperties: false } },
      },
    },
    { 'output_config.format.schema.description': 'An answer' },
  ],
  [
    'a format that Cerebras refuses as strict, without the word',
    MESSAGES,
    ['cerebras', 'gpt-oss-120b'],
    { ...messages(HI), output_config: { format: { type: 'json_schema', schema: closedObject(['string', 'null']) } } },
    { 'response_format.json_schema.strict': undefined },
  ],
  [
    'a format that Cerebras accepts as strict',
    MESSAGES,
    ['cerebras', 'gpt-oss-120b'],
    { ...messages(HI), output_config: { format: { type: 'json_schema', schema: closedObject('string') } } },
    { 'response_format.json_schema.strict': true },
  ],
  [
    'a description beside a reference, without the word that OpenAI refuses there',
    MESSAGES,
    ['openai-chat', 'gpt-4o'],
    { ...messages(HI), tools: [{ name: 'f', input_schema: REFERRING }] },
    { 'tools.0.function.strict': undefined, 'tools.0.function.parameters.properties.a.description': 'x' },
  ],
  ...[
    { ...closedObject('string'), required: ['a', 'b'] },
    { ...closedObject('string'), properties: { a: true } },
  ].map(
    (schema): Row => [
      'a schema that OpenAI refuses as strict, without the word',
      MESSAGES,
      ['openai-chat', 'gpt-4o'],
      { ...messages(HI), output_config: { format: { type: 'json_schema', schema } } },
      { 'response_format.json_schema.strict': undefined },
    ],
  ),
  [
    'a second user, which is lost under its own name',
    MESSAGES,
    CLAUDE,
    { ...messages(HI, assistant({ type: 'text', text: '' }), HI), user: 'a', metadata: { user_id: 'b' } },
    { 'metadata.user_id': 'b', user: undefined },
    ['user'],
  ],
]

it('loses the number of a member that changes, and of no other', () => {
  const body = { model: 'm', ...messages(HI), max_tokens: 500, thinking: { type: 'enabled', budget_tokens: 1024 } }
  const found = explainRequest(body, { client: MESSAGES, vendor: 'anthropic', model: 'claude-sonnet-4-5' })
  if (!found.ok) throw new Error(found.error.message)
  expect(found.upstream).toMatchObject({ max_tokens: 1524, thinking: { budget_tokens: 1024 } })
  expect(found.losses.map(({ path }) => path)).toEqual(['max_tokens'])
})

describe('a body of the Messages API', () => {
  it.each(named(OTHERS))('may have %s', (_, row) => check(row))
})
