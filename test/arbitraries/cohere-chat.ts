import fc from 'fast-check'
import { fieldsOr, jsonOf, textOf } from './json.ts'
import { lines, toSse } from './sse.ts'
import { hostile } from './strings.ts'
import type { Answers } from './wires.ts'

// biome-ignore format: fewer lines are easier to compare with the decoder
const FIELDS = [
  'id', 'type', 'index', 'delta', 'message', 'role', 'content', 'text', 'thinking', 'tool_plan', 'tool_calls', 'function', 'name',
  'arguments', 'citations', 'start', 'end', 'sources', 'document', 'tool_output', 'url', 'title', 'content_index',
  'finish_reason', 'usage', 'tokens', 'input_tokens', 'output_tokens', 'cached_tokens', 'error', 'error_type',
] as const

const TYPES = [
  'message-start',
  'content-start',
  'content-delta',
  'content-delta',
  'content-delta',
  'content-end',
  'tool-plan-delta',
  'tool-call-start',
  'tool-call-delta',
  'tool-call-end',
  'citation-start',
  'citation-end',
  'message-end',
  'toString',
] as const

const anyJson = jsonOf(FIELDS, ['COMPLETE', 'PLAN', 'content-delta', 'message-end'])
const fields = fieldsOr(anyJson)

const block = fields({ type: fc.constantFrom('text', 'thinking', 'video'), text: hostile })
const thinkingPart = fields({ type: fc.constant('thinking'), thinking: hostile })
const call = fields({
  id: fc.constantFrom('look_1', 'up_2', ''),
  type: fc.constant('function'),
  function: fields({
    name: fc.constantFrom('look', 'up', ''),
    arguments: fc.constantFrom('', 'null', '{}', '{"city":', '"Bern"}', null),
  }),
})

const source = fields({
  type: fc.constantFrom('document', 'tool'),
  id: fc.constantFrom('doc:0', 'look_1:0'),
  document: fields({ url: fc.constantFrom('https://a.example/1', ''), title: hostile, text: hostile }),
  tool_output: fields({ url: fc.constantFrom('https://b.example/', ''), content: hostile }),
})

const citation = fields({
  start: fc.integer({ min: -1, max: 20 }),
  end: fc.integer({ min: -1, max: 20 }),
  text: hostile,
  sources: fc.array(source, { maxLength: 2 }),
  type: fc.constantFrom('TEXT_CONTENT', 'PLAN', 'THINKING_CONTENT'),
  content_index: fc.nat({ max: 2 }),
})

const oneOrMore = (one: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 4, arbitrary: one }, { weight: 1, arbitrary: fc.array(one, { maxLength: 2 }) })

const message = fields({
  role: fc.constant('assistant'),
  content: oneOrMore(fc.oneof(block, thinkingPart)),
  tool_plan: hostile,
  tool_calls: oneOrMore(call),
  citations: oneOrMore(citation),
})

const count = fc.nat({ max: 999 })
const ending = {
  finish_reason: fc.constantFrom('COMPLETE', 'TOOL_CALL', 'MAX_TOKENS', 'ERROR', 'TIMEOUT', 'constructor'),
  usage: fields({ tokens: fields({ input_tokens: count, output_tokens: count }), cached_tokens: count }),
  error: fc.option(hostile, { freq: 1 }),
  error_type: fc.constantFrom('INVALID_TOOL_GENERATION', 'TOO_MANY_TOKENS'),
}

const event = fields({
  type: fc.constantFrom(...TYPES),
  index: fc.constantFrom(0, 0, 1, 2),
  delta: fields({ message, ...ending }),
})

/** A text or reasoning delta exactly as the vendor sends it. */
const plain = fc
  .tuple(fc.constantFrom('text', 'text', 'thinking'), hostile, fc.nat({ max: 1 }))
  .map(([field, text, index]) => ({ type: 'content-delta', index, delta: { message: { content: { [field]: text } } } }))

const failure = fields({ id: hostile, message: hostile, error_type: hostile })

const payload = textOf(
  fc.oneof(
    { weight: 5, arbitrary: event },
    { weight: 5, arbitrary: plain },
    { weight: 1, arbitrary: anyJson },
    { weight: 1, arbitrary: failure },
  ),
  ['[DONE]', ' [DONE]'],
)

const answer = fields({
  id: fc.constant('answer-1'),
  message: fields({
    role: fc.constant('assistant'),
    content: fc.array(fc.oneof(block, thinkingPart), { maxLength: 3 }),
    tool_plan: hostile,
    tool_calls: fc.array(call, { maxLength: 2 }),
    citations: fc.array(citation, { maxLength: 3 }),
  }),
  ...ending,
})

export const cohereChatAnswers: Answers = {
  frame: fc.record({ event: fc.constantFrom('', '', ...TYPES), data: payload }),
  stream: fc
    .tuple(fc.array(payload, { maxLength: 10 }), lines, fc.boolean())
    .map(([payloads, how, done]) => new TextEncoder().encode(toSse(done ? [...payloads, '[DONE]'] : payloads, how))),
  body: fc.oneof(
    textOf(answer),
    anyJson.map((value) => JSON.stringify(value)),
  ),
  quirks: fc.constant({}),
}
