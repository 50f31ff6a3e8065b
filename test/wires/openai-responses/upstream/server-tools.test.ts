import { describe, expect, it } from 'vitest'
import { added, completed, done, ev, type LooseRecord, lossesOf, outputOf } from '../streams.ts'

const whole: readonly [string, LooseRecord][] = [
  [
    'web_search_call',
    { action: { type: 'search', query: 'water', sources: [{ type: 'url', url: 'https://a.example/' }] } },
  ],
  ['file_search_call', { queries: ['water'], results: null }],
  ['code_interpreter_call', { code: 'print(1)', container_id: 'cntr_1', outputs: [{ type: 'logs', logs: '1' }] }],
  ['image_generation_call', { result: 'AA==', size: '1024x1024' }],
  ['mcp_call', { name: 'ask', arguments: '{}', output: 'yes', error: null, server_label: 'wiki' }],
  ['mcp_list_tools', { server_label: 'wiki', tools: [{ name: 'ask' }] }],
  ['mcp_approval_request', { name: 'ask', arguments: '{}', server_label: 'wiki' }],
  [
    'shell_call',
    { call_id: 'call_1', action: { commands: ['ls'], max_output_length: 9, timeout_ms: null }, environment: null },
  ],
  [
    'shell_call_output',
    {
      call_id: 'call_1',
      max_output_length: 9,
      output: [{ stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
    },
  ],
  ['local_shell_call', { call_id: 'call_1', action: { type: 'exec', command: ['ls'], env: { A: 'b' } } }],
  ['apply_patch_call', { call_id: 'call_1', operation: { type: 'create_file', path: 'a', diff: '+b' } }],
  ['computer_call', { call_id: 'call_1', action: { type: 'screenshot' }, pending_safety_checks: [] }],
  ['tool_search_call', { call_id: null, execution: 'server', arguments: { paths: ['f'] } }],
  ['tool_search_output', { call_id: null, execution: 'server', tools: [] }],
  ['program', { call_id: 'call_1', code: 'f()', fingerprint: 'x' }],
  ['program_output', { call_id: 'call_1', result: '1' }],
  ['compaction', { encrypted_content: 'sealed' }],
]

/** Items that have no status in openai 7.57. */
const WITHOUT_STATUS = ['mcp_list_tools', 'mcp_approval_request', 'program', 'compaction']

describe('an item of a hosted tool over openai-responses', () => {
  it.each(whole)('passes through with all of its fields: %s', (type, fields) => {
    const item = { type, id: 'theirs', ...fields }
    const events = [
      added(0, { type, id: 'theirs', status: 'in_progress' }),
      ev(`${type}.in_progress`, { output_index: 0, item_id: 'theirs' }),
      ev(`${type}_arguments.delta`, { output_index: 0, delta: 'x' }),
      done(0, { ...item, status: 'completed' }),
    ]
    for (const end of [completed(), completed([item])]) {
      const [item, ...others] = outputOf([...events, end])
      const status = WITHOUT_STATUS.includes(String(type)) ? {} : { status: 'completed' }
      expect(item).toEqual({ type, id: expect.stringMatching(/_x_0$/), ...status, ...fields })
      expect(others).toEqual([])
    }
    expect(outputOf([completed([item])])).toMatchObject([fields])
  })

  it('is decoded while another item is open', () => {
    const search = (query: string): LooseRecord => ({ type: 'web_search_call', action: { type: 'search', query } })
    const events = [added(0, search('')), added(1, search('')), done(1, search('b')), done(0, search('a')), completed()]
    expect(outputOf(events)).toMatchObject([{ action: { query: 'a' } }, { action: { query: 'b' } }])
  })

  it('is dropped with a loss if its type is unknown', () => {
    const events = [done(0, { type: 'some_later_item', id: 'a' }), completed()]
    expect(outputOf(events)).toEqual([])
    expect(lossesOf(events)).toEqual(['item some_later_item'])
  })
})

describe('hosted searches of xAI', () => {
  const custom = (name: string, input: string, call_id = 'xs_call_1'): LooseRecord => ({
    type: 'custom_tool_call',
    id: 'ctc_1',
    call_id,
    name,
    input,
  })
  const streamed = (item: LooseRecord): readonly LooseRecord[] => [
    added(0, { ...item, input: '' }),
    ev('custom_tool_call_input.delta', { output_index: 0, item_id: 'ctc_1', delta: item.input }),
    ev('custom_tool_call_input.done', { output_index: 0, item_id: 'ctc_1', input: item.input }),
    done(0, item),
  ]

  it.each([
    ['{"query":"water","limit":9}', { type: 'search', query: 'water' }],
    ['{"video_url":"https://v.example/1"}', { type: 'open_page', url: 'https://v.example/1' }],
    ['{"post_id":"1"}', { type: 'search', query: '{"post_id":"1"}' }],
    ['not JSON', { type: 'search', query: 'not JSON' }],
  ])('are decoded as searches, never as calls: %s', (input, action) => {
    const items = [{ type: 'web_search_call', id: 'ws_x_0', status: 'completed', action }]
    expect(outputOf([...streamed(custom('x_keyword_search', input)), completed()])).toEqual(items)
    expect(outputOf([completed([custom('x_keyword_search', input)])])).toEqual(items)
  })

  it('are recognised under any call id with the quirk runsCustomCalls', () => {
    const events = [...streamed(custom('x_user_search', '{"query":"a"}', 'call_9')), completed()]
    expect(outputOf(events, { runsCustomCalls: true })).toMatchObject([{ type: 'web_search_call' }])
    expect(outputOf(events)).toMatchObject([{ type: 'custom_tool_call', call_id: 'call_9' }])
  })

  it('are recognised as calls of web_search and by the type x_search_call', () => {
    const items = ['web_search_call', 'x_search_call'].map((type) => ({
      type,
      name: 'web_search',
      call_id: '',
      arguments: '{"query":"water"}',
    }))
    expect(outputOf([completed(items)])).toMatchObject([
      { type: 'web_search_call', action: { type: 'search', query: 'water' } },
      { type: 'web_search_call', action: { type: 'search', query: 'water' } },
    ])
  })
})
