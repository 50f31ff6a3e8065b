import { describe, expect, it } from 'vitest'
import type { Delta } from '../../../../src/protocol/delta.ts'
import type { HostedItem } from '../../../../src/protocol/item.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { blocksOf, bodyOf, cite, eventsOf, FINISH, sealOwn, stop, text } from '../client-bodies.ts'

const finished = (deltas: readonly Delta[]) => eventsOf([...deltas, FINISH])
const blocks = (deltas: readonly Delta[]) => blocksOf(finished(deltas))
const content = (deltas: readonly Delta[]) => bodyOf([...deltas, FINISH]).content as readonly JsonObject[]

const hosted = (item: Partial<HostedItem> & Pick<HostedItem, 'type'>): readonly Delta[] => {
  const whole = { id: 'ws_r1_0', status: 'completed', fields: {}, ...item }
  return [
    { kind: 'hosted', key: whole.id, item: { ...whole, status: 'in_progress' }, done: false },
    { kind: 'hosted', key: whole.id, item: whole, done: true },
    stop(whole.id),
  ]
}

describe('citations for Anthropic clients', () => {
  const source = (cited_text: string, more: object = {}) => ({
    type: 'web_search_result_location',
    url: 'https://a.example/1',
    title: 'A',
    cited_text,
    encrypted_index: '',
    ...more,
  })

  it('end their block in a stream', () => {
    const list = [text('It is '), text('wet.'), cite(6, 10), text(' So be it.'), stop('m')]
    expect(blocks(list).map(({ deltas }) => deltas)).toEqual([
      [
        { type: 'text_delta', text: 'It is ' },
        { type: 'text_delta', text: 'wet.' },
        { type: 'citations_delta', citation: source('wet.') },
      ],
      [{ type: 'text_delta', text: ' So be it.' }],
    ])
  })

  it('share a block if they cite one span', () => {
    const list = [text('Wet.'), cite(0, 4), cite(0, 4, { url: 'https://b.example/', title: null }), text(' Dry.')]
    expect(blocks(list)).toMatchObject([
      { deltas: [{}, {}, { citation: { url: 'https://b.example/', title: null } }] },
      {},
    ])
  })

  it('have blocks of their own in a whole body, wherever they arrived', () => {
    const list = [text('It is wet. It'), text(' is dry.'), cite(6, 10), cite(11, 21), stop('m')]
    expect(content(list)).toEqual([
      { type: 'text', text: 'It is ' },
      { type: 'text', text: 'wet.', citations: [source('wet.')] },
      { type: 'text', text: ' ' },
      { type: 'text', text: 'It is dry.', citations: [source('It is dry.')] },
    ])
  })

  it('share a block if they overlap', () => {
    const list = [text('abcdef'), cite(1, 4), cite(2, 5), stop('m')]
    expect(content(list)).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'bcde', citations: [source('bcd'), source('cde')] },
      { type: 'text', text: 'f' },
    ])
  })

  it('stay with the text of their part if their position is unknown', () => {
    expect(content([text('abc'), cite(0, 0), stop('m')])).toEqual([
      { type: 'text', text: 'abc', citations: [source('')] },
    ])
  })

  it('quote the source if its text is known', () => {
    expect(content([text('abc'), cite(0, 3, { content: 'as it says' }), stop('m')])).toMatchObject([
      { citations: [source('as it says')] },
    ])
  })

  it.each([
    [
      { file_id: 'file_1', filename: 'a.pdf' },
      { file_id: 'file_1', document_title: 'a.pdf', document_index: 0 },
    ],
    [
      { file_id: 'document-2', filename: 'Facts' },
      { file_id: null, document_title: 'Facts', document_index: 2 },
    ],
    [
      { file_id: 'document-2', filename: 'document-2' },
      { file_id: null, document_title: null, document_index: 2 },
    ],
  ])('cite documents if they are citations of files: %o', (file, expected) => {
    expect(content([text('abc'), cite(2, 3, { url: '', title: null, file }), stop('m')]).at(-1)).toMatchObject({
      citations: [{ type: 'char_location', cited_text: '', ...expected }],
    })
  })

  it('never split a surrogate pair between two blocks', () => {
    expect(content([text('a😀b'), cite(1, 3), stop('m')]).map((block) => block.text)).toEqual(['a', '😀', 'b'])
  })
})

describe('hosted items for Anthropic clients', () => {
  const SEARCH = { type: 'search', query: 'rain', sources: [{ type: 'url', url: 'https://a.example/1' }] }

  it('are written as a search with its results', () => {
    const list = hosted({ type: 'web_search_call', fields: { action: SEARCH } })
    expect(blocks(list)).toEqual([
      {
        block: { type: 'server_tool_use', id: 'srvtoolu_mr_ws_r1_0', name: 'web_search', input: {} },
        deltas: ['', '{"query":"rain"}'].map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      },
      {
        block: {
          type: 'web_search_tool_result',
          tool_use_id: 'srvtoolu_mr_ws_r1_0',
          content: [
            {
              type: 'web_search_result',
              url: 'https://a.example/1',
              title: 'a.example',
              encrypted_content: '',
              page_age: null,
            },
          ],
        },
        deltas: [],
      },
    ])
    expect(finished(list).at(-2)).toMatchObject({
      delta: { stop_reason: 'end_turn' },
      usage: { server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 } },
    })
  })

  it('are written as their original blocks if a vendor of this wire ran them', () => {
    const own = [
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'rain' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [{ encrypted_content: 'x' }] },
    ]
    const encrypted_content = sealOwn({ type: 'server_tool', blocks: own })
    expect(content(hosted({ type: 'web_search_call', fields: { action: SEARCH, encrypted_content } }))).toEqual(own)
  })

  it.each<[string, HostedItem['type'], string, JsonObject, readonly object[]]>([
    [
      'a search that failed',
      'web_search_call',
      'failed',
      { action: SEARCH },
      [{}, { content: { type: 'web_search_tool_result_error', error_code: 'unavailable' } }],
    ],
    ['a search that was cut', 'web_search_call', 'incomplete', { action: SEARCH }, [{ type: 'server_tool_use' }]],
    [
      'a search for several things',
      'web_search_call',
      'completed',
      { action: { type: 'search', queries: ['a', 'b'] } },
      [{ input: { query: 'a\nb' } }, { content: [] }],
    ],
    ['a page that was opened', 'web_search_call', 'completed', { action: { type: 'open_page', url: 'x' } }, []],
    [
      'code',
      'code_interpreter_call',
      'completed',
      { code: 'print(1)', outputs: [{ type: 'logs', logs: '1' }] },
      [
        { name: 'code_execution', input: { code: 'print(1)' } },
        { type: 'code_execution_tool_result', content: { stdout: '1', return_code: 0 } },
      ],
    ],
    [
      'a tool of a server',
      'mcp_call',
      'completed',
      { server_label: 's', name: 'echo', arguments: '{"a":1}', output: 'out', error: null },
      [
        { type: 'mcp_tool_use', id: 'mcptoolu_mr_ws_r1_0', name: 'echo', server_name: 's', input: { a: 1 } },
        { type: 'mcp_tool_result', is_error: false, content: [{ type: 'text', text: 'out' }] },
      ],
    ],
    ['an image', 'image_generation_call', 'completed', { result: 'AA==' }, []],
  ])('are written as blocks if the API has such blocks: %s', (_, type, status, fields, expected) => {
    const list = hosted({ type, status, fields })
    expect(content(list)).toMatchObject(expected)
    expect(blocks(list)).toHaveLength(expected.length)
  })

  it('are written as the original block of a compaction', () => {
    const block = { type: 'compaction', content: 'They met.' }
    const list = hosted({ type: 'compaction', id: 'cmp', fields: { encrypted_content: sealOwn(block) } })
    expect(content(list)).toEqual([block])
    expect(blocks(list)).toMatchObject([{ deltas: [{ type: 'compaction_delta', content: 'They met.' }] }])
  })
})
