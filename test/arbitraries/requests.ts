import fc from 'fast-check'
import type { Json } from '../../src/protocol/json.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { sealed } from '../engine/target.ts'
import { inputChanges, withChanges } from './input-changes.ts'

/** Valid requests of every kind, as a client sends them after a long conversation. */

export type Fields = Readonly<Record<string, unknown>>

const words = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('Hi', 'What is it? 🙂', 'Look:\n- a', 'So: ') },
  { weight: 1, arbitrary: fc.constantFrom('', ' \n') },
)
const statements = fc.constantFrom('Well.', 'It is so.', 'I look it up. \n')

const PNG = 'data:image/png;base64,iVBORw0KGgo='
const image = fc.record(
  {
    type: fc.constant('input_image'),
    image_url: fc.constantFrom(PNG, 'data:image/jpeg;base64,/9j/', 'https://pics.example/a.png', 'data:image/bmp,x'),
    detail: fc.constantFrom('auto', 'low', 'high'),
  },
  { requiredKeys: ['type', 'image_url'] },
)
const file = fc.constantFrom(
  { type: 'input_file', filename: 'Q3 report: final.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
  { type: 'input_file', filename: 'notes.txt', file_data: 'data:text/plain;base64,SGk=' },
  { type: 'input_file', file_url: 'https://docs.example/a.pdf' },
  { type: 'input_file', file_id: 'file-1' },
  { type: 'input_file', file_id: 'file-2', detail: 'low' },
  { type: 'input_image', file_id: 'file-3', detail: 'high' },
  { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
)
const inputText = words.map((text) => ({ type: 'input_text', text }))
const parts = fc.array(
  fc.oneof({ weight: 4, arbitrary: inputText }, { weight: 2, arbitrary: image }, { weight: 1, arbitrary: file }),
  { maxLength: 3 },
)

const message = fc.record({
  role: fc.constantFrom('user', 'user', 'user', 'system', 'developer'),
  content: fc.oneof(words, parts),
})

const answer = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: statements.map((text) => ({ type: 'output_text', text, annotations: [] })) },
      { weight: 1, arbitrary: fc.constant({ type: 'refusal', refusal: 'I will not.' }) },
    ),
    { minLength: 1, maxLength: 2 },
  )
  .chain((content) =>
    fc
      .constantFrom({}, {}, { phase: 'commentary' }, { phase: 'final_answer' })
      .map((phase) => ({ type: 'message', role: 'assistant', content, ...phase })),
  )

// ---------------------------------------------------------------- reasoning, encrypted by any upstream or by none

/** The payload that each wire encrypts, as its decoder does. `id` is the id of the next call. */
const PAYLOADS: Partial<Record<WireName, (id: string) => Json>> = {
  'openai-chat': () => [{ type: 'reasoning.text', index: 0, text: 'Hm.', signature: 'c2ln' }],
  'openai-responses': () => ({ id: 'rs_1', summary: [], encrypted_content: 'c2ln' }),
  'anthropic-messages': () => ({ type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }),
  'gemini-generate': (id) => ({ on: 'call', id, signature: 'c2ln' }),
  'bedrock-converse': () => ({ text: 'Hm.', signature: 'c2ln', redacted: [] }),
}

const reasoningOf = (wire: WireName, model: string, id: string) => {
  const own = PAYLOADS[wire]?.(id)
  const other = wire === 'anthropic-messages' ? 'bedrock-converse' : 'anthropic-messages'
  const summary = [{ type: 'summary_text', text: 'Hm.' }]
  return fc
    .constantFrom(
      ...(own === undefined ? [] : [sealed(wire, own, model), sealed(wire, own, model)]),
      sealed(other, { type: 'thinking', thinking: 'Hm.', signature: 'x' }),
      'mr1.x',
      null,
    )
    .map((encrypted_content) => ({ type: 'reasoning', summary, encrypted_content }))
}

// ---------------------------------------------------------------- tool calls with their outputs

const NAMES = ['look_up', 'f', 'get-weather'] as const
const args = fc.constantFrom('{}', '', '{"city":"Bern"}', '{"a":[1,{"b":null}]}', '[1]', 'no json')
const output = fc.oneof(words, fc.constant('{"found":2}'), fc.array(fc.oneof(inputText, image), { maxLength: 2 }))
/** Ids as upstreams create them: some are too long for other upstreams, or contain other characters. */
const ID_SHAPES: readonly ((n: number) => string)[] = [
  (n) => `call_${n}`,
  (n) => `functions.f:${n}`,
  (n) => `toolu_vrtx_${'x'.repeat(60)}${n}`,
  (n) => `chatcmpl-tool-é-${n}`,
]

interface CallSeed {
  readonly name: string
  readonly args: string
  readonly output: unknown
  readonly custom: boolean
  readonly byProgram: boolean
}

const call: fc.Arbitrary<CallSeed> = fc.record({
  name: fc.constantFrom(...NAMES),
  args,
  output,
  custom: fc.nat({ max: 9 }).map((n) => n === 0),
  byProgram: fc.nat({ max: 9 }).map((n) => n === 0),
})

function toItems(seed: CallSeed, call_id: string): readonly [call: object, output: object] {
  const kind = seed.custom ? 'custom_tool_call' : 'function_call'
  const given = seed.custom ? { name: 'note', input: seed.args } : { name: seed.name, arguments: seed.args }
  const origin = seed.byProgram ? { caller: { type: 'program', caller_id: 'p_1' } } : {}
  return [
    { type: kind, call_id, ...given, ...origin },
    { type: `${kind}_output`, call_id, output: seed.output, ...origin },
  ]
}

interface StepSeed {
  readonly calls: readonly CallSeed[]
  readonly shape: number
  readonly thinks: boolean
  readonly hasText: boolean
  readonly order: 'as called' | 'turned round' | 'each after its own'
}

const step: fc.Arbitrary<StepSeed> = fc.record({
  calls: fc.array(call, { minLength: 1, maxLength: 3 }),
  shape: fc.nat({ max: ID_SHAPES.length - 1 }),
  thinks: fc.boolean(),
  hasText: fc.boolean(),
  order: fc.constantFrom('as called', 'as called', 'turned round', 'each after its own'),
})

function stepItems(seed: StepSeed, at: number, reasoning: object): readonly object[] {
  const pairs = seed.calls.map((one, i) => toItems(one, ID_SHAPES[seed.shape]?.(at * 10 + i) ?? ''))
  const before = [
    ...(seed.thinks ? [reasoning] : []),
    ...(seed.hasText ? [{ role: 'assistant', content: 'Let me see.' }] : []),
  ]
  if (seed.order === 'each after its own') return [...before, ...pairs.flat()]
  const outputs = pairs.map(([, out]) => out)
  return [...before, ...pairs.map(([one]) => one), ...(seed.order === 'as called' ? outputs : outputs.reverse())]
}

const turnOf = (wire: WireName, model: string, at: number): fc.Arbitrary<readonly object[]> => {
  const reasoning = reasoningOf(wire, model, `call_${at * 10}`)
  return fc.oneof(
    { weight: 3, arbitrary: message.map((it) => [it]) },
    { weight: 2, arbitrary: fc.tuple(reasoning, answer).map(([hm, it]) => [hm, it]) },
    { weight: 1, arbitrary: answer.map((it) => [it]) },
    { weight: 4, arbitrary: fc.tuple(step, reasoning).map(([seed, hm]) => stepItems(seed, at, hm)) },
  )
}

const inputOf = (wire: WireName, model: string): fc.Arbitrary<readonly object[]> =>
  fc
    .tuple(...[0, 1, 2, 3].map((at) => turnOf(wire, model, at)))
    .chain((turns) => fc.nat({ max: turns.length }).map((n) => turns.slice(0, n).flat()))
    .map((items) => [{ role: 'user', content: 'Begin.' }, ...items])

// ---------------------------------------------------------------- fields other than the input

const SCHEMA = {
  type: 'object',
  properties: { a: { type: ['string', 'null'] }, b: { $ref: '#/$defs/b' } },
  required: ['a'],
  additionalProperties: false,
  $defs: { b: { const: 1 } },
}

const functions = NAMES.map((name, i) => ({
  type: 'function',
  name,
  ...(i === 0 ? {} : { description: `Does ${name}.` }),
  ...(i === 1 ? {} : { parameters: i === 0 ? SCHEMA : { properties: {} } }),
  ...(i === 2 ? { strict: true } : {}),
}))
const extra = fc.subarray([
  { type: 'custom', name: 'note', description: 'Writes it down.' },
  { type: 'web_search' },
  { type: 'namespace', name: 'crm', description: 'Customers', tools: [{ type: 'function', name: 'find' }] },
])

const tools = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Fields>({}) },
  {
    weight: 4,
    arbitrary: extra.chain((more) =>
      fc.record(
        {
          tools: fc.constant([...functions, ...more]),
          tool_choice: fc.constantFrom('auto', 'none', 'required', { type: 'function', name: 'look_up' }),
          parallel_tool_calls: fc.boolean(),
        },
        { requiredKeys: ['tools'] },
      ),
    ),
  },
)

const format = fc.constantFrom(
  { type: 'text' },
  { type: 'json_object' },
  { type: 'json_schema', name: 'answer', schema: SCHEMA, strict: true },
)

const options = fc.record(
  {
    instructions: fc.constantFrom('Be brief.', ''),
    stream: fc.boolean(),
    max_output_tokens: fc.integer({ min: 16, max: 40_000 }),
    temperature: fc.constantFrom(0, 0.7, 1, 1.7, 2),
    top_p: fc.constantFrom(0, 0.5, 0.97, 1),
    presence_penalty: fc.constantFrom(-2, 0, 0.5, 2),
    frequency_penalty: fc.constantFrom(-2, 0, 0.5, 2),
    top_logprobs: fc.constantFrom(0, 5, 20),
    reasoning: fc.record(
      {
        effort: fc.constantFrom('none', 'minimal', 'low', 'medium', 'high', 'xhigh'),
        summary: fc.constantFrom('auto', 'concise'),
      },
      { requiredKeys: [] },
    ),
    text: fc.record({ format, verbosity: fc.constantFrom('low', 'high') }, { requiredKeys: ['format'] }),
    service_tier: fc.constantFrom('auto', 'flex'),
    metadata: fc.constant({ a: 'b' }),
    user: fc.constant('u-1'),
    truncation: fc.constantFrom('auto', 'disabled'),
    max_tool_calls: fc.constant(3),
  },
  { requiredKeys: [] },
)

/** Requests to this model of an upstream of this wire. */
export const requestsOf = (wire: WireName, model: string): fc.Arbitrary<Fields> =>
  fc
    .record({ input: inputOf(wire, model), tools, options, changes: inputChanges })
    .map((it) => withChanges({ input: it.input, ...it.tools, ...it.options }, it.changes))
