import { geminiInteractions } from '../../../../src/wires/gemini-interactions/index.ts'
import { MISSING_SIGNATURE } from '../../../../src/wires/shared/upstream/answers/missing-signature.ts'
import * as hub from '../../hub-requests.ts'
import { type Fields, type UpstreamRequests, upstreamCases } from '../../request-cases.ts'
import { MODEL, sealedHere } from '../requests.ts'

const { effort, fn, output, WEB } = hub
const said = (text: string) => ({ type: 'user_input', content: [{ type: 'text', text }] })
const answered = (text: string) => ({ type: 'model_output', content: [{ type: 'text', text }] })
const user = hub.user('Hi')
const call = hub.call('c1', '{"a":1}')
const done = output('c1', 'done')
const SIGNED = { type: 'thought', signature: MISSING_SIGNATURE }
const CALLED = { type: 'function_call', id: 'c1', name: 'f', arguments: { a: 1 } }
const RESULT = { type: 'function_result', call_id: 'c1', name: 'f', result: 'done' }
const reasoning = (payload: unknown, summary: readonly string[] = []) => ({
  type: 'reasoning',
  summary: summary.map((text) => ({ type: 'summary_text', text })),
  encrypted_content: sealedHere(payload),
})
const searched = { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'q' } }
const STEPS = [
  { type: 'google_search_call', id: 's', arguments: { queries: ['q'] }, signature: 'c2ln' },
  { type: 'google_search_result', call_id: 's', result: [], signature: 'ZA==' },
]
const MEDIA = [
  { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' },
  { type: 'input_image', image_url: 'https://a.example/a.jpg' },
  { type: 'input_file', file_data: 'data:application/pdf;base64,JVBE', filename: 'a.pdf' },
  { type: 'input_file', file_url: 'https://a.example/a.mp4' },
  { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
]
const SENT_MEDIA = [
  { type: 'image', data: 'AAAA', mime_type: 'image/png', resolution: 'low' },
  { type: 'image', uri: 'https://a.example/a.jpg', mime_type: 'image/jpeg' },
  { type: 'document', data: 'JVBE', mime_type: 'application/pdf' },
  { type: 'video', uri: 'https://a.example/a.mp4', mime_type: 'video/mp4' },
  { type: 'audio', data: 'AAAA', mime_type: 'audio/wav' },
]
const SIGHT = [
  { type: 'input_text', text: 'x' },
  { ...MEDIA[0], detail: undefined },
]
const MCP = { type: 'mcp', server_label: 'my-sums', server_url: 'https://mcp.example/', require_approval: 'never' }
const SENT_MCP = {
  type: 'mcp_server',
  name: 'my_sums',
  url: 'https://mcp.example/',
  headers: { authorization: 'Bearer k' },
  allowed_tools: [{ mode: 'auto', tools: ['add'] }],
}
const becomes = (input: readonly unknown[], steps: readonly unknown[], losses = '') => ({
  request: { input },
  sent: { input: steps },
  losses,
})
const configured = (request: Fields, generation_config: Fields, losses = '', model = MODEL) => ({
  request,
  sent: { generation_config },
  losses,
  model,
})
const chosen = (tool_choice: unknown, sent: unknown) => ({
  name: JSON.stringify(tool_choice),
  ...configured({ tools: [fn()], tool_choice }, { tool_choice: sent }),
  sent: { tools: [fn()], generation_config: { tool_choice: sent } },
})
const thinks = (word: string, thinking_level: string, losses = '', model = MODEL) => ({
  name: word,
  ...configured(effort(word), { thinking_level, thinking_summaries: 'auto' }, losses, model),
})
const MAPPED = 'reasoning.effort mapped'
const PAIR = { type: 'array', items: [{ type: 'string' }, { type: 'number' }] }
const OPEN_PAIR = { type: 'array', items: { anyOf: PAIR.items } }
const TEXT_FORMAT = { type: 'text', mime_type: 'application/json' }

// biome-ignore format: a row a case
const groups = [
upstreamCases('a gemini-interactions request', '', {
  'stores nothing, and names the model without a collection': { request: { stream: true }, model: 'models/gemini-3-pro',
    path: '/interactions', sent: { model: 'gemini-3-pro', stream: true } },
  'has all instructions as one text': [
    { request: { input: [hub.system('B'), user, { role: 'developer', content: 'C' }], instructions: 'A' },
      sent: { system_instruction: 'A\n\nB\n\nC' }, losses: 'input[2] mapped' },
    { request: { input: [hub.system('B')] }, sent: { input: [said('B')] }, losses: 'instructions mapped' },
  ],
}),
upstreamCases('the input of a gemini-interactions request', '', {
  'has images, files and sounds by their data or address': becomes([hub.user(MEDIA)],
    [{ type: 'user_input', content: SENT_MEDIA }], 'input[0].content[2].filename'),
  'has calls and their results as steps, behind the accepted substitute of a signature': becomes([user, call, done],
    [said('Hi'), SIGNED, CALLED, RESULT]),
  'has results of all calls of a turn together, before what follows': becomes(
    [user, call, { ...call, call_id: 'c2' }, output('c2', SIGHT), hub.user('And?'), done],
    [said('Hi'), SIGNED, CALLED, { ...CALLED, id: 'c2' }, RESULT, { ...RESULT, call_id: 'c2',
      result: [{ type: 'text', text: 'x' }, { type: 'image', data: 'AAAA', mime_type: 'image/png' }] }, said('And?')]),
  'rejects an output without its call': { request: { input: [user, done] }, error: 'input[1].call_id' },
  'sends signed thoughts, calls and steps back where they were': becomes(
    [user, reasoning({ on: 'thought', signature: 'dA==' }, ['Hm.']),
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Well.' }] }, searched,
      reasoning({ on: 'steps', steps: STEPS }), reasoning({ on: 'call', id: 'c1', signature: 'Yw==' }), call, done],
    [said('Hi'), { type: 'thought', signature: 'dA==', summary: [{ type: 'text', text: 'Hm.' }] }, answered('Well.'),
      ...STEPS, { ...CALLED, signature: 'Yw==' }, RESULT]),
  'drops reasoning of others, damaged envelopes, and items of tools that it cannot send back': becomes(
    [user, { type: 'reasoning', summary: [], encrypted_content: 'gAAAAAB' },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      reasoning({ on: 'thought', signature: '' }), reasoning({ on: 'call', id: 'gone', signature: 'c2ln' }), searched,
      hub.user('And?')],
    [said('Hi'), said('And?')], 'input[1], input[2], input[3], input[4], input[5]'),
  'sends a generated image back': becomes(
    [hub.user('Draw'), { type: 'image_generation_call', status: 'completed', result: '/9j/AAAA' }],
    [said('Draw'), { type: 'model_output', content: [{ type: 'image', data: '/9j/AAAA', mime_type: 'image/jpeg' }] }]),
}),
upstreamCases('the tools of a gemini-interactions request', 'have the choice ', [
  chosen('auto', 'auto'), chosen('required', 'any'), chosen('none', 'none'),
  chosen(fn(), { allowed_tools: { mode: 'any', tools: ['f'] } }),
]),
upstreamCases('the tools of a gemini-interactions request', '', {
  'have no choice without functions, and no tools of Google with none': [
    { request: { tools: [WEB], tool_choice: 'auto' }, sent: { tools: [{ type: 'google_search' }] } },
    { request: { tools: [fn(), WEB], tool_choice: 'none' },
      sent: { tools: [fn()], generation_config: { tool_choice: 'none' } } },
    { request: { tools: [WEB], tool_choice: 'required' }, error: 'tool_choice' },
  ],
  'of Google and of MCP servers are sent in its form': { request: { tools: [WEB,
      { type: 'code_interpreter', container: { type: 'auto' } },
      { ...MCP, authorization: 'k', allowed_tools: ['add'] }, { ...MCP, require_approval: 'always' },
      { type: 'file_search', vector_store_ids: ['v'] }] },
    sent: { tools: [{ type: 'google_search' }, { type: 'code_execution' }, SENT_MCP] },
    losses: 'tools[2].server_label mapped, tools[3], tools[4]' },
  'of Google are left out beside functions for models before Gemini 3': [
    { request: { tools: [fn(), WEB] }, model: 'gemini-2.5-flash', sent: { tools: [fn()] }, losses: 'tools[1]' },
    { request: { tools: [fn(), WEB] }, sent: { tools: [{ type: 'google_search' }, fn()] } },
  ],
  'have schemas that Google’s parser accepts': { losses: 'tools[0].parameters mapped',
    request: { tools: [fn('f', { parameters: { type: 'object', properties: { pair: PAIR, required: { type: 'string' } },
      required: [], default: { required: [] } } })] },
    sent: { tools: [fn('f', { parameters: { type: 'object',
      properties: { pair: OPEN_PAIR, required: { type: 'string' } }, default: { required: [] } } })] } },
}),
upstreamCases('the configuration of a gemini-interactions request', 'has the level of the effort ', [
  thinks('low', 'low'), thinks('xhigh', 'high', MAPPED), thinks('medium', 'high', MAPPED, 'gemini-3-pro'),
  { name: 'none', ...configured(effort('none'), { thinking_level: 'minimal' }, MAPPED) },
]),
upstreamCases('the configuration of a gemini-interactions request', '', {
  'has summaries and limits only if they are requested': [
    configured(hub.SUMMARY, { thinking_summaries: 'auto' }), { sent: {} },
    configured({ max_output_tokens: 5, temperature: 1, top_p: 0.5 },
      { max_output_tokens: 5, temperature: 1, top_p: 0.5 }),
  ],
  'has the format of the text and the tier beside it': [
    { request: hub.schemaOf(), sent: { response_format: { ...TEXT_FORMAT, schema: { type: 'object' } } } },
    { request: hub.JSON_OBJECT, sent: { response_format: TEXT_FORMAT } },
    { request: hub.schemaOf({ schema: PAIR }), losses: 'text.format.schema mapped',
      sent: { response_format: { ...TEXT_FORMAT, schema: OPEN_PAIR } } },
    { request: { service_tier: 'flex' }, sent: { service_tier: 'flex' } },
    { request: { service_tier: 'default' }, sent: {} },
  ],
  'loses what the protocol does not have': { sent: {},
    request: { presence_penalty: 1, top_logprobs: 2, metadata: { a: 'b' }, truncation: 'auto' },
    losses: 'presence_penalty, top_logprobs, metadata, truncation' },
}),
]

export const REQUESTS: UpstreamRequests = {
  wire: geminiInteractions,
  model: MODEL,
  base: (model) => ({ model, input: [said('Hi')], store: false, stream: false }),
  groups,
}
