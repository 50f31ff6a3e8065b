import type { JsonObject } from '../../../src/protocol/json.ts'
import type { ClientWireName } from '../../../src/wires/names.ts'
import { CHATS, CONTENTS, MESSAGES, OLLAMAS } from '../../arbitraries/client-requests.ts'

/** Valid requests of each client API, with fields that one upstream or another cannot accept unchanged. */

const SCHEMA = { type: 'object', properties: { a: { type: 'string' } } }
const PNG = 'data:image/png;base64,iVBORw0KGgo='
const HI = [{ role: 'user', content: 'Hi' }]
const HI_PARTS = [{ role: 'user', parts: [{ text: 'Hi' }] }]
const FUNCTION = { type: 'function', function: { name: 'f', parameters: SCHEMA, strict: true } }
const CUSTOM = { type: 'custom', custom: { name: 'k', format: { type: 'text' } } }
const DECLARED = [{ functionDeclarations: [{ name: 'f', parameters: { type: 'OBJECT' } }] }]
const NAMED = { name: 'f', input_schema: SCHEMA, strict: true }
const PLACE = { type: 'approximate', city: 'Bern', country: 'CH', timezone: 'Europe/Zurich' }
const ODD_PLACE = { search_context_size: 'low', user_location: { type: 'approximate', approximate: { city: 5 } } }

const each = (common: JsonObject, bodies: readonly JsonObject[]): readonly JsonObject[] =>
  bodies.map((body) => ({ ...common, ...body }))

const callsOf = (assistant: JsonObject): readonly JsonObject[] => [
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: 'Well.', ...assistant },
  { role: 'user', content: 'Go on' },
]

const CHAT = each({ messages: HI }, [
  { temperature: 1.7, top_p: 0.5, presence_penalty: 1, frequency_penalty: 1, stop: ['a'], max_tokens: 99 },
  { max_completion_tokens: 9, verbosity: 'low', service_tier: 'flex', user: 'u', metadata: { a: 'ü' } },
  { safety_identifier: 'a', prompt_cache_key: 'k', logprobs: true, top_logprobs: 2 },
  { logprobs: true },
  ...['none', 'minimal', 'low', 'xhigh', 'max'].map((reasoning_effort) => ({ reasoning_effort })),
  { reasoning: { effort: 'xhigh', summary: 'detailed' } },
  { reasoning: { enabled: true } },
  { reasoning: { enabled: false } },
  { reasoning: { max_tokens: 500 } },
  { reasoning: { summary: 'auto' } },
  { thinking: { type: 'enabled' } },
  { thinking: { type: 'disabled' } },
  { response_format: { type: 'json_object' } },
  {
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'n', schema: SCHEMA, strict: true, description: 'd' },
    },
  },
  { tools: [FUNCTION], tool_choice: 'required', parallel_tool_calls: false },
  { tools: [FUNCTION], tool_choice: { type: 'function', function: { name: 'f' } } },
  { tools: [FUNCTION, CUSTOM], tool_choice: { type: 'custom', custom: { name: 'k' } } },
  { functions: [{ name: 'f', parameters: SCHEMA }] },
  { functions: [{ name: 'f', parameters: SCHEMA }], function_call: { name: 'f' } },
  { functions: [{ name: 'f', parameters: SCHEMA }], parallel_tool_calls: false },
  { web_search_options: { search_context_size: 'low', user_location: { type: 'approximate', approximate: PLACE } } },
  { web_search_options: { user_location: { type: 'approximate', approximate: { q: 1, city: 'Bern' } } } },
  { web_search_options: ODD_PLACE, tools: [FUNCTION] },
  { plugins: [{ id: 'x' }, { id: 'web', max_results: 3, search_prompt: 'p', include_domains: ['a.example'] }] },
  {
    tools: [
      FUNCTION,
      { type: 'openrouter:web_search', parameters: { max_results: 3, x: 1, allowed_domains: ['a.example'] } },
    ],
  },
  { tools: [{ type: 'web_search', filters: { blocked_domains: ['a.example'] }, user_location: PLACE }] },
  { tools: [{ type: 'file_search' }, { type: 'code_interpreter', container: { type: 'auto' } }] },
  { messages: callsOf({ reasoning_content: 'Hm' }) },
  { messages: callsOf({ reasoning: 'Hm' }) },
  {
    messages: callsOf({
      reasoning_details: [
        { type: 'reasoning.text', text: 'Hm', index: 0, signature: 'theirs' },
        { type: 'reasoning.encrypted', data: 'theirs', index: 1 },
      ],
    }),
  },
  { messages: callsOf({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] }) },
  { messages: [{ role: 'assistant', content: 'I begin.', reasoning_content: 'Hm' }, ...HI] },
  {
    messages: [
      ...HI,
      { role: 'system', content: 'Late rules' },
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'https://a.example/b.png', detail: 'low' } },
          { type: 'file', file: { file_id: 'f1' } },
          { type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: '1', type: 'function', function: { name: 'f', arguments: '{bad' } },
          { id: '2', type: 'custom', custom: { name: 'k', input: 'z' } },
        ],
      },
      { role: 'tool', tool_call_id: '1', content: [{ type: 'image_url', image_url: { url: PNG } }] },
      { role: 'tool', tool_call_id: '2', content: 'q' },
    ],
  },
])

const MESSAGE = each({ messages: HI, max_tokens: 3000 }, [
  { temperature: 0.5, top_p: 0.5, stop_sequences: ['a'], metadata: { user_id: 'ü' }, service_tier: 'standard_only' },
  { thinking: { type: 'enabled', budget_tokens: 1500 } },
  { thinking: { type: 'enabled', budget_tokens: 1500, display: 'omitted' }, output_config: { effort: 'max' } },
  { thinking: { type: 'adaptive' } },
  { thinking: { type: 'disabled' } },
  { thinking: { type: 'disabled' }, output_config: { effort: 'low' } },
  { output_config: { effort: 'max' } },
  { output_config: { format: { type: 'json_schema', schema: SCHEMA } } },
  { output_format: { type: 'json_schema', schema: SCHEMA } },
  {
    tools: [{ type: 'web_search_20250305', name: 's', allowed_domains: ['a.example'], blocked_domains: ['b.example'] }],
  },
  { tools: [NAMED], tool_choice: { type: 'any', disable_parallel_tool_use: true } },
  { tools: [NAMED], tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
  { tools: [NAMED], tool_choice: { type: 'tool', name: 'f' }, thinking: { type: 'enabled', budget_tokens: 1500 } },
  {
    tools: [
      { type: 'code_execution_20250522', name: 'code_execution' },
      { type: 'bash_20250124', name: 'bash' },
    ],
  },
  {
    tools: [
      {
        type: 'web_search_20250305',
        name: 'web_search',
        max_uses: 2,
        blocked_domains: ['a.example'],
        user_location: PLACE,
      },
      NAMED,
    ],
    tool_choice: { type: 'tool', name: 'web_search' },
  },
  {
    system: [{ type: 'text', text: 'Rules' }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'file', file_id: 'f' } },
          { type: 'search_result', source: 'https://a.example', title: 't', content: [{ type: 'text', text: 'z' }] },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm', signature: 'theirs' },
          { type: 'redacted_thinking', data: 'theirs' },
          { type: 'thinking', thinking: 'Hm', signature: 'unsigned' },
          { type: 'text', text: 'a' },
          { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } },
          {
            type: 'web_search_tool_result',
            tool_use_id: 's',
            content: [{ type: 'web_search_result', url: 'https://a.example', title: 't', encrypted_content: 'x' }],
          },
          { type: 'tool_use', id: '1', name: 'f', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: '1',
            content: [{ type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } }],
            is_error: true,
          },
        ],
      },
    ],
  },
])

const configs = (name: string, list: readonly JsonObject[]): readonly JsonObject[] =>
  list.map((config) => ({ [name]: config }))

const GENERATE = each({ contents: HI_PARTS }, [
  ...configs('generationConfig', [
    { temperature: 1.7, topP: 0.5, presencePenalty: 1, frequencyPenalty: 1, stopSequences: ['a'], maxOutputTokens: 50 },
    { responseLogprobs: true, logprobs: 3 },
    { responseLogprobs: true },
    { responseMimeType: 'application/json' },
    { responseMimeType: 'application/json', responseSchema: { type: 'OBJECT' } },
    { responseJsonSchema: SCHEMA },
    { thinkingConfig: { thinkingLevel: 'LOW' } },
    { thinkingConfig: { thinkingBudget: -1 } },
    { thinkingConfig: { thinkingBudget: 0 } },
    { thinkingConfig: { thinkingBudget: 2000, includeThoughts: true } },
    { thinkingConfig: { includeThoughts: true } },
  ]),
  ...configs('generation_config', [
    { response_mime_type: 'application/json', response_schema: { type: 'OBJECT' }, stop_sequences: ['a'], top_p: 0.1 },
    { thinking_config: { thinking_budget: 100, include_thoughts: true }, temperature: 1.9, presence_penalty: 1 },
    { response_logprobs: true, max_output_tokens: 7 },
  ]),
  { serviceTier: 'FLEX', labels: { a: 'ü' } },
  { service_tier: 'FLEX', system_instruction: { parts: [{ text: 'Rules' }] } },
  { tools: DECLARED, toolConfig: { functionCallingConfig: { mode: 'ANY' } } },
  { tools: DECLARED, tool_config: { function_calling_config: { mode: 'ANY', allowed_function_names: ['f'] } } },
  { tools: DECLARED, toolConfig: { functionCallingConfig: { mode: 'VALIDATED' } } },
  { tools: [{ googleSearch: {}, jj: {} }, ...DECLARED, { urlContext: {} }] },
  { tools: [{ codeExecution: {} }] },
  { tools: [{ google_search: { exclude_domains: ['a.example'] } }] },
  { contents: { role: 'user', parts: [{ text: 'Hi' }, { fileData: { fileUri: 'https://a.example/b.pdf' } }] } },
  {
    contents: [
      ...HI_PARTS,
      {
        role: 'model',
        parts: [
          { text: 'Hm', thought: true, thoughtSignature: 'theirs' },
          { text: 'Well.' },
          { functionCall: { name: 'f', args: {}, id: '1' }, thoughtSignature: 'theirs' },
          { executableCode: { language: 'PYTHON', code: '1' } },
          { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { name: 'f', id: '1', response: { a: 1 } } }] },
      { role: 'model', parts: [{ text: 'Hm', thought: true }] },
      { role: 'model', parts: [{ text: 'Well.' }] },
      { role: 'user', parts: [{ inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }] },
    ],
  },
])

const INTERACTION = each({ input: 'Hi' }, [
  { generation_config: { temperature: 1.7, top_p: 0.5, max_output_tokens: 5, stop_sequences: ['a'], seed: 1 } },
  { generation_config: { thinking_level: 'minimal', thinking_summaries: 'auto' } },
  { generation_config: { thinking_level: 'xhigh' } },
  { response_format: { type: 'text', mime_type: 'application/json', schema: SCHEMA } },
  { response_format: [{ type: 'image' }, { type: 'text', schema: SCHEMA }] },
  { response_mime_type: 'text/csv', response_modalities: ['image'] },
  { tools: [{ type: 'function', name: 'f', parameters: SCHEMA, behavior: 'x' }, { type: 'google_maps' }] },
  {
    tools: [{ type: 'function', name: 'f' }],
    generation_config: { tool_choice: { allowed_tools: { mode: 'any', tools: ['g'] } } },
  },
  { tools: [{ type: 'google_search', search_types: ['web_search'] }, { type: 'code_execution' }] },
  { tools: [{ type: 'mcp_server', name: 'm', url: 'https://mcp.example/', headers: { a: 'b' } }] },
  { labels: { a: 'ü' }, service_tier: 'flex', safety_settings: [{ type: 'harassment', threshold: 'off' }] },
  { system_instruction: 'Rules', store: true, agent_config: { type: 'dynamic' } },
  { previous_interaction_id: 'v1_x' },
  { background: true },
  { agent: 'deep-research' },
  {
    input: [
      { type: 'text', text: 'Hi' },
      { type: 'image', data: 'iVBORw0KGgo=', mime_type: 'image/png', resolution: 'medium' },
      { type: 'thought', summary: [{ type: 'text', text: 'Hm' }] },
      { type: 'thought', signature: 'c2ln' },
      { type: 'function_call', id: '1', name: 'f', arguments: { a: 1 } },
      { type: 'function_result', call_id: '1', name: 'f', result: [{ type: 'text', text: 'r' }] },
      { type: 'google_search_call', id: 's', arguments: { queries: ['q'] } },
      {
        type: 'model_output',
        content: [
          { type: 'text', text: 'Well.' },
          { type: 'audio', data: 'AAAA' },
        ],
      },
      { type: 'user_input', content: [{ type: 'video', data: 'AAAA', mime_type: 'video/mp4', processing: 'static' }] },
    ],
  },
  { input: [{ type: 'function_result', call_id: 'gone', result: 'r' }] },
  { input: [{ role: 'system', content: 'Hi' }] },
])

const OLLAMA = each({ messages: HI, stream: false }, [
  ...[true, false, 'low', 'high', 'max'].map((think) => ({ think })),
  { format: 'json' },
  { format: SCHEMA },
  { options: { temperature: 1.7, top_p: 0.5, num_predict: 5, stop: ['a'], presence_penalty: 1, frequency_penalty: 1 } },
  { options: { seed: 1, top_k: 2 } },
  { logprobs: true, top_logprobs: 3 },
  { logprobs: true },
  { top_logprobs: 3 },
  { tools: [FUNCTION] },
  {
    messages: [
      { role: 'system', content: 'Rules' },
      { role: 'user', content: 'Hi', images: ['iVBORw0KGgo='] },
      { role: 'assistant', content: 'Well.', thinking: 'Hm' },
      { role: 'assistant', content: '', thinking: 'Hm', tool_calls: [{ function: { name: 'f', arguments: {} } }] },
      { role: 'tool', tool_name: 'f', content: 'r' },
    ],
  },
])

const RESPONSES = each({ input: 'Hi' }, [
  { temperature: 1.7, top_logprobs: 2, max_tool_calls: 3, metadata: { a: 'ü' }, truncation: 'auto' },
  { include: ['message.output_text.logprobs'], service_tier: 'flex', user: 'u', prompt_cache_key: 'k' },
  { reasoning: { effort: 'minimal', summary: 'auto' } },
  { text: { format: { type: 'json_schema', name: 'n', schema: SCHEMA, description: 'd' }, verbosity: 'low' } },
  { tools: [{ type: 'function', name: 'f', parameters: SCHEMA, strict: true }], parallel_tool_calls: false },
  { tools: [{ type: 'custom', name: 'k' }], tool_choice: 'required' },
  { tools: [{ type: 'service:web_search', parameters: { max_results: 3, excluded_domains: ['a.example'] } }] },
  { tools: [{ type: 'web_search', filters: { excluded_domains: ['a.example'] }, max_uses: 2, mode: 'x' }] },
  { tools: [{ type: 'web_search', allowed_domains: ['a.example'], excluded_domains: ['b.example'], max_uses: 2 }] },
  { plugins: [{ id: 'web', max_results: 3, include_domains: ['a.example'] }] },
])

export const INVALID_REQUESTS: Readonly<
  Record<ClientWireName, { readonly path: string; readonly bodies: readonly JsonObject[] }>
> = {
  'openai-chat': { path: '/chat/completions', bodies: [...CHAT, ...CHATS] },
  'anthropic-messages': { path: '/messages', bodies: [...MESSAGE, ...MESSAGES] },
  'gemini-generate': { path: '/models/*:generateContent', bodies: [...GENERATE, ...CONTENTS] },
  'gemini-interactions': { path: '/interactions', bodies: INTERACTION },
  'ollama-chat': { path: '/api/chat', bodies: [...OLLAMA, ...OLLAMAS] },
  'openai-responses': { path: '/responses', bodies: RESPONSES },
}
