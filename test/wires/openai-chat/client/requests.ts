import { openaiChat } from '../../../../src/wires/openai-chat/index.ts'
import { decodeContext } from '../../deltas.ts'
import { type ClientRequests, clientCases } from '../../request-cases.ts'

const HI = { role: 'user', content: 'Hi' }
const PARAMETERS = { type: 'object', properties: {} }
const DECLARED = { name: 'look', description: 'It looks.', parameters: PARAMETERS, strict: true }
const LOOK = { type: 'function', function: DECLARED }
const GREP = {
  type: 'custom',
  custom: { name: 'grep', format: { type: 'grammar', grammar: { syntax: 'regex', definition: 'a*' } } },
}
const READ_GREP = { type: 'custom', name: 'grep', format: { type: 'grammar', syntax: 'regex', definition: 'a*' } }
const READ_LOOK = { type: 'function', ...DECLARED }
const NAMED = { type: 'function', function: { name: 'look' } }
const SCHEMA = { name: 'n', description: 'd', schema: PARAMETERS, strict: true }
const WEB = { type: 'web_search' }
const URL_PART = { type: 'page_url', page_url: { url: 'x' } }
const OTHER = { type: 'function', function: { name: 'other' } }

/** Members that the hub reads as they are. */
const same = (body: object) => ({ body, request: body })
const LOGPROBS = { include: ['message.output_text.logprobs'] }
const format = (response_format: object, read: object) => ({
  name: response_format,
  body: { response_format },
  request: { text: { format: read } },
})
const reasoned = (body: object, reasoning: object, losses = '') => ({ body, request: { reasoning }, losses })
const thought = (tokens: number, effort: string) => ({
  name: `${tokens} reasoning tokens to the effort ${effort}`,
  body: { reasoning: { max_tokens: tokens } },
  request: { reasoning: { effort } },
  losses: 'reasoning.max_tokens mapped',
})
const stopped = (stop: unknown, read?: readonly string[]) => ({
  name: JSON.stringify(stop),
  body: { stop },
  request: {},
  ...(read === undefined ? {} : { stop: read }),
})
const chosen = (tool_choice: unknown, read: unknown) => ({
  name: JSON.stringify(tool_choice),
  body: { tools: [LOOK, GREP], tool_choice },
  request: { tools: [READ_LOOK, READ_GREP], tool_choice: read },
})
const lost = (body: object, losses = '') => ({ body, losses })
const content = (part: unknown) => ({ messages: [HI, { role: 'user', content: [part] }] })
const allowing = (...tools: readonly object[]) => ({
  tools: [LOOK],
  tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools } },
})
const assistant = (fields: object) => ({ messages: [HI, { role: 'assistant', content: null, ...fields }] })
const calling = (...tool_calls: readonly object[]) => assistant({ tool_calls })
const wrong = (error: string, body: object) => ({ name: error, body, error })

// biome-ignore format: a row a case
const groups = [
clientCases('the decoder of chat requests', 'decodes the fields of a request with ', {
  nothing: { request: {} },
  nulls: { body: { temperature: null, stop: null, tools: null, tool_choice: null, response_format: null, n: null },
    request: {} },
  'one choice': { body: { n: 1 }, request: {} },
  'a stream': same({ stream: true }),
  max_tokens: { body: { max_tokens: 9 }, request: { max_output_tokens: 9 } },
  max_completion_tokens: { body: { max_completion_tokens: 9, max_tokens: 9 }, request: { max_output_tokens: 9 } },
  'sampling parameters': same({ temperature: 0.5, top_p: 0.9 }),
  penalties: same({ presence_penalty: 1, frequency_penalty: -1 }),
  'an account': same({ user: 'u', metadata: { a: 'b' }, service_tier: 'flex' }),
  keys: same({ safety_identifier: 's', prompt_cache_key: 'k' }),
  'log probabilities': { body: { logprobs: true, top_logprobs: 2 }, request: { ...LOGPROBS, top_logprobs: 2 } },
  'no log probabilities': { body: { logprobs: false }, request: {} },
  'fields that other vendors reject': { body: { store: false, logit_bias: null, modalities: ['text'] }, request: {} },
  verbosity: { body: { verbosity: 'low' }, request: { text: { verbosity: 'low' } } },
}),
clientCases('the decoder of chat requests', 'decodes the response format ', [
  format({ type: 'text' }, { type: 'text' }),
  format({ type: 'json_object' }, { type: 'json_object' }),
  format({ type: 'json_schema', json_schema: SCHEMA }, { type: 'json_schema', ...SCHEMA }),
  format({ type: 'json_schema', json_schema: { name: 'n' } }, { type: 'json_schema', name: 'n', schema: {} }),
]),
clientCases('the decoder of chat requests', 'decodes the reasoning requested by ', [
  reasoned({ reasoning_effort: 'minimal' }, { effort: 'minimal' }),
  reasoned({ reasoning: { effort: 'high', summary: 'auto' } }, { effort: 'high', summary: 'auto' }),
  reasoned({ reasoning: { enabled: false } }, { effort: 'none' }),
  reasoned({ reasoning: { enabled: true } }, { effort: 'medium' }),
  reasoned({ thinking: { type: 'disabled' } }, { effort: 'none' }),
]),
clientCases('the decoder of chat requests', 'reads the effort from the first of all fields that request reasoning: ', [
  reasoned({ reasoning_effort: 'low', reasoning: { effort: 'high' } }, { effort: 'low' }, 'reasoning.effort'),
  reasoned({ reasoning: { effort: 'low', max_tokens: 500 } }, { effort: 'low' }, 'reasoning.max_tokens'),
  reasoned({ reasoning: { enabled: false, max_tokens: 500 } }, { effort: 'none' }, 'reasoning.max_tokens'),
  reasoned({ reasoning: { enabled: true, max_tokens: 500 } }, { effort: 'minimal' }, 'reasoning.max_tokens mapped'),
  reasoned({ reasoning_effort: 'high', thinking: { type: 'disabled' } }, { effort: 'high' }, 'thinking'),
]),
clientCases('the decoder of chat requests', 'maps ', [
  thought(500, 'minimal'), thought(2000, 'low'), thought(8000, 'medium'), thought(20_000, 'high'),
  thought(60_000, 'xhigh'),
]),
clientCases('the decoder of chat requests', 'decodes the stop sequences ', [
  stopped('\n', ['\n']), stopped(['a', 'b'], ['a', 'b']), stopped([]), stopped(null),
]),
clientCases('the decoder of chat requests', '', {
  'returns the settings that the encoder of the answer needs': [
    { request: {} },
    { body: { stream_options: { include_usage: true } }, settings: { usage: true } },
    { body: { usage: { include: true } }, settings: { usage: true } },
    { body: { functions: [DECLARED] }, settings: { legacy: true } },
    { body: { reasoning: { exclude: true } }, settings: { hidden: true } },
    { body: { include_reasoning: false }, settings: { hidden: true } },
  ],
}),
clientCases('the decoder of tools in chat requests', '', {
  'decodes functions and custom tools': { body: { tools: [LOOK, GREP,
    { type: 'function', function: { name: 'bare' } }] },
    request: { tools: [READ_LOOK, READ_GREP, { type: 'function', name: 'bare' }] } },
  'passes on hosted tools unchanged':
    same({ tools: [{ type: 'openrouter:web_search', parameters: { max_results: 3 } }] }),
  'decodes legacy functions as tools without parallel calls': [
    { body: { functions: [DECLARED], function_call: { name: 'look' } }, settings: { legacy: true },
      request: { tools: [READ_LOOK], tool_choice: { type: 'function', name: 'look' }, parallel_tool_calls: false } },
    { body: { functions: [DECLARED], function_call: 'none' }, settings: { legacy: true },
      request: { tools: [READ_LOOK], tool_choice: 'none', parallel_tool_calls: false } },
  ],
  'maps web_search_options to the tool web_search': {
    body: { web_search_options: { search_context_size: 'low',
      user_location: { type: 'approximate', approximate: { city: 'Bern', country: 'CH' } } } },
    request: { tools: [{ ...WEB, search_context_size: 'low',
      user_location: { type: 'approximate', city: 'Bern', country: 'CH' } }] },
    losses: 'web_search_options mapped' },
  'maps the plugin web to the tool service:web_search': {
    body: { plugins: [{ id: 'web', max_results: 3, include_domains: ['a.example'] }, { id: 'x' }] },
    request: { tools: [{ type: 'service:web_search', max_results: 3, include_domains: ['a.example'] }] },
    losses: 'plugins[0] mapped, plugins[1]' },
  'decodes one search from several fields that request it and drops the others': {
    body: { tools: [WEB], plugins: [{ id: 'web' }], web_search_options: {} }, request: { tools: [WEB] },
    losses: 'web_search_options, plugins[0]' },
}),
clientCases('the decoder of tools in chat requests', 'decodes the tool choice ', [
  chosen('auto', 'auto'), chosen('none', 'none'), chosen('required', 'required'), chosen('any', 'required'),
  chosen(NAMED, { type: 'function', name: 'look' }),
  chosen({ type: 'custom', custom: { name: 'grep' } }, { type: 'custom', name: 'grep' }),
  chosen({ type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [LOOK] } },
    { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'look' }] }),
]),
clientCases('losses of a chat request', 'are recorded for the fields ', [
  lost({ seed: 7, logit_bias: { 50: 1 }, top_k: 5 }, 'seed, logit_bias, top_k'),
  lost({ store: true }, 'store'),
  lost({ stream: true, stream_options: { include_obfuscation: true } }, 'stream_options.include_obfuscation'),
  lost({ prediction: { type: 'content', content: 'x' } }, 'prediction'),
  lost({ provider: { order: ['a'] }, models: ['b/c'] }, 'provider, models'),
  lost({ max_tokens: 5, max_completion_tokens: 6 }, 'max_tokens'),
  lost({ reasoning: { effort: 'low', enabled: false } }, 'reasoning.enabled'),
  lost({ reasoning: { effort: 'none', enabled: true } }, 'reasoning.enabled'),
  lost({ reasoning: { effort: 'low', enabled: true } }),
  lost({ reasoning_effort: 'high', reasoning: { effort: 'low' } }, 'reasoning.effort'),
  lost({ reasoning_effort: 'low', reasoning: { effort: 'low' } }),
  lost({ reasoning_effort: 'high', reasoning: { max_tokens: 500 } }, 'reasoning.max_tokens'),
  lost({ reasoning_effort: 'high', thinking: { type: 'enabled', odd: 1 } }, 'thinking.odd'),
  lost({ reasoning_effort: 'none', thinking: { type: 'disabled' } }),
  lost({ thinking: 'often' }, 'thinking'),
  lost({ logit_bias: {}, prompt_cache_retention: 'in-memory', messages: [{ ...HI, name: '' }] }),
  lost({ prompt_cache_retention: 'in_memory' }),
  lost({ prompt_cache_retention: '24h', prompt_cache_options: { mode: 'explicit' } }),
  lost({ thinking: { type: 'enabled', budget_tokens: 5 } }, 'thinking.budget_tokens, thinking mapped'),
  lost({ messages: [{ ...HI, name: 'Ann', cache_control: { type: 'ephemeral' } }] },
    'messages[0].name, messages[0].cache_control'),
  lost({ messages: [{ role: 'user', content: [{ type: 'text', text: 'x', cache_control: {} }] }] },
    'messages[0].content[0].cache_control'),
  lost({ messages: [{ role: 'assistant', content: 'x', audio: { id: 'a' } }] }, 'messages[0].audio'),
  lost({ messages: [{ role: 'assistant', content: [{ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }] }] }, 'messages[0].content[0]'),
]),
clientCases('an invalid chat request', 'is rejected with the path ', {
  model: wrong('model', { model: '' }),
  messages: [wrong('messages', { messages: 5 }), wrong('messages', { messages: [] })],
  'messages[1].content[0].type': [wrong('messages[1].content[0].type', content(URL_PART)),
    wrong('messages[1].content[0].type', assistant({ content: [{ type: 'input_audio' }] }))],
}),
clientCases('an invalid chat request', 'is rejected with the path ', [
  wrong('messages[0]', { messages: [5] }),
  wrong('messages[0].role', { messages: [{ role: 'human', content: 'Hi' }] }),
  wrong('messages[0].content', { messages: [{ role: 'user', content: 7 }] }),
  wrong('messages[1].content[0].text', content({ type: 'text' })),
  wrong('messages[1].content[0].image_url', content({ type: 'image_url' })),
  wrong('messages[1].content[0].image_url.url', content({ type: 'image_url', image_url: {} })),
  wrong('messages[1].content[0].input_audio.format', content({ type: 'input_audio', input_audio: { data: 'AA==' } })),
  wrong('messages[1].content[0].file.file_data', content({ type: 'file', file: { filename: 'a.pdf' } })),
  wrong('messages[1].tool_calls[0].id', calling({ id: 7, function: { name: 'f', arguments: '{}' } })),
  wrong('messages[1].tool_calls[0].function', calling({ id: 'c' })),
  wrong('messages[1].tool_calls[0].function.name', calling({ id: 'c', function: { arguments: '{}' } })),
  wrong('messages[1].tool_calls[0].custom.input',
    calling({ id: 'c', type: 'custom', custom: { name: 'f', input: 1 } })),
  wrong('messages[0].tool_call_id', { messages: [{ role: 'tool', tool_call_id: 7, content: 'x' }] }),
  wrong('messages[0].name', { messages: [{ role: 'function', name: 'f', content: 'x' }] }),
  wrong('tools', { tools: {} }),
  wrong('tools[0].type', { tools: [{}] }),
  wrong('tools[0].function.name', { tools: [{ type: 'function', function: {} }] }),
  wrong('tools[0].function.parameters', { tools: [{ type: 'function', function: { name: 'f', parameters: 'x' } }] }),
  wrong('tools[0].custom.name', { tools: [{ type: 'custom', custom: {} }] }),
  wrong('tool_choice', { tool_choice: 7 }),
  wrong('tool_choice.allowed_tools.tools[1].function.name', allowing(LOOK, OTHER)),
  wrong('tool_choice.allowed_tools.tools[0].function.name', allowing({ type: 'function', function: {} })),
  wrong('tool_choice.allowed_tools.tools[0].custom.name', allowing({ type: 'custom', custom: { name: 'look' } })),
  wrong('tool_choice.allowed_tools.tools[0].type', allowing(WEB)),
  wrong('tool_choice.function.name', { tools: [LOOK], tool_choice: OTHER }),
  wrong('tool_choice.type', { tool_choice: WEB }),
  wrong('function_call.name', { functions: [DECLARED], function_call: { name: 'other' } }),
  wrong('max_tokens', { max_tokens: 0 }),
  wrong('max_completion_tokens', { max_completion_tokens: 1.5 }),
  wrong('stop', { stop: 7 }),
  wrong('stop[1]', { stop: ['a', 1] }),
  wrong('n', { n: 2 }),
  wrong('modalities', { modalities: ['text', 'audio'] }),
  wrong('logprobs', { logprobs: 5 }),
  wrong('reasoning_effort', { reasoning_effort: 7 }),
  wrong('reasoning.effort', { reasoning: { effort: [] } }),
  wrong('reasoning', { reasoning: 'high' }),
  wrong('verbosity', { verbosity: true }),
  wrong('response_format.type', { response_format: { type: 'xml' } }),
  wrong('response_format.json_schema', { response_format: { type: 'json_schema' } }),
  wrong('response_format.json_schema.name', { response_format: { type: 'json_schema', json_schema: { name: 7 } } }),
  wrong('stream_options.include_usage', { stream_options: { include_usage: 'yes' } }),
  wrong('plugins[0]', { plugins: ['web'] }),
]),
clientCases('an invalid chat request', '', {
  'is rejected with a message that names the expected and the received value': [
    { body: { messages: [{ role: 'human', content: 'Hi' }] }, error: ['messages[0].role',
      'messages[0].role: expected one of system, developer, user, assistant, tool, function, got "human"'] },
    { body: { n: 3 }, error: ['n', 'n: expected 1, because only one choice is supported, got 3'] },
  ],
}),
]

export const REQUESTS: ClientRequests = {
  wire: openaiChat,
  context: decodeContext(),
  base: { model: 'acme/m-1', messages: [HI] },
  request: {
    model: 'acme/m-1',
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
  },
  settings: { usage: false, legacy: false, hidden: false },
  groups,
}
