import { openaiChat } from '../../../../src/wires/openai-chat/index.ts'
import type { Quirks } from '../../../../src/wires/quirks.ts'
import * as hub from '../../hub-requests.ts'
import { quirksOf, type UpstreamRequests, upstreamCases } from '../../request-cases.ts'
import { chatCall, chatImage, image, reasoningChunk, tool } from '../chats.ts'

const { call, chatFn, CUSTOM, effort, FAR_FILE, fn, ONE_CALL, output, user, WEB } = hub
const OPENAI_FIELDS = { service_tier: 'flex', prompt_cache_key: 'k', text: { verbosity: 'low' } }
const SAMPLING = { temperature: 0, top_p: 0.5, presence_penalty: 1, frequency_penalty: -1, user: 'u' }
const FN = { description: 'd', parameters: { type: 'object' }, strict: true }
const LOW = { search_context_size: 'low' }
const grammar = { syntax: 'lark', definition: 'd' }
const SCHEMA_RULE = 'Answer with JSON that matches this schema and nothing else:\n{"type":"object"}'
const SCHEMA = { name: 'n', schema: { type: 'object' }, strict: true }

const choice = (tool_choice: unknown, quirks: Quirks, sent: object) => ({
  name: `${JSON.stringify(tool_choice)} for ${JSON.stringify(quirks)}`,
  request: { tools: [fn('f'), fn('g')], tool_choice },
  quirks,
  sent: { tools: [chatFn('f'), chatFn('g')], ...sent },
})
const search = (tool: object, parameters: object) => ({
  name: tool,
  request: { tools: [tool] },
  quirks: quirksOf('openrouter'),
  sent: { tools: [{ type: 'openrouter:web_search', parameters }] },
})
const unsearched = (vendor: string) => ({
  name: `${vendor}, which has no tool for it`,
  request: { tools: [WEB] },
  quirks: quirksOf(vendor),
  sent: {},
  losses: 'tools[0]',
})
const filtered = (vendor: string) => ({
  name: `${vendor} if it has a filter of X`,
  request: { x_search_filter: { allowed_x_handles: ['a'] } },
  quirks: quirksOf(vendor),
  error: 'x_search_filter',
})

const encoded = (vendor: string, model: string, word: string, sent: object, losses = '') => ({
  name: `${vendor} and the model ${model} the effort ${word}`,
  request: effort(word),
  model,
  quirks: quirksOf(vendor),
  sent,
  losses,
})
const MAPPED = 'reasoning.effort mapped'
const DROPPED = 'reasoning.effort'
const OPENAI = quirksOf('openai-chat')
const LIMITED = { temperature: 0.5, top_p: 1, max_output_tokens: 99, top_logprobs: 1 }
const asks = (input: readonly unknown[], quirks: Quirks, ...messages: readonly unknown[]) => ({
  request: { input },
  quirks,
  sent: { messages },
})
const LONG_ID = 'c'.repeat(41)
const calling = (...ids: readonly string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => chatCall(id)),
})

// biome-ignore format: a row a case
const groups = [
upstreamCases('losses of a request to a chat upstream', 'are recorded for this content: ', {
  nothing: { request: { temperature: 1, stream: true, service_tier: 'auto', truncation: 'disabled' } },
  fields: { request: { metadata: { a: 'b' }, max_tool_calls: 1, truncation: 'auto', plugins: [{ id: 'web' }] },
    sent: {}, losses: 'max_tool_calls, metadata, truncation, plugins' },
  'fields of OpenAI': { request: OPENAI_FIELDS, sent: {}, losses: 'text.verbosity, service_tier, prompt_cache_key' },
  reasoning: { request: { input: [user('A'), reasoningChunk('x'), hub.assistant('B')] }, losses: 'input[1]' },
  items: { request: { input: [user('A'), { type: 'mcp_call' }] }, losses: 'input[1]' },
  'a file by its URL': { request: { input: [user([FAR_FILE])] }, losses: 'input[0].content[0]' },
  'a file in an output': { request: { input: [call('c'), output('c', [FAR_FILE])] }, losses: 'input[1].output[0]' },
  'an image among the rules': { request: { input: [{ role: 'system', content: [image] }] },
    losses: 'input[0].content' },
  tools: { request: { tools: [WEB, CUSTOM] }, sent: {}, losses: 'tools[0], tools[1]' },
  'a summary': { request: hub.SUMMARY, sent: {}, losses: 'reasoning.summary' },
  'an effort that it has not': { request: effort('xhigh'), quirks: { effort: 'template' },
    losses: 'reasoning.effort mapped' },
  'a temperature too high': { request: { temperature: 2 }, quirks: { maxTemperature: 1.5 },
    sent: { temperature: 1.5 }, losses: 'temperature mapped' },
  'unsupported content': { request: { user: 'u', top_logprobs: 2 }, quirks: { refuses: ['user', 'top_logprobs'] },
    sent: {}, losses: 'user, top_logprobs' },
  'calls one at a time': { request: { tools: [fn()], ...ONE_CALL }, quirks: { refuses: ['parallel_tool_calls'] },
    sent: { tools: [chatFn()] }, losses: 'parallel_tool_calls' },
}),
upstreamCases('losses of a request to a chat upstream', '', {
  'leave a note in place of a dropped part': { quirks: { files: 'none' },
    request: { input: [user([{ type: 'input_file', file_data: 'data:,' }])] },
    sent: { messages: [user('[file: it could not be passed on]')] }, losses: 'input[0].content[0]' },
}),
upstreamCases('a request to a chat upstream', 'encodes its fields with the quirks of the vendor: ', {
  'no fields': { sent: {} },
  stream: { request: { stream: true }, sent: { stream: true, stream_options: { include_usage: true } } },
  'stream without options': { request: { stream: true }, quirks: { noStreamOptions: true }, sent: { stream: true } },
  sampling: { request: SAMPLING, sent: SAMPLING },
  'a limit': { request: { max_output_tokens: 9 }, sent: { max_tokens: 9 } },
  'a limit by another name': { request: { max_output_tokens: 9 }, quirks: { maxTokensField: 'max_completion_tokens' },
    sent: { max_completion_tokens: 9 } },
  logprobs: { request: { top_logprobs: 2 }, sent: { logprobs: true, top_logprobs: 2 } },
  'logprobs by include': { request: hub.WITH_LOGPROBS, sent: { logprobs: true } },
  'no logprobs': { request: { top_logprobs: 0 }, sent: {} },
  'an effort': { request: effort('minimal'), sent: { reasoning_effort: 'minimal' } },
  json_object: { request: hub.JSON_OBJECT, sent: { response_format: { type: 'json_object' } } },
  'a schema': { request: hub.schemaOf({ strict: true }),
    sent: { response_format: { type: 'json_schema', json_schema: SCHEMA } } },
  'a schema without structured outputs': { request: hub.schemaOf(), quirks: { noJsonSchema: true },
    sent: { messages: [{ role: 'system', content: SCHEMA_RULE }, { role: 'user', content: 'Hi' }],
      response_format: { type: 'json_object' } }, losses: 'text.format.schema mapped' },
  'fields of OpenAI': { request: OPENAI_FIELDS, quirks: { openaiFields: true },
    sent: { service_tier: 'flex', verbosity: 'low', prompt_cache_key: 'k' } },
  tools: { request: { tools: [fn('f', FN)], tool_choice: 'auto', ...ONE_CALL },
    sent: { tools: [chatFn('f', FN)], tool_choice: 'auto', ...ONE_CALL } },
  'no tools, no choice': { request: { tool_choice: 'none', parallel_tool_calls: true }, sent: {} },
  'custom tools': { quirks: { customTools: true },
    request: { tools: [{ ...CUSTOM, format: { type: 'grammar', ...grammar } }], tool_choice: CUSTOM },
    sent: { tools: [{ type: 'custom', custom: { name: 'c', format: { type: 'grammar', grammar } } }],
      tool_choice: { type: 'custom', custom: { name: 'c' } } } },
}),
upstreamCases('a request to a chat upstream', 'maps the tool choice ', [
  choice('required', {}, { tool_choice: 'required' }),
  choice('required', { requiredWord: 'any' }, { tool_choice: 'any' }),
  choice(fn('g'), {}, { tool_choice: { type: 'function', function: { name: 'g' } } }),
  choice(fn('g'), { noNamedChoice: true, requiredWord: 'any' }, { tools: [chatFn('g')], tool_choice: 'any' }),
]),
upstreamCases('a request to a chat upstream',
  'is rejected if the upstream cannot force the tool choice: ', hub.UNFORCED),
upstreamCases('a search over openai-chat', 'is sent as a hosted tool of OpenRouter: ', [
  search({ type: 'service:web_search', parameters: { max_results: 3 } }, { max_results: 3 }),
  search({ type: 'openrouter:web_search' }, {}),
  search({ ...WEB, filters: { allowed_domains: ['a.com'] }, ...LOW }, { allowed_domains: ['a.com'], ...LOW }),
]),
upstreamCases('a search over openai-chat', 'is dropped with a loss for ', ['openai', 'groq'].map(unsearched)),
upstreamCases('a search over openai-chat', 'is rejected for ', ['openai', 'openrouter', 'xai'].map(filtered)),
upstreamCases('stop sequences of a chat request', '', {
  'are sent unchanged, but dropped for models that refuse them while they reason': [
    { stop: ['a', 'b'], sent: { stop: ['a', 'b'] } },
    { stop: ['a', 'b'], sent: { stop: ['a', 'b'] }, quirks: { openaiModels: true }, model: 'gpt-4.1' },
    { stop: ['a', 'b'], sent: {}, quirks: { openaiModels: true }, model: 'o3', losses: 'stop' },
  ],
}),
upstreamCases('requests to vendors of openai-chat', 'encode for ', [
  encoded('deepseek', 'deepseek-v4', 'none', { thinking: { type: 'disabled' } }),
  encoded('deepseek', 'deepseek-v4', 'xhigh', { thinking: { type: 'enabled' }, reasoning_effort: 'high' }, MAPPED),
  encoded('deepseek', 'deepseek-v4', 'max', { thinking: { type: 'enabled' }, reasoning_effort: 'max' }),
  encoded('groq', 'qwen/qwen3.8-27b', 'max', { reasoning_effort: 'high' }, MAPPED),
  encoded('groq', 'openai/gpt-oss-20b', 'minimal', { reasoning_effort: 'low' }, MAPPED),
  encoded('groq', 'qwen/qwen3-32b', 'high', { reasoning_effort: 'default', reasoning_format: 'parsed' }, MAPPED),
  encoded('groq', 'llama-3.3-70b-versatile', 'high', {}, DROPPED),
  encoded('xai-chat', 'grok-3-mini', 'medium', { reasoning_effort: 'high' }, MAPPED),
  encoded('xai-chat', 'grok-4', 'medium', {}, DROPPED),
  encoded('mistral', 'magistral-medium-latest', 'low', { reasoning_effort: 'high' }, MAPPED),
  encoded('mistral', 'mistral-large-4', 'none', { reasoning_effort: 'low' }, MAPPED),
  encoded('mistral', 'codestral-latest', 'high', {}, DROPPED),
  encoded('moonshot', 'kimi-k3', 'none', { reasoning_effort: 'low' }, MAPPED),
  encoded('moonshot', 'kimi-k2.7-code', 'none', {}, DROPPED),
  encoded('xai-chat', 'grok-4.6', 'max', { reasoning_effort: 'xhigh' }, MAPPED),
  encoded('mistral', 'mistral-small-latest', 'high', { reasoning_effort: 'high' }),
  encoded('perplexity', 'sonar-reasoning', 'minimal', { reasoning_effort: 'minimal' }),
  encoded('openrouter', 'openai/gpt-5', 'medium', { reasoning: { effort: 'medium' } }),
  encoded('moonshot', 'kimi-k2.6', 'low', { thinking: { type: 'enabled' } }, MAPPED),
  encoded('moonshot', 'kimi-k3', 'high', { reasoning_effort: 'high' }),
  encoded('alibaba', 'qwen3-max', 'low', { enable_thinking: true, thinking_budget: 4096 }),
  encoded('alibaba', 'qwen3-max', 'none', { enable_thinking: false }),
  encoded('zai', 'glm-4.7', 'high', { thinking: { type: 'enabled' } }, MAPPED),
  encoded('zai', 'glm-5', 'high', { thinking: { type: 'enabled' } }, MAPPED),
  encoded('zai', 'glm-5.2', 'low', { thinking: { type: 'enabled' }, reasoning_effort: 'high' }, MAPPED),
  encoded('zai', 'glm-5.3', 'none', { thinking: { type: 'enabled' }, reasoning_effort: 'low' }, MAPPED),
  encoded('alibaba', 'qwen3.8-max', 'max', { enable_thinking: true, reasoning_effort: 'max' }),
  encoded('alibaba', 'qwen3.8-max', 'none', { enable_thinking: false }),
  encoded('alibaba', 'qwen3-235b-a22b-thinking-2507', 'none',
    { stream: true, stream_options: { include_usage: true } }, DROPPED),
  encoded('minimax', 'MiniMax-M3', 'none', { thinking: { type: 'disabled' } }),
  encoded('minimax', 'MiniMax-M3', 'high', { thinking: { type: 'adaptive' } }, MAPPED),
  encoded('minimax', 'MiniMax-M2.7', 'none', { reasoning_effort: 'low' }, MAPPED),
  encoded('minimax', 'MiniMax-M3.1-Flash-Preview', 'max', { reasoning_effort: 'max' }),
  encoded('ollama-compat', 'qwen3.8:27b', 'none', { reasoning_effort: 'none' }),
  encoded('ollama-compat', 'qwen3.8:27b', 'xhigh', { reasoning_effort: 'high' }, MAPPED),
  encoded('ollama-cloud', 'gpt-oss:120b', 'none', { reasoning_effort: 'low' }, MAPPED),
  encoded('google-compat', 'gemma-4-31b-it', 'none', { reasoning_effort: 'minimal' }, MAPPED),
  encoded('deepinfra', 'Qwen/Qwen3-235B-A22B-Thinking-2507', 'none', {}),
  encoded('fireworks', 'accounts/fireworks/models/kimi-k3', 'none', { reasoning_effort: 'none' }),
  encoded('together', 'google/gemma-4-31b-it', 'none', { reasoning_effort: 'none' }),
  encoded('vllm', 'qwen3', 'none', { chat_template_kwargs: { enable_thinking: false } }),
  encoded('vllm', 'Qwen/Qwen3.8-27B', 'none', { chat_template_kwargs: { enable_thinking: false } }),
  encoded('vllm', 'Qwen/Qwen3.8-27B', 'high', { reasoning_effort: 'medium', chat_template_kwargs: { enable_thinking: true } }, MAPPED),
  encoded('llamacpp', 'gemma-4-12b', 'none', { chat_template_kwargs: { enable_thinking: false } }),
  encoded('llamacpp', 'gemma-4-12b', 'low', { reasoning_effort: 'low', chat_template_kwargs: { enable_thinking: true } }),
  encoded('vllm', 'moonshotai/Kimi-K2.6', 'none', { chat_template_kwargs: { thinking: false } }),
  encoded('vllm', 'moonshotai/Kimi-K3', 'none',
    { reasoning_effort: 'none', chat_template_kwargs: { thinking: false, enable_thinking: false } }),
  encoded('vllm', 'moonshotai/Kimi-K3', 'max',
    { reasoning_effort: 'max', chat_template_kwargs: { thinking: true, enable_thinking: true } }),
  encoded('vllm', 'deepseek-ai/DeepSeek-V3.1', 'none', { chat_template_kwargs: { thinking: false } }),
  encoded('vllm', 'deepseek-ai/DeepSeek-V4-Flash', 'none', { chat_template_kwargs: { thinking: false, enable_thinking: false } }),
  encoded('vllm', 'ibm-granite/granite-3.3-8b-instruct', 'none', { chat_template_kwargs: { thinking: false } }),
  encoded('vllm', 'ibm-granite/granite-4.2-8b', 'none', { chat_template_kwargs: { enable_thinking: false } }),
  encoded('vllm', 'nvidia/nemotron-3-super', 'none', { chat_template_kwargs: { enable_thinking: false } }),
  encoded('vllm', 'MiniMaxAI/MiniMax-M3', 'none', { chat_template_kwargs: { thinking_mode: 'disabled' } }),
  encoded('vllm', 'MiniMaxAI/MiniMax-M3', 'high',
    { reasoning_effort: 'high', chat_template_kwargs: { thinking_mode: 'enabled' } }),
  encoded('vllm', 'mistralai/Mistral-Small-4-119B-2603', 'none', { reasoning_effort: 'none' }),
  encoded('vllm', 'zai-org/GLM-5.2', 'none', { chat_template_kwargs: { enable_thinking: false } }),
  encoded('vllm', 'zai-org/GLM-5.3', 'none', { reasoning_effort: 'low' }, MAPPED),
  encoded('vllm', 'openai/gpt-oss-20b', 'none', { reasoning_effort: 'low' }, MAPPED),
  encoded('vllm', 'MiniMaxAI/MiniMax-M2.5', 'none', {}, DROPPED),
  encoded('vllm', 'gpt-5', 'none', { chat_template_kwargs: { enable_thinking: false } }),
  encoded('lmstudio', 'claude-opus-5-5', 'none', { chat_template_kwargs: { enable_thinking: false } }),
  encoded('openai-chat', 'o4-mini', 'minimal', { reasoning_effort: 'low' }, MAPPED),
  encoded('openai-chat', 'gpt-5.1', 'none', { reasoning_effort: 'none' }),
]),
upstreamCases('requests to vendors of openai-chat', '', {
  'leave out sampling for reasoning models of OpenAI and name the limit max_completion_tokens': [
    { request: LIMITED, model: 'gpt-5-mini', quirks: OPENAI, sent: { max_completion_tokens: 99 },
      losses: 'temperature, top_p, top_logprobs' },
    { request: LIMITED, model: 'gpt-4o', quirks: OPENAI,
      sent: { temperature: 0.5, top_p: 1, max_tokens: 99, logprobs: true, top_logprobs: 1 } },
    { request: { ...LIMITED, ...effort('none') }, model: 'gpt-5.1', quirks: OPENAI,
      sent: { temperature: 0.5, top_p: 1, max_completion_tokens: 99, logprobs: true, top_logprobs: 1, reasoning_effort: 'none' } },
  ],
  'have ids of nine letters for Mistral and no user message after a tool message': asks(
    [call('call_long_one'), call('abcdefgh1'), output('call_long_one', [image]), output('abcdefgh1')], quirksOf('mistral'),
    calling('P0UV6AYpN', 'abcdefgh1'), tool('P0UV6AYpN', '[image 1: it follows in the next user message]'), tool('abcdefgh1'),
    hub.assistant('OK'), user([{ type: 'text', text: 'image 1, from the output of the tool call call_long_one:' }, chatImage])),
  'have call ids of at most 40 characters for OpenAI': asks([call(LONG_ID), output(LONG_ID)], OPENAI,
    calling('6YNZ9NlhI'), tool('6YNZ9NlhI')),
  'have alternating roles for Perplexity': asks(
    [user('A'), user('B'), hub.assistant('C'), hub.assistant('D'), user([image]), user('E')], quirksOf('perplexity'),
    user('A\nB'), hub.assistant('C\nD'), user([chatImage, { type: 'text', text: 'E' }])),
  'have all rules first for Perplexity, and calls of the history in the text message before them': {
    request: { instructions: 'I', input: [user('A'), hub.assistant('B'), { role: 'developer', content: 'R' }, hub.assistant('C'),
      call('c1'), output('c1')] },
    quirks: quirksOf('perplexity'), losses: 'input[2] mapped',
    sent: { messages: [hub.system('I\nR'), user('A'), { ...hub.assistant('B\nC'), tool_calls: [chatCall('c1')] }, tool('c1')] } },
}),
]

export const REQUESTS: UpstreamRequests = {
  wire: openaiChat,
  model: 'some-model',
  base: (model) => ({ model, messages: [user('Hi')] }),
  groups,
}
