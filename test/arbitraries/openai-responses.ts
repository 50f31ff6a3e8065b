import fc from 'fast-check'
import { PROGRESS_EVENTS } from '../../src/protocol/progress.ts'
import { fieldsOr, jsonOf, textOf } from './json.ts'
import { lines, toSse } from './sse.ts'
import { hostile } from './strings.ts'
import type { Answers } from './wires.ts'

// biome-ignore format: fewer lines are easier to compare with the decoder
const FIELDS = [
  'type', 'item', 'response', 'output', 'output_index', 'content_index', 'summary_index', 'item_id', 'delta', 'part', 'text',
  'refusal', 'arguments', 'input', 'logprobs', 'annotation', 'annotations', 'content', 'summary', 'encrypted_content', 'id',
  'call_id', 'name', 'status', 'action', 'query', 'url', 'title', 'start_index', 'end_index', 'file_id', 'filename', 'index',
  'phase', 'usage', 'input_tokens', 'output_tokens', 'error', 'code', 'message', 'model', 'incomplete_details', 'reason', 'namespace',
] as const

const anyJson = jsonOf(FIELDS, [
  'message',
  'reasoning',
  'function_call',
  'output_text',
  'completed',
  'response.completed',
])
const fields = fieldsOr(anyJson)

const id = fc.constantFrom('it_1', 'it_2', '', null)
const place = fc.constantFrom(0, 0, 1, 2, null, '0')
const offset = fc.integer({ min: -1, max: 30 })
const annotation = fields({
  type: fc.constantFrom('url_citation', 'url_citation', 'file_citation', 'container_file_citation', 'file_path'),
  url: fc.constantFrom('https://a.example/1', 'https://b.example/', ''),
  title: hostile,
  start_index: offset,
  end_index: offset,
  index: offset,
  file_id: fc.constantFrom('file_1', ''),
  filename: hostile,
})
const annotations = fc.array(annotation, { maxLength: 2 })

const token = { token: hostile, logprob: fc.constant(-0.5), bytes: fc.constantFrom(null, [65]) }
const logprobs = fc.array(fields({ ...token, top_logprobs: fc.array(fields(token), { maxLength: 1 }) }), {
  maxLength: 1,
})

const part = fields({
  type: fc.constantFrom('output_text', 'refusal', 'reasoning_text', 'summary_text', 'text', 'audio'),
  text: hostile,
  refusal: hostile,
  annotations,
  logprobs,
})
const parts = fc.oneof({ weight: 4, arbitrary: fc.array(part, { maxLength: 3 }) }, { weight: 1, arbitrary: hostile })

const args = fc.constantFrom('', '{}', '{"city":', '"Bern"}', '{"city":"Bern"}', '{"query":"x"}')
// biome-ignore format: fewer lines are easier to compare with the decoder
const ITEM_TYPES = [
  'message', 'message', 'reasoning', 'reasoning', 'function_call', 'function_call', 'custom_tool_call', 'web_search_call',
  'x_search_call', 'code_interpreter_call', 'mcp_call', 'some_later_item',
] as const
const item = fields({
  type: fc.constantFrom(...ITEM_TYPES),
  id,
  status: fc.constantFrom('in_progress', 'completed', 'incomplete'),
  content: parts,
  summary: parts,
  encrypted_content: fc.constantFrom('sealed_1', 'sealed_2', null),
  phase: fc.constantFrom('commentary', 'final_answer', '', null),
  call_id: fc.constantFrom('call_1', 'call_2', 'xs_call_1', ''),
  name: fc.constantFrom('look', 'up', ''),
  namespace: fc.constantFrom(null, 'crm', 'look'),
  caller: fc.constantFrom(null, { type: 'direct' }, { type: 'program', caller_id: 'p_1' }),
  async: fc.constantFrom(null, true, false),
  arguments: args,
  input: fc.oneof(hostile, args),
  action: fields({ type: fc.constant('search'), query: hostile }),
})

const count = fc.nat({ max: 999 })
const error = fields({ message: hostile, code: fc.constantFrom('rate_limit_exceeded', 'odd', null), type: hostile })
const response = fields({
  id,
  model: fc.constantFrom('m-1', 'm-2'),
  status: fc.constantFrom('in_progress', 'completed', 'completed', 'incomplete', 'failed', 'queued', 'toString'),
  output: fc.array(item, { maxLength: 4 }),
  usage: fc.option(
    fields({
      input_tokens: count,
      output_tokens: count,
      total_tokens: count,
      output_tokens_details: fields({ reasoning_tokens: count }),
    }),
  ),
  error: fc.option(error, { freq: 1 }),
  incomplete_details: fields({ reason: fc.constantFrom('max_output_tokens', 'content_filter', 'constructor') }),
})

const address = { output_index: place, content_index: place, summary_index: place, item_id: id }
const RUNS = [
  'output_text',
  'refusal',
  'reasoning_text',
  'reasoning',
  'reasoning_summary_text',
  'content_part',
] as const

const piece = fields({
  ...address,
  type: fc
    .constantFrom(...RUNS, 'function_call_arguments', 'custom_tool_call_input')
    .map((it) => `response.${it}.delta`),
  delta: fc.oneof(hostile, args),
  logprobs,
})
const whole = fields({
  ...address,
  type: fc
    .constantFrom(...RUNS, 'function_call_arguments', 'custom_tool_call_input')
    .map((it) => `response.${it}.done`),
  text: hostile,
  refusal: hostile,
  arguments: args,
  input: hostile,
  name: fc.constantFrom('look', ''),
  logprobs,
  part,
})
const bracket = fields({
  ...address,
  type: fc
    .tuple(
      fc.constantFrom('content_part', 'reasoning_part', 'reasoning_summary_part'),
      fc.constantFrom('added', 'done'),
    )
    .map(([name, edge]) => `response.${name}.${edge}`),
  part,
})
const edge = fields({
  type: fc.constantFrom('response.output_item.added', 'response.output_item.done'),
  output_index: place,
  item: fc.oneof({ weight: 9, arbitrary: item }, { weight: 1, arbitrary: fc.constant(null) }),
})
const cited = fields({ ...address, type: fc.constant('response.output_text.annotation.added'), annotation })
const lifecycle = fields({ type: fc.constantFrom('response.created', 'response.queued', 'keepalive'), response })
const ending = fields({
  type: fc.constantFrom('response.completed', 'response.incomplete', 'response.failed', 'response.done'),
  response,
})
const failure = fields({ type: fc.constant('error'), error, message: hostile, code: fc.constantFrom('odd', null) })

const progress = fields({
  ...address,
  type: fc.constantFrom(...Object.keys(PROGRESS_EVENTS)).map((name) => `response.${name}`),
  delta: fc.oneof(hostile, args),
  arguments: args,
  command_index: place,
})

const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: progress },
  { weight: 9, arbitrary: piece },
  { weight: 4, arbitrary: whole },
  { weight: 4, arbitrary: bracket },
  { weight: 7, arbitrary: edge },
  { weight: 2, arbitrary: cited },
  { weight: 1, arbitrary: lifecycle },
  { weight: 1, arbitrary: ending },
  { weight: 1, arbitrary: failure },
  { weight: 1, arbitrary: anyJson },
)

const payload = textOf(value, ['[DONE]'])

export const openaiResponsesAnswers: Answers = {
  frame: fc.record({ event: fc.oneof(fc.constantFrom('', '', '', 'error'), hostile), data: payload }),
  stream: fc
    .tuple(fc.array(payload, { maxLength: 12 }), ending, lines, fc.boolean())
    .map(([payloads, end, how, ends]) =>
      new TextEncoder().encode(toSse(ends ? [...payloads, JSON.stringify(end)] : payloads, how)),
    ),
  body: textOf(response),
  quirks: fc.record({ runsCustomCalls: fc.boolean() }),
}
