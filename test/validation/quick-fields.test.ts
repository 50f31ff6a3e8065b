import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { MAX_LENGTHS } from '../../src/protocol/limits.ts'
import { bodyOf } from '../../src/validation/body-schema.ts'
import type { History } from '../../src/validation/items.ts'
import { quickReaders } from '../../src/validation/quick-fields.ts'
import { check, runsOf } from '../property.ts'

const HISTORIES: readonly History[] = ['lenient', 'strict']

const word = fc.constantFrom('', 'Hello', ' a ', 'message', 'completed', '\ud800', 'x'.repeat(MAX_LENGTHS.model + 1))
const odd = fc.oneof(word, fc.constantFrom(null, undefined, true, 0, -1.5), fc.constant([]), fc.constant({}))

/** An object with these members, of which some are omitted or have another value. */
const near = (members: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<unknown> =>
  fc.record(
    Object.fromEntries(
      Object.entries(members).map(([name, usual]) => [name, fc.oneof({ weight: 9, arbitrary: usual }, odd)]),
    ),
    { requiredKeys: [] },
  )

const part = near({
  type: fc.constantFrom('input_text', 'output_text', 'refusal', 'input_image'),
  text: word,
  annotations: fc.constantFrom(undefined, [], [{ type: 'url_citation' }]),
  prompt_cache_breakpoint: fc.constant(undefined),
})
const item = near({
  type: fc.constantFrom('message', undefined, 'reasoning', 'other', 'function_call', 'function_call_output'),
  role: fc.constantFrom('user', 'assistant', 'system', 'developer', 'tool'),
  content: fc.oneof(word, fc.array(fc.oneof({ weight: 5, arbitrary: part }, odd), { maxLength: 3 })),
  id: fc.constantFrom(undefined, 'msg_1', 'm'.repeat(MAX_LENGTHS.id + 1)),
  status: fc.constantFrom(undefined, 'completed'),
  phase: fc.constant(undefined),
})
const longId = 'c'.repeat(MAX_LENGTHS.id + 1)
const call = near({
  type: fc.constantFrom('function_call', 'function_call_output'),
  call_id: fc.constantFrom('call_1', longId),
  name: fc.constantFrom('find', 'n'.repeat(MAX_LENGTHS.tool_name + 1)),
  arguments: word,
  output: fc.oneof(word, fc.array(part, { maxLength: 2 })),
  id: fc.constantFrom(undefined, 'fc_1', longId),
  status: fc.constantFrom(undefined, 'completed'),
  namespace: fc.constant(undefined),
})
const usualCall = fc.oneof(
  fc.record({ type: fc.constant('function_call'), call_id: word, name: word, arguments: word }),
  fc.record({ type: fc.constant('function_call_output'), call_id: word, output: word }),
)
const tool = near({
  type: fc.constantFrom('function', 'custom', 'web_search'),
  name: fc.constantFrom('find', 'n'.repeat(MAX_LENGTHS.tool_name + 1)),
  description: fc.constantFrom('Finds it.', null),
  parameters: fc.constantFrom({ type: 'object' }, null),
  strict: fc.constantFrom(true, false, null),
  defer_loading: fc.constant(undefined),
})
const usualTool = fc.record(
  { type: fc.constant('function'), name: word, description: word, parameters: fc.constant({ type: 'object' }) },
  { requiredKeys: ['type', 'name'] },
)
const number = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(0, 1, 2, 2.5, 16, 2 ** 53, Number.MAX_SAFE_INTEGER, Number.NaN, Number.POSITIVE_INFINITY),
)
const plain = fc.record(
  { type: fc.constantFrom('message', null), role: fc.constantFrom('user', 'assistant', 'system'), content: word },
  { requiredKeys: ['role', 'content'] },
)
const value = fc.oneof(
  odd,
  item,
  near({ include_obfuscation: fc.boolean(), include_usage: fc.boolean() }),
  fc.array(fc.oneof({ weight: 5, arbitrary: item }, odd), { maxLength: 4 }),
  fc.array(fc.oneof(plain, usualCall), { maxLength: 4 }),
  fc.array(fc.oneof({ weight: 5, arbitrary: call }, usualCall), { maxLength: 3 }),
  fc.array(fc.oneof(tool, usualTool), { maxLength: 3 }),
  number,
)

describe.each(HISTORIES)('quick readers of fields, with a %s history', (history) => {
  const { shape } = bodyOf(history)
  const readers = Object.entries(quickReaders(history))

  it('return what the schema of the field returns, or leave the value to it', () => {
    let quick = 0
    check(
      fc.property(value, (given) => {
        for (const [name, read] of readers) {
          const found = read(given)
          if (found === undefined) continue
          quick += 1
          const whole = z.safeParse(shape[name as keyof typeof shape], given)
          expect(whole.success).toBe(true)
          expect(found).toStrictEqual(whole.data)
          expect(JSON.stringify(found)).toBe(JSON.stringify(whole.data))
        }
      }),
      runsOf(3_000),
    )
    expect(quick).toBeGreaterThan(0)
  })

  it('read the usual values', () => {
    const usual: Readonly<Record<string, unknown>> = {
      model: 'acme/model-1',
      input: [
        { role: 'user', content: 'Hello' },
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be brief.' }] },
        { type: 'function_call', call_id: 'call_1', name: 'find', arguments: '{}', id: 'fc_1', status: 'completed' },
        { type: 'function_call_output', call_id: 'call_1', output: 'found' },
      ],
      tools: [
        { type: 'function', name: 'find', description: 'Finds it.', parameters: { type: 'object' }, strict: null },
      ],
      temperature: 0.5,
      top_p: 1,
      max_output_tokens: 100,
      stream: true,
      instructions: 'Answer in English.',
      parallel_tool_calls: false,
      stream_options: { include_obfuscation: false },
    }
    for (const [name, read] of readers) expect(read(usual[name]), name).toBeDefined()
    expect(quickReaders(history).input?.('Hello')).toBeDefined()
  })

  it('read an answer as a client has received it, unless each answer needs its id', () => {
    const text = { type: 'output_text', text: 'Hello', annotations: [], logprobs: [] }
    const answer = { type: 'message', role: 'assistant', id: 'msg_1', status: 'completed', content: [text] }
    const found = quickReaders(history).input?.([answer])
    const read = [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] }]
    expect(found).toEqual(history === 'lenient' ? read : undefined)
  })
})
