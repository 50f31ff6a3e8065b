import { expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../../src/protocol/json.ts'
import { isObject, parseJson } from '../../../../src/text/json.ts'
import { WIRES } from '../../../../src/wires/registry.ts'
import { framesOf, optionsFor, pass } from '../../../engine/passing.ts'
import { writeFrame } from '../../../framing/write-frame.ts'

/** What the failure behind a stream that breaks repeats. */

const WIRE = WIRES['openai-responses']

type Event = JsonObject & { readonly type: string }

const CREATED: Event = { type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } }

const added = (item: JsonObject): Event => ({ type: 'response.output_item.added', output_index: 0, item })

const at = (type: string, members: JsonObject): Event => ({
  type: `response.${type}`,
  output_index: 0,
  item_id: 'i',
  ...members,
})

/** The item in its own end, if it has one, and in the failure. */
function failedItems(events: readonly Event[]): readonly Json[] {
  const sent = [CREATED, ...events].map((event) => writeFrame({ event: '', data: JSON.stringify(event) }, 'sse'))
  const { output } = pass(optionsFor(WIRE), WIRE, sent, 'fail')
  return framesOf(WIRE, output).flatMap(({ data }) => {
    const value = parseJson(data)
    if (!isObject(value)) return []
    if (value.type === 'response.output_item.done') return [value.item as Json]
    return value.type === 'response.failed' ? ((value.response as JsonObject).output as readonly Json[]) : []
  })
}

const CODE = {
  id: 'i',
  type: 'code_interpreter_call',
  status: 'in_progress',
  code: '',
  container_id: 'c',
  outputs: null,
}
const MCP = { id: 'i', type: 'mcp_call', status: 'in_progress', name: 't', server_label: 's', arguments: '' }

it.each<[what: string, item: JsonObject, events: readonly Event[], has: JsonObject]>([
  [
    'pieces of code',
    CODE,
    [at('code_interpreter_call_code.delta', { delta: 'x=' }), at('code_interpreter_call_code.delta', { delta: '1' })],
    { code: 'x=1', container_id: 'c', outputs: null },
  ],
  [
    'whole code',
    CODE,
    [at('code_interpreter_call_code.delta', { delta: 'x=1' }), at('code_interpreter_call_code.done', { code: 'x=1' })],
    { code: 'x=1' },
  ],
  [
    'arguments of an MCP call',
    MCP,
    [at('mcp_call_arguments.delta', { delta: '{"a":' }), at('mcp_call_arguments.delta', { delta: '1}' })],
    { arguments: '{"a":1}', name: 't' },
  ],
])('has the %s that its client has received', (_, item, events, has) => {
  const found = failedItems([added(item), ...events])
  expect(found).toHaveLength(2)
  for (const one of found) expect(one).toMatchObject({ ...has, status: 'incomplete' })
})

const page = (url: string) => ({ type: 'url_citation', url, title: 'X', start_index: 0, end_index: 5 })

it('has the annotations of an open text that its client has received', () => {
  const annotations = [page('http://x'), page('http://y'), { type: 'file_path', file_id: 'f', index: 2 }]
  const place = { content_index: 0 }
  const found = failedItems([
    added({ id: 'i', type: 'message', role: 'assistant', content: [] }),
    at('content_part.added', { ...place, part: { type: 'output_text', text: '', annotations: [] } }),
    at('output_text.delta', { ...place, delta: 'Hello' }),
    ...annotations.map((annotation, annotation_index) =>
      at('output_text.annotation.added', { ...place, annotation_index, annotation }),
    ),
  ])
  expect(found).toHaveLength(2)
  for (const one of found) expect(one).toMatchObject({ content: [{ type: 'output_text', text: 'Hello', annotations }] })
})

it('has no long annotation that is no citation, which nothing bounds', () => {
  const annotation = { type: 'of_tomorrow', text: 'x'.repeat(1000) }
  const place = { content_index: 0 }
  const found = failedItems([
    added({ id: 'i', type: 'message', role: 'assistant', content: [] }),
    at('content_part.added', { ...place, part: { type: 'output_text', text: '', annotations: [] } }),
    at('output_text.delta', { ...place, delta: 'Hello' }),
    at('output_text.annotation.added', { ...place, annotation_index: 0, annotation }),
  ])
  for (const one of found) expect(one).toMatchObject({ content: [{ text: 'Hello', annotations: [] }] })
})

it('has the members of a done item that are null or empty, unless they were announced', () => {
  const item = { ...MCP, status: 'completed', arguments: '{}', error: null, output: '', name: '' }
  const done = at('output_item.done', { item })
  expect(failedItems([added({ ...MCP, approval_request_id: null }), done])).toEqual([
    item,
    { ...item, name: 't', approval_request_id: null },
  ])
})
