import { expect } from 'vitest'
import type { HostedItem } from '../../../../src/protocol/item.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { clientAnswers as answers, cite, of, sealOwn, stop, text } from '../client-bodies.ts'

const source = (cited_text: string, more: object = {}) => ({
  type: 'web_search_result_location',
  url: 'https://a.example/1',
  title: 'A',
  cited_text,
  encrypted_index: '',
  ...more,
})
const words = (text: string, ...citations: readonly object[]) => ({
  type: 'text',
  text,
  ...(citations.length === 0 ? {} : { citations }),
})
const piece = (text: string) => ({ type: 'text_delta', text })
const mark = (citation: object) => ({ type: 'citations_delta', citation })
const block = (...deltas: readonly object[]) => ({ block: words(''), deltas })
const OTHER = { url: 'https://b.example/', title: null }
const ofFile = (file: { file_id: string; filename: string }, citation: object) => ({
  name: JSON.stringify(file),
  ...of(text('abc'), cite(2, 3, { url: '', title: null, file }), stop('m')),
  whole: [words('ab'), words('c', { type: 'char_location', cited_text: '', ...citation })],
})
const PLACE = { start_char_index: 0, end_char_index: 0 }

// biome-ignore format: a row a case
answers('citations for Anthropic clients', '', {
  'end their block in a stream': {
    ...of(text('It is '), text('wet.'), cite(6, 10), text(' So be it.'), stop('m')),
    blocks: [block(piece('It is '), piece('wet.'), mark(source('wet.'))), block(piece(' So be it.'))] },
  'share a block if they cite one span': { ...of(text('Wet.'), cite(0, 4), cite(0, 4, OTHER), text(' Dry.')),
    blocks: [block(piece('Wet.'), mark(source('Wet.')), mark(source('Wet.', OTHER))), block(piece(' Dry.'))] },
  'have blocks of their own in a whole body, wherever they arrived': {
    ...of(text('It is wet. It'), text(' is dry.'), cite(6, 10), cite(11, 21), stop('m')),
    whole: [words('It is '), words('wet.', source('wet.')), words(' '), words('It is dry.', source('It is dry.'))] },
  'share a block if they overlap': { ...of(text('abcdef'), cite(1, 4), cite(2, 5), stop('m')),
    whole: [words('a'), words('bcde', source('bcd'), source('cde')), words('f')] },
  'stay with the text of their part if their position is unknown': { ...of(text('abc'), cite(0, 0), stop('m')),
    content: [words('abc', source(''))] },
  'quote the source if its text is known': { ...of(text('abc'), cite(0, 3, { content: 'as it says' }), stop('m')),
    content: [words('abc', source('as it says'))] },
  'never split a surrogate pair between two blocks': { ...of(text('a😀b'), cite(1, 3), stop('m')),
    whole: [words('a'), words('😀', source('😀')), words('b')] },
})

// biome-ignore format: a row a case
answers('citations for Anthropic clients', 'cite documents if they are citations of files: ', [
  ofFile({ file_id: 'file_1', filename: 'a.pdf' }, { ...PLACE, file_id: 'file_1', document_title: 'a.pdf', document_index: 0 }),
  ofFile({ file_id: 'document-2', filename: 'Facts' }, { ...PLACE, file_id: null, document_title: 'Facts', document_index: 2 }),
  ofFile({ file_id: 'document-2', filename: 'document-2' }, { ...PLACE, file_id: null, document_title: null, document_index: 2 }),
])

const hosted = (type: HostedItem['type'], fields: JsonObject, status = 'completed') => {
  const whole = { id: 'ws_r1_0', type, status, fields }
  return of(
    { kind: 'hosted', key: whole.id, item: { ...whole, status: 'in_progress' }, done: false },
    { kind: 'hosted', key: whole.id, item: whole, done: true },
    stop(whole.id),
  )
}
const search = (action: JsonObject, status?: string) => hosted('web_search_call', { action }, status)
const RAIN = { type: 'search', query: 'rain', sources: [{ type: 'url', url: 'https://a.example/1' }] }
const ID = 'srvtoolu_mr_ws_r1_0'
const use = (name: string, input: object) => ({ type: 'server_tool_use', id: ID, name, input })
const result = (content: unknown) => ({ type: 'web_search_tool_result', tool_use_id: ID, content })
const page = {
  type: 'web_search_result',
  url: 'https://a.example/1',
  title: 'a.example',
  encrypted_content: '',
  page_age: null,
}
const OWN = [
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'rain' } },
  { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [{ encrypted_content: 'x' }] },
]
const encrypted_content = sealOwn({ type: 'server_tool', blocks: OWN })
const asked = ['', '{"query":"rain"}'].map((partial_json) => ({ type: 'input_json_delta', partial_json }))
const echo = { server_label: 's', name: 'echo', arguments: '{"a":1}', output: 'out', error: null }
const MCP = 'mcptoolu_mr_ws_r1_0'
const COMPACTION = { type: 'compaction', content: 'They met.' }
const matching = (fields: object) => expect.objectContaining(fields)

// biome-ignore format: a row a case
answers('hosted items for Anthropic clients', '', {
  'are written as a search with its results': { ...search(RAIN),
    blocks: [{ block: use('web_search', {}), deltas: asked }, { block: result([page]), deltas: [] }],
    end: { stop_reason: 'end_turn', stop_sequence: null },
    usage: matching({ server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 } }) },
  'are written as their original blocks if a vendor of this wire ran them': {
    ...hosted('web_search_call', { action: RAIN, encrypted_content }), content: OWN },
  'are written as the original block of a compaction': {
    ...hosted('compaction', { encrypted_content: sealOwn(COMPACTION) }), content: [COMPACTION],
    blocks: [{ block: matching({ type: 'compaction' }), deltas: [{ type: 'compaction_delta', content: 'They met.' }] }] },
})

// biome-ignore format: a row a case
answers('hosted items for Anthropic clients', 'are written as blocks if the API has such blocks: ', {
  'a search that failed': { ...search(RAIN, 'failed'),
    content: [use('web_search', { query: 'rain' }), result({ type: 'web_search_tool_result_error', error_code: 'unavailable' })] },
  'a search that was cut': { ...search(RAIN, 'incomplete'), content: [use('web_search', { query: 'rain' })] },
  'a search for several things': { ...search({ type: 'search', queries: ['a', 'b'] }),
    content: [use('web_search', { query: 'a\nb' }), result([])] },
  'a page that was opened': { ...search({ type: 'open_page', url: 'x' }), content: [] },
  'code': { ...hosted('code_interpreter_call', { code: 'print(1)', outputs: [{ type: 'logs', logs: '1' }] }),
    content: [use('code_execution', { code: 'print(1)' }),
      matching({ type: 'code_execution_tool_result', content: matching({ stdout: '1', return_code: 0 }) })] },
  'a tool of a server': { ...hosted('mcp_call', echo), content: [
    { type: 'mcp_tool_use', id: MCP, name: 'echo', server_name: 's', input: { a: 1 } },
    { type: 'mcp_tool_result', tool_use_id: MCP, is_error: false, content: [{ type: 'text', text: 'out' }] },
  ] },
  'an image': { ...hosted('image_generation_call', { result: 'AA==' }), content: [] },
})
