import { expect, it } from 'vitest'
import type { WireName } from '../../../src/wires/contract.ts'
import { bodyOf, withBody } from '../../mock-upstreams/server.ts'
import { GEMINI, PARAMETERS, STRICT, TWO, userMessage } from '../requests.ts'
import { json, KEY, lineOf, post, REQUEST, startGateway, startTestServer } from '../test-server.ts'

/** A loss or an error of a request names the very field that its client sent, and names it once. */

const HI = [{ role: 'user', content: 'Hi' }]
const PARTS = [{ role: 'user', parts: [{ text: 'Hi' }] }]
const HELD = { name: 'g', input_schema: PARAMETERS, strict: true }

const TOOL = { name: 'f', input_schema: PARAMETERS }
const FORMAT = { type: 'json_schema', json_schema: { name: 'n', description: 'd', schema: PARAMETERS } }
const DETAILS = [{ type: 'reasoning.text', text: 'Hm', signature: 'theirs' }]
const BLOCKS = [
  { type: 'text', text: 'Well.' },
  { type: 'thinking', thinking: 'Hm', signature: 'unsigned' },
]

const asked = (generationConfig: object): object => ({ contents: PARTS, generationConfig })
const thinking = (fields: object): readonly object[] => [
  ...HI,
  { role: 'assistant', content: 'Well.', ...fields },
  ...HI,
]

/** When the loss is recorded, the plugin's search is already a tool, and `thinking` is a field with another name. */
const LOST: readonly (readonly [losses: string, wire: WireName, path: string, body: object])[] = [
  [
    'tools[1].codeExecution dropped',
    'ollama-chat',
    GEMINI,
    { contents: PARTS, tools: [...TWO, { codeExecution: {} }] },
  ],
  [
    'tools[0] dropped, tools[1].strict dropped',
    'ollama-chat',
    '/messages',
    { messages: HI, max_tokens: 5, tools: [{ type: 'mcp_toolset' }, HELD] },
  ],
  [
    'plugins[0].max_results dropped',
    'gemini-generate',
    '/responses',
    { input: 'Hi', plugins: [{ id: 'web', max_results: 3 }] },
  ],
  [
    'generationConfig.presencePenalty dropped',
    'anthropic-messages',
    GEMINI,
    { contents: PARTS, generationConfig: { presencePenalty: 1 } },
  ],
  ['tools[0].function.strict dropped', 'ollama-chat', '/chat/completions', { messages: HI, tools: [STRICT] }],
  // One internal field, which may be derived from several fields of the client.
  [
    'output_config.effort mapped',
    'ollama-chat',
    '/messages',
    { messages: HI, max_tokens: 5, output_config: { effort: 'low' } },
  ],
  [
    'thinking.budget_tokens mapped',
    'ollama-chat',
    '/messages',
    { messages: HI, max_tokens: 5000, thinking: { type: 'enabled', budget_tokens: 1500 } },
  ],
  [
    'thinking mapped',
    'gemini-generate',
    '/messages',
    { model: 'acme/gemini-3-pro', messages: HI, max_tokens: 5, thinking: { type: 'disabled' } },
  ],
  [
    'tool_choice.disable_parallel_tool_use dropped',
    'gemini-generate',
    '/messages',
    { messages: HI, max_tokens: 5, tools: [TOOL], tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
  ],
  [
    'generationConfig.thinkingConfig.thinkingBudget mapped',
    'ollama-chat',
    GEMINI,
    asked({ thinkingConfig: { thinkingBudget: 4096 } }),
  ],
  [
    'generationConfig.thinkingConfig.includeThoughts dropped',
    'openai-chat',
    GEMINI,
    asked({ thinkingConfig: { includeThoughts: true } }),
  ],
  ['generationConfig.responseLogprobs dropped', 'anthropic-messages', GEMINI, asked({ responseLogprobs: true })],
  ['generationConfig.responseLogprobs dropped', 'bedrock-converse', GEMINI, asked({ responseLogprobs: true })],
  [
    'generationConfig.responseMimeType mapped',
    'anthropic-messages',
    GEMINI,
    asked({ responseMimeType: 'application/json' }),
  ],
  [
    'generationConfig.responseSchema mapped',
    'anthropic-messages',
    GEMINI,
    asked({ responseSchema: { type: 'OBJECT' } }),
  ],
  [
    'response_format.json_schema.description mapped',
    'ollama-chat',
    '/chat/completions',
    { messages: HI, response_format: FORMAT },
  ],
  [
    'response_format.json_schema.description dropped, response_format.json_schema.schema mapped',
    'anthropic-messages',
    '/chat/completions',
    { messages: HI, response_format: FORMAT },
  ],
  ['reasoning.enabled mapped', 'ollama-chat', '/chat/completions', { messages: HI, reasoning: { enabled: true } }],
  ['thinking mapped', 'ollama-chat', '/chat/completions', { messages: HI, thinking: { type: 'enabled' } }],
  ['logprobs dropped', 'cohere-chat', '/chat/completions', { messages: HI, logprobs: true }],
  // The client sent no field about parallel calls.
  ['', 'cohere-chat', '/chat/completions', { messages: HI, functions: [{ name: 'f' }] }],
  ['think dropped', 'bedrock-converse', '/api/chat', { messages: HI, think: 'high', format: PARAMETERS }],
  // This field is carried unchanged.
  ['', 'ollama-chat', '/api/chat', { messages: HI, think: true }],
  // The path is that of the reasoning, not of the message that contains it.
  [
    'messages[1].reasoning_content dropped',
    'openai-chat',
    '/chat/completions',
    { messages: thinking({ reasoning_content: 'Hm' }) },
  ],
  [
    'messages[1].reasoning_details dropped',
    'openai-chat',
    '/chat/completions',
    { messages: thinking({ reasoning_details: DETAILS }) },
  ],
  ['messages[1].thinking dropped', 'openai-chat', '/api/chat', { messages: thinking({ thinking: 'Hm' }) }],
  [
    'messages[1].content[1] dropped',
    'openai-chat',
    '/messages',
    { max_tokens: 5, messages: thinking({ content: BLOCKS }) },
  ],
  [
    'contents[1].parts[0] dropped',
    'openai-chat',
    GEMINI,
    { contents: [...PARTS, { role: 'model', parts: [{ text: 'Hm', thought: true }] }, ...PARTS] },
  ],
  [
    'tools[0].parameters.max_results dropped',
    'openai-responses',
    '/chat/completions',
    { messages: HI, tools: [{ type: 'service:web_search', parameters: { max_results: 3 } }] },
  ],
]

it.each(LOST)('losses are reported as "%s" with an upstream of %s for %s with %j', async (losses, wire, path, body) => {
  const answer = await userMessage(wire, path, body)
  expect(answer.headers.get('x-responses-losses') ?? '').toBe(losses)
})

const REFUSED: readonly (readonly [place: string, wire: WireName, path: string, body: object])[] = [
  [
    'function_call',
    'ollama-chat',
    '/chat/completions',
    { messages: HI, functions: [{ name: 'g' }], function_call: { name: 'g' } },
  ],
  [
    'web_search_options.user_location.approximate.city',
    'anthropic-messages',
    '/chat/completions',
    { messages: HI, web_search_options: { user_location: { type: 'approximate', approximate: { city: 5 } } } },
  ],
]

it.each(REFUSED)('a request is rejected at %s with an upstream of %s', async (place, wire, path, body) => {
  const answer = await userMessage(wire, path, body)
  const { error } = await json(answer)
  expect([answer.status, error.param, error.message]).toEqual([400, place, expect.stringMatching(`^${place}: `)])
})

it('a tool that only Google runs has another loss reason than an unknown field', async () => {
  const acme = { wire: 'ollama-chat', base_url: 'http://127.0.0.1:9', key: 'x' }
  const { url, lines } = await startGateway({ vendors: { acme }, retry: { attempts: 1 } })
  await fetch(`${url}/api/v1${GEMINI}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ contents: PARTS, tools: [{ ...TWO[0], jj: {}, url_context: {} }] }),
  })
  expect((await lineOf(lines)).losses).toEqual([
    'tools[0].jj dropped: this service does not support it',
    'tools[0].url_context dropped: only Google supports this tool',
  ])
})

it('the log lists at most 101 losses of 3000 dropped items', async () => {
  const { url, lines } = await startTestServer(withBody(bodyOf('Hello')))
  const searched = { type: 'web_search_call', id: 'ws_1', status: 'completed' }
  const input = [...Array.from({ length: 3000 }, () => searched), { type: 'message', role: 'user', content: 'Hi' }]
  await post(url, { ...REQUEST, input, stream: false }, { path: '/openai/v1/responses' })
  expect((await lineOf(lines)).losses).toHaveLength(101)
})
