import { describe, expect, it } from 'vitest'
import { createBodyCollector, translateWholeBody } from '../../../src/engine/body-collector.ts'
import { wireTarget } from '../../../src/engine/client-target.ts'
import { createTranslation, streamWholeBody } from '../../../src/engine/translation.ts'
import { SCRIPTED_ENDS } from '../../../src/testing/scripted/wire-upstream.ts'
import { lookup } from '../../../src/text/lookup.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { CLIENT_WIRES, REQUEST_WITH_EVERYTHING } from '../../cross-translate.ts'
import { endOf, headOf, toBytes } from '../../engine/run-engine.ts'
import { clientStreamOf, type Loose, callsOf as responseCalls } from '../client-stream.ts'
import * as chat from '../openai-chat/answers.ts'

/** One rule for arguments that are not a JSON object holds for the clients of every wire, streamed and whole. */

const LOSS = 'a call whose arguments are not a JSON object'

type To = (typeof CLIENT_WIRES)[number]
type Ends = Readonly<Record<'calls' | 'length', string>>

const optionsTo = (to: To) => ({
  wire: WIRES['openai-chat'],
  target: wireTarget(to, { settings: REQUEST_WITH_EVERYTHING }),
  head: headOf('x'),
})

const GOOD = { index: 1, id: 'call_2', type: 'function', function: { name: 'g', arguments: '{"b":2}' } }
const callsOf = (args: unknown, more: boolean): readonly object[] => [
  { index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: args } },
  ...(more ? [GOOD] : []),
]
const bodyOf = (args: unknown, finish_reason: string, more: boolean): string =>
  JSON.stringify({ model: 'm-1', choices: [{ index: 0, message: { tool_calls: callsOf(args, more) }, finish_reason }] })
const sse = (...chunks: readonly object[]): string =>
  chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('') + chat.DONE

/** Sends arguments that are a string in two pieces. */
function streamOf(args: unknown, finish: string, more: boolean): string {
  const [first, ...rest] = typeof args === 'string' ? [args.slice(0, 3), args.slice(3)] : [args]
  const pieces = rest.map((piece) => chat.piece({ index: 0 }, { arguments: piece }))
  const begin = callsOf(first, false).map((call) => chat.piece(call))
  return sse(...begin, ...pieces, ...(more ? [chat.piece(GOOD)] : []), chat.stop(finish))
}

interface ReadCalls {
  /** The arguments with which the client would run each call. */
  readonly calls: readonly unknown[]
  readonly end: unknown
}

/** Reads the calls and the ending of a whole answer as the clients of each wire do. */
const READ: Readonly<Record<string, (body: Loose) => ReadCalls>> = {
  'openai-chat': ({ choices: [{ message, finish_reason: end }] }) => ({
    calls: (message.tool_calls ?? []).map((call: Loose) => call.function.arguments),
    end,
  }),
  'anthropic-messages': ({ content, stop_reason: end }) => ({
    calls: content.flatMap((block: Loose) => (block.type === 'tool_use' ? [block.input] : [])),
    end,
  }),
  'gemini-generate': ({ candidates: [{ content, finishReason: end }] }) => ({
    calls: content.parts.flatMap((part: Loose) => (part.functionCall === undefined ? [] : [part.functionCall.args])),
    end,
  }),
  'gemini-interactions': ({ steps, status: end }) => ({
    calls: steps.flatMap((step: Loose) => (step.type === 'function_call' ? [step.arguments] : [])),
    end,
  }),
  'ollama-chat': ({ message, done_reason: end }) => ({
    calls: (message.tool_calls ?? []).map((call: Loose) => call.function.arguments),
    end,
  }),
}

function wholes(to: To, args: unknown, finish = 'tool_calls', more = false) {
  const whole = translateWholeBody(optionsTo(to), bodyOf(args, finish, more))
  const collection = createBodyCollector(optionsTo(to))
  collection.push(toBytes(streamOf(args, finish, more)))
  const collected = endOf(collection)
  return [
    { ...READ[to.name]?.(whole.body), losses: whole.outcome.losses },
    { ...READ[to.name]?.(collected), losses: collection.outcome().losses },
  ]
}

function streams(to: To, args: unknown, finish = 'tool_calls', more = false) {
  const streamed = createTranslation(optionsTo(to))
  const decoder = new TextDecoder()
  const first = decoder.decode(streamed.push(toBytes(streamOf(args, finish, more))))
  const text = first + decoder.decode(streamed.push('end'))
  const body = streamWholeBody(optionsTo(to), bodyOf(args, finish, more))
  return [
    { text, losses: streamed.outcome().losses },
    { text: decoder.decode(body.bytes), losses: body.outcome.losses },
  ]
}

const asArguments = (to: To, args: object): unknown => (to.name === 'openai-chat' ? JSON.stringify(args) : args)

describe.each(CLIENT_WIRES)('calls written for $name clients', (to) => {
  const { calls: done, length: cut } = lookup<Ends>(SCRIPTED_ENDS, to.name) ?? expect.unreachable(to.name)

  it.each([[''], ['null'], [' null '], ['  '], [null], [undefined]])('have {} as arguments instead of %j', (args) => {
    for (const read of wholes(to, args)) {
      expect(read).toEqual({ calls: [asArguments(to, {})], end: done, losses: [] })
    }
    for (const { text, losses } of streams(to, args)) {
      expect(text).toContain(done)
      expect(text).not.toMatch(/null \s*"|(?:arguments|partial_json|args)": ?"?\s*null/)
      expect(losses).toEqual([])
    }
  })

  it.each([['{"a":1'], ['nul'], ['{"a":"\\'], ['{"a":tru']])(
    'are a recorded loss and end the answer as incomplete if the arguments are %j',
    (args) => {
      for (const read of wholes(to, args)) {
        const calls = to.name === 'openai-chat' ? [args] : []
        const end = to.name === 'gemini-generate' ? 'MALFORMED_FUNCTION_CALL' : cut
        expect(read).toEqual({ calls, end, losses: [LOSS] })
      }
      for (const { text, losses } of streams(to, args)) {
        expect(text).toMatch(/max_tokens|"length"|MALFORMED_FUNCTION_CALL|"status":"incomplete"/)
        expect(text).not.toMatch(/"tool_use","stop_sequence|"finish_reason":"tool_calls"|"STOP"|"done_reason":"stop"/)
        expect(text).not.toContain('{"input":')
        expect(losses).toEqual([LOSS])
      }
    },
  )

  it.each([['[1]'], ['"text"'], ['5'], ['{a:1}'], ['{"a":1,}'], ["{'a':'b"], ['{"say":"a "b""}']])(
    'are kept in an object, and end the answer as its upstream did, if the arguments are no object but whole: %j',
    (args) => {
      for (const read of wholes(to, args)) {
        const kept = to.name === 'openai-chat' ? args : { INVALID_JSON: args }
        expect(read).toEqual({ calls: [kept], end: done, losses: [LOSS] })
      }
      for (const { text, losses } of streams(to, args)) {
        expect(text).toContain(`"${done}"`)
        expect(losses).toEqual([LOSS])
      }
    },
  )

  it.each([['{"a":1}}'], ['{"a":1}""'], ['{}{"a":1}'], ['"{\\"a\\":1}"'], ['[]{"a":1}'], ['{"a":1}\n\n']])(
    'end with their object: %j',
    (args) => {
      for (const read of wholes(to, args))
        expect(read).toEqual({ calls: [asArguments(to, { a: 1 })], end: done, losses: [] })
      for (const { text, losses } of streams(to, args)) {
        expect(text).toContain(`"${done}"`)
        expect(losses).toEqual([])
      }
    },
  )

  it('are kept if valid beside a broken one, and the answer ends as incomplete', () => {
    for (const read of wholes(to, '{"a":', 'tool_calls', true)) {
      const good = asArguments(to, { b: 2 })
      expect(read).toEqual({ calls: to.name === 'openai-chat' ? ['{"a":', good] : [good], end: cut, losses: [LOSS] })
    }
    for (const { text } of streams(to, '{"a":', 'tool_calls', true)) expect(text).toMatch(`"${cut}"`)
  })

  it('are a recorded loss with empty arguments if the answer was cut off', () => {
    for (const read of wholes(to, '', 'length')) {
      expect(read).toEqual({ calls: to.name === 'openai-chat' ? [''] : [], end: cut, losses: [LOSS] })
    }
  })
})

it.each(CLIENT_WIRES)('$name: treats null arguments of overlapping calls as an empty object', (to) => {
  const begun = [0, 1].map((index) => chat.piece({ index, id: `call_${index}` }, { name: 'f' }))
  const pieces = ['nu', 'll', ' '].map((piece) => chat.piece({ index: 0 }, { arguments: piece }))
  const other = chat.piece({ index: 1 }, { arguments: '{"a":1}' })
  const stream = toBytes(sse(...begun, other, ...pieces, chat.stop('tool_calls')))
  const collection = createBodyCollector(optionsTo(to))
  collection.push(stream)
  const read = READ[to.name]?.(endOf(collection))
  expect(read?.calls).toHaveLength(2)
  expect(read?.calls).toEqual(expect.arrayContaining([asArguments(to, {}), asArguments(to, { a: 1 })]))
  const translation = createTranslation(optionsTo(to))
  const text = [translation.push(stream), translation.push('end')].map((it) => new TextDecoder().decode(it)).join('')
  expect(text).not.toMatch(/null \s*"|(?:arguments|partial_json|args)": ?"?\s*nu/)
  expect(translation.outcome().losses).toEqual([])
})

describe('the input of a call in a stream for Messages clients', () => {
  const [to = expect.unreachable()] = CLIENT_WIRES.filter(({ name }) => name === 'anthropic-messages')
  const inputOf = (text: string): string =>
    [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data).delta?.partial_json ?? '').join('')

  it.each([['[1]'], ['"text"'], ['5'], [' \n [1, 2]'], ["a 'b' {"], ['true'], ['\ud83d[']])(
    'is the object of the whole message if the arguments do not begin as an object: %j',
    (args) => {
      const [whole] = wholes(to, args)
      for (const { text } of streams(to, args)) {
        expect([JSON.parse(inputOf(text))]).toEqual(whole?.calls)
        expect(text.match(/"input_json_delta"/g)).toHaveLength(2)
      }
    },
  )

  it.each([['[1, 2'], ['"text'], ['tru']])('is an object if the arguments %j were cut off', (args) => {
    for (const { text } of streams(to, args)) expect(JSON.parse(inputOf(text))).toEqual({ INVALID_JSON: args })
  })

  it.each([['{"a":1}'], [' {"a":1}'], ['{a:1}'], ['{"a":1']])(
    'is sent as it arrives if it begins as one: %j',
    (args) => {
      for (const { text } of streams(to, args)) expect(inputOf(text)).toBe(args.trim())
    },
  )
})

describe('calls written for Responses clients', () => {
  const { responseOfStream, responseOfBody } = clientStreamOf(WIRES['openai-chat'])

  it.each([
    ['', '{}'],
    [null, '{}'],
    ['null', '{}'],
    ['[]', '{}'],
    ['""', '{}'],
  ])('have for the arguments %j the text %j', (args, expected) => {
    const call = [['call_1', 'f', expected, 'completed']]
    expect(responseCalls(responseOfStream(streamOf(args, 'tool_calls', false)))).toEqual(call)
    expect(responseCalls(responseOfBody(JSON.parse(bodyOf(args, 'tool_calls', false))))).toEqual(call)
  })
})

describe('arguments that an upstream sends as JSON other than an object', () => {
  const message = (input: unknown) => ({
    content: [{ type: 'tool_use', id: 'c', name: 'f', input }],
    stop_reason: 'tool_use',
  })
  const answer = (args: unknown) => ({
    candidates: [{ content: { parts: [{ functionCall: { name: 'f', args } }] }, finishReason: 'STOP' }],
  })

  it.each([[[1]], [7]])('keeps the JSON value of the arguments %j', (value) => {
    const calls = [
      clientStreamOf(WIRES['anthropic-messages']).responseOfBody(message(value)),
      clientStreamOf(WIRES['gemini-generate']).responseOfBody(answer(value)),
    ].map((response) => responseCalls(response)[0][2])
    expect(calls).toEqual([JSON.stringify(value), JSON.stringify(value)])
  })
})
