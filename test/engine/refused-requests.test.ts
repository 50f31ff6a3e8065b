import { describe, expect, it } from 'vitest'
import { explainRequest } from '../../src/api/explain-request.ts'
import type { TargetName } from '../../src/api/names.ts'
import { valueAt } from '../../src/text/json-path.ts'

/**
 * Requests that one kind of vendor refuses, or takes for another one: a row has the members that the upstream must
 * receive, by their paths; undefined for none. Each is sent whole and as a stream, passed through and translated.
 */
type Row = readonly [
  title: string,
  upstreams: readonly (readonly [vendor: string, model: string])[],
  body: object,
  sent: Readonly<Record<string, unknown>>,
  /** Left out: passed through, and translated. */
  passes?: readonly boolean[],
]

function check(client: TargetName, [, upstreams, body, sent, passes = [true, false]]: Row): void {
  for (const [vendor, model] of upstreams)
    for (const stream of [false, true])
      for (const passthrough of passes) {
        const given = { model: 'm', ...body, ...(stream ? { stream } : {}) }
        const found = explainRequest(given, { client, vendor, model, passthrough })
        if (!found.ok) throw new Error(found.error.message)
        const about = { vendor, stream, passthrough }
        for (const [path, value] of Object.entries(sent))
          expect({ ...about, [path]: valueAt(found.upstream, path) }).toEqual({ ...about, [path]: value })
      }
}

const testRows = (subject: string, client: TargetName, rows: readonly Row[]) =>
  describe(subject, () => {
    for (const row of rows) it(row[0], () => check(client, row))
  })

const said = { role: 'user', content: 'Hi' }
const answered = { role: 'assistant', content: 'Hello' }
const ask = (more: object = {}) => ({ messages: [said], ...more })
const schemaFor = (schema: object, more: object = {}) => ({
  response_format: { type: 'json_schema', json_schema: { name: 'a', schema, ...more } },
})
const tool = (parameters?: object, more: object = {}) => ({
  tools: [{ type: 'function', function: { name: 'f', ...(parameters === undefined ? {} : { parameters }), ...more } }],
})
const PARAMETERS = 'tools.0.function.parameters'
const text = { type: 'string' }
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })

// biome-ignore format: a row a case
testRows('reasoning in the words of another server', 'openai-chat', [
  ['the switch of Alibaba', [['deepseek', 'deepseek-v4-flash']], ask({ enable_thinking: false }), { thinking: { type: 'disabled' }, enable_thinking: undefined }],
  ['the switch of Alibaba, at a server with templates', [['vllm', 'Qwen/Qwen3.6-27B']], ask({ enable_thinking: false }), { 'chat_template_kwargs.enable_thinking': false, enable_thinking: undefined }],
  ['the budget of Alibaba, at another vendor', [['zai', 'glm-4.6']], ask({ enable_thinking: true, thinking_budget: 500 }), { 'thinking.type': 'enabled', thinking_budget: undefined }],
  ['the words of a template, at Alibaba', [['alibaba', 'qwen3.6-plus']], ask({ chat_template_kwargs: { enable_thinking: true, other: 1 } }), { enable_thinking: true, chat_template_kwargs: undefined }],
  ['the words of a template, at GLM', [['zai', 'glm-4.6']], ask({ chat_template_kwargs: { thinking: false } }), { thinking: { type: 'disabled' }, chat_template_kwargs: undefined }],
  ['the switch of Ollama', [['ollama-compat', 'gemma4:26b']], ask({ think: false }), { reasoning_effort: 'none', think: undefined }],
  ['the step of Ollama', [['openrouter', 'openai/gpt-oss-120b']], ask({ think: 'low' }), { 'reasoning.effort': 'low', think: undefined }],
  ['all of them, where reasoning has steps', [['openai-chat', 'gpt-5.4']], ask({ enable_thinking: false, chat_template_kwargs: { enable_thinking: false } }), { reasoning_effort: 'none', enable_thinking: undefined, chat_template_kwargs: undefined }],
  ['all of them, in another protocol', [['anthropic', 'claude-sonnet-4-6']], ask({ enable_thinking: true }), { 'thinking.type': 'adaptive' }],
  ['the words of the vendor itself', [['alibaba', 'qwen3-max']], ask({ enable_thinking: true, thinking_budget: 500, stream: true }), { enable_thinking: true, thinking_budget: 500 }],
  ['the words of the template itself', [['vllm', 'Qwen/Qwen3.6-27B']], ask({ chat_template_kwargs: { enable_thinking: false, other: 1 } }), { chat_template_kwargs: { enable_thinking: false, other: 1 } }],
  ['a budget and a switch that it does not know, which are left out', [['vllm', 'Qwen/Qwen3.6-27B'], ['openai-chat', 'gpt-5.4']], ask({ thinking_budget: -1, think: 1, enable_thinking: true }), { thinking_budget: undefined, think: undefined }],
  ['words at a vendor about which nothing is known', [['together', 'x']], ask({ enable_thinking: true, chat_template_kwargs: { enable_thinking: true } }), { enable_thinking: true, chat_template_kwargs: { enable_thinking: true } }],
])

// biome-ignore format: a row a case
testRows('schemas', 'openai-chat', [
  ['a value of any type, and one that is never there (Moonshot)', [['moonshot', 'kimi-k2.6']], ask(tool(object({ a: { description: 'any' }, b: { anyOf: [{ not: {} }, text] } }, { required: ['a', 'gone'] }))),
    { [`${PARAMETERS}.properties.a.type.length`]: 7, [`${PARAMETERS}.properties.b.anyOf`]: [text], [`${PARAMETERS}.required`]: ['a'] }],
  ['a value of any type (Fireworks)', [['fireworks', 'x']], ask(tool(object({ a: { enum: ['b'] } }))), { [`${PARAMETERS}.properties.a`]: { enum: ['b'], type: 'string' } }],
  ['parameters without a type, which are an object (Moonshot, Fireworks)', [['moonshot', 'kimi-k2.6'], ['fireworks', 'x']], ask(tool({})), { [PARAMETERS]: { type: 'object' } }],
  ['the same of a format', [['moonshot', 'kimi-k2.6']], ask(schemaFor(object({ a: { const: 1 } }))), { 'response_format.json_schema.schema.properties.a': { const: 1, type: 'number' } }],
  ['patterns without anchors, and long repetitions (llama.cpp)', [['llamacpp', 'x'], ['lmstudio', 'x']], ask(tool(object({ a: { type: 'string', pattern: '\\S', maxLength: 9999, minLength: 1 }, b: { type: 'string', pattern: '^[a-z]+$' } }))),
    { [`${PARAMETERS}.properties.a`]: { type: 'string', minLength: 1 }, [`${PARAMETERS}.properties.b.pattern`]: '^[a-z]+$' }],
  ['an object without properties, and a function without parameters (LM Studio)', [['lmstudio', 'x']], ask(tool()), { [PARAMETERS]: object({}) }],
  ['a function without parameters (routers)', [['openrouter', 'anthropic/claude-sonnet-4-6']], ask(tool()), { [PARAMETERS]: object({}) }],
  ['an object without properties (LM Studio, Groq)', [['lmstudio', 'x'], ['groq', 'openai/gpt-oss-120b']], ask(tool({ type: 'object', required: [] })), { [`${PARAMETERS}.properties`]: {} }],
  ['required names that are no property, in a strict schema', [['openai-chat', 'gpt-5.4'], ['groq', 'openai/gpt-oss-120b'], ['cerebras', 'gpt-oss-120b']], ask(tool(object({ a: text }, { required: ['a', 'b'], additionalProperties: false }), { strict: true })),
    { [`${PARAMETERS}.required`]: ['a'], 'tools.0.function.strict': true }],
  ['bounds, formats and lists of types in a strict schema (Cerebras)', [['cerebras', 'gpt-oss-120b']], ask(schemaFor(object({ a: { type: ['string', 'null'], description: 'd', format: 'uri' }, b: { type: 'array', items: text, minItems: 1 }, c: { type: 'integer', minimum: 1 } }, { required: ['a', 'b', 'c'], additionalProperties: false }), { strict: true })),
    { 'response_format.json_schema.schema.properties': { a: { description: 'd (format: "uri")', anyOf: [text, { type: 'null' }] }, b: { type: 'array', items: text, description: 'minItems: 1' }, c: { type: 'integer', minimum: 1 } } }],
])

// biome-ignore format: a row a case
testRows('a conversation without a text of the user', 'openai-chat', [
  ['is one of the user, where it is a system message alone', [['vllm', 'Qwen/Qwen3.6-27B'], ['ollama-compat', 'qwen3.6:27b']], { messages: [{ role: 'system', content: 'Greet.' }] }, { 'messages.0.role': 'user', 'messages.1': undefined }],
  ['has one before the answer', [['vllm', 'Qwen/Qwen3.6-27B']], { messages: [{ role: 'system', content: 'Greet.' }, answered] }, { 'messages.1.role': 'user', 'messages.2.role': 'assistant' }],
  ['is one of the user at Alibaba, for every model', [['alibaba', 'deepseek-v3.2']], { messages: [{ role: 'system', content: 'Greet.' }] }, { 'messages.0.role': 'user' }],
  ['stays at other models', [['vllm', 'google/gemma-3-27b-it']], { messages: [{ role: 'system', content: 'Greet.' }, said] }, { 'messages.2': undefined }],
])

// biome-ignore format: a row a case
testRows('functions in the form of MCP', 'openai-chat', [
  ['are functions', [['openai-chat', 'gpt-5.4'], ['vllm', 'x']], ask({ tools: [{ name: 'f', description: 'd', inputSchema: object({ a: text }) }] }),
    { 'tools.0': { type: 'function', function: { name: 'f', description: 'd', parameters: object({ a: text }) } } }],
  ['are functions of other protocols', [['anthropic', 'claude-sonnet-4-6']], ask({ tools: [{ name: 'f', inputSchema: object({ a: text }) }] }), { 'tools.0.input_schema.properties': { a: text } }],
])
// biome-ignore format: a row a case
testRows('functions of the Responses API in the form of MCP', 'openai-responses', [
  ['are functions', [['openai', 'gpt-5.4'], ['xai', 'grok-4.6']], { input: 'Hi', tools: [{ name: 'f', description: 'd', inputSchema: object({ a: text }) }] },
    { 'tools.0.type': 'function', 'tools.0.parameters.properties': { a: text }, 'tools.0.inputSchema': undefined }],
])
// biome-ignore format: a row a case
testRows('functions of the Messages API in the form of MCP', 'anthropic-messages', [
  ['are tools', [['anthropic', 'claude-sonnet-4-6']], { max_tokens: 9, ...ask({ tools: [{ name: 'f', inputSchema: object({ a: text }) }] }) },
    { 'tools.0.input_schema.properties': { a: text }, 'tools.0.inputSchema': undefined }],
])

// biome-ignore format: a row a case
testRows('parts without a text', 'openai-chat', [
  ['are left out', [['moonshot', 'kimi-k2.6'], ['deepseek', 'deepseek-v4-pro']], { messages: [{ role: 'user', content: [{ type: 'text', text: '' }, { type: 'text', text: 'Hi' }] }] }, { 'messages.0.content': '\nHi' }],
])

const SEARCHED = [
  said,
  { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'ToolSearch', input: {} }] },
  {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'tool_reference', tool_name: 'f' }] }],
  },
]
const SEARCH = ['ToolSearch', 'f'].map((name) => ({ name, input_schema: { type: 'object' } }))
// biome-ignore format: a row a case
testRows('tools that a search found', 'anthropic-messages', [
  ['are named in a text for other models than Claude', [['deepseek', 'deepseek-v4-pro'], ['zai', 'glm-5.2']], { max_tokens: 9, tools: SEARCH, messages: SEARCHED }, { 'messages.2.content.0.content.0.type': undefined }],
  ['stay for Claude', [['anthropic', 'claude-sonnet-4-6']], { max_tokens: 9, tools: SEARCH, messages: SEARCHED }, { 'messages.2.content.0.content.0.type': 'tool_reference' }, [true]],
])

// biome-ignore format: a row a case
testRows('items of the Responses API', 'openai-responses', [
  ['a step of a search that Codex does not know', [['openai', 'gpt-5.4'], ['chatgpt', 'gpt-5.4']], { instructions: 'x', input: [said, { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'other' } }, said] }, { 'input.1.type': 'web_search_call', 'input.1.action': undefined }],
  ['a status that is null', [['azure', 'gpt-5.4']], { input: [said, { type: 'mcp_call', id: 'mcp_1', server_label: 's', name: 'n', arguments: '{}', output: 'o', status: null }] }, { 'input.1.name': 'n', 'input.1.status': undefined }],
  ['reasoning with an id of another service', [['openai', 'gpt-5.4']], { store: false, input: [said, { type: 'reasoning', id: 'reasoning_15', summary: [], encrypted_content: 'gAAA' }, said] }, { 'input.1.id': undefined, 'input.1.encrypted_content': 'gAAA' }, [true]],
  ['reasoning with an id of its own', [['openai', 'gpt-5.4']], { store: false, input: [said, { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' }, said] }, { 'input.1.id': 'rs_1' }, [true]],
  ['a step that it knows', [['openai', 'gpt-5.4']], { input: [said, { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } }, said] }, { 'input.1.action.type': 'search' }],
])

// biome-ignore format: a row a case
testRows('members and images of single vendors', 'openai-chat', [
  ['`store` at Cerebras', [['cerebras', 'gpt-oss-120b']], ask({ store: false }), { store: undefined }],
  ['texts in lists, at the cloud of Ollama and at Cloudflare', [['ollama-cloud', 'gemma4'], ['cloudflare', '@cf/openai/gpt-oss-120b']], { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] }, { 'messages.0.content': 'Hi' }],
  ['calls without a text, at Cloudflare', [['cloudflare', '@cf/openai/gpt-oss-120b']], { messages: [said, { role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }] }, { role: 'tool', tool_call_id: 'c', content: 'ok' }] }, { 'messages.1.content': '', 'messages.1.tool_calls.0.id': 'c' }],
  ['a switch of reasoning that is no object', [['moonshot', 'kimi-k2.6'], ['deepseek', 'deepseek-v4-flash']], ask({ thinking: false }), { thinking: { type: 'disabled' } }],
  ['addresses of images at Ollama', [['ollama-compat', 'gemma4'], ['ollama-cloud', 'gemma4']], { messages: [{ role: 'user', content: [{ type: 'text', text: 'a' }, { type: 'image_url', image_url: { url: 'https://a.b/c.png' } }] }] }, { 'messages.0.content.1.type': undefined }],
  ['a type of images that llama.cpp does not decode', [['llamacpp', 'qwen3-vl']], { messages: [{ role: 'user', content: [{ type: 'text', text: 'a' }, { type: 'image_url', image_url: { url: 'data:image/webp;base64,UklGRiIAAABXRUJQ' } }] }] }, { 'messages.0.content.1.image_url': undefined }],
  ['places of calls, with the tokenizers of Mistral', [['vllm', 'mistralai/Devstral-Small-2-24B']], ask({ messages: [said, { role: 'assistant', content: null, tool_calls: [{ index: 0, id: 'abcdefghi', type: 'function', function: { name: 'f', arguments: '{}' } }] }, { role: 'tool', tool_call_id: 'abcdefghi', content: 'ok' }] }), { 'messages.1.tool_calls.0.index': undefined, 'messages.1.tool_calls.0.id': 'abcdefghi' }],
])
// biome-ignore format: a row a case
testRows('what Codex sends to OpenAI alone', 'openai-responses', [
  ['its metadata, and those of a program at xAI', [['xai', 'grok-4.6']], { input: 'Hi', metadata: { a: 'b' }, client_metadata: { c: 'd' } }, { metadata: undefined, client_metadata: undefined }],
  ['its metadata, at servers of open models', [['lmstudio-responses', 'x'], ['deepseek-responses', 'deepseek-v4-pro']], { input: 'Hi', client_metadata: { c: 'd' } }, { client_metadata: undefined }],
  ['is left out where nothing makes images', [['xai', 'grok-4.6'], ['deepseek-responses', 'deepseek-v4-pro'], ['lmstudio-responses', 'gpt-oss-120b']], { input: 'Hi', tools: [{ type: 'function', name: 'f', parameters: object({}) }, { type: 'image_generation', output_format: 'png' }] }, { 'tools.0.name': 'f', 'tools.1': undefined }],
  ['stays at OpenAI', [['openai', 'gpt-5.4']], { input: 'Hi', tools: [{ type: 'image_generation', output_format: 'png' }] }, { 'tools.0.type': 'image_generation' }],
])

describe('a model that answers in streams only', () => {
  const quirks = { modelFacts: { x: { streamsOnly: true } } } as const
  const bodies: readonly (readonly [TargetName, object])[] = [
    ['openai-responses', { input: 'Hi' }],
    ['openai-chat', ask()],
  ]

  it.each(bodies)('has a stream of the Responses API for each client: %s', (client, body) => {
    for (const passthrough of [true, false]) {
      const to = { client, vendor: 'lmstudio-responses', model: 'x', passthrough, quirks } as const
      expect(explainRequest({ model: 'm', ...body }, to)).toMatchObject({ ok: true, upstream: { stream: true } })
    }
  })
})
