import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answerWire } from '../../../src/engine/passes/apply-passes.ts'
import { planPasses } from '../../../src/engine/passes/passes.ts'
import { feed, run } from '../../../src/machine/run.ts'
import type { Delta } from '../../../src/protocol/delta.ts'
import type { Request } from '../../../src/protocol/request.ts'
import type { Wire } from '../../../src/wires/contract.ts'
import { openaiChat } from '../../../src/wires/openai-chat/index.ts'
import type { Quirks } from '../../../src/wires/quirks.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { anyCodePoints, hostile } from '../../arbitraries/strings.ts'
import { clientOf } from '../../engine/client-of.ts'
import { encodeFor } from '../../engine/encode-request.ts'
import { targetOf } from '../../engine/target.ts'
import { check } from '../../property.ts'
import { requestOf } from '../../request-bodies.ts'

const GRAMMAR = { type: 'grammar', syntax: 'lark', definition: 'start: /x+/' }
const note = { type: 'custom', name: 'note', description: 'Takes notes', format: GRAMMAR }
const find = { type: 'function', name: 'find', parameters: { type: 'object' } }
const request = (more: object = {}): Request => requestOf({ tools: [find, note], ...more })

const answersTo = (asked: Request, wire: Wire = openaiChat, quirks: Quirks = {}): Wire =>
  answerWire(wire, planPasses(clientOf(asked, {}), { wire, quirks, model: 'm', sign: undefined, search: null }).passes)
const wire = answersTo(request())
const encode = (asked: Request) => {
  const encoded = encodeFor(openaiChat, asked, targetOf('openai-chat'))
  if (!encoded.ok) throw new Error(encoded.error.message)
  return encoded
}

const frame = (call: object) => ({
  event: '',
  data: JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...call }] } }] }),
})
const finish = { event: '', data: '{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}' }
const begin = (name: string, args = '') =>
  frame({ id: 'call_1', type: 'function', function: { name, arguments: args } })
const more = (args: string) => frame({ function: { arguments: args } })

const calls = (deltas: readonly Delta[]) => deltas.flatMap((delta) => (delta.kind === 'call' ? [delta] : []))
const inputOf = (deltas: readonly Delta[]) =>
  calls(deltas)
    .map((delta) => delta.arguments)
    .join('')
const decode = (...frames: ReturnType<typeof frame>[]) => run(wire.decodeStream({}), frames)

describe('a request with custom tools to an upstream without them', () => {
  it('sends them as functions with one text argument and records them as mapped', () => {
    const { body, losses } = encode(request())
    expect(body.tools).toMatchObject([
      { type: 'function', function: { name: 'find' } },
      {
        type: 'function',
        function: {
          name: 'note',
          description: 'Takes notes\n\nThe input must follow this lark grammar:\nstart: /x+/',
          parameters: { required: ['input'], properties: { input: { type: 'string' } } },
        },
      },
    ])
    expect(losses).toEqual([
      { path: 'tools[1]', action: 'mapped', why: 'sent as a function with the argument "input"' },
    ])
  })

  it('forces a custom tool by the choice of its function', () => {
    const { body } = encode(request({ tool_choice: { type: 'custom', name: 'note' } }))
    expect(body.tool_choice).toEqual({ type: 'function', function: { name: 'note' } })
  })

  it('sends custom calls of the history as calls of the function', () => {
    const call = { type: 'custom_tool_call', call_id: 'c', name: 'note', input: 'a "quoted"\nword' }
    const output = { type: 'custom_tool_call_output', call_id: 'c', output: 'noted' }
    const { body, losses } = encode(request({ input: [call, output] }))
    expect(body.messages).toMatchObject([
      { tool_calls: [{ id: 'c', function: { name: 'note', arguments: JSON.stringify({ input: call.input }) } }] },
      { role: 'tool', tool_call_id: 'c', content: 'noted' },
    ])
    expect(losses).toHaveLength(1)
  })

  it('uses the wire unchanged if the upstream has custom tools or the request has none', () => {
    expect(answersTo(request(), openaiChat, { customTools: true })).toBe(openaiChat)
    expect(answersTo(requestOf({ tools: [find] }))).toBe(openaiChat)
    // A server that implements the Responses API need not have all of OpenAI's tools.
    expect(answersTo(request(), WIRES['openai-responses'])).not.toBe(WIRES['openai-responses'])
  })
})

describe('an answer with calls of custom tools sent as functions', () => {
  it('decodes calls of the custom tool and leaves calls of functions unchanged', () => {
    const deltas = decode(begin('note'), more('{"inp'), more('ut": "mi'), more('lk\\n'), more('"}'), finish)
    expect(calls(deltas).map(({ type, name, arguments: text }) => [type, name, text])).toEqual([
      ['custom_tool_call', 'note', ''],
      ['custom_tool_call', null, 'mi'],
      ['custom_tool_call', null, 'lk\n'],
    ])
    const other = calls(decode(begin('find', '{"input":"x"}'), finish))
    expect(other).toMatchObject([{ type: 'function_call', arguments: '{"input":"x"}' }])
  })

  it('decodes the same call from a whole body', () => {
    const call = { id: 'c', type: 'function', function: { name: 'note', arguments: '{"input":"milk"}' } }
    const body = { choices: [{ message: { role: 'assistant', tool_calls: [call] }, finish_reason: 'tool_calls' }] }
    const decoded = calls(wire.decodeBody(body, {}))
    expect(decoded).toMatchObject([{ type: 'custom_tool_call', callId: 'c', name: 'note', arguments: 'milk' }])
  })

  it.each([
    ['{"text":"milk"}', 'milk'],
    ['{"reason":"thirst","input":"milk"}', 'milk'],
    ['just milk', 'just milk'],
    ['{"a":1}', '{"a":1}'],
    ['{}', ''],
    ['{"input":"half', 'half'],
    ['{"inp', '{"inp'],
    ['{"input":"odd \\q escape"}', 'odd \\q escape'],
  ])('decodes arguments of another form than requested as far as possible: %s', (args, input) => {
    expect(inputOf(decode(begin('note'), more(args), finish))).toBe(input)
    expect(inputOf(decode(begin('note', args)))).toBe(input)
  })

  it('decodes several custom calls under one key', () => {
    const second = frame({ id: 'call_2', type: 'function', function: { name: 'note', arguments: '{"input":"b"}' } })
    expect(
      calls(decode(begin('note', '{"input":"a"}'), second, finish)).map(({ callId, arguments: a }) => [callId, a]),
    ).toEqual([
      ['call_1', 'a'],
      ['call_2', 'b'],
    ])
  })

  it('decodes the same input wherever the arguments are cut, and resumes there from a stored state', () => {
    const text = fc.oneof(hostile, anyCodePoints(), fc.string())
    check(
      fc.property(text, fc.array(fc.nat(200), { maxLength: 6 }), fc.boolean(), (input, cuts, pretty) => {
        const json = JSON.stringify({ input }, null, pretty ? 2 : 0)
        const places = [...cuts.map((cut) => cut % (json.length + 1)), json.length].toSorted((a, b) => a - b)
        const pieces = places.map((place, i) => json.slice(places[i - 1] ?? 0, place))
        const machine = wire.decodeStream({})
        let state = machine.initial
        const deltas: Delta[] = []
        for (const one of [begin('note'), ...pieces.map(more), finish]) {
          const step = feed(machine, JSON.parse(JSON.stringify(state)), [one])
          state = step.state
          deltas.push(...step.events)
        }
        deltas.push(...machine.end(state))
        expect(inputOf(deltas)).toBe(input)
      }),
    )
  })
})
