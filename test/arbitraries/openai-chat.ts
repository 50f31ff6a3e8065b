import fc from 'fast-check'
import { fieldsOr, jsonOf, textOf } from './json.ts'
import { lines, toSse } from './sse.ts'
import { hostile } from './strings.ts'
import type { Answers } from './wires.ts'

// biome-ignore format: fewer lines are easier to compare with the decoder
const FIELDS = [
  'id', 'object', 'model', 'choices', 'usage', 'x_groq', 'error', 'citations', 'search_results', 'index', 'delta', 'message',
  'finish_reason', 'logprobs', 'text', 'role', 'content', 'refusal', 'tool_calls', 'function_call', 'reasoning_content',
  'reasoning', 'reasoning_details', 'annotations', 'executed_tools', 'images', 'audio', 'type', 'function', 'custom', 'name',
  'arguments', 'input', 'url', 'title', 'url_citation', 'start_index', 'end_index', 'prompt_tokens', 'completion_tokens',
  'total_tokens', 'code', 'param', 'metadata', 'thinking', 'data', 'signature', 'summary', 'token', 'bytes', 'image_url',
] as const

const anyJson = jsonOf(FIELDS, ['stop', 'url_citation', 'reasoning.encrypted'])
const fields = fieldsOr(anyJson)

const argumentPiece = fc.constantFrom('', '{}', '{"city":', '"Bern"}', '"x"', '}', '{"a":1}')
const call = fields({
  index: fc.constantFrom(0, 0, 1, 2, '0', null),
  id: fc.constantFrom('call_1', 'call_2', '', null),
  type: fc.constantFrom('function', 'function', 'custom'),
  function: fields({ name: fc.constantFrom('look', 'up', '', null), arguments: argumentPiece }),
  custom: fields({ name: fc.constantFrom('grep', ''), input: hostile }),
})

const url = fc.constantFrom('https://a.example/1', 'https://b.example/', '')
const source = fields({ url, title: hostile, snippet: hostile, content: hostile })
const offset = fc.integer({ min: -1, max: 30 })
const cited = { url, title: hostile, content: hostile, start_index: offset, end_index: offset }
const annotation = fields({ type: fc.constant('url_citation'), url_citation: fields(cited), ...cited })

const detail = fields({
  type: fc.constantFrom('reasoning.text', 'reasoning.summary', 'reasoning.encrypted'),
  index: fc.nat({ max: 1 }),
  text: hostile,
  summary: hostile,
  signature: hostile,
  data: hostile,
})

const contentPart = fields({
  type: fc.constantFrom('text', 'thinking', 'reference'),
  text: hostile,
  thinking: fc.array(fields({ type: fc.constant('text'), text: hostile }), { maxLength: 2 }),
})

const message = fields({
  role: fc.constant('assistant'),
  content: fc.oneof(
    { weight: 5, arbitrary: hostile },
    { weight: 1, arbitrary: fc.array(contentPart, { maxLength: 2 }) },
  ),
  refusal: fc.option(hostile, { freq: 1 }),
  tool_calls: fc.array(call, { maxLength: 2 }),
  function_call: fields({ name: fc.constant('look'), arguments: argumentPiece }),
  reasoning_content: hostile,
  reasoning: hostile,
  reasoning_details: fc.array(detail, { maxLength: 2 }),
  annotations: fc.array(annotation, { maxLength: 2 }),
  images: fc.array(fields({ index: fc.nat(), image_url: fields({ url: fc.constant('data:image/png;base64,AA==') }) }), {
    maxLength: 1,
  }),
})

const token = { token: hostile, logprob: fc.constant(-0.5), bytes: fc.constantFrom(null, [65]) }
const choice = fields({
  index: fc.constantFrom(0, 0, 0, 1, null),
  delta: message,
  message,
  finish_reason: fc.constantFrom(
    null,
    null,
    null,
    'stop',
    'tool_calls',
    'length',
    'content_filter',
    'error',
    'toString',
  ),
  logprobs: fields({
    content: fc.array(fields({ ...token, top_logprobs: fc.array(fields(token)) }), { maxLength: 1 }),
  }),
  text: hostile,
})

const count = fc.nat({ max: 999 })
const usage = fields({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  completion_tokens_details: fields({ reasoning_tokens: count }),
})

const chunk = fields({
  id: fc.constant('chatcmpl-1'),
  object: fc.constant('chat.completion.chunk'),
  model: fc.constantFrom('m-1', 'm-2'),
  choices: fc.array(choice, { minLength: 1, maxLength: 2 }),
  usage: fc.option(usage),
  citations: fc.array(fc.oneof(url, source), { maxLength: 2 }),
  search_results: fc.array(source, { maxLength: 2 }),
})

/** A text or reasoning chunk exactly as vendors send it. */
const plain = fc
  .tuple(fc.constantFrom('content', 'content', 'reasoning_content'), hostile, fc.constantFrom(null, null, 'stop'))
  .map(([field, text, finish_reason]) => ({
    model: 'm-1',
    choices: [{ index: 0, delta: { [field]: text }, finish_reason }],
  }))

const failure = fields({ error: fields({ message: hostile, code: fc.constantFrom(429, 'overloaded'), type: hostile }) })

const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: chunk },
  { weight: 5, arbitrary: plain },
  { weight: 1, arbitrary: anyJson },
  { weight: 1, arbitrary: failure },
)

const payload = textOf(value, ['[DONE]', ' [DONE]'])

export const openaiChatAnswers: Answers = {
  frame: fc.record({ event: fc.oneof(fc.constantFrom('', '', '', 'error'), hostile), data: payload }),
  stream: fc
    .tuple(fc.array(payload, { maxLength: 10 }), lines, fc.boolean())
    .map(([payloads, how, done]) => new TextEncoder().encode(toSse(done ? [...payloads, '[DONE]'] : payloads, how))),
  body: payload,
  quirks: fc.record({ thinkTags: fc.constantFrom(false, true, 'unopened' as const), unmarkedSources: fc.boolean() }),
}
