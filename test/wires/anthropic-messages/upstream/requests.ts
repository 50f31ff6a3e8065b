import { anthropicMessages } from '../../../../src/wires/anthropic-messages/index.ts'
import { sealed } from '../../../engine/target.ts'
import * as hub from '../../hub-requests.ts'
import { type Fields, quirksOf, type UpstreamRequests, upstreamCases } from '../../request-cases.ts'
import { MODEL, NEW, NEWEST, result, textContent, use } from '../bodies.ts'

const { assistant, call, CUSTOM, effort, fn, ONE_CALL, output, user, WEB } = hub
const FORTY = 'claude-opus-4-0'
const HAIKU = 'claude-3-haiku-20240307'
const VERTEX_MODEL = 'claude-3-7-sonnet@20250219'
const LIMITS: Readonly<Record<string, number>> = {
  [MODEL]: 64_000,
  [NEW]: 128_000,
  [NEWEST]: 128_000,
  [FORTY]: 32_000,
  [HAIKU]: 4096,
  'claude-3-5-haiku-latest': 8192,
  'claude-3-7-sonnet-latest': 64_000,
  [VERTEX_MODEL]: 64_000,
}
const schema = { type: 'object', properties: {} }
const FORMAT = hub.schemaOf({ schema })
const SENT_FORMAT = { type: 'json_schema', schema }
const BY_SCHEMA = textContent(`Answer with JSON that matches this schema and nothing else:\n${JSON.stringify(schema)}`)

const limited = (model: string, most: number) => [
  `limit the model ${model} to ${most} tokens`,
  [
    { model, sent: { model, max_tokens: most } },
    { model, request: { max_output_tokens: 77 }, sent: { model, max_tokens: 77 } },
  ],
]
const budget = (budget_tokens: number) => ({ thinking: { type: 'enabled', budget_tokens } })
const adaptive = (word: string) => ({
  thinking: { type: 'adaptive', display: 'summarized' },
  output_config: { effort: word },
})
const OFF = { thinking: { type: 'disabled' } }
const reasoned = (name: string, model: string, request: Fields, sent: Fields, losses = '') => ({
  name: `${name}) for the model ${model}`,
  model,
  request,
  sent,
  losses,
})
const thinks = (word: string, model: string, sent: Fields, losses = '') =>
  reasoned(word, model, effort(word), sent, losses)
const MAPPED = 'reasoning.effort mapped'
const DROPPED = 'reasoning.effort'

const tool = (more: Fields = {}) => ({ name: 'f', input_schema: schema, ...more })
const forced = (model: string, thinking: Fields) => [
  `is off for ${model} if a tool must be called`,
  [
    {
      model,
      request: { ...effort('high'), tools: [fn()], tool_choice: 'required' },
      losses: DROPPED,
      sent: { tools: [tool()], tool_choice: { type: 'any' }, ...thinking },
    },
    {
      model,
      request: { ...effort('high'), tools: [fn()], tool_choice: fn() },
      losses: DROPPED,
      sent: { tools: [tool()], tool_choice: { type: 'tool', name: 'f' }, ...thinking },
    },
    {
      model,
      request: { ...effort('high'), tools: [fn()], tool_choice: 'auto' },
      sent: { tools: [tool()], tool_choice: { type: 'auto' }, ...(model === NEW ? adaptive('high') : budget(38_400)) },
    },
  ],
]
const THOUGHT = { type: 'thinking', thinking: 'hm', signature: 's' }
const own = { type: 'reasoning', summary: [], encrypted_content: sealed('anthropic-messages', THOUGHT, MODEL) }
const LOOP = [call('c'), output('c')]
const looped = (input: readonly unknown[]) => ({ ...effort('low'), input, tools: [fn()] })
const said = (words: string, role = 'user') => ({ role, content: [textContent(words)] })
const sentLoop = (before: readonly Fields[]) => ({
  messages: [said('A'), { role: 'assistant', content: [...before, use('c')] }, user([result('c')])],
  tools: [tool()],
})
const BASH = { type: 'bash_20250124', name: 'bash', cache_control: { type: 'ephemeral' } }
const SET = { type: 'computer_toolset_20260801', configs: {} }
const SEARCH = { type: 'web_search_20250305', name: 'web_search' }
const searched = (more: Fields, sent: Fields, losses = '') => ({
  request: { tools: [{ ...WEB, ...more }] },
  sent: { tools: [{ ...SEARCH, ...sent }] },
  losses,
})
const place = (more: Fields) => ({ user_location: { type: 'approximate', ...more } })
const VERTEX = { quirks: quirksOf('vertex-anthropic'), headers: {} }
const ON_VERTEX = { model: undefined, anthropic_version: 'vertex-2023-10-16' }

// biome-ignore format: a row a case
const groups = [
upstreamCases('fields of an anthropic-messages request', 'are encoded for the upstream: ', {
  'no fields': { sent: {} },
  stream: { request: { stream: true }, sent: { stream: true } },
  sampling: { request: { temperature: 0.3 }, sent: { temperature: 0.3 } },
  'a temperature too high': { request: { temperature: 1.7 }, sent: { temperature: 1 }, losses: 'temperature mapped' },
  top_p: { request: { top_p: 0.5 }, sent: { top_p: 0.5 } },
  'both, where one is taken': { request: { temperature: 0.3, top_p: 0.5 }, sent: { temperature: 0.3 },
    losses: 'top_p' },
  'both, where both are': { request: { temperature: 0.3, top_p: 0.5 }, model: HAIKU,
    sent: { temperature: 0.3, top_p: 0.5 } },
  'sampling that the model rejects': { request: { temperature: 0.3, top_p: 0.5 }, model: NEWEST, sent: {},
    losses: 'temperature, top_p' },
  'fields without effect': { model: NEWEST, sent: {}, request: { temperature: 1, top_p: 1, presence_penalty: 0,
    top_logprobs: 0, service_tier: 'auto', truncation: 'disabled' } },
  'the usual tier': { request: { service_tier: 'default' }, sent: { service_tier: 'standard_only' } },
  'a priority tier': { request: { service_tier: 'priority' }, sent: { service_tier: 'auto' },
    losses: 'service_tier mapped' },
  'a user': { request: { user: 'u' }, sent: { metadata: { user_id: 'u' } } },
  'two users': { request: { user: 'u', safety_identifier: 's' }, sent: { metadata: { user_id: 's' } }, losses: 'user' },
  'a schema': { request: FORMAT, sent: { output_config: { format: SENT_FORMAT } } },
  'a schema without structured outputs': { request: FORMAT, model: FORTY, sent: { system: [BY_SCHEMA] },
    losses: 'text.format.schema mapped' },
  'a schema with a description, for a model without schemas': { request: hub.schemaOf({ schema, description: 'd' }),
    model: FORTY, sent: { system: [textContent(`${BY_SCHEMA.text}\nThe JSON is: d`)] }, losses: 'text.format.schema mapped' },
  JSON: { request: { ...hub.JSON_OBJECT, instructions: 'A' }, losses: 'text.format mapped',
    sent: { system: [textContent('A'), textContent('Answer with one JSON object and nothing else.')] } },
  text: { request: hub.TEXT, sent: {} },
  'unsupported fields': { request: { presence_penalty: 1, frequency_penalty: 1, top_logprobs: 1, metadata: { a: 'b' },
    prompt_cache_key: 'k', truncation: 'auto', plugins: [{ id: 'web' }], max_tool_calls: 3, ...hub.LOW_VERBOSITY,
    service_tier: 'flex' }, sent: {}, losses: 'max_tool_calls, service_tier, presence_penalty, frequency_penalty, \
top_logprobs, metadata, prompt_cache_key, text.verbosity, truncation, plugins' },
}),
upstreamCases('fields of an anthropic-messages request', '', Object.fromEntries([
  limited(HAIKU, 4096), limited('claude-3-5-sonnet-20241022', 8192), limited('claude-3-7-sonnet@20250219', 64_000),
  limited('claude-sonnet-4-20250514', 64_000), limited('claude-opus-4-1-20250805', 32_000),
  limited('anthropic/claude-opus-4.5', 64_000), limited('claude-haiku-4-5-20251001', 64_000),
  limited('claude-sonnet-4-6', 128_000), limited('claude-opus-5', 128_000), limited('somebody-elses-model', 4096),
])),
upstreamCases('the reasoning of an anthropic-messages request', 'is configured (', [
  thinks('none', MODEL, {}), thinks('none', NEW, OFF), thinks('minimal', MODEL, budget(1280)),
  thinks('low', MODEL, budget(6400)), thinks('medium', MODEL, budget(19_200)), thinks('high', MODEL, budget(38_400)),
  reasoned('the minimum', MODEL, { ...effort('low'), max_output_tokens: 5000 }, { ...budget(1024), max_tokens: 5000 }),
  thinks('minimal', NEW, adaptive('low'), MAPPED), thinks('medium', NEW, adaptive('medium')),
  thinks('xhigh', NEW, adaptive('high'), MAPPED), thinks('xhigh', NEWEST, adaptive('xhigh')),
  thinks('max', NEW, adaptive('max')), thinks('high', 'claude-3-5-haiku-latest', {}, DROPPED),
  reasoned('a summary', MODEL, { reasoning: { effort: 'low', summary: 'auto' } }, budget(6400)),
  reasoned('a summary without reasoning', MODEL, hub.SUMMARY, {}, 'reasoning.summary'),
  reasoned('and sampling', MODEL, { ...effort('low'), temperature: 0.2, top_p: 0.5 }, budget(6400),
    'temperature, top_p'),
  reasoned('and a mild top_p', MODEL, { ...effort('low'), temperature: 1, top_p: 0.97 },
    { ...budget(6400), top_p: 0.97 }),
  reasoned('and a schema', NEW, { ...effort('low'), ...FORMAT },
    { ...adaptive('low'), output_config: { effort: 'low', format: SENT_FORMAT } }),
]),
upstreamCases('the reasoning of an anthropic-messages request', '', {
  'raises a limit that is smaller than the smallest budget': { request: { ...effort('high'), max_output_tokens: 500 },
    sent: { max_tokens: 1524, ...budget(1024) }, losses: 'max_output_tokens mapped' },
  ...Object.fromEntries([forced(MODEL, {}), forced(NEW, OFF)]),
  'has no budget if answered calls of the history have no reasoning before them': [
    { request: looped([user('A'), ...LOOP]), sent: sentLoop([]), losses: DROPPED },
    { request: looped([user('A'), own, ...LOOP]), sent: { ...sentLoop([THOUGHT]), ...budget(6400) } },
    { request: looped([user('A'), ...LOOP, assistant('B'), user('C')]), sent: { ...sentLoop([]), ...budget(6400),
      messages: [...sentLoop([]).messages, said('B', 'assistant'), said('C')] } },
    { request: looped([user('A'), ...LOOP]), model: NEW, sent: { ...sentLoop([]), ...adaptive('low') } },
  ],
}),
upstreamCases('tools of an anthropic-messages request', 'are encoded with their choice: ', {
  'a function': { request: { tools: [fn('f', { description: 'd', parameters: schema })] },
    sent: { tools: [tool({ description: 'd' })] } },
  'one without parameters': { request: { tools: [fn()] }, sent: { tools: [tool()] } },
  'a root that is no object yet': { request: { tools: [fn('f', { parameters: { properties: { a: {} } } })] },
    sent: { tools: [tool({ input_schema: { type: 'object', properties: { a: {} } } })] } },
  'a strict one': { request: { tools: [fn('f', { strict: true })] }, sent: { tools: [tool({ strict: true })] } },
  auto: { request: { tools: [fn()], tool_choice: 'auto' }, sent: { tools: [tool()], tool_choice: { type: 'auto' } } },
  none: { request: { tools: [fn()], tool_choice: 'none', ...ONE_CALL },
    sent: { tools: [tool()], tool_choice: { type: 'none' } } },
  required: { request: { tools: [fn()], tool_choice: 'required' },
    sent: { tools: [tool()], tool_choice: { type: 'any' } } },
  'a named one': { request: { tools: [fn()], tool_choice: fn(), ...ONE_CALL },
    sent: { tools: [tool()], tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true } } },
  'one at a time': { request: { tools: [fn()], ...ONE_CALL },
    sent: { tools: [tool()], tool_choice: { type: 'auto', disable_parallel_tool_use: true } } },
  'many at a time': { request: { tools: [fn()], parallel_tool_calls: true }, sent: { tools: [tool()] } },
  'no tools, no choice': { request: { tool_choice: 'auto', ...ONE_CALL }, sent: {} },
  'one that takes text, which only a pass makes a function': { request: { tools: [fn(), CUSTOM] },
    sent: { tools: [tool()] }, losses: 'tools[1]' },
  'one that it runs not': { request: { tools: [fn(), { type: 'file_search', vector_store_ids: ['v'] }] },
    sent: { tools: [tool()] }, losses: 'tools[1]' },
  'one of its own': { request: { tools: [BASH] }, sent: { tools: [BASH] } },
  code: { request: { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] },
    sent: { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] } },
}),
upstreamCases('tools of an anthropic-messages request', '', {
  'are not strict for an old model': { request: { tools: [fn('f', { strict: true })] },
    model: 'claude-3-7-sonnet-latest', sent: { tools: [tool()] }, losses: 'tools[0].strict' },
  'need a beta header if they are beta features': {
    request: { tools: [{ type: 'code_interpreter' }, { type: 'web_fetch_20250910', name: 'web_fetch' }] },
    headers: { 'anthropic-version': '2023-06-01',
      'anthropic-beta': 'code-execution-2025-08-25,web-fetch-2025-09-10' } },
}),
upstreamCases('tools of an anthropic-messages request', 'are rejected if the choice cannot be forced: ', [
  { request: { tools: [{ type: 'file_search' }], tool_choice: 'required' }, error: 'tool_choice' },
  { request: { tools: [fn(), { type: 'file_search' }], tool_choice: { type: 'file_search' } }, error: 'tool_choice' },
]),
upstreamCases('a web search over anthropic-messages', 'is encoded from the tool ', [
  'web_search', 'web_search_preview', 'web_search_preview_2025_03_11', 'service:web_search', 'openrouter:web_search',
].map((type) => ({ name: type, request: { tools: [{ type }] }, sent: { tools: [SEARCH] } }))),
upstreamCases('a web search over anthropic-messages', 'is encoded with its options: ', {
  domains: searched({ filters: { allowed_domains: ['a.example'] } }, { allowed_domains: ['a.example'] }),
  'domains to block': searched({ filters: { excluded_domains: ['b.example'] } }, { blocked_domains: ['b.example'] }),
  both: searched({ filters: { allowed_domains: ['a'], blocked_domains: ['b'] } }, { allowed_domains: ['a'] },
    'tools[0].filters.blocked_domains'),
  parameters: searched({ parameters: { allowed_domains: ['a'], max_uses: 2 } },
    { allowed_domains: ['a'], max_uses: 2 }),
  'a location': searched(place({ city: 'Bern', country: 'CH', region: null }), place({ city: 'Bern', country: 'CH' })),
  'a location inside approximate': searched(place({ approximate: { city: 'Bern' } }), place({ city: 'Bern' })),
  'a number of uses': searched({ max_uses: 3 }, { max_uses: 3 }),
  'a size': searched({ search_context_size: 'high' }, {}, 'tools[0].search_context_size'),
  'null values': searched({ filters: null, user_location: null, search_context_size: null }, {}),
}),
upstreamCases('a web search over anthropic-messages', '', {
  'is limited by max_tool_calls of the request': { request: { tools: [WEB, fn()], max_tool_calls: 4 },
    sent: { tools: [{ ...SEARCH, max_uses: 4 }, tool()] }, losses: 'max_tool_calls mapped' },
  'keeps a limit of its own': { request: { tools: [{ ...WEB, max_uses: 2 }], max_tool_calls: 4 },
    sent: { tools: [{ ...SEARCH, max_uses: 2 }] }, losses: 'max_tool_calls mapped' },
  'may be forced by any of its names': {
    request: { tools: [fn(), { type: 'web_search_preview' }], tool_choice: { type: 'web_search_preview' } },
    sent: { tools: [tool(), SEARCH], tool_choice: { type: 'tool', name: 'web_search' } } },
}),
upstreamCases('the path and the headers of an anthropic-messages request', '', {
  'have the version in a header for Anthropic': { request: { stream: true }, quirks: quirksOf('anthropic'),
    path: '/v1/messages', headers: { 'anthropic-version': '2023-06-01' }, sent: { stream: true } },
  'have the model in the path for Vertex, and the version in the body': [
    { ...VERTEX, request: { stream: true }, model: VERTEX_MODEL, path: `/${VERTEX_MODEL}:streamRawPredict`,
      sent: { ...ON_VERTEX, stream: true } },
    { ...VERTEX, model: VERTEX_MODEL, path: `/${VERTEX_MODEL}:rawPredict`, sent: ON_VERTEX },
    { ...VERTEX, model: 'a/../b?c', path: '/a%2F..%2Fb%3Fc:rawPredict', sent: { ...ON_VERTEX, max_tokens: 128_000 } },
  ],
}),
upstreamCases('a set of tools of Anthropic', '', {
  'has no name': { request: { tools: [SET] }, sent: { tools: [SET] } },
}),
]

export const REQUESTS: UpstreamRequests = {
  wire: anthropicMessages,
  model: MODEL,
  base: (model) => ({ model, messages: [said('Hi')], max_tokens: LIMITS[model] }),
  groups,
}
