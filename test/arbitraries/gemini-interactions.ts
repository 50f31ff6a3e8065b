import fc from 'fast-check'
import { fieldsOr, jsonOf, textOf } from './json.ts'
import { lines, toSse } from './sse.ts'
import { hostile } from './strings.ts'
import type { Answers } from './wires.ts'

// biome-ignore format: fewer lines are easier to compare with the decoder
const FIELDS = [
  'event_type', 'index', 'interaction', 'id', 'status', 'model', 'usage', 'total_input_tokens', 'total_tokens', 'steps', 'step',
  'type', 'signature', 'summary', 'content', 'text', 'annotations', 'url', 'title', 'start_index', 'end_index', 'name', 'arguments',
  'call_id', 'result', 'is_error', 'delta', 'data', 'mime_type', 'queries', 'urls', 'code', 'server_name', 'metadata',
  'total_usage', 'error', 'errors', 'message', 'service_tier', 'continuation_token', 'object',
] as const

const STEP_TYPES = [
  'model_output',
  'model_output',
  'thought',
  'function_call',
  'google_search_call',
  'google_search_result',
  'url_context_call',
  'url_context_result',
  'code_execution_call',
  'code_execution_result',
  'mcp_server_tool_call',
  'mcp_server_tool_result',
  'file_search_call',
  'processing_call',
  'new_tool_call',
  'user_input',
  'toString',
] as const

const anyJson = jsonOf(FIELDS, ['completed', 'step.delta', 'interaction.completed', 'text'])
const fields = fieldsOr(anyJson)

const signature = fc.constantFrom('c2ln', 'bmF0dXJl', '')
const callId = fc.constantFrom('id1', 'id2', '')
const index = fc.constantFrom(0, 0, 1, 2)
const offset = fc.integer({ min: -1, max: 30 })

const annotation = fields({
  type: fc.constantFrom('url_citation', 'file_citation', 'place_citation', 'speech_metadata'),
  url: fc.constantFrom('https://a.example/1', 'https://b.example/', ''),
  title: hostile,
  document_uri: fc.constantFrom('files/a', ''),
  start_index: offset,
  end_index: offset,
})

const annotations = fc.array(annotation, { maxLength: 2 })

const content = fc.oneof(
  { weight: 4, arbitrary: fields({ type: fc.constant('text'), text: hostile, annotations }) },
  {
    weight: 1,
    arbitrary: fields({
      type: fc.constantFrom('image', 'audio', 'video'),
      data: fc.constantFrom('AA==', ''),
      mime_type: fc.constantFrom('image/png', 'audio/wav'),
    }),
  },
)

const args = fc.oneof(
  fc.constantFrom({}, { city: 'Bern' }, '{"city":"Bern"}', ''),
  fields({ queries: fc.array(hostile, { maxLength: 2 }), urls: fc.array(hostile, { maxLength: 2 }), code: hostile }),
)

const hosted = {
  arguments: args,
  result: fc.oneof(
    hostile,
    fc.array(fields({ url: hostile, title: hostile, text: hostile, status: hostile }), { maxLength: 2 }),
  ),
  is_error: fc.boolean(),
  signature,
}

const step = fields({
  type: fc.constantFrom(...STEP_TYPES),
  id: callId,
  call_id: callId,
  name: fc.constantFrom('look', 'up', ''),
  server_name: fc.constant('server'),
  content: fc.array(content, { maxLength: 2 }),
  summary: fc.array(content, { maxLength: 2 }),
  ...hosted,
})

const bareStep = fields({
  type: fc.constantFrom(...STEP_TYPES),
  id: callId,
  call_id: callId,
  name: fc.constant('look'),
})

const textDelta = fields({ type: fc.constant('text'), text: hostile })

const delta = fc.oneof(
  { weight: 4, arbitrary: textDelta },
  { weight: 2, arbitrary: fields({ type: fc.constant('thought_summary'), content }) },
  { weight: 2, arbitrary: fields({ type: fc.constant('thought_signature'), signature }) },
  {
    weight: 3,
    arbitrary: fields({
      type: fc.constant('arguments_delta'),
      arguments: fc.constantFrom('', '{}', '{"city":', '"Bern"}'),
      id: callId,
      signature,
    }),
  },
  { weight: 2, arbitrary: fields({ type: fc.constant('text_annotation_delta'), annotations }) },
  { weight: 1, arbitrary: content },
  { weight: 2, arbitrary: fields({ type: fc.constantFrom(...STEP_TYPES), name: fc.constant('look'), ...hosted }) },
)

const count = fc.nat({ max: 999 })
const usage = fields({
  total_tokens: count,
  total_input_tokens: count,
  total_output_tokens: count,
  total_thought_tokens: count,
  total_tool_use_tokens: count,
})

const status = fc.constantFrom(
  'completed',
  'completed',
  'requires_action',
  'incomplete',
  'failed',
  'cancelled',
  'in_progress',
  'budget_exceeded',
  'requires_continuation',
  'new_status',
)

const failure = fields({ code: fc.constantFrom('safety', 'gateway_timeout', 'toString'), message: hostile })

const ending = {
  status,
  usage,
  model: fc.constantFrom('gemini-a', 'gemini-b'),
  service_tier: fc.constantFrom('standard', 'flex'),
  continuation_token: fc.constantFrom('t', ''),
  errors: fc.array(failure, { maxLength: 1 }),
}

const event: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 1,
    arbitrary: fields({
      event_type: fc.constant('interaction.created'),
      interaction: fields({ model: fc.constantFrom('gemini-a', 'gemini-b'), status: fc.constant('in_progress') }),
    }),
  },
  {
    weight: 1,
    arbitrary: fields({ event_type: fc.constant('interaction.status_update'), status, usage }),
  },
  { weight: 4, arbitrary: fields({ event_type: fc.constant('step.start'), index, step: fc.oneof(bareStep, step) }) },
  {
    weight: 8,
    arbitrary: fields({
      event_type: fc.constant('step.delta'),
      index,
      delta,
      metadata: fields({ total_usage: usage }),
    }),
  },
  { weight: 3, arbitrary: fields({ event_type: fc.constant('step.stop'), index, usage }) },
  { weight: 1, arbitrary: fields({ event_type: fc.constant('interaction.completed'), interaction: fields(ending) }) },
  { weight: 1, arbitrary: fields({ event_type: fc.constantFrom('error', 'toString'), error: failure }) },
)

/** A piece of text exactly as the vendor sends it. */
const plain = fc
  .tuple(fc.constantFrom(0, 1), hostile)
  .map(([at, text]) => ({ index: at, delta: { text, type: 'text' }, event_type: 'step.delta' }))

const payload = textOf(
  fc.oneof(
    { weight: 6, arbitrary: event },
    { weight: 5, arbitrary: plain },
    { weight: 1, arbitrary: anyJson },
    { weight: 1, arbitrary: fields({ error: failure }) },
  ),
  ['[DONE]', ' [DONE]'],
)

const body = fields({ object: fc.constant('interaction'), steps: fc.array(step, { maxLength: 4 }), ...ending })

export const geminiInteractionsAnswers: Answers = {
  frame: fc.record({ event: fc.constantFrom('', '', 'step.delta', 'error', 'done'), data: payload }),
  stream: fc
    .tuple(fc.array(payload, { maxLength: 10 }), lines, fc.boolean())
    .map(([payloads, how, done]) => new TextEncoder().encode(toSse(done ? [...payloads, '[DONE]'] : payloads, how))),
  body: fc.oneof(
    textOf(body),
    anyJson.map((value) => JSON.stringify(value)),
  ),
  quirks: fc.constant({}),
}
