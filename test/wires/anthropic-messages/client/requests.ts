import { anthropicMessages } from '../../../../src/wires/anthropic-messages/index.ts'
import { type ClientRequests, clientCases, type Fields } from '../../request-cases.ts'
import { FOREIGN_ENVELOPE, FUNCTION, HOME, USER_TURN } from '../client-bodies.ts'

const text = (words: string, more: Fields = {}) => ({ type: 'text', text: words, ...more })
const input = (words: string) => ({ type: 'input_text', text: words })
const output = (words: string) => ({ type: 'output_text', text: words })
const said = (role: string, ...content: readonly unknown[]) => ({ type: 'message', role, content })
const turn = (content: unknown, role = 'user') => ({ messages: [{ role, content }] })
const becomes = (content: unknown, ...items: readonly unknown[]) => ({ body: turn(content), request: { input: items } })
const answers = (content: unknown, ...items: readonly unknown[]) => ({
  body: turn(content, 'assistant'),
  request: { input: items },
})
const block = (sent: Fields, ...parts: readonly unknown[]) => becomes([sent], said('user', ...parts))
const lost = (body: Fields, losses = '') => ({ body, losses })
const later = (role: string, content: unknown) => ({ messages: [...USER_TURN, { role, content }] })

const FORMAT = { type: 'json_schema', schema: { type: 'object' } }
const READ_FORMAT = { text: { format: { ...FORMAT, name: 'answer' } } }
const LONG = { metadata: { user_id: 'u'.repeat(257) } }
const field = (body: Fields, request: Fields, losses = '') => ({ body, request, losses })
const BUDGET = 'thinking.budget_tokens mapped'
const effort = (body: Fields, word: string | null, losses = '') => ({
  name: `${JSON.stringify(body)} as ${word}`,
  body,
  request: {
    ...(word !== null && { reasoning: { effort: word } }),
    ...('max_tokens' in body && { max_output_tokens: body.max_tokens ?? undefined }),
  },
  losses,
})
const thinks = (budget_tokens: number) => ({ thinking: { type: 'enabled', budget_tokens } })
const OFF = { thinking: { type: 'disabled' } }
const ADAPTIVE = { thinking: { type: 'adaptive' } }
const sets = (word: string) => ({ output_config: { effort: word } })

const IMAGE = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }
const READ_IMAGE = { type: 'input_image', image_url: 'data:image/png;base64,AA==' }
const FAR_IMAGE = { type: 'image', source: { type: 'url', url: 'https://a.example/1.png' } }
const document = (source: Fields, more: Fields = {}) => ({ type: 'document', source, ...more })
const PLAIN = { type: 'text', media_type: 'text/plain' }
const FOUND = { type: 'search_result', title: 'T', source: 'https://a.example/', content: [text('A')] }
const UPLOAD = { type: 'container_upload', file_id: 'x' }
const DIRECT = { allowed_callers: ['direct'] }
const EPHEMERAL = { cache_control: { type: 'ephemeral' } }
const addressed = (type: string) => [
  `record ${type} as a loss`,
  ['user', 'system'].map((role) =>
    lost(later(role, [{ type, tool: { type: 'tool_reference', name: 'f' } }, text('A')]), 'messages[1].content[0]'),
  ),
]

const result = (more: Fields) => ({ type: 'tool_result', tool_use_id: 'call_1', ...more })
const read = (out: unknown, more: Fields = {}) => ({
  type: 'function_call_output',
  call_id: 'call_1',
  output: out,
  ...more,
})
const returns = (content: readonly unknown[], ...items: readonly unknown[]) => ({
  body: {
    messages: [
      { role: 'assistant', content: [use('f', {})] },
      { role: 'user', content },
    ],
  },
  request: { input: [call('f', '{}'), ...items] },
})
const answered = (sent: Fields, out: unknown, more: Fields = {}) => ({
  name: sent,
  ...returns([result(sent)], read(out, more)),
})
const use = (name: string, given: Fields, more: Fields = {}) => ({
  type: 'tool_use',
  id: 'call_1',
  name,
  input: given,
  ...more,
})
const call = (name: string, args: string, more: Fields = {}) => ({
  type: 'function_call',
  call_id: 'call_1',
  name,
  arguments: args,
  ...more,
})

const SEARCH = { type: 'web_search_20250305', name: 'web_search' }
const SEARCH_2 = { type: 'web_search_20260209', name: 'web_search' }
const BASH = { type: 'bash_20250124', name: 'bash' }
const RUN = { type: 'code_execution_20250825', name: 'code_execution' }
const FETCH = { type: 'web_fetch_20250910', name: 'web_fetch', max_uses: 2 }
const BERN = { user_location: { type: 'approximate', city: 'Bern' } }
const READ_FUNCTION = { type: 'function', name: 'f', description: 'D', parameters: FUNCTION.input_schema }
const tool = (sent: Fields, read: Fields, losses = '') => ({
  name: sent,
  body: { tools: [sent] },
  request: { tools: [read] },
  losses,
})
const choice = (tool_choice: Fields, read: Fields) => ({
  name: tool_choice,
  body: { tools: [FUNCTION, SEARCH, BASH], tool_choice },
  request: { tools: [READ_FUNCTION, { type: 'web_search' }, BASH], ...read },
})

const fault = (message: string, body: Fields) => ({
  name: message,
  body,
  error: [message.slice(0, message.indexOf(': ')), message] as const,
})
const asks = (...content: readonly unknown[]) => ({ messages: [{ role: 'user', content }] })
const replies = (...content: readonly unknown[]) => ({ messages: [...USER_TURN, { role: 'assistant', content }] })
const holds = (source: unknown) => asks({ type: 'document', source })

// biome-ignore format: a row a case
const groups = [
clientCases('a request of an Anthropic client', '', {
  'has no fields for empty values': { request: { stream: false, max_output_tokens: undefined },
    body: { max_tokens: null, stop_sequences: [], metadata: {}, tools: [], system: '' } },
  'takes model and stream from the URL if they are there': { body: { model: undefined, stream: false },
    context: { model: 'a/b', stream: true }, request: { model: 'a/b', stream: true } },
  'records fields that cannot be carried as losses': [
    { body: { top_k: 5 }, losses: ['top_k dropped: this service does not support it'] },
    lost({ top_k: 5, container: 'c', mcp_servers: [{}], speed: null, odd: 1 }, 'top_k, container, mcp_servers, odd'),
    lost(LONG, 'metadata.user_id'),
  ],
  'drops breakpoints of another form, and those of blocks of which nothing is sent': lost(
    turn([text('A', { cache_control: { type: 'forever' } }),
      text('A', { cache_control: { type: 'ephemeral', ttl: '3h', scope: 'global' } }), { ...UPLOAD, ...EPHEMERAL }]),
    'messages[0].content[0].cache_control, messages[0].content[1].cache_control.scope, \
messages[0].content[1].cache_control.ttl, messages[0].content[2], messages[0].content[2].cache_control'),
  'records losses only for values that have an effect': [
    lost({ context_management: {}, tools: [{ ...FUNCTION, ...DIRECT, eager_input_streaming: false },
      { type: 'web_search_20250305', name: 'web_search', ...DIRECT }] }),
    lost({ context_management: { edits: [] } }),
    lost({ context_management: { edits: [{ type: 'clear' }] }, tools: [{ ...FUNCTION, eager_input_streaming: true,
      allowed_callers: ['direct', 'code_execution_20250825'] }] },
      'context_management, tools[0].eager_input_streaming, tools[0].allowed_callers'),
    lost({ tools: [{ ...FUNCTION, allowed_callers: 'direct' }] }, 'tools[0].allowed_callers'),
  ],
}),
clientCases('a request of an Anthropic client', 'is decoded with the fields ', [
  field({ system: [text('A'), text(''), text('B')] }, { instructions: 'A\n\nB' }),
  field({ metadata: { user_id: 'u' } }, { user: 'u' }),
  field(LONG, {}, 'metadata.user_id'),
  field({ service_tier: 'auto' }, { service_tier: 'auto' }),
  field({ service_tier: 'standard_only' }, { service_tier: 'default' }, 'service_tier mapped'),
  field({ output_config: { format: FORMAT } }, READ_FORMAT),
  field({ output_format: FORMAT }, READ_FORMAT),
]),
clientCases('the effort of an Anthropic request', 'is decoded from ', [
  effort({}, null), effort(OFF, 'none'), effort({ ...OFF, ...sets('high') }, 'none', 'output_config.effort'),
  effort(ADAPTIVE, 'high'), effort({ ...ADAPTIVE, ...sets('low') }, 'low'), effort(sets('max'), 'max'),
  effort({ ...thinks(1024), max_tokens: 64_000 }, 'minimal', BUDGET),
  effort({ ...thinks(1024), max_tokens: 10_000 }, 'low', BUDGET),
  effort({ ...thinks(4000), max_tokens: 16_000 }, 'medium', BUDGET),
  effort({ ...thinks(10_000), max_tokens: 16_000 }, 'high', BUDGET),
  effort({ ...thinks(12_500), max_tokens: 16_000 }, 'xhigh', BUDGET),
  effort({ ...thinks(31_999), max_tokens: 32_000 }, 'max', BUDGET),
  effort({ ...thinks(10_000), max_tokens: null }, 'medium', BUDGET),
  effort({ ...thinks(1024), ...sets('xhigh') }, 'xhigh', 'thinking.budget_tokens'),
]),
clientCases('the effort of an Anthropic request', '', {
  'is a recorded loss if it replaces a budget or is overruled': [
    lost(thinks(500), BUDGET), lost({ ...OFF, ...sets('low') }, 'output_config.effort'),
  ],
}),
clientCases('prompts of an Anthropic client', 'are decoded with a block for ', {
  text: block(text('A'), input('A')),
  'an image': block(IMAGE, READ_IMAGE),
  'an image by its URL': block(FAR_IMAGE, { type: 'input_image', image_url: 'https://a.example/1.png' }),
  'a document': block(document({ type: 'base64', media_type: 'application/pdf', data: 'AA==' }, { title: 'a.pdf' }),
    { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' }),
  'a document by its URL': block(document({ type: 'url', url: 'https://a.example/1.pdf' }),
    { type: 'input_file', filename: null, file_url: 'https://a.example/1.pdf' }),
  'a stored document': block(document({ type: 'file', file_id: 'file_1' }),
    { type: 'input_file', filename: null, file_id: 'file_1' }),
  'a document of text': [
    { ...block(document({ ...PLAIN, data: 'Facts.' }, { title: 'F', context: 'Old.' }), input('Old.'),
      input('F\n\nFacts.')), losses: 'messages[0].content[0].context mapped' },
    { ...block(document({ type: 'content', content: 'A' }), input('A')),
      losses: 'messages[0].content[0].source mapped' },
  ],
  'a document of blocks': { losses: 'messages[0].content[0].source mapped',
    ...block(document({ type: 'content', content: [text('A')] }), input('A')) },
  'a search result': { ...block(FOUND, input('T\nhttps://a.example/'), input('A')),
    losses: 'messages[0].content[0] mapped' },
}),
clientCases('prompts of an Anthropic client', '', {
  'keep a document of text as a file for a vendor that accepts it': { context: HOME,
    ...block(document({ ...PLAIN, data: 'é' }),
      { type: 'input_file', filename: null, file_data: 'data:text/plain;base64,w6k=' }) },
  'may have a system message between other messages': { body: later('system', 'Be kind.'),
    request: { input: [said('user', input('Hi')), said('system', input('Be kind.'))] } },
  ...Object.fromEntries(['tool_addition', 'tool_removal', 'mcp_tool_listing'].map(addressed)),
  'record the reasoning between tools as mapped': lost({ thinking: { type: 'between_tools' } }, 'thinking.type mapped'),
  'record container uploads as losses': lost(turn([UPLOAD, text('A')]), 'messages[0].content[0]'),
}),
clientCases('tool results of an Anthropic client', 'are decoded to an output from ', [
  answered({ content: '18 °C' }, '18 °C'), answered({}, ''), answered({ content: null }, ''),
  answered({ content: [] }, []), answered({ content: [text('A')] }, [input('A')]),
  answered({ content: [IMAGE] }, [READ_IMAGE]),
  answered({ content: 'no such city', is_error: true }, 'no such city', { failed: true }),
  answered({ content: 'fine', is_error: false }, 'fine'),
]),
clientCases('tool results of an Anthropic client', '', {
  'keep their position before the text after them': returns([result({ content: 'A' }), text('B'), text('C')],
    read('A'), said('user', input('B'), input('C'))),
  'keep the field is_error': [
    returns([result({ is_error: true })], read('', { failed: true })), returns([result({ is_error: false })], read('')),
  ],
}),
clientCases('assistant messages of an Anthropic client', '', {
  'are decoded to items in the order of their blocks': [
    answers([text('A'), text('B'), use('f', { city: 'Bern' }), text('C')],
      said('assistant', output('A'), output('B')), call('f', '{"city":"Bern"}'), said('assistant', output('C'))),
    answers('A', said('assistant', output('A'))),
  ],
  'drop their citations with a loss': lost(
    later('assistant', [text('A', { citations: [{ type: 'web_search_result_location' }] })]),
    'messages[1].content[0].citations'),
}),
clientCases('a stored image and a call of a toolset', '', {
  'keep the id of the file and the name of the toolset': [
    block({ type: 'image', source: { type: 'file', file_id: 'file_1' } }, { type: 'input_image', file_id: 'file_1' }),
    answers([use('click', {}, { toolset_name: 'computer' })], call('click', '{}', { namespace: 'computer' })),
  ],
}),
clientCases('tools of an Anthropic client', 'are decoded to tools of Responses: ', [
  tool(FUNCTION, READ_FUNCTION),
  tool({ type: 'custom', name: 'f', input_schema: {}, strict: true }, { type: 'function', name: 'f', parameters: {}, strict: true }),
  tool(SEARCH, { type: 'web_search' }),
  tool({ ...SEARCH, max_uses: 3, allowed_domains: ['a.example'], blocked_domains: null, ...BERN },
    { type: 'web_search', filters: { allowed_domains: ['a.example'] }, ...BERN, max_uses: 3 }),
  tool({ ...SEARCH_2, blocked_domains: ['b.example'] },
    { type: 'web_search', filters: { blocked_domains: ['b.example'] } }, 'tools[0].type mapped'),
  tool(RUN, { type: 'code_interpreter', container: { type: 'auto' } }, 'tools[0] mapped'),
  tool(BASH, BASH),
  tool({ ...FETCH, ...EPHEMERAL }, { ...FETCH, prompt_cache_breakpoint: { mode: 'explicit', ttl: null } }),
]),
clientCases('tools of an Anthropic client', '', {
  'are unchanged for a vendor of this wire': { ...tool(RUN, RUN), context: HOME },
  'record fields that cannot be carried as losses': [
    tool({ ...FUNCTION, input_examples: [{}], defer_loading: true, allowed_callers: ['x'] }, READ_FUNCTION,
      'tools[0].input_examples, tools[0].defer_loading, tools[0].allowed_callers'),
    lost({ tools: [{ type: 'mcp_toolset', mcp_server_name: 's' }] }, 'tools[0]'),
    tool(SEARCH_2, { type: 'web_search' }, 'tools[0].type mapped'),
  ],
}),
clientCases('tools of an Anthropic client', 'are decoded with the choice ', [
  choice({ type: 'auto' }, { tool_choice: 'auto' }),
  choice({ type: 'any' }, { tool_choice: 'required' }),
  choice({ type: 'none' }, { tool_choice: 'none' }),
  choice({ type: 'tool', name: 'f' }, { tool_choice: { type: 'function', name: 'f' } }),
  choice({ type: 'tool', name: 'web_search' }, { tool_choice: { type: 'web_search' } }),
  choice({ type: 'tool', name: 'bash' }, { tool_choice: { type: 'bash_20250124' } }),
  choice({ type: 'auto', disable_parallel_tool_use: true }, { tool_choice: 'auto', parallel_tool_calls: false }),
  choice({ type: 'auto', disable_parallel_tool_use: false }, { tool_choice: 'auto' }),
]),
clientCases('an invalid request of an Anthropic client', 'is rejected with the message: ', [
  fault('messages: expected a list with at least one message, got nothing', { messages: undefined }),
  fault('messages: expected at least one message', { messages: [] }),
  fault('messages[0]: expected an object, got 5', { messages: [5] }),
  fault('messages[0].role: expected one of user, assistant, system, got "tool"', { messages: [{ role: 'tool', content: '' }] }),
  fault('messages[0].content: expected a string or a list of content blocks, got nothing', { messages: [{ role: 'user' }] }),
  fault('messages[0].content[1]: expected an object, got null', asks({ type: 'text', text: 'A' }, null)),
  fault('messages[0].content[0].text: expected a string, got 1', asks({ type: 'text', text: 1 })),
  fault('messages[0].content[0].type: expected one of text, image, document, search_result, tool_result, got "sound"',
    asks({ type: 'sound' })),
  fault('messages[0].content[0].content[0].type: expected one of text, image, document, search_result, got "sound"',
    asks({ type: 'tool_result', tool_use_id: 'x', content: [{ type: 'sound' }] })),
  fault('messages[0].content[0].type: expected one of text, image, document, search_result, got "tool_use"',
    { messages: [{ role: 'system', content: [{ type: 'tool_use' }] }] }),
  fault('messages[0].content[0].source: expected an object, got nothing', asks({ type: 'image' })),
  fault('messages[0].content[0].source.data: expected a string that is not empty, got nothing',
    asks({ type: 'image', source: { type: 'base64', media_type: 'image/png' } })),
  fault('messages[0].content[0].source.file_id: expected a string that is not empty, got nothing',
    asks({ type: 'image', source: { type: 'file' } })),
  fault('messages[0].content[0].source.type: expected one of base64, text, url, file, content, got nothing', holds({})),
  fault('messages[0].content[0].source.content[0].text: expected a string, got nothing',
    holds({ type: 'content', content: [{ type: 'text' }] })),
  fault('messages[0].content[0].tool_use_id: expected a string that is not empty, got 5', asks({ type: 'tool_result', tool_use_id: 5 })),
  fault('messages[0].content[0].content[0].type: expected one of text, image, document, search_result, got "x"',
    asks({ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'x' }] })),
  fault('messages[1].content[0].input: expected an object, got a list',
    replies({ type: 'tool_use', id: 'a', name: 'f', input: [1] })),
  fault('messages[1].content[0].thinking: expected a string, got nothing', replies({ type: 'thinking', signature: 'x' })),
  fault('max_tokens: 0 fills the prompt cache of the vendor without an answer, which this upstream cannot do; send at least 1, or route the request to Anthropic', { max_tokens: 0 }),
  fault('max_tokens: expected a whole number of at least 1, got -1', { max_tokens: -1 }),
  fault('max_tokens: expected a whole number of at least 1, got "9"', { max_tokens: '9' }),
  fault('stream: expected true or false, got "yes"', { stream: 'yes' }),
  fault('system[0].type: expected text, got "image"', { system: [{ type: 'image', text: '' }] }),
  fault('stop_sequences[1]: expected a string that is not empty, got 1', { stop_sequences: ['a', 1] }),
  fault('thinking.budget_tokens: expected a whole number above 0, got -1', { thinking: { type: 'enabled', budget_tokens: -1 } }),
  fault('output_config.format.schema: expected an object, got nothing', { output_config: { format: { type: 'json_schema' } } }),
  fault('tools[0].name: expected a string that is not empty, got nothing', { tools: [{ input_schema: {} }] }),
  fault('tools[0].input_schema: expected an object, got 3', { tools: [{ name: 'f', input_schema: 3 }] }),
  fault('tool_choice.name: expected a tool that is in tools, got "g"',
    { tools: [FUNCTION], tool_choice: { type: 'tool', name: 'g' } }),
  fault('tool_choice.type: expected one of auto, any, tool, none, got 3', { tool_choice: { type: 3 } }),
  fault('metadata.user_id: expected a string, got 7', { metadata: { user_id: 7 } }),
  fault('model: expected a string that is not empty, got ""', { model: '', messages: 1, stream: 1 }),
]),
clientCases('an invalid request of an Anthropic client', 'is translated without a word or a number that the hub does not have: ', {
  'temperature mapped': lost({ temperature: 2 }, 'temperature mapped'),
  'thinking dropped': lost({ thinking: { type: 'toString' } }, 'thinking'),
  'output_config.effort dropped': lost({ output_config: { effort: 'lots' } }, 'output_config.effort'),
  'tool_choice dropped': lost({ tool_choice: { type: 'sometimes' } }, 'tool_choice'),
  'service_tier dropped': lost({ service_tier: 'flex' }, 'service_tier'),
}),
]

export const REQUESTS: ClientRequests = {
  wire: anthropicMessages,
  context: FOREIGN_ENVELOPE,
  base: { model: 'acme/claude-x', max_tokens: 1000, messages: USER_TURN },
  request: { model: 'acme/claude-x', max_output_tokens: 1000, stream: false, input: [said('user', input('Hi'))] },
  settings: {},
  groups,
}
