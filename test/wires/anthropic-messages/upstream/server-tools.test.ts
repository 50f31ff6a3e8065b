import { describe, expect, it } from 'vitest'
import type { HostedItem } from '../../../../src/protocol/item.ts'
import { answerOf, args, close, itemsOf, lossesOf, open, opened, start, stop, textBlock } from '../events.ts'

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

const hosted = (events: Parameters<typeof itemsOf>[0]) =>
  (itemsOf([start(), ...events, ...stop('end_turn')]) as readonly HostedItem[]).map(({ type, status, fields }) => {
    const { encrypted_content: _, ...rest } = fields ?? {}
    return { type, status, ...rest }
  })

describe('server tools of an anthropic-messages stream', () => {
  it('are no calls of the client and do not hide the text after them', () => {
    const events = [start(), ...tool(0, 'web_search', '{"query":"q"}'), ...textBlock(1, 'A'), ...stop('end_turn')]
    expect(itemsOf(events).map(({ type }) => type)).toEqual(['web_search_call', 'message'])
  })

  it.each([
    [
      'a search',
      [
        ...tool(0, 'web_search', '{"query":"q"}'),
        ...result(1, 0, 'web_search', [{ type: 'web_search_result', url: 'https://a' }]),
      ],
      {
        type: 'web_search_call',
        status: 'completed',
        action: { type: 'search', query: 'q', sources: [{ type: 'url', url: 'https://a' }] },
      },
    ],
    [
      'a search that failed',
      [
        ...tool(0, 'web_search', '{"query":"q"}'),
        ...result(1, 0, 'web_search', { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' }),
      ],
      { type: 'web_search_call', status: 'failed', action: { type: 'search', query: 'q', sources: [] } },
    ],
    [
      'a page',
      [
        ...tool(0, 'web_fetch', '{"url":"https://p"}'),
        ...result(1, 0, 'web_fetch', { type: 'web_fetch_result', url: 'https://p' }),
      ],
      { type: 'web_search_call', status: 'completed', action: { type: 'open_page', url: 'https://p' } },
    ],
    [
      'code',
      [
        ...tool(0, 'bash_code_execution', '{"command":"ls"}'),
        ...result(1, 0, 'bash_code_execution', {
          type: 'bash_code_execution_result',
          stdout: 'a\n',
          stderr: 'b',
          content: [],
        }),
      ],
      {
        type: 'code_interpreter_call',
        status: 'completed',
        code: 'ls',
        container_id: '',
        outputs: [{ type: 'logs', logs: 'a\nb' }],
      },
    ],
    [
      'a tool of an MCP server',
      [
        ...tool(0, 'echo', '{"m":1}', 'mcp_tool_use', { server_name: 'parrot' }),
        ...result(1, 0, 'mcp', [{ type: 'text', text: 'hi' }], { is_error: false }),
      ],
      {
        type: 'mcp_call',
        status: 'completed',
        server_label: 'parrot',
        name: 'echo',
        arguments: '{"m":1}',
        output: 'hi',
        error: null,
      },
    ],
    [
      'one that failed',
      [
        ...tool(0, 'echo', '', 'mcp_tool_use', { server_name: 'parrot' }),
        ...result(1, 0, 'mcp', [{ type: 'text', text: 'no' }], { is_error: true }),
      ],
      {
        type: 'mcp_call',
        status: 'failed',
        server_label: 'parrot',
        name: 'echo',
        arguments: '{}',
        output: null,
        error: 'no',
      },
    ],
    [
      'a search for tools',
      [
        ...tool(0, 'tool_search_tool_bm25', '{"query":"q"}'),
        ...result(1, 0, 'tool_search', {
          type: 'tool_search_tool_search_result',
          tool_references: [{ tool_name: 't' }],
        }),
      ],
      {
        type: 'tool_search_call',
        status: 'completed',
        execution: 'server',
        call_id: null,
        arguments: { query: 'q' },
        tools: ['t'],
      },
    ],
    [
      'any other tool',
      [...tool(0, 'advisor', ''), ...result(1, 0, 'advisor', { type: 'advisor_result', text: 'Do it.' })],
      {
        type: 'mcp_call',
        status: 'completed',
        server_label: 'anthropic',
        name: 'advisor',
        arguments: '{}',
        output: 'Do it.',
        error: null,
      },
    ],
    [
      'the result of a call in an earlier answer',
      result(0, 7, 'code_execution', { type: 'code_execution_result', stdout: '4', stderr: '', content: [] }),
      {
        type: 'code_interpreter_call',
        status: 'completed',
        code: null,
        container_id: '',
        outputs: [{ type: 'logs', logs: '4' }],
      },
    ],
  ] as const)('are decoded to a hosted item: %s', (_, events, item) => {
    expect(hosted(events)).toEqual([item])
  })

  it('are decoded even if their input is nested too deep to be written', () => {
    const deep = `{"q":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
    expect(hosted(tool(0, 'tool_search_tool_bm25', deep))).toMatchObject([{ arguments: {} }])
    expect(hosted(tool(0, 'advisor', deep))).toMatchObject([{ arguments: deep }])
  })

  it('name the container if it is known', () => {
    const events = [start({ container: { id: 'container_1' } }), ...tool(0, 'code_execution', '{"code":"1"}')]
    const done = result(1, 0, 'code_execution', { stdout: '', stderr: '', content: [{ file_id: 'file_1' }] })
    expect(itemsOf([...events, ...done, ...stop('end_turn')])).toMatchObject([
      { fields: { container_id: 'container_1' } },
    ])
    expect(lossesOf([...events, ...done])).toEqual(['a file created by code execution'])
  })

  it.each([
    ['a call of its own', 'server_tool_use', {}, true],
    ['a call whose caller is direct', 'server_tool_use', { caller: { type: 'direct' } }, true],
    ['a call whose caller is code', 'server_tool_use', { caller: { type: 'code_execution_20260120' } }, false],
    ['a call of an MCP server', 'mcp_tool_use', { server_name: 's' }, false],
  ])('are sealed only if the model called them directly: %s', (_, type, more, isSealed) => {
    const [item] = itemsOf([start(), ...tool(0, 'web_search', '{}', type, more), ...stop('end_turn')])
    expect('encrypted_content' in (item as HostedItem).fields).toBe(isSealed)
  })

  it('are matched with their results in any order', () => {
    const found = (url: string) => [{ type: 'web_search_result', url }]
    const events = [
      ...tool(0, 'web_search', '{"query":"a"}'),
      ...tool(1, 'web_search', '{"query":"b"}'),
      ...result(2, 1, 'web_search', found('https://b')),
      ...result(3, 0, 'web_search', found('https://a')),
    ]
    expect(hosted(events).map((item) => ('action' in item ? item.action : null))).toMatchObject([
      { query: 'a', sources: [{ url: 'https://a' }] },
      { query: 'b', sources: [{ url: 'https://b' }] },
    ])
  })

  it('are incomplete if the answer was paused during a search', () => {
    const response = answerOf([start(), ...tool(0, 'web_search', '{"query":"q"}'), ...stop('pause_turn')])
    expect(response.status).toBe('incomplete')
    expect(response.output).toMatchObject([{ type: 'web_search_call', status: 'incomplete' }])
  })

  it('include a compaction, whose item has only sealed content', () => {
    const piece = { type: 'content_block_delta', index: 0, delta: { type: 'compaction_delta', content: 'All so far.' } }
    const [item] = itemsOf([
      start(),
      open(0, { type: 'compaction', content: null }),
      piece,
      close(0),
      ...stop('end_turn'),
    ])
    expect(item).toMatchObject({ type: 'compaction', status: 'completed' })
    const { encrypted_content: sealed } = (item as HostedItem).fields as { encrypted_content: string }
    expect(opened(sealed)).toEqual({ type: 'compaction', content: 'All so far.' })
  })

  it('include a signed compaction, whose encrypted content comes in its delta', () => {
    const delta = { type: 'compaction_delta', content: null, encrypted_content: 'e' }
    const [item] = itemsOf([
      start(),
      open(0, { type: 'compaction', content: null, encrypted_content: null, signature: 's' }),
      { type: 'content_block_delta', index: 0, delta },
      close(0),
      ...stop('end_turn'),
    ])
    const { encrypted_content: sealed } = (item as HostedItem).fields as { encrypted_content: string }
    expect(opened(sealed)).toEqual({ type: 'compaction', content: null, encrypted_content: 'e', signature: 's' })
  })
})
