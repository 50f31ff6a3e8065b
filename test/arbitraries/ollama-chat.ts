import fc from 'fast-check'
import { fieldsOr, jsonOf, textOf } from './json.ts'
import { formattings, toNdjson } from './ndjson.ts'
import { hostile } from './strings.ts'
import type { Answers } from './wires.ts'

// biome-ignore format: fewer lines are easier to compare with the decoder
const FIELDS = [
  'model', 'created_at', 'message', 'role', 'content', 'thinking', 'tool_calls', 'images', 'id', 'function', 'index', 'name',
  'arguments', 'done', 'done_reason', 'prompt_eval_count', 'eval_count', 'logprobs', 'token', 'logprob', 'bytes',
  'top_logprobs', 'error', 'status_code',
] as const

const anyJson = jsonOf(FIELDS, ['stop', 'length', 'load'])
const fields = fieldsOr(anyJson)

const call = fields({
  id: fc.constantFrom('call_1', 'call_2', ''),
  function: fields({
    index: fc.constantFrom(0, 0, 1),
    name: fc.constantFrom('look', 'up', ''),
    arguments: fc.oneof(
      fc.constantFrom<unknown>({}, { city: 'Bern' }, '{"city":"Bern"}', '', null, [1]),
      fc.dictionary(hostile, anyJson, { maxKeys: 2, noNullPrototype: true }),
    ),
  }),
})

const token = { token: hostile, logprob: fc.constant(-0.5), bytes: fc.constantFrom(null, [65]) }
const message = fields({
  role: fc.constant('assistant'),
  content: hostile,
  thinking: fc.oneof(fc.constant(''), hostile),
  tool_calls: fc.array(call, { maxLength: 2 }),
  images: fc.array(fc.constantFrom('iVBORw0KGgo=', ''), { maxLength: 2 }),
})

const line = fields({
  model: fc.constantFrom('m:1b', 'm:2b'),
  created_at: fc.constant('2026-01-01T00:00:00Z'),
  message,
  done: fc.constantFrom(false, false, false, true),
  done_reason: fc.constantFrom('stop', 'length', 'load', 'toString'),
  prompt_eval_count: fc.nat({ max: 999 }),
  eval_count: fc.nat({ max: 999 }),
  logprobs: fc.array(fields({ ...token, top_logprobs: fc.array(fields(token), { maxLength: 1 }) }), { maxLength: 2 }),
})

/** A text or reasoning line exactly as the server sends it. */
const plain = fc
  .tuple(fc.constantFrom('content', 'content', 'thinking'), hostile, fc.constantFrom(false, false, true))
  .map(([field, text, done]) => ({ model: 'm:1b', message: { role: 'assistant', [field]: text }, done }))

const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: line },
  { weight: 5, arbitrary: plain },
  { weight: 1, arbitrary: anyJson },
  { weight: 1, arbitrary: fields({ error: fc.oneof(hostile, fields({ message: hostile })) }) },
)

const payload = textOf(value)

export const ollamaChatAnswers: Answers = {
  frame: fc.record({ event: fc.constant(''), data: payload }),
  stream: fc
    .tuple(fc.array(payload, { maxLength: 10 }), formattings)
    .map(([payloads, how]) => new TextEncoder().encode(toNdjson(payloads, how))),
  body: payload,
  quirks: fc.record({ thinkTags: fc.constantFrom(false, true, 'unopened' as const) }),
}
