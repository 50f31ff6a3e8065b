import { cohereChat } from '../../../../src/wires/cohere-chat/index.ts'
import * as hub from '../../hub-requests.ts'
import { type UpstreamRequests, upstreamCases } from '../../request-cases.ts'
import { consistent, image, pdf, thinkingPart } from '../chats.ts'

const { call, chatFn, effort, fn, output, schemaOf, user } = hub
const parameters = { type: 'object', properties: { a: {} }, required: ['a'] }
const STRICT = { parameters, strict: true }

const reasoned = (model: string, word: string, limit?: number, thinking?: object, losses = '') => ({
  name: `${model}, effort ${word}, limit ${limit}`,
  model,
  request: { ...effort(word), max_output_tokens: limit ?? null },
  sent: { thinking, max_tokens: limit },
  losses,
})

// biome-ignore format: a row a case
const groups = [
upstreamCases('fields of a cohere-chat request', 'are encoded for the upstream: ', {
  'no fields': { sent: {}, path: '/v2/chat' },
  'a stream': { request: { stream: true }, sent: { stream: true }, path: '/v2/chat' },
  sampling: { request: { max_output_tokens: 9, temperature: 0, top_p: 0.5, presence_penalty: 1, frequency_penalty: 0 },
    sent: { max_tokens: 9, temperature: 0, p: 0.5, presence_penalty: 1, frequency_penalty: 0 } },
  'sampling out of range': { request: { top_p: 1, presence_penalty: -1, frequency_penalty: 2 },
    sent: { p: 0.99, presence_penalty: 0, frequency_penalty: 1 },
    losses: 'top_p mapped, presence_penalty mapped, frequency_penalty mapped' },
  JSON: { request: hub.JSON_OBJECT, sent: { response_format: { type: 'json_object' } } },
  'a schema': { request: schemaOf(),
    sent: { response_format: { type: 'json_object', json_schema: { type: 'object' } } } },
  text: { request: hub.TEXT, sent: {} },
}),
upstreamCases('fields of a cohere-chat request', 'configure ', [
  reasoned('command-a-reasoning-08-2025', 'none', undefined, { type: 'disabled' }),
  reasoned('command-a-reasoning-08-2025', 'low', undefined, { type: 'enabled', token_budget: 2048 }),
  reasoned('command-a-reasoning-08-2025', 'low', 1000, { type: 'enabled', token_budget: 750 }),
  reasoned('command-a-reasoning-08-2025', 'minimal', 1, { type: 'enabled', token_budget: 1 }),
  reasoned('command-a-plus-05-2026', 'high', undefined, { type: 'enabled' }),
  reasoned('command-a-03-2025', 'high', undefined, undefined, 'reasoning.effort'),
  reasoned('command-r-plus', 'none'),
]),
upstreamCases('tools of a cohere-chat request', 'are encoded with their choice: ', {
  any: { request: { tools: [fn('f', { description: 'd', parameters }), fn('g')], tool_choice: 'auto' },
    sent: { tools: [chatFn('f', { description: 'd', parameters }), chatFn('g')] } },
  none: { request: { tools: [fn()], tool_choice: 'none' }, sent: { tools: [chatFn()], tool_choice: 'NONE' } },
  required: { request: { tools: [fn()], tool_choice: 'required' },
    sent: { tools: [chatFn()], tool_choice: 'REQUIRED' } },
  'one function': { request: { tools: [fn('f'), fn('g')], tool_choice: fn('g') },
    sent: { tools: [chatFn('g')], tool_choice: 'REQUIRED' } },
  'no tools, no choice': { request: { tool_choice: 'none' }, sent: {} },
  strict: { request: { tools: [fn('f', STRICT)] }, sent: { tools: [chatFn('f', { parameters })], strict_tools: true } },
  'strict, of the one that is shown': { request: { tools: [fn('f', STRICT), fn('g')], tool_choice: fn('f') },
    sent: { tools: [chatFn('f', { parameters })], strict_tools: true, tool_choice: 'REQUIRED' } },
  'strict for some': { request: { tools: [fn('f', STRICT), fn('g')] },
    sent: { tools: [chatFn('f', { parameters }), chatFn('g')] }, losses: 'tools[0].strict' },
  'strict without required parameters': { request: { tools: [fn('f', { strict: true })] }, sent: { tools: [chatFn()] },
    losses: 'tools[0].strict' },
}),
upstreamCases('tools of a cohere-chat request', 'are rejected if the upstream cannot force the choice: ', hub.UNFORCED),
upstreamCases('losses of a cohere-chat request', 'are recorded for this content: ', {
  nothing: { request: hub.WITHOUT_EFFECT },
  fields: { request: { ...hub.UNSUPPORTED, truncation: 'auto' }, sent: {},
    losses: 'max_tool_calls, metadata, parallel_tool_calls, plugins, prompt_cache_key, safety_identifier, \
service_tier, truncation, user' },
  'verbosity, summaries, log probabilities': { sent: {},
    request: { text: { verbosity: 'low' }, ...hub.SUMMARY, top_logprobs: 2 },
    losses: 'reasoning.summary, top_logprobs, text.verbosity' },
  'sampling out of range': { request: { top_p: 1, presence_penalty: -1 },
    losses: 'top_p mapped, presence_penalty mapped' },
  parts: { request: { input: [user([pdf, consistent])] }, losses: 'input[0].content[0], input[0].content[1]' },
  'a part of an output': { request: { input: [call('c'), output('c', [consistent])] }, losses: 'input[1].output[0]' },
  'images among the rules': { request: { input: [{ role: 'developer', content: [image] }, user('A')] },
    losses: 'input[0].content' },
  tools: { request: { tools: [hub.WEB, hub.CUSTOM, fn('f', { strict: true })] }, sent: { tools: [chatFn()] },
    losses: 'tools[0], tools[1], tools[2].strict' },
  'encrypted reasoning': { request: { input: [user('A'), thinkingPart('', 'mr1.x'), hub.assistant('B')] },
    losses: 'input[1]' },
  items: { request: { input: [user('A'), { type: 'mcp_call' }] }, losses: 'input[1]' },
  'free text as input': { request: { input: [{ type: 'custom_tool_call', call_id: 'c', name: 'g', input: 'x' }] },
    losses: 'input[0] mapped' },
  'the name and description of a schema': { request: schemaOf({ description: 'd' }),
    losses: 'text.format.description mapped' },
}),
]

export const REQUESTS: UpstreamRequests = {
  wire: cohereChat,
  model: 'some-model',
  base: (model) => ({ model, messages: [user('Hi')], stream: false }),
  groups,
}
