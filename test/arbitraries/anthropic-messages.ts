import fc from 'fast-check'
import { fieldsOr, jsonOf, textOf } from './json.ts'
import { lines, toSse } from './sse.ts'
import { hostile } from './strings.ts'
import type { Answers } from './wires.ts'

// biome-ignore format: fewer lines are easier to compare with the decoder
const FIELDS = [
  'type', 'index', 'message', 'id', 'model', 'content', 'stop_reason', 'stop_details', 'explanation', 'usage', 'delta',
  'content_block', 'text', 'thinking', 'signature', 'data', 'name', 'input', 'server_name', 'tool_use_id', 'citations',
  'citation', 'partial_json', 'error', 'url', 'title', 'cited_text', 'source', 'document_index', 'document_title', 'from',
  'to', 'container', 'input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens', 'is_error',
  'output_tokens_details', 'thinking_tokens', 'stdout', 'stderr', 'query', 'tool_references', 'tool_name', 'error_code',
] as const

const anyJson = jsonOf(FIELDS, ['text', 'thinking', 'tool_use', 'text_delta', 'end_turn', 'message_stop'])
const fields = fieldsOr(anyJson)

const index = fc.constantFrom(0, 0, 1, 1, 2, '0', null)
const toolId = fc.constantFrom('toolu_1', 'toolu_2', 'srvtoolu_1', '')

const citation = fields({
  type: fc.constantFrom('web_search_result_location', 'char_location', 'search_result_location', 'page_location', 'x'),
  url: fc.constantFrom('https://a.example/1', 'https://b.example/', ''),
  source: fc.constant('https://c.example/'),
  title: hostile,
  cited_text: hostile,
  document_index: fc.nat({ max: 2 }),
  document_title: hostile,
})

const result = fields({
  type: fc.constantFrom('web_search_result', 'web_search_tool_result_error', 'code_execution_result', 'text'),
  url: fc.constant('https://a.example/1'),
  stdout: hostile,
  text: hostile,
  error_code: fc.constant('unavailable'),
  content: fc.array(fields({ file_id: fc.constant('file_1') }), { maxLength: 1 }),
  tool_references: fc.array(fields({ tool_name: hostile }), { maxLength: 2 }),
})

const block = fields({
  type: fc.constantFrom(
    'text',
    'text',
    'thinking',
    'redacted_thinking',
    'tool_use',
    'tool_use',
    'server_tool_use',
    'mcp_tool_use',
    'web_search_tool_result',
    'code_execution_tool_result',
    'compaction',
    'fallback',
    'made_up',
  ),
  text: hostile,
  thinking: hostile,
  signature: fc.constantFrom('', 'sig'),
  data: hostile,
  citations: fc.option(fc.array(citation, { maxLength: 2 })),
  id: toolId,
  tool_use_id: toolId,
  name: fc.constantFrom('look', 'web_search', 'web_fetch', 'code_execution', 'advisor', ''),
  server_name: hostile,
  input: fc.constantFrom({}, {}, { city: 'Bern' }, '{"a":1}'),
  content: fc.oneof(result, fc.array(result, { maxLength: 2 }), hostile),
  is_error: fc.boolean(),
  to: fields({ model: fc.constant('m-2') }),
})

const count = fc.nat({ max: 999 })
const usage = fields({
  input_tokens: count,
  output_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: fc.option(count),
  output_tokens_details: fields({ thinking_tokens: count }),
})

const stopReason = fc.constantFrom(
  null,
  'end_turn',
  'tool_use',
  'max_tokens',
  'refusal',
  'pause_turn',
  'made_up',
  'toString',
)
const stopDetails = fields({ explanation: hostile })
const container = fc.option(fields({ id: fc.constant('container_1') }))

const message = fields({
  id: fc.constantFrom('msg_1', 'msg_1', 'msg_2', ''),
  type: fc.constant('message'),
  model: fc.constantFrom('m-1', 'm-2'),
  content: fc.oneof(fc.constant([]), fc.array(block, { maxLength: 3 })),
  stop_reason: stopReason,
  stop_details: stopDetails,
  container,
  usage,
})

const delta = fields({
  type: fc.constantFrom(
    'text_delta',
    'text_delta',
    'thinking_delta',
    'signature_delta',
    'input_json_delta',
    'citations_delta',
    'compaction_delta',
    'made_up',
  ),
  text: hostile,
  thinking: hostile,
  signature: fc.constantFrom('', 'sig'),
  partial_json: fc.constantFrom('', '{}', '{"city":', '"Bern"}', '"x"', '}', '{"a":1}'),
  citation,
  content: hostile,
})

const event: fc.Arbitrary<object> = fc.oneof(
  { weight: 2, arbitrary: fields({ type: fc.constant('message_start'), message }) },
  { weight: 6, arbitrary: fields({ type: fc.constant('content_block_start'), index, content_block: block }) },
  { weight: 10, arbitrary: fields({ type: fc.constant('content_block_delta'), index, delta }) },
  { weight: 5, arbitrary: fields({ type: fc.constant('content_block_stop'), index }) },
  {
    weight: 2,
    arbitrary: fields({
      type: fc.constant('message_delta'),
      delta: fields({ stop_reason: stopReason, stop_details: stopDetails, container }),
      usage,
    }),
  },
  { weight: 1, arbitrary: fields({ type: fc.constantFrom('message_stop', 'ping', 'made_up') }) },
  {
    weight: 1,
    arbitrary: fields({
      type: fc.constant('error'),
      error: fields({ type: fc.constant('overloaded_error'), message: hostile }),
    }),
  },
)

/** A text delta exactly as the vendor sends it. */
const plain = hostile.map((text) => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text },
}))

const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 8, arbitrary: event },
  { weight: 3, arbitrary: plain },
  { weight: 1, arbitrary: anyJson },
)

const payload = textOf(value, ['[DONE]', '{"type":"message_stop"}'])

export const anthropicMessagesAnswers: Answers = {
  frame: fc.record({ event: fc.oneof(fc.constantFrom('', '', '', 'error'), hostile), data: payload }),
  stream: fc
    .tuple(fc.array(payload, { maxLength: 14 }), lines, fc.boolean())
    .map(([payloads, how, done]) =>
      new TextEncoder().encode(toSse(done ? [...payloads, '{"type":"message_stop"}'] : payloads, how)),
    ),
  body: textOf(fc.oneof({ weight: 8, arbitrary: message }, { weight: 1, arbitrary: anyJson })),
  quirks: fc.constant({}),
}
