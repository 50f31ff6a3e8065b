import { expect } from 'vitest'
import { type AnswerCase, hostedItem } from '../../answer-cases.ts'
import { answers, args, close, delta, type Event, open, start, stop, textBlock } from '../events.ts'

const tool = (index: number, name: string, input: string, type = 'server_tool_use', more: object = {}) => [
  open(index, { type, id: `srv_${index}`, name, input: {}, ...more }),
  args(index, ''),
  args(index, input),
  close(index),
]
const result = (index: number, of: number, name: string, content: unknown, more: object = {}) => [
  open(index, { type: `${name}_tool_result`, tool_use_id: `srv_${of}`, content, ...more }),
  close(index),
]
const of = (events: readonly Event[], ...items: readonly (string | object)[]): AnswerCase => ({
  stream: [start(), ...events, ...stop('end_turn')],
  items,
})
const item = (type: string, fields: object, status = 'completed') => hostedItem({ type, status, ...fields })
const searched = (action: object, status?: string) => item('web_search_call', { action }, status)
const search = (query: string, ...urls: readonly string[]) => ({
  type: 'search',
  query,
  sources: urls.map((url) => ({ type: 'url', url })),
})
const ran = (code: string | null, logs: string) =>
  item('code_interpreter_call', { code, container_id: '', outputs: [{ type: 'logs', logs }] })
const mcp = (server_label: string, name: string, fields: object, status?: string) =>
  item('mcp_call', { server_label, name, arguments: '{}', output: null, error: null, ...fields }, status)
const references = (args: object, ...tools: readonly string[]) =>
  item('tool_search_call', { execution: 'server', call_id: null, arguments: args, tools })

const SEARCH = tool(0, 'web_search', '{"query":"q"}')
const found = (url: string) => [{ type: 'web_search_result', url }]
const failed = { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' }
const logs = { type: 'bash_code_execution_result', stdout: 'a\n', stderr: 'b', content: [] }
const PARROT = ['mcp_tool_use', { server_name: 'parrot' }] as const
const tools = { type: 'tool_search_tool_search_result', tool_references: [{ tool_name: 't' }] }

// biome-ignore format: a row a case
answers('server tools of an anthropic-messages stream', 'are decoded to a hosted item: ', {
  'a search': of([...SEARCH, ...result(1, 0, 'web_search', found('https://a'))], searched(search('q', 'https://a'))),
  'a search that failed': of([...SEARCH, ...result(1, 0, 'web_search', failed)], searched(search('q'), 'failed')),
  'a page': of(
    [...tool(0, 'web_fetch', '{"url":"https://p"}'), ...result(1, 0, 'web_fetch', { type: 'web_fetch_result', url: 'https://p' })],
    searched({ type: 'open_page', url: 'https://p' })),
  'code': of([...tool(0, 'bash_code_execution', '{"command":"ls"}'), ...result(1, 0, 'bash_code_execution', logs)], ran('ls', 'a\nb')),
  'a tool of an MCP server': of(
    [...tool(0, 'echo', '{"m":1}', ...PARROT), ...result(1, 0, 'mcp', [{ type: 'text', text: 'hi' }], { is_error: false })],
    mcp('parrot', 'echo', { arguments: '{"m":1}', output: 'hi' })),
  'one that failed': of(
    [...tool(0, 'echo', '', ...PARROT), ...result(1, 0, 'mcp', [{ type: 'text', text: 'no' }], { is_error: true })],
    mcp('parrot', 'echo', { error: 'no' }, 'failed')),
  'a search for tools': of([...tool(0, 'tool_search_tool_bm25', '{"query":"q"}'), ...result(1, 0, 'tool_search', tools)],
    references({ query: 'q' }, 't')),
  'any other tool': of([...tool(0, 'advisor', ''), ...result(1, 0, 'advisor', { type: 'advisor_result', text: 'Do it.' })],
    mcp('anthropic', 'advisor', { output: 'Do it.' })),
  'the result of a call in an earlier answer': of(
    result(0, 7, 'code_execution', { type: 'code_execution_result', stdout: '4', stderr: '', content: [] }), ran(null, '4')),
})

const DEEP = `{"q":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
const made = { stdout: '', stderr: '', content: [{ file_id: 'file_1' }] }
const compaction = (block: object, piece: object, seal: object) => ({
  ...of(
    [
      open(0, { type: 'compaction', content: null, ...block }),
      delta(0, { type: 'compaction_delta', ...piece }),
      close(0),
    ],
    { type: 'compaction', encrypted_content: expect.any(String) },
  ),
  seals: [{ type: 'compaction', ...seal }],
})

// biome-ignore format: a row a case
answers('server tools of an anthropic-messages stream', '', {
  'are no calls of the client and do not hide the text after them': of([...SEARCH, ...textBlock(1, 'A')], 'web_search_call', 'A'),
  'are decoded even if their input is nested too deep to be written': [
    of(tool(0, 'tool_search_tool_bm25', DEEP), { type: 'tool_search_call', arguments: {} }),
    of(tool(0, 'advisor', DEEP), { type: 'mcp_call', arguments: DEEP }),
  ],
  'name the container if it is known': {
    stream: [start({ container: { id: 'container_1' } }), ...tool(0, 'code_execution', '{"code":"1"}'),
      ...result(1, 0, 'code_execution', made), ...stop('end_turn')],
    items: [{ container_id: 'container_1' }], losses: ['a file created by code execution'] },
  'are matched with their results in any order': of(
    [...tool(0, 'web_search', '{"query":"a"}'), ...tool(1, 'web_search', '{"query":"b"}'),
      ...result(2, 1, 'web_search', found('https://b')), ...result(3, 0, 'web_search', found('https://a'))],
    searched(search('a', 'https://a')), searched(search('b', 'https://b'))),
  'are incomplete if the answer was paused during a search': {
    stream: [start(), ...SEARCH, ...stop('pause_turn')], items: ['web_search_call (incomplete)'], end: 'incomplete: max_output_tokens',
    losses: ['stop_reason pause_turn'] },
  'include a compaction, whose item has only sealed content':
    compaction({}, { content: 'All so far.' }, { content: 'All so far.' }),
  'include a signed compaction, whose encrypted content comes in its delta': compaction(
    { encrypted_content: null, signature: 's' }, { content: null, encrypted_content: 'e' },
    { content: null, encrypted_content: 'e', signature: 's' }),
})

const direct = (isSealed: boolean, type: string, more: object): AnswerCase => ({
  ...of(tool(0, 'web_search', '{}', type, more), { type: expect.any(String) }),
  seals: isSealed ? [expect.anything()] : [],
})

// biome-ignore format: a row a case
answers('server tools of an anthropic-messages stream', 'are sealed only if the model called them directly: ', {
  'a call of its own': direct(true, 'server_tool_use', {}),
  'a call whose caller is direct': direct(true, 'server_tool_use', { caller: { type: 'direct' } }),
  'a call whose caller is code': direct(false, 'server_tool_use', { caller: { type: 'code_execution_20260120' } }),
  'a call of an MCP server': direct(false, 'mcp_tool_use', { server_name: 's' }),
})
