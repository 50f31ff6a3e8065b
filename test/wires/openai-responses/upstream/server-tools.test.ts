import { expect } from 'vitest'
import { PROGRESS_EVENTS } from '../../../../src/protocol/progress.ts'
import { type AnswerCase, exactly } from '../../answer-cases.ts'
import { added, answers, completed, done, ev } from '../answers.ts'

const action = (query: string) => ({ action: { type: 'search', query } })
const logs = [{ type: 'logs', logs: '1' }]
const ran = [{ stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 0 } }]
const C = { call_id: 'call_1' }

// biome-ignore format: a row a case
const HOSTED: Readonly<Record<string, object>> = {
  web_search_call: { action: { ...action('water').action, sources: [{ type: 'url', url: 'https://a.example/' }] } },
  file_search_call: { queries: ['water'], results: null },
  code_interpreter_call: { code: 'print(1)', container_id: 'cntr_1', outputs: logs },
  image_generation_call: { result: 'AA==', size: '1024x1024' },
  mcp_call: { name: 'ask', arguments: '{}', output: 'yes', error: null, server_label: 'wiki' },
  mcp_list_tools: { server_label: 'wiki', tools: [{ name: 'ask' }] },
  mcp_approval_request: { name: 'ask', arguments: '{}', server_label: 'wiki' },
  shell_call: { ...C, action: { commands: ['ls'], max_output_length: 9, timeout_ms: null }, environment: null },
  shell_call_output: { ...C, max_output_length: 9, output: ran },
  local_shell_call: { ...C, action: { type: 'exec', command: ['ls'], env: { A: 'b' } } },
  apply_patch_call: { ...C, operation: { type: 'create_file', path: 'a', diff: '+b' } },
  computer_call: { ...C, action: { type: 'screenshot' }, pending_safety_checks: [] },
  tool_search_call: { call_id: null, execution: 'server', arguments: { paths: ['f'] } },
  tool_search_output: { call_id: null, execution: 'server', tools: [] },
  program: { ...C, code: 'f()', fingerprint: 'x' },
  program_output: { ...C, result: '1' },
  compaction: { encrypted_content: 'sealed' },
}

/** Items that have no status in openai 7.57. */
const WITHOUT_STATUS = ['mcp_list_tools', 'mcp_approval_request', 'program', 'compaction']

const KNOWN = [...Object.keys(PROGRESS_EVENTS), 'web_search_call.in_progress']

const hosted = ([type, fields]: readonly [string, object]): readonly [string, readonly AnswerCase[]] => {
  const item = { type, id: 'theirs', ...fields }
  const between = [`${type}.in_progress`, `${type}_arguments.delta`]
  const events = [
    added(0, { type, id: 'theirs', status: 'in_progress' }),
    ...between.map((name) => ev(name, { output_index: 0, item_id: 'theirs', delta: 'x' })),
    done(0, { ...item, status: 'completed' }),
  ]
  const losses = between.filter((name) => !KNOWN.includes(name)).map((name) => `event response.${name}`)
  const status = WITHOUT_STATUS.includes(type) ? {} : { status: 'completed' }
  const found = expect.toSatisfy(({ id, ...rest }) => {
    expect(rest).toEqual({ type, ...status, ...fields })
    return /_x_0$/.test(id)
  })
  return [
    type,
    [
      ...[completed(), completed([item])].map((end) => ({
        stream: [...events, end],
        body: null,
        items: [found],
        losses,
      })),
      { stream: [completed([item])], items: [fields] },
    ],
  ]
}

answers(
  'an item of a hosted tool over openai-responses',
  'passes through with all of its fields: ',
  Object.fromEntries(Object.entries(HOSTED).map(hosted)),
)

const search = (query: string) => ({ type: 'web_search_call', ...action(query) })

// biome-ignore format: a row a case
answers('an item of a hosted tool over openai-responses', '', {
  'is decoded while another item is open': {
    stream: [added(0, search('')), added(1, search('')), done(1, search('b')), done(0, search('a')), completed()],
    items: [search('a'), search('b')] },
  'is a compaction in the word of Codex': {
    stream: [completed([{ type: 'compaction_summary', encrypted_content: 'sealed' }])], items: [{ type: 'compaction', encrypted_content: 'sealed' }], losses: [] },
  'is dropped with a loss if its type is unknown': {
    stream: [done(0, { type: 'some_later_item', id: 'a' }), completed()], items: [], losses: ['item some_later_item'] },
})

const custom = (name: string, input: string, call_id = 'xs_call_1') => ({
  type: 'custom_tool_call',
  id: 'ctc_1',
  call_id,
  name,
  input,
})
const streamed = (item: ReturnType<typeof custom>) => [
  added(0, { ...item, input: '' }),
  ev('custom_tool_call_input.delta', { output_index: 0, item_id: 'ctc_1', delta: item.input }),
  ev('custom_tool_call_input.done', { output_index: 0, item_id: 'ctc_1', input: item.input }),
  done(0, item),
  completed(),
]
const searches = (input: string, found: object): readonly AnswerCase[] => {
  const item = custom('x_keyword_search', input)
  const items = [{ type: 'web_search_call', id: 'ws_x_0', status: 'completed', action: exactly(found) as object }]
  return [streamed(item), [completed([item])]].map((stream) => ({
    stream,
    items,
    losses: ['the tool x_keyword_search'],
  }))
}
const user = streamed(custom('x_user_search', '{"query":"a"}', 'call_9'))
const named = ['web_search_call', 'x_search_call'].map((type) => ({
  ...{ type, name: 'web_search', call_id: '' },
  arguments: '{"query":"water"}',
}))

// biome-ignore format: a row a case
answers('hosted searches of xAI', '', {
  'are decoded as searches, never as calls': [
    ...searches('{"query":"water","limit":9}', { type: 'search', query: 'water' }),
    ...searches('{"video_url":"https://v.example/1"}', { type: 'open_page', url: 'https://v.example/1' }),
    ...searches('{"post_id":"1"}', { type: 'search', query: '{"post_id":"1"}' }),
    ...searches('not JSON', { type: 'search', query: 'not JSON' }),
  ],
  'are recognised under any call id with the quirk runsCustomCalls': [
    { stream: user, quirks: { runsCustomCalls: true }, items: [{ type: 'web_search_call' }],
      losses: ['the tool x_user_search'] },
    { stream: user, items: ['call_9 x_user_search: {"query":"a"}'] },
  ],
  'are recognised as calls of web_search and by the type x_search_call': {
    stream: [completed(named)], items: [search('water'), search('water')] },
})
