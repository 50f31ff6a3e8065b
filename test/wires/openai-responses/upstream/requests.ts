import { findVendor, VENDOR_NAMES } from '../../../../src/vendors/registry.ts'
import { openaiResponses } from '../../../../src/wires/openai-responses/index.ts'
import type { Quirks } from '../../../../src/wires/quirks.ts'
import * as hub from '../../hub-requests.ts'
import { type Fields, quirksOf, type UpstreamRequests, upstreamCases } from '../../request-cases.ts'

const { CUSTOM, effort, fn, WEB } = hub
const INCLUDE = 'reasoning.encrypted_content'
const LOGPROBS = 'message.output_text.logprobs'
const SOURCES = 'web_search_call.action.sources'
const FORMAT = { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true }
const FN = fn('f', { description: 'd', parameters: { type: 'object' }, strict: false })
const LOW = { search_context_size: 'low' }

const message = (role: string, content: unknown) => ({ type: 'message', role, content })
const user = (content: unknown) => message('user', content)
const assistant = (content: unknown) => message('assistant', content)
const text = (words: string) => ({ type: 'input_text', text: words })
const image = { type: 'input_image', image_url: 'data:image/png;base64,AA==' }
const file = { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' }
const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' }
const output = (out: unknown) => ({ type: 'function_call_output', call_id: 'c1', output: out })
const custom = { type: 'custom_tool_call', call_id: 'c1', name: 'g', input: 'x = 1' }
const answer = { type: 'custom_tool_call_output', call_id: 'c1', output: '1' }
const search = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'a' } }
const ran = { type: 'local_shell_call_output', call_id: 'c1', output: 'ok' }
const refusal = { type: 'refusal', refusal: 'B' }

/** Members that the upstream receives as they are. */
const same = (request: Fields) => ({ request, sent: request })
const becomes = (input: unknown, items: unknown, quirks: Quirks = {}, losses = '') => ({
  request: { input },
  sent: { input: items },
  quirks,
  losses,
})
const kept = (input: unknown, quirks: Quirks = {}) => becomes(input, input, quirks)

const OPENAI = quirksOf('openai')
const NO_SUMMARY: Quirks = { ...OPENAI, refuses: ['reasoning.summary'] }
const toOpenai = (model: string, request: Fields, sent: Fields, losses = '') => ({
  name: `${model}: ${JSON.stringify(request)}`,
  model,
  request,
  quirks: OPENAI,
  sent,
  losses,
})
const toXai = (request: Fields, sent: Fields, losses = '') => ({
  request,
  model: 'grok-4.3',
  quirks: quirksOf('xai'),
  sent,
  losses,
})
const TOOLS = [{ ...CUSTOM, format: { type: 'text' } }, fn()]
const READ_TOOLS = [TOOLS[0], fn('f', { parameters: { type: 'object', properties: {} } })]
const NO_INCLUDE = { include: undefined }

const DOMAINS = { allowed_domains: ['a.example'], excluded_domains: ['b.example'] }
const ALLOWED = { allowed_domains: ['a.example'] }
const EXCLUDED = { excluded_domains: ['a.example'] }
const BERN = { search_context_size: 'low', user_location: { type: 'approximate', country: 'CH' } }
const service = (parameters: Fields = {}) => ({ tools: [{ type: 'service:web_search', parameters }] })
const searches = (vendor: string, request: Fields, tool: Fields, losses = '') => ({
  request,
  quirks: quirksOf(vendor),
  sent: { tools: [tool] },
  losses,
})
const forced = (vendor: string, type: string, more: Fields = {}) => ({
  request: { ...service(), tool_choice: { type: 'service:web_search' } },
  quirks: quirksOf(vendor),
  sent: { tools: [{ type, ...more }], tool_choice: { type } },
})
const X_FILTER = { allowed_x_handles: ['mill'], from_date: '2026-01-01', enable_image_understanding: true }
const onX = (vendor: string, filter: Fields, more: Fields = {}) => ({
  request: { ...more, x_search_filter: filter },
  quirks: quirksOf(vendor),
})
const unforced = (request: Fields) => ({ name: request, request, quirks: quirksOf('xai'), error: 'tool_choice' })
const PARALLEL = { parallel_tool_calls: true }

// biome-ignore format: a row a case
const groups = [
upstreamCases('a request over openai-responses', '', {
  'requests an answer that is not stored and encrypted reasoning that can be sent back': { path: '/responses',
    sent: {} },
  'adds log probabilities and other requested values to include': [
    { request: { top_logprobs: 2 }, sent: { top_logprobs: 2, include: [INCLUDE, LOGPROBS] } },
    { request: { include: [LOGPROBS] }, sent: { include: [INCLUDE, LOGPROBS] } },
    { request: { include: [SOURCES, INCLUDE] }, sent: { include: [INCLUDE, SOURCES] } },
  ],
  'leaves out values without effect: fields with default values': { sent: {}, request: { service_tier: 'auto',
    truncation: 'disabled', ...hub.TEXT, tool_choice: 'auto', parallel_tool_calls: true } },
  'leaves out values without effect: zero log probabilities': { request: { top_logprobs: 0 }, sent: {} },
  'carries stream unchanged to the upstream': same({ stream: true }),
  'carries instructions unchanged to the upstream': same({ instructions: 'Be short' }),
  'carries sampling unchanged to the upstream':
    same({ temperature: 0, top_p: 0.5, presence_penalty: 1, frequency_penalty: -1 }),
  'carries limits unchanged to the upstream': same({ max_output_tokens: 9, max_tool_calls: 2 }),
  'carries an account unchanged to the upstream': same({ metadata: { a: 'b' }, user: 'u', safety_identifier: 's',
    prompt_cache_key: 'k', service_tier: 'flex', truncation: 'auto' }),
  'carries a schema unchanged to the upstream': same({ text: { format: FORMAT, verbosity: 'low' } }),
  'carries JSON unchanged to the upstream': same(hub.JSON_OBJECT),
  'carries an effort unchanged to the upstream': same({ reasoning: { effort: 'minimal', summary: 'concise' } }),
  'carries a function unchanged to the upstream': same({ tools: [FN], tool_choice: fn(), ...hub.ONE_CALL }),
  'carries tools of the upstream unchanged to the upstream': same({ tool_choice: { type: 'mcp' },
    tools: [{ type: 'mcp', server_label: 'wiki', server_url: 'https://a' }, { ...WEB, ...LOW }] }),
}),
upstreamCases('the input of an openai-responses request', "is encoded from the client's input: ", {
  'a string': becomes('Hi', [user('Hi')]),
  'a text part': becomes([user([text('Hi')])], [user('Hi')]),
  'texts, images and files': kept([user([text('A'), { ...image, detail: 'original' }, file])]),
  'a sound': kept([user([hub.SOUND])]),
  rules: becomes([{ role: 'system', content: 'A' }], [message('system', 'A')]),
  'an answer, without its id': becomes([{ id: 'msg_x_0', status: 'completed',
    ...assistant([{ type: 'output_text', text: 'A', annotations: [] }]) }], [assistant('A')]),
  'an answer of two parts': kept([assistant([{ type: 'output_text', text: 'A' }, refusal])]),
  'an answer of nothing': becomes([assistant([]), assistant('')], [], {}, 'input[0], input[1]'),
  'a call and its output, without their ids': becomes(
    [{ ...call, id: 'fc_x_0', status: 'completed' }, { ...output('ok'), id: 'fco_1' }], [call, output('ok')]),
  'a call without arguments': becomes([{ ...call, arguments: '' }], [{ ...call, arguments: '{}' }]),
  'an output of nothing': kept([output('')]),
  'an output with an image and a file': kept([output([text('see'), image, file])]),
  'an order that only a flat list can have': kept([call, user('Wait'), output('ok'), assistant('A'), assistant('B')]),
}),
upstreamCases('the input of an openai-responses request', '', {
  'has function calls instead of custom calls if the vendor has no custom tools': [
    kept([custom, answer], { customTools: true }),
    becomes([custom, answer], [{ type: 'function_call', call_id: 'c1', name: 'g', arguments: '{"input":"x = 1"}' },
      output('1')], {}, 'input[0] mapped'),
  ],
  'has items of hosted tools only for vendors that accept them': [
    kept([search, ran], { hostedHistory: true }), becomes([search, ran], [], {}, 'input[0], input[1]'),
  ],
  'has another form or a note for parts that the vendor does not accept': [
    becomes([user([file]), { role: 'developer', content: 'A' }],
      [user('[file: it could not be passed on]'), message('system', 'A')], { files: 'none' }, 'input[0].content[0]'),
    becomes([assistant([{ type: 'refusal', refusal: 'No' }])], [assistant('No')], { refusalAsText: true }),
  ],
}),
upstreamCases('a request to OpenAI over openai-responses', 'is adapted to the model ', [
  toOpenai('gpt-5', { temperature: 1, top_p: 1, top_logprobs: 1 }, {}, 'temperature, top_p, top_logprobs'),
  toOpenai('gpt-5.1', { temperature: 1, ...effort('none') }, { temperature: 1, ...effort('none') }),
  toOpenai('gpt-4o', { temperature: 1 }, { temperature: 1, ...NO_INCLUDE }),
  toOpenai('gpt-4o', { reasoning: { effort: 'low', summary: 'auto' } }, NO_INCLUDE,
    'reasoning.effort, reasoning.summary'),
  toOpenai('gpt-4o', effort('none'), NO_INCLUDE),
  toOpenai('gpt-4o', { max_output_tokens: 3 }, { max_output_tokens: 16, ...NO_INCLUDE }, 'max_output_tokens mapped'),
  toOpenai('o4-mini', effort('minimal'), effort('low'), 'reasoning.effort mapped'),
]),
upstreamCases('a request to OpenAI over openai-responses', '', {
  'requests encrypted reasoning if the model reasons': [
    ...['gpt-4o', 'gpt-4.1-mini', 'gpt-3.5-turbo', 'chatgpt-4o-latest', 'gpt-5-chat-latest'].map((model) =>
      ({ model, quirks: OPENAI, sent: NO_INCLUDE })),
    ...['gpt-5', 'gpt-5.1-codex', 'o3', 'codex-mini', 'my-deployment', 'gpt-45'].map((model) =>
      ({ model, quirks: OPENAI, sent: {} })),
  ],
  'requests a summary only if the client requests it': [
    { ...toOpenai('gpt-5', effort('high'), effort('high')) },
    { ...toOpenai('gpt-5', { reasoning: { effort: 'high', summary: 'auto' } },
      { reasoning: { effort: 'high', summary: 'auto' } }) },
    { ...toOpenai('gpt-5', effort('high'), effort('high')), quirks: {} },
    { ...toOpenai('gpt-5.1', effort('none'), effort('none')) },
    { ...toOpenai('gpt-5', { reasoning: { effort: 'high', summary: 'auto' } }, effort('high'), 'reasoning.summary'),
      quirks: NO_SUMMARY },
  ],
  'keeps custom tools, which are a recorded loss for other vendors': [
    { request: { tools: TOOLS, tool_choice: CUSTOM }, quirks: OPENAI,
      sent: { tools: READ_TOOLS, tool_choice: CUSTOM } },
    { request: { tools: TOOLS }, sent: { tools: READ_TOOLS.slice(1) }, losses: 'tools[0]' },
  ],
}),
upstreamCases('requests to other vendors over openai-responses', '', {
  'stream always, have instructions, and drop many fields for ChatGPT': { model: 'gpt-5.4', quirks: quirksOf('chatgpt'),
    request: { max_output_tokens: 99, temperature: 1, input: [{ role: 'system', content: 'A' }] },
    sent: { stream: true, instructions: '', input: [message('developer', 'A')] },
    losses: 'max_output_tokens, temperature' },
  'have three steps of effort for xAI': [
    toXai(effort('xhigh'), effort('high'), 'reasoning.effort mapped'), toXai(effort('medium'), effort('medium')),
    toXai({ presence_penalty: 1 }, {}, 'presence_penalty'),
  ],
}),
upstreamCases('requests to other vendors over openai-responses', 'are encoded for ',
  VENDOR_NAMES.filter((vendor) => findVendor(vendor)?.wire === 'openai-responses').map((vendor) => ({
    name: `${vendor} without a loss`, request: { stream: true }, quirks: quirksOf(vendor),
    sent: { stream: true, ...(vendor === 'chatgpt' && { instructions: '' }) } }))),
upstreamCases('a web search over openai-responses', 'is encoded for ', {
  'openai: the service’s tool': searches('openai', service(), WEB),
  'openai: under its other name': searches('openai', { tools: [{ type: 'openrouter:web_search' }] }, WEB),
  'openai: with wishes': searches('openai', service({ engine: 'native', ...ALLOWED, ...BERN }), { ...WEB, filters: ALLOWED, ...BERN }),
  'openai: with wishes beside': searches('openai', { tools: [{ type: 'service:web_search', filters: DOMAINS }] },
    { ...WEB, filters: ALLOWED }, 'tools[0].filters.excluded_domains'),
  'openai: with wishes that it has not': searches('openai', service({ engine: 'exa', max_results: 3 }), WEB,
    'tools[0].parameters.engine, tools[0].parameters.max_results'),
  'openai: its own tool': searches('openai', { tools: [{ type: 'web_search_preview', filters: DOMAINS }] },
    { type: 'web_search_preview', filters: DOMAINS }),
  'azure: the service’s tool': searches('azure', service({ search_context_size: 'high' }),
    { type: 'web_search_preview', search_context_size: 'high' }),
  'azure: OpenAI’s tool': searches('azure', { tools: [{ ...WEB, filters: ALLOWED }] }, { type: 'web_search_preview' },
    'tools[0].filters.allowed_domains'),
  'xai: the service’s tool': searches('xai', service({ ...DOMAINS, ...LOW }), { ...WEB, filters: DOMAINS },
    'tools[0].parameters.search_context_size'),
  'openrouter-responses: its own tool': searches('openrouter-responses', service({ engine: 'exa' }),
    { type: 'openrouter:web_search', parameters: { engine: 'exa' } }),
  'openai: the plugin': searches('openai', { plugins: [{ id: 'web', include_domains: ['a.example'], max_results: 5 }] },
    { ...WEB, filters: ALLOWED }, 'plugins[0].max_results'),
  'xai: the plugin': searches('xai', { plugins: [{ id: 'web', exclude_domains: ['a.example'] }] }, { ...WEB, filters: EXCLUDED }),
  'openai: tool and plugin': searches('openai', { ...service(), plugins: [{ id: 'web' }] }, WEB, 'plugins[0]'),
}),
upstreamCases('a web search over openai-responses', 'can be forced by a tool choice for ', {
  openai: forced('openai', 'web_search'),
  azure: forced('azure', 'web_search_preview'),
  'openrouter-responses': forced('openrouter-responses', 'openrouter:web_search', { parameters: {} }),
}),
upstreamCases('the search filter of X over openai-responses', '', {
  'is the tool x_search for xAI': [
    { ...onX('xai', X_FILTER), sent: { tools: [{ type: 'x_search', ...X_FILTER }] } },
    { ...onX('xai', { later: 1 }, service()), sent: { tools: [WEB, { type: 'x_search' }] }, losses: 'x_search_filter.later' },
  ],
  'is sent unchanged to OpenRouter': { ...onX('openrouter-responses', X_FILTER), sent: { x_search_filter: X_FILTER } },
  'is rejected for the vendors OpenAI, Azure and LM Studio': ['openai', 'azure', 'lmstudio-responses'].map((vendor) => (
    { ...onX(vendor, X_FILTER), error: 'x_search_filter' })),
}),
upstreamCases('a tool choice over openai-responses', 'is rejected if the upstream cannot force it: ', [
  unforced({ tools: [CUSTOM], tool_choice: 'required' }), unforced({ tools: [], tool_choice: 'required' }),
  unforced({ tools: [CUSTOM, fn()], tool_choice: CUSTOM }),
  { name: 'a search beyond the number of tools', quirks: { mostTools: 1 }, error: 'tool_choice',
    request: { input: [user('Hi'), call, output('ok')], tools: [fn(), WEB], tool_choice: { type: 'web_search' } } },
]),
upstreamCases('parallel_tool_calls over openai-responses', '', {
  'is sent only beside tools': [
    { request: { tools: [fn()], ...PARALLEL }, quirks: OPENAI, sent: { tools: [READ_TOOLS[1]], ...PARALLEL } },
    { request: PARALLEL, quirks: OPENAI, sent: {} },
  ],
  'is a loss if the vendor refuses it': { request: { tools: [fn()], ...hub.ONE_CALL },
    quirks: { refuses: ['parallel_tool_calls'] }, losses: 'parallel_tool_calls' },
}),
]

export const REQUESTS: UpstreamRequests = {
  wire: openaiResponses,
  model: 'some-model',
  base: (model) => ({ model, input: [user('Hi')], store: false, include: [INCLUDE] }),
  groups,
}
