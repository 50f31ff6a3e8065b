import fc from 'fast-check'
import { describe, it } from 'vitest'
import type { Json, JsonObject } from '../../src/protocol/json.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { encodeFor } from '../engine/encode-request.ts'
import { targetOf } from '../engine/target.ts'
import { check, expectEqual, expectSame } from '../property.ts'
import { requestOf } from '../request-bodies.ts'
import { withKits } from '../wires/with-kits.ts'
import { withoutBreakpoints } from '../without-breakpoints.ts'

const MODELS: Record<WireName, string> = withKits(
  {
    'openai-chat': 'some-model',
    'openai-responses': 'gpt-5.6',
    'anthropic-messages': 'claude-sonnet-4-5',
    'gemini-generate': 'gemini-3-pro',
    'bedrock-converse': 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'cohere-chat': 'command-a-03-2025',
    'ollama-chat': 'llama3.2',
  },
  ({ model }) => model,
)

const words = fc.constantFrom('Hi', 'And then? 🙂', 'So:', ' ')
const image = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' }
const file = {
  type: 'input_file',
  filename: 'a b.pdf',
  file_data: 'data:application/pdf;base64,JVBERi0=',
}
const content = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: words.map((text) => ({ type: 'input_text', text })) },
    { weight: 1, arbitrary: fc.constantFrom<object>(image, file) },
  ),
  { minLength: 1, maxLength: 3 },
)

interface Turn {
  readonly says: string | null
  readonly calls: number
  readonly output: unknown
  readonly asks: readonly object[] | null
  readonly isReversed: boolean
}

const turn: fc.Arbitrary<Turn> = fc.record({
  // An upstream that refuses blank answers has one message of the user where there were two.
  says: fc.option(fc.constantFrom('Well.', 'I look it up. \n')),
  calls: fc.nat({ max: 3 }),
  output: fc.oneof(words, content),
  asks: fc.option(content),
  isReversed: fc.boolean(),
})

/** Returns the items of a turn: an answer, and all that the client adds to it. */
function itemsOf({ says, calls, output, asks, isReversed }: Turn, at: number): readonly object[] {
  const ids = Array.from({ length: calls }, (_, i) => `call_${at}_${i}`)
  const outputs = ids.map((call_id) => ({ type: 'function_call_output', call_id, output }))
  return [
    ...(says === null && calls > 0 ? [] : [{ role: 'assistant', content: says ?? 'Well.' }]),
    ...ids.map((call_id) => ({ type: 'function_call', call_id, name: 'f', arguments: '{"a":1}' })),
    ...(isReversed ? outputs.toReversed() : outputs),
    ...(asks === null && calls > 0 ? [] : [{ role: 'user', content: asks ?? 'More' }]),
  ]
}

const session = fc.record({
  rules: fc.constantFrom<readonly object[]>([], [{ role: 'system', content: 'Be kind.' }]),
  instructions: fc.constantFrom('Be brief.', null),
  tools: fc.constantFrom([], [{ type: 'function', name: 'f', parameters: { type: 'object' } }]),
  turns: fc.array(turn, { minLength: 1, maxLength: 5 }),
})

const LISTS = ['messages', 'input', 'contents'] as const

/** Returns the conversation of a body as text, and the rest of the body. */
function split(body: JsonObject): { readonly prompt: string; readonly rest: Json } {
  const name = LISTS.find((list) => Array.isArray(body[list])) ?? 'messages'
  const { [name]: list, ...rest } = withoutBreakpoints(body) as JsonObject
  return { prompt: JSON.stringify(list), rest }
}

/** The end of a text of JSON that its continuation does not have: closed strings, lists and objects. */
const CLOSED = /["\]}]*$/

describe.each(Object.keys(MODELS) as WireName[])('prompts over %s', (wire) => {
  it('begin with the whole prompt of the turn before, byte by byte', () => {
    check(
      fc.property(session, ({ rules, instructions, tools, turns }) => {
        const target = { ...targetOf(wire, {}, MODELS[wire]), cache: 'auto' as const }
        const bodies = Array.from({ length: turns.length + 1 }, (_, n) => {
          const history = turns.slice(0, n).flatMap(itemsOf)
          const input = [...rules, { role: 'user', content: 'Begin.' }, ...history]
          const encoded = encodeFor(WIRES[wire], requestOf({ input, instructions, tools }), target)
          if (!encoded.ok) throw new Error(encoded.error.message)
          return split(encoded.body)
        })
        for (let n = 1; n < bodies.length; n += 1) {
          const [before, now] = [bodies[n - 1], bodies[n]]
          expectSame(now?.prompt.startsWith(before?.prompt.replace(CLOSED, '') ?? ''), true)
          if (tools.length > 0) expectEqual(now?.rest, before?.rest)
        }
      }),
      300,
    )
  })
})
