import type { WireName } from '../../src/wires/contract.ts'
import type { Quirks } from '../../src/wires/quirks.ts'

/** A request that one rule changes, and the text that its upstream would refuse. */
export interface Witness {
  readonly client: WireName
  readonly vendor: string
  /** Another wire of the vendor than the one of its row. */
  readonly wire?: WireName
  readonly model: string
  /** Quirks that the vendor's row does not have: an operator's own, or learned. */
  readonly quirks?: Quirks
  readonly body: object
  /** What no sent body may contain. */
  readonly refused: RegExp
}

const HI = { role: 'user', content: 'Hi' }
const EMPTY = { type: 'object', properties: {}, additionalProperties: false }
const look = (parameters: object = EMPTY, more: object = {}) => ({
  type: 'function',
  function: { name: 'look', parameters, ...more },
})
const call = (id: string, args = '{}') => ({ id, type: 'function', function: { name: 'look', arguments: args } })
const called = (...ids: readonly string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => call(id)),
})
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' })
const SCHEMA = { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object', properties: {} } } }
const PDF = { type: 'file', file: { filename: 'a.pdf', file_data: 'JVBERi0xLjQK' } }

const chat =
  (vendor: string, model: string) =>
  (settings: object, refused: RegExp, more: readonly object[] = []): Witness => ({
    client: 'openai-chat',
    vendor,
    model,
    body: { model: 'vendor/model', messages: [HI, ...more], ...settings },
    refused,
  })

const claude = chat('anthropic', 'claude-sonnet-4-5')
const openai = chat('openai', 'gpt-5.2')

/** For each rule, by its name. Without the rule, its upstream receives the text. */
export const WITNESSES: Readonly<Record<string, Witness>> = {
  'shared ids of calls': {
    client: 'openai-responses',
    vendor: 'openai',
    wire: 'openai-responses',
    model: 'gpt-5.2',
    body: {
      model: 'vendor/model',
      input: [
        HI,
        { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
        { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: 'ok' },
        { type: 'function_call_output', call_id: 'c1', output: 'ok' },
      ],
      tools: [{ type: 'function', name: 'look', parameters: EMPTY }],
    },
    refused: /"call_id":"c1","name.*"call_id":"c1","name/,
  },
  'ids of calls': claude({ tools: [look()] }, /"id":"c1".*"id":"c1"/, [
    called('c1'),
    result('c1'),
    called('c1'),
    result('c1'),
  ]),
  'results of calls': claude({ tools: [look()] }, /"tool_use".{1,80}\]\},\{"role":"user","content":\[\{"type":"text"/, [
    called('c1'),
    HI,
  ]),
  'places of results': {
    client: 'openai-responses',
    vendor: 'deepseek-responses',
    model: 'deepseek-v4-pro',
    body: {
      model: 'vendor/model',
      input: [
        HI,
        { type: 'function_call_output', call_id: 'c1', output: 'ok' },
        { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
      ],
      tools: [{ type: 'function', name: 'look', parameters: EMPTY }],
    },
    refused: /"function_call_output".*"function_call"/,
  },
  'arguments of calls': chat('deepseek', 'deepseek-v4-pro')({ tools: [look()] }, /"arguments":"\{\\"a\\":"/, [
    { role: 'assistant', content: null, tool_calls: [call('c1', '{"a":')] },
    result('c1'),
  ]),
  'data of media': claude({}, /"media_type":"image\/jpeg"/, [
    {
      role: 'user',
      content: [{ type: 'image_url', image_url: { url: 'data:image/jpeg;base64,iVBORw0KGgo=' } }],
    },
  ]),
  'types of images': openai({}, /svg/, [
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/svg+xml;base64,PHN2Zz4=' } }] },
  ]),
  'addresses of images': chat('moonshot', 'kimi-k3')({}, /https:/, [
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }] },
  ]),
  images: chat('zai', 'glm-5.2')({}, /image_url/, [
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }] },
  ]),
  'files of text': chat('ollama', 'qwen3:14b')({}, /could not be passed on/, [
    {
      role: 'user',
      content: [{ type: 'file', file: { filename: 'a.json', file_data: 'data:application/json;base64,e30=' } }],
    },
  ]),
  files: openai({}, /"file_data":"JVBERi/, [{ role: 'user', content: [PDF] }]),
  'names of files': chat('google', 'gemini-2.5-pro')({}, /a\.pdf/, [{ role: 'user', content: [PDF] }]),
  'names of formats': openai(
    { response_format: { ...SCHEMA, json_schema: { ...SCHEMA.json_schema, name: 'a b' } } },
    /"a b"/,
  ),
  'late system messages': chat('vllm', 'zephyr')({}, /"role":"system"/, [
    { role: 'assistant', content: 'Well.' },
    { role: 'system', content: 'Be brief.' },
  ]),
  'empty messages behind an answer': claude({}, /"content":\[?(?:""|\{"type":"text","text":""\})/, [
    { role: 'assistant', content: 'Well.' },
    { role: 'user', content: '' },
  ]),
  'last message': chat('anthropic', 'claude-opus-4-8')({}, /"role":"assistant"[^{]{1,20}\{[^{]{1,60}\}\]\}\]/, [
    { role: 'assistant', content: 'So' },
  ]),
  'tools of Claude': {
    client: 'anthropic-messages',
    vendor: 'openai',
    model: 'gpt-5.4',
    body: {
      model: 'vendor/model',
      max_tokens: 100,
      messages: [HI],
      tools: [{ type: 'bash_20250124', name: 'bash' }],
    },
    refused: /bash_20250124/,
  },
  functions: { ...openai({ tools: [look()] }, /"tools"/), quirks: { modelFacts: { '*': { tools: false } } } },
  'server tools': {
    client: 'openai-responses',
    vendor: 'copilot-responses',
    model: 'gpt-5.4',
    body: { model: 'vendor/model', input: [HI], tools: [{ type: 'image_generation' }] },
    refused: /image_generation/,
  },
  'tools of one name': openai({ tools: [look(), look()] }, /"name":"look".*"name":"look"/),
  'descriptions of tools': {
    ...openai({ tools: [look(EMPTY, { description: 'Looks. '.repeat(200) })] }, /(?:Looks\. ){150}/),
    quirks: { longestDescription: 1024 },
  },
  effort: openai({ reasoning_effort: 'max' }, /"effort":"max"/),
  'reasoning of calls': chat('deepseek', 'deepseek-v4-pro')({ tools: [look()] }, /^(?!.*"disabled")/, [
    called('c1'),
    result('c1'),
  ]),
  'forced tools': chat('anthropic', 'claude-opus-5-5')({ tools: [look()], tool_choice: 'required' }, /"type":"any"/),
  'functions in Chat Completions': chat('openai-chat', 'gpt-6-sol')(
    { tools: [look()], reasoning_effort: 'high' },
    /"reasoning_effort":"high"/,
  ),
  'parallel calls': chat('openai-chat', 'o3')({ tools: [look()], parallel_tool_calls: false }, /parallel_tool_calls/),
  'reasoning of the last turn': claude({ reasoning_effort: 'high' }, /budget_tokens/, [
    { role: 'assistant', content: 'So' },
  ]),
  citations: {
    client: 'anthropic-messages',
    vendor: 'bedrock',
    model: 'anthropic.claude-sonnet-4-5',
    body: {
      model: 'vendor/model',
      max_tokens: 99,
      messages: [
        {
          role: 'user',
          content: [true, false].map((enabled) => ({
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjQK' },
            citations: { enabled },
          })),
        },
      ],
    },
    refused: /"bytes":"[^"]*"\}\}\}/,
  },
  'JSON beside functions': chat('groq', 'llama-3.3-70b')(
    { tools: [look()], response_format: { type: 'json_object' } },
    /response_format/,
  ),
  'JSON beside reasoning': chat('alibaba', 'qwen3-32b')(
    { reasoning_effort: 'high', response_format: { type: 'json_object' } },
    /response_format/,
  ),
  'number of tools': openai(
    {
      tools: Array.from({ length: 129 }, (_, at) => ({
        type: 'function',
        function: { name: `look_${at}`, parameters: EMPTY },
      })),
    },
    /look_128/,
  ),
  'effort beside server tools': chat('openai', 'gpt-5')(
    { reasoning_effort: 'minimal', web_search_options: {} },
    /"effort":"minimal"/,
  ),
  'JSON schemas': chat('deepseek', 'deepseek-v4-pro')({ response_format: SCHEMA }, /json_schema/),
  'JSON without a schema': chat('perplexity', 'sonar-pro')({ response_format: { type: 'json_object' } }, /json_object/),
  'the word JSON': chat('openai-chat', 'gpt-4.1')({ response_format: { type: 'json_object' } }, /^(?!.*JSON)/),
  'one system message': {
    client: 'openai-responses',
    vendor: 'lmstudio-responses',
    model: 'qwen3.8-27b',
    body: { model: 'vendor/model', instructions: 'Be kind.', input: [{ role: 'system', content: 'Be brief.' }, HI] },
    refused: /"role":"system"/,
  },
  sampling: openai({ reasoning_effort: 'high', temperature: 0.2 }, /temperature/),
  'sampling beside other settings': claude({ temperature: 0.2, top_p: 0.5 }, /top_p/),
  'sampling without a choice': chat('mistral', 'mistral-large-latest')({ temperature: 0, top_p: 0.5 }, /top_p/),
  temperature: chat('mistral', 'mistral-large-latest')({ temperature: 1.9 }, /1\.9/),
  'log probabilities': chat('deepseek', 'deepseek-reasoner')({ logprobs: true, top_logprobs: 2 }, /logprobs/),
  verbosity: chat('openai-chat', 'gpt-4.1')({ verbosity: 'low' }, /"low"/),
  'stop words': claude({ stop: ['\n'] }, /stop_sequences/),
  'output limit': claude({ max_tokens: 100_000 }, /100000/),
  'service tier': chat('xai-chat', 'grok-4.6')({ service_tier: 'flex' }, /flex/),
  identifiers: openai({ user: 'u'.repeat(70) }, /"user":"u/),
  'cache breakpoints': {
    client: 'anthropic-messages',
    vendor: 'anthropic',
    model: 'claude-opus-4-8',
    body: {
      model: 'vendor/model',
      max_tokens: 100,
      messages: [
        {
          role: 'user',
          content: ['a', 'b', 'c', 'd', 'e'].map((text) => ({
            type: 'text',
            text,
            cache_control: { type: 'ephemeral' },
          })),
        },
      ],
    },
    refused: /(?:ephemeral.*){5}/,
  },
  'identifiers of persons': claude({ user: 'ann@example.com' }, /ann@example/),
  'schemas that are none': openai(
    { tools: [look({ type: 'object', properties: {}, required: null })] },
    /"required":null/,
  ),
  'schemas of functions': openai({ tools: [look({ type: 'object' })] }, /"parameters":\{"type":"object"\}/),
  'strict functions': chat('anthropic', 'claude-3-7-sonnet-latest')(
    { tools: [look(EMPTY, { strict: true })] },
    /"strict":true/,
  ),
  'strict schemas': openai(
    {
      tools: [
        look({ type: 'object', properties: { a: {} }, required: ['a'], additionalProperties: false }, { strict: true }),
      ],
    },
    /"strict":true/,
  ),
  'strict functions beside others': chat('cerebras', 'llama-3.3-70b')(
    { tools: [look(EMPTY, { strict: true }), look(EMPTY, { name: 'peek' })] },
    /"strict":true/,
  ),
  'schemas that bind': claude({ response_format: SCHEMA }, /"schema":\{"type":"object","properties":\{\}\}/),
}
