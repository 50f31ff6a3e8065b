import { wrapEnvelope } from '../../../../src/responses/encrypted-content.ts'
import { geminiInteractions } from '../../../../src/wires/gemini-interactions/index.ts'
import { type ClientRequests, clientCases, type Fields } from '../../request-cases.ts'
import { ELSEWHERE, HOME, sealForeign } from '../clients.ts'

const TEXT = { type: 'text', text: 'Hi' }
const user = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })
const CALL = { type: 'function_call', id: 'c1', name: 'f', arguments: { a: 1 } }
const CALLED = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' }
const result = (value: unknown) => ({ type: 'function_result', call_id: 'c1', name: 'f', result: value })
const output = (value: unknown) => ({ type: 'function_call_output', call_id: 'c1', output: value })
const items = (input: unknown, read: readonly unknown[]) => ({ body: { input }, request: { input: read } })
const resultOf = (value: unknown, read: unknown) => [
  items(['Hi', CALL, result(value)], [user('Hi'), CALLED, output(read)]),
  items(['Hi', CALL, { type: 'user_input', content: [result(value)] }], [user('Hi'), CALLED, output(read)]),
]
const DONE = { type: 'text', text: 'done' }
const IMAGE = { type: 'image', data: 'AA==', mime_type: 'image/png' }
const READ_IMAGE = { type: 'input_image', image_url: 'data:image/png;base64,AA==' }
const FAR_IMAGE = { type: 'image', uri: 'https://a.example/a.png', mime_type: 'image/png', resolution: 'low' }
const READ_FAR_IMAGE = { type: 'input_image', image_url: 'https://a.example/a.png', detail: 'low' }

const tools = ['f', 'g'].map((name) => ({ type: 'function', name }))
const choosing = (tool_choice: unknown) => ({ tools, generation_config: { tool_choice } })
const chosen = (choice: unknown, read: unknown) => ({
  name: JSON.stringify(choice),
  body: choosing(choice),
  request: { tools, tool_choice: read },
})
const formatted = (response_format: unknown, name: string, schema: Fields, losses = '') => ({
  name: response_format,
  body: { response_format },
  request: { text: { format: { type: 'json_schema', name, schema } } },
  losses,
})
const OBJECT = { type: 'object' }
const MCP = { type: 'mcp_server', name: 'm', url: 'https://m.example/' }
const READ_MCP = { type: 'mcp', server_label: 'm', server_url: 'https://m.example/', require_approval: 'never' }
const stored = (name: string, value: unknown) => ({ name, body: { [name]: value }, error: name })
const ofAgents = (name: string, value: unknown) => ({ name, body: { [name]: value }, context: HOME, losses: name })
const call = (id?: string) => ({ type: 'function_call', name: 'f', arguments: {}, ...(id !== undefined && { id }) })
const READ_CALLS = ['call_1', 'call_1_', 'call_2', 'call_3'].map((call_id) => ({
  type: 'function_call',
  call_id,
  name: 'f',
  arguments: '{}',
}))
const FOUR = [call('call_1'), call(), call('call_2'), call()]

// biome-ignore format: a row a case
const groups = [
clientCases('the input of a client of gemini-interactions', 'is one message as ', {
  'a text': items('Hi', [user('Hi')]),
  'one content': items(TEXT, [user('Hi')]),
  'one step': items({ type: 'user_input', content: [TEXT] }, [user('Hi')]),
  'a text as content': items([{ type: 'user_input', content: 'Hi' }], [user('Hi')]),
  'a list of contents': items([TEXT], [user('Hi')]),
  'a turn': items([{ role: 'user', content: 'Hi' }], [user('Hi')]),
}),
clientCases('the input of a client of gemini-interactions', '', {
  'joins contents without a step to one message, and keeps turns and steps apart': items(
    [{ ...TEXT, text: 'A' }, FAR_IMAGE, { role: 'model', content: [{ ...TEXT, text: 'B' }] },
      { role: 'user', content: 'C' }],
    [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'A' }, READ_FAR_IMAGE] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'B' }] }, user('C')]),
  'opens envelopes of this gateway, in both forms': [sealForeign({ a: 1 }), wrapEnvelope(sealForeign({ a: 1 }))].map(
    (signature) => items(['Hi', { type: 'thought', signature }],
      [user('Hi'), { type: 'reasoning', summary: [], encrypted_content: sealForeign({ a: 1 }) }])),
  'reads a result without its call, which is mended for the upstream': items([result('done')],
    [{ type: 'function_call_output', call_id: 'c1', output: 'done' }]),
  'rejects a single content without a type by its own place': {
    body: { input: [{ type: 'user_input', content: {} }] }, error: 'input[0].content.type' },
}),
clientCases('the input of a client of gemini-interactions', 'has the result of a function as ', {
  'a text': resultOf('done', 'done'),
  'JSON in a text': resultOf('{"a":1}', '{"a":1}'),
  'an object': resultOf({ a: 1 }, '{"a":1}'),
  'a list of contents': resultOf([DONE], 'done'),
  'an object with contents': resultOf({ content: [DONE] }, 'done'),
  'contents with an image': resultOf([DONE, IMAGE], [{ type: 'input_text', text: 'done' }, READ_IMAGE]),
}),
clientCases('the configuration of a client of gemini-interactions', 'has the tool choice ', [
  chosen('auto', 'auto'), chosen('any', 'required'), chosen('none', 'none'), 
  { ...chosen('validated', 'auto'), losses: 'generation_config.tool_choice mapped' },
  chosen({ allowed_tools: { mode: 'any', tools: ['f'] } }, tools[0]),
  chosen({ allowed_tools: { mode: 'any', tools: [] } }, 'required'),
]),
clientCases('the configuration of a client of gemini-interactions', '', {
  'allows several functions, and rejects one that is not declared': [
    chosen({ allowed_tools: { mode: 'auto', tools: ['f', 'g'] } }, { type: 'allowed_tools', mode: 'auto', tools }),
    { body: choosing({ allowed_tools: { tools: ['x'] } }),
      error: 'generation_config.tool_choice.allowed_tools.tools[0]' },
  ],
  'has JSON without a schema, and text by default': [
    { body: { response_mime_type: 'application/json' }, request: { text: { format: { type: 'json_object' } } } },
    { body: { response_format: { type: 'text', mime_type: 'text/plain' } }, request: {} },
  ],
  'carries tools, limits, tiers and reasoning, and loses what only Google has': {
    body: { system_instruction: 'Rules', service_tier: 'standard', labels: { a: 'b' },
      tools: [{ type: 'google_search' }, { type: 'google_maps' }, MCP],
      generation_config: { max_output_tokens: 5, stop_sequences: ['.'], thinking_level: 'low',
        thinking_summaries: 'auto', seed: 1, topP: 0.5 } },
    request: { instructions: 'Rules', service_tier: 'default', metadata: { a: 'b' }, max_output_tokens: 5,
      reasoning: { effort: 'low', summary: 'auto' }, tools: [{ type: 'web_search' }, READ_MCP] },
    stop: ['.'], losses: 'generation_config.seed, generation_config.topP, tools[1]' },
  'accepts that answers are stored, which they are not': { request: {},
    body: { store: true, background: false, previous_interaction_id: null } },
}),
clientCases('the configuration of a client of gemini-interactions', 'has the response format ', [
  formatted({ type: 'text', mime_type: 'application/json', schema: { ...OBJECT, title: 'n' } }, 'n',
    { ...OBJECT, title: 'n' }),
  formatted([{ type: 'image' }, { type: 'text', schema: OBJECT }], 'response', OBJECT, 'response_format[0]'),
  formatted({ ...OBJECT, properties: {} }, 'response', { ...OBJECT, properties: {} }),
]),
clientCases('the configuration of a client of gemini-interactions', 'rejects stored state: ', [
  stored('previous_interaction_id', 'v1_x'), stored('continuation_token', 't'), stored('cached_content', 'c'),
  stored('agent', 'deep-research'), stored('background', true),
]),
clientCases('the configuration of a client of gemini-interactions',
  'drops settings of agents and of stored answers, for Google as well: ', [
  ofAgents('agent_config', { type: 'dynamic' }), ofAgents('environment', { id: 'e' }),
  ofAgents('webhook_config', { uris: ['https://a.test/hook'] }),
]),
clientCases('the id of a call without one', 'differs from the ids of other calls in ', {
  steps: items(['Hi', ...FOUR], [user('Hi'), ...READ_CALLS]),
  'contents of a turn': items(['Hi', { role: 'model', content: FOUR }], [user('Hi'), ...READ_CALLS]),
}),
]

export const REQUESTS: ClientRequests = {
  wire: geminiInteractions,
  context: ELSEWHERE,
  base: { model: 'acme/gemini', input: 'Hi' },
  request: { model: 'acme/gemini', input: [user('Hi')], stream: false },
  settings: {},
  groups,
}
