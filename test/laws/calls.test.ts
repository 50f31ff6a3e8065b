import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeEventStream } from '../../src/framing/encode-event-stream.ts'
import { createStreamTranslator, createTranslator, translateBody } from '../../src/index.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { openaiChat } from '../../src/wires/openai-chat/index.ts'
import { framesOf, optionsFor, pass } from '../engine/passing.ts'
import { check } from '../property.ts'

/**
 * Pieces of several calls, however an upstream names and divides them, are the calls that their ids say; and arguments
 * are the object that the upstream sent.
 */

interface SentCall {
  readonly id: string
  readonly name: string
  /** JSON text. */
  readonly text: string
  readonly pieces: readonly string[]
}

/** A piece of arguments, with what names its call in it. */
interface Sent {
  readonly at: number
  readonly call: SentCall
  readonly args: string
  /** It announces its call. */
  readonly first: boolean
}

const cutAt = (text: string, cuts: readonly number[]): readonly string[] => {
  const ends = [...new Set(cuts.map((at) => 1 + (at % Math.max(text.length - 1, 1))))].sort((a, b) => a - b)
  return [0, ...ends].map((from, i) => text.slice(from, ends[i] ?? text.length)).filter((piece) => piece !== '')
}

const objects = fc
  .dictionary(fc.constantFrom('a', 'b', '}', '"', '{"', '\n'), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  .map((value) => JSON.stringify(value))

const calls = fc
  .array(fc.tuple(fc.constantFrom('look', 'up'), objects, fc.array(fc.nat(), { maxLength: 5 })), {
    minLength: 1,
    maxLength: 4,
  })
  .map((list) =>
    list.map(([name, text, cuts], i): SentCall => ({ id: `call_${'abcd'[i]}`, name, text, pieces: cutAt(text, cuts) })),
  )

const piecesOf = (call: SentCall, at: number): readonly Sent[] => [
  { at, call, args: '', first: true },
  ...call.pieces.map((args) => ({ at, call, args, first: false })),
]

/** One call after the other. */
const inTurn = (list: readonly SentCall[]): readonly Sent[] => list.flatMap(piecesOf)

/** All calls are announced, then their pieces come in any order. */
function mixed(list: readonly SentCall[], order: readonly number[]): readonly Sent[] {
  const queues = list.map((call, at) => [...piecesOf(call, at)])
  const all = queues.flatMap((queue) => queue.splice(0, 1))
  for (let i = 0; queues.some(({ length }) => length > 0); i += 1) {
    const left = queues.filter(({ length }) => length > 0)
    const queue = left[(order[i % Math.max(order.length, 1)] ?? 0) % left.length]
    all.push(...(queue?.splice(0, 1) ?? []))
  }
  return all
}

const sse = (events: readonly object[], done = true): Uint8Array =>
  new TextEncoder().encode(
    [...events.map((event) => JSON.stringify(event)), ...(done ? ['[DONE]'] : [])]
      .map((data) => `data: ${data}\n\n`)
      .join(''),
  )

const read = (from: string, bytes: Uint8Array): readonly string[] => {
  const translator = createStreamTranslator({ from: from as 'openai-chat', to: 'openai' })
  const text = [translator.push(bytes), translator.end()].map((out) => new TextDecoder().decode(out)).join('')
  const events = text.split('\n\n').flatMap((event) => {
    const data = /^data: (\{.*)$/m.exec(event)?.[1]
    return data === undefined ? [] : [JSON.parse(data)]
  })
  const { response } = events.at(-1)
  expect(response.status).toBe('completed')
  // The pieces of a call are its arguments.
  for (const item of response.output.filter(({ type }: { type: string }) => type === 'function_call')) {
    const deltas = events.filter(
      ({ type, item_id }) => type === 'response.function_call_arguments.delta' && item_id === item.id,
    )
    expect(deltas.map(({ delta }) => delta).join('')).toBe(item.arguments)
  }
  return namesOf(response)
}

const namesOf = ({ output }: { readonly output: readonly JsonObject[] }): readonly string[] =>
  output.flatMap(({ type, call_id, name, arguments: args }) =>
    type === 'function_call' ? [`${call_id} ${name} ${JSON.stringify(JSON.parse(args as string))}`] : [],
  )

const expected = (list: readonly SentCall[]): readonly string[] =>
  list.map(({ id, name, text }) => `${id} ${name} ${JSON.stringify(JSON.parse(text))}`)

const whole = (from: string, body: object): readonly string[] =>
  namesOf(translateBody(JSON.stringify(body), { from: from as 'openai-chat', to: 'openai' }).body as never)

// ---------------------------------------------------------------- the ways in which upstreams name calls

interface Way {
  readonly wire: string
  /** The pieces of several calls may come in any order. */
  readonly mixes: boolean
  readonly write: (list: readonly Sent[]) => Uint8Array
}

const chatChunk = (tool_calls: readonly object[], finish_reason: string | null = null): object => ({
  id: 'c',
  model: 'm',
  choices: [{ index: 0, delta: { tool_calls }, finish_reason }],
})
const chat = (name: (sent: Sent, more: { readonly index: number }) => object) => (list: readonly Sent[]) =>
  sse([
    ...list.map((sent) => {
      const { function: fields = {}, ...rest } = name(sent, { index: sent.at }) as { readonly function?: object }
      const own = sent.first ? { id: sent.call.id, type: 'function' } : {}
      return chatChunk([
        {
          ...own,
          ...rest,
          function: { ...(sent.first ? { name: sent.call.name } : {}), ...fields, arguments: sent.args },
        },
      ])
    }),
    { id: 'c', model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  ])

const START = {
  type: 'message_start',
  message: { id: 'm', model: 'm', content: [], usage: { input_tokens: 1, output_tokens: 1 } },
}
const messages = (indexOf: (sent: Sent) => number, stops: boolean) => (list: readonly Sent[]) => {
  const events = list.flatMap((sent, i): readonly object[] => {
    const { call, args, first } = sent
    const index = indexOf(sent)
    const isLast = list.slice(i + 1).every((other) => other.call !== call)
    return [
      first
        ? {
            type: 'content_block_start',
            index,
            content_block: { type: 'tool_use', id: call.id, name: call.name, input: {} },
          }
        : { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: args } },
      ...(stops && isLast ? [{ type: 'content_block_stop', index }] : []),
    ]
  })
  return sse(
    [START, ...events, { type: 'message_delta', delta: { stop_reason: 'tool_use' } }, { type: 'message_stop' }],
    false,
  )
}

const cohere = (indexOf: (sent: Sent) => number, ends: boolean) => (list: readonly Sent[]) => {
  const event = (type: string, index: number, tool_calls: object): object => ({
    type,
    index,
    delta: { message: { tool_calls } },
  })
  const events = list.flatMap((sent, i): readonly object[] => {
    const { call, args, first } = sent
    const index = indexOf(sent)
    const isLast = list.slice(i + 1).every((other) => other.call !== call)
    return [
      first
        ? event('tool-call-start', index, {
            id: call.id,
            type: 'function',
            function: { name: call.name, arguments: '' },
          })
        : event('tool-call-delta', index, { function: { arguments: args } }),
      ...(ends && isLast ? [{ type: 'tool-call-end', index }] : []),
    ]
  })
  return sse(
    [
      { type: 'message-start', id: 'x', delta: { message: {} } },
      ...events,
      { type: 'message-end', delta: { finish_reason: 'TOOL_CALL' } },
    ],
    false,
  )
}

const bedrockFrame = (event: string, data: object): Uint8Array =>
  encodeEventStream({ event, data: JSON.stringify(data) })

const bedrock = (indexOf: (sent: Sent) => number, stops: boolean) => (list: readonly Sent[]) => {
  const frames = list.flatMap((sent, i) => {
    const { call, args, first } = sent
    const contentBlockIndex = indexOf(sent)
    const isLast = list.slice(i + 1).every((other) => other.call !== call)
    return [
      first
        ? bedrockFrame('contentBlockStart', {
            contentBlockIndex,
            start: { toolUse: { toolUseId: call.id, name: call.name } },
          })
        : bedrockFrame('contentBlockDelta', { contentBlockIndex, delta: { toolUse: { input: args } } }),
      ...(stops && isLast ? [bedrockFrame('contentBlockStop', { contentBlockIndex })] : []),
    ]
  })
  return Buffer.concat([
    ...frames,
    bedrockFrame('messageStop', { stopReason: 'tool_use' }),
    bedrockFrame('metadata', { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } }),
  ])
}

const responses = (names: (sent: Sent) => object, ends: boolean) => (list: readonly Sent[]) => {
  const item = ({ id, name }: SentCall, args: string): object => ({
    type: 'function_call',
    id: `fc_${id}`,
    call_id: id,
    name,
    arguments: args,
  })
  const events = list.flatMap((sent, i): readonly object[] => {
    const { call, args, first, at } = sent
    const isLast = list.slice(i + 1).every((other) => other.call !== call)
    return [
      first
        ? { type: 'response.output_item.added', output_index: at, item: item(call, '') }
        : { type: 'response.function_call_arguments.delta', ...names(sent), delta: args },
      ...(ends && isLast ? [{ type: 'response.output_item.done', output_index: at, item: item(call, call.text) }] : []),
    ]
  })
  return sse(
    [
      { type: 'response.created', response: { id: 'r', model: 'm', output: [] } },
      ...events,
      { type: 'response.completed', response: { id: 'r', status: 'completed', model: 'm', output: [] } },
    ],
    false,
  )
}

const interactions = (list: readonly Sent[]) => {
  const events = list.flatMap((sent, i): readonly object[] => {
    const { call, args, first, at: index } = sent
    const isLast = list.slice(i + 1).every((other) => other.call !== call)
    return [
      first
        ? {
            event_type: 'step.start',
            index,
            step: { type: 'function_call', id: call.id, name: call.name, arguments: {} },
          }
        : { event_type: 'step.delta', index, delta: { type: 'arguments_delta', arguments: args } },
      ...(isLast ? [{ event_type: 'step.stop', index }] : []),
    ]
  })
  return sse([
    { event_type: 'interaction.created', interaction: { id: 'i', model: 'm' } },
    ...events,
    { event_type: 'interaction.completed', interaction: { id: 'i', status: 'requires_action' } },
  ])
}

const same = (): number => 0
const own = ({ at }: Sent): number => at
/** Pieces under another index than their call. */
const shifted = ({ at, first }: Sent): number => (first ? at : at + 1)

// biome-ignore format: a row a way
const WAYS: Readonly<Record<string, Way>> = {
  'chat: an index for each call': { wire: 'openai-chat', mixes: true, write: chat((_, { index }) => ({ index })) },
  'chat: an index and the id for each piece': { wire: 'openai-chat', mixes: true, write: chat(({ call }, { index }) => ({ index, id: call.id })) },
  'chat: one index, and the id in each piece': { wire: 'openai-chat', mixes: true, write: chat(({ call }) => ({ index: 0, id: call.id })) },
  'chat: one index, id and name in each piece': { wire: 'openai-chat', mixes: true, write: chat(({ call }) => ({ index: 0, id: call.id, function: { name: call.name } })) },
  'chat: the id in each piece, under another index': { wire: 'openai-chat', mixes: true, write: chat(({ call }, { index }) => ({ index: 7 - index, id: call.id })) },
  'chat: one index, and the id at the start': { wire: 'openai-chat', mixes: false, write: chat(() => ({ index: 0 })) },
  'chat: no index': { wire: 'openai-chat', mixes: false, write: chat(() => ({})) },
  'chat: no index, and the id in each piece': { wire: 'openai-chat', mixes: true, write: chat(({ call }) => ({ id: call.id })) },
  'messages: a block for each call': { wire: 'anthropic-messages', mixes: true, write: messages(own, true) },
  'messages: blocks without stops': { wire: 'anthropic-messages', mixes: true, write: messages(own, false) },
  'messages: one block': { wire: 'anthropic-messages', mixes: false, write: messages(same, true) },
  'messages: one block without stops': { wire: 'anthropic-messages', mixes: false, write: messages(same, false) },
  'cohere: an index for each call': { wire: 'cohere-chat', mixes: true, write: cohere(own, true) },
  'cohere: one index': { wire: 'cohere-chat', mixes: false, write: cohere(same, true) },
  'cohere: one index without ends': { wire: 'cohere-chat', mixes: false, write: cohere(same, false) },
  'bedrock: a block for each call': { wire: 'bedrock-converse', mixes: true, write: bedrock(own, true) },
  'bedrock: blocks without stops': { wire: 'bedrock-converse', mixes: true, write: bedrock(own, false) },
  'bedrock: one block': { wire: 'bedrock-converse', mixes: false, write: bedrock(same, true) },
  'bedrock: one block without stops': { wire: 'bedrock-converse', mixes: false, write: bedrock(same, false) },
  'responses: index and id': { wire: 'openai-responses', mixes: true, write: responses(({ at, call }) => ({ output_index: at, item_id: `fc_${call.id}` }), true) },
  'responses: the index': { wire: 'openai-responses', mixes: true, write: responses(({ at }) => ({ output_index: at }), false) },
  'responses: the id of the item': { wire: 'openai-responses', mixes: true, write: responses(({ call }) => ({ item_id: `fc_${call.id}` }), true) },
  'responses: the id of the call': { wire: 'openai-responses', mixes: true, write: responses(({ call }) => ({ call_id: call.id }), false) },
  'responses: the id of the call under one index': { wire: 'openai-responses', mixes: true, write: responses(({ call }) => ({ output_index: 0, call_id: call.id }), false) },
  'responses: the id of the call in place of that of the item': { wire: 'openai-responses', mixes: true, write: responses(({ call }) => ({ item_id: call.id }), false) },
  'responses: the id of the call in place of that of the item, under one index': { wire: 'openai-responses', mixes: true, write: responses(({ call }) => ({ output_index: 0, item_id: call.id }), false) },
  'interactions: an index for each call': { wire: 'gemini-interactions', mixes: true, write: interactions },
}

describe.each(Object.entries(WAYS))('%s', (_, { wire, mixes, write }) => {
  it('gives the calls that the ids say', () => {
    check(
      fc.property(calls, fc.array(fc.nat(9), { maxLength: 12 }), (list, order) => {
        expect([...read(wire, write(mixes ? mixed(list, order) : inTurn(list)))].sort()).toEqual(
          [...expected(list)].sort(),
        )
      }),
      200,
    )
  })
})

// biome-ignore format: a row a way
const SHIFTED: Readonly<Record<string, Way>> = {
  'chat': { wire: 'openai-chat', mixes: false, write: chat((sent) => ({ index: shifted(sent) })) },
  'messages': { wire: 'anthropic-messages', mixes: false, write: messages(shifted, false) },
  'cohere': { wire: 'cohere-chat', mixes: false, write: cohere(shifted, false) },
  'bedrock': { wire: 'bedrock-converse', mixes: false, write: bedrock(shifted, false) },
  'responses': { wire: 'openai-responses', mixes: false, write: responses(() => ({ output_index: 5 }), false) },
  'interactions': { wire: 'gemini-interactions', mixes: false, write: (list) => interactions(list.map((sent) => ({ ...sent, at: shifted(sent) }))) },
}

describe.each(Object.entries(SHIFTED))('%s, a single call', (_, { wire, write }) => {
  it('gets the arguments under another index, and without an id', () => {
    check(
      fc.property(calls, ([call]) => {
        const list = call === undefined ? [] : [call]
        expect(read(wire, write(inTurn(list)))).toEqual(expected(list))
      }),
      100,
    )
  })
})

/** The calls of a passed stream, which official libraries read into a list: by the index of each piece. */
function readPassed(bytes: Uint8Array): readonly string[] {
  const list: { id: string; name: string; text: string }[] = []
  const { output } = pass(optionsFor(openaiChat), openaiChat, [bytes], 'end')
  for (const { data } of framesOf(openaiChat, output)) {
    if (data === '[DONE]') continue
    for (const { index, id, function: body } of JSON.parse(data).choices[0].delta.tool_calls ?? []) {
      expect(index).toBeLessThanOrEqual(list.length)
      list[index] ??= { id: '', name: '', text: '' }
      const call = list[index]
      call.id = id ?? call.id
      call.name ||= body.name ?? ''
      call.text += body.arguments ?? ''
    }
  }
  return list.map(({ id, name, text }) => `${id} ${name} ${JSON.stringify(JSON.parse(text))}`)
}

describe.each(Object.entries(WAYS).filter(([, { wire }]) => wire === 'openai-chat'))('%s', (_, { mixes, write }) => {
  it('is passed with the index of its call in each piece', () => {
    check(
      fc.property(calls, fc.array(fc.nat(9), { maxLength: 12 }), (list, order) => {
        expect(readPassed(write(mixes ? mixed(list, order) : inTurn(list)))).toEqual(expected(list))
      }),
      200,
    )
  })
})

describe('gemini: pieces of arguments by their path', () => {
  const texts = fc.dictionary(fc.constantFrom('a', "b'", 'c d'), fc.string({ minLength: 1, maxLength: 6 }), {
    maxKeys: 3,
  })
  const streamed = fc.array(fc.tuple(fc.constantFrom('look', 'up'), texts), { minLength: 1, maxLength: 4 })

  /** The parts of a call: each text comes in two pieces. */
  const partsOf = (id: string, name: string, args: Readonly<Record<string, string>>): object[] => [
    { functionCall: { id, name, willContinue: true } },
    ...Object.entries(args).flatMap(([key, text]) =>
      [text.slice(0, 1), text.slice(1)].map((stringValue) => ({
        functionCall: { id, partialArgs: [{ jsonPath: `$["${key}"]`, stringValue }], willContinue: true },
      })),
    ),
    { functionCall: { id } },
  ]

  it('are those of the call with their id, in any order', () => {
    check(
      fc.property(streamed, fc.array(fc.nat(9), { maxLength: 12 }), (list, order) => {
        const queues = list.map(([name, args], at) => partsOf(`call_${at}`, name, args))
        const parts: object[] = []
        for (let i = 0; queues.some(({ length }) => length > 0); i += 1) {
          const left = queues.filter(({ length }) => length > 0)
          parts.push(...(left[(order[i % Math.max(order.length, 1)] ?? 0) % left.length]?.splice(0, 1) ?? []))
        }
        const chunk = (content: object[], finishReason?: string): object => ({
          modelVersion: 'g',
          candidates: [{ content: { role: 'model', parts: content }, finishReason }],
        })
        const bytes = sse([...parts.map((part) => chunk([part])), chunk([], 'STOP')], false)
        const wanted = list.map(([name, args], at) => `call_${at} ${name} ${JSON.stringify(args)}`)
        expect([...read('gemini-generate', bytes)].sort()).toEqual(wanted.sort())
      }),
      200,
    )
  })
})

describe('whole calls', () => {
  const functions = (list: readonly SentCall[], index: (at: number) => object) =>
    list.map(({ id, name, text }, at) => ({ ...index(at), id, type: 'function', function: { name, arguments: text } }))

  it.each([
    ['an index each', (index: number) => ({ index })],
    ['one index', () => ({ index: 0 })],
    ['no index', () => ({})],
  ])('are the same streamed in one chunk and as a body, with %s', (_, index) => {
    check(
      fc.property(calls, (list) => {
        const tool_calls = functions(list, index)
        const streamed = read('openai-chat', sse([chatChunk(tool_calls, 'tool_calls')]))
        const body = { model: 'm', choices: [{ index: 0, message: { tool_calls }, finish_reason: 'tool_calls' }] }
        expect(whole('openai-chat', body)).toEqual(expected(list))
        expect([...streamed].sort()).toEqual([...expected(list)].sort())
      }),
      100,
    )
  })

  it('come once, however often an upstream repeats their last piece or all of them', () => {
    check(
      fc.property(calls, fc.integer({ min: 1, max: 3 }), (list, times) => {
        const tool_calls = functions(list, (index) => ({ index }))
        const begun = chat((_, { index }) => ({ index }))(inTurn(list))
        const again = Array.from({ length: times }, () => chatChunk(tool_calls))
        const stop = { model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }
        const before = new TextDecoder()
          .decode(begun)
          .replace(/data: \{[^\n]*finish_reason":"tool_calls[^\n]*\n\ndata: \[DONE\]\n\n$/, '')
        const bytes = new TextEncoder().encode(before + new TextDecoder().decode(sse([...again, stop])))
        expect(read('openai-chat', bytes)).toEqual(expected(list))
      }),
      100,
    )
  })
})

// ---------------------------------------------------------------- arguments

const TEXT_WAYS = Object.entries(WAYS).filter(([name]) => /index for each|block for each|index and id/.test(name))

/** Texts that stand for an object, as upstreams write it. */
const spelled = fc.tuple(objects, fc.nat(7)).map(([text, way]) => {
  const raw = text.replace(/\\n/g, '\n')
  // biome-ignore format: a row a way
  const spellings = [text, JSON.stringify(text), `{}${text}`, `[]${text}`, `null ${text}`, `${text}""`, `${text}}`, text === '{}' ? text : raw]
  return { text, sent: spellings[way] as string }
})

describe.each(TEXT_WAYS)('arguments by %s', (_, { wire, write }) => {
  const argumentsOf = (sent: string, cuts: readonly number[]): string => {
    const call: SentCall = { id: 'call_a', name: 'look', text: sent, pieces: cutAt(sent, cuts) }
    const [found = ''] = read(wire, write(inTurn([call])))
    return found.slice('call_a look '.length)
  }

  it('are the object that the upstream meant, wherever they are cut', () => {
    check(
      fc.property(spelled, fc.array(fc.nat(), { maxLength: 8 }), ({ text, sent }, cuts) => {
        expect(argumentsOf(sent, cuts)).toBe(JSON.stringify(JSON.parse(text)))
      }),
      200,
    )
  })

  it('stay the JSON value that they are, and are {} only instead of nothing', () => {
    check(
      fc.property(fc.jsonValue({ maxDepth: 2 }), fc.array(fc.nat(), { maxLength: 5 }), (value, cuts) => {
        const sent = JSON.stringify(value)
        const isNothing = ['null', '[]', '""'].includes(sent)
        const isText = typeof value === 'string' && /^\s*(?:[{["n]|$)/.test(value)
        fc.pre(!isText)
        expect(argumentsOf(sent, cuts)).toBe(isNothing ? '{}' : sent)
      }),
      200,
    )
  })
})

it('arguments with nested brackets end with their object, and what follows them is dropped', () => {
  const call: SentCall = { id: 'call_a', name: 'look', text: '', pieces: [] }
  const words = ['"k":{"a":"', ' }', ' {', ' grinds', '"},']
  const pieces = ['{', ...Array.from({ length: 200 }, (_, i) => words[i % words.length] as string), '"z":1}', '}', ']']
  const list = [
    { at: 0, call, args: '', first: true },
    ...pieces.map((args): Sent => ({ at: 0, call, args, first: false })),
  ]
  expect(read('openai-chat', chat((_, more) => more)(list))).toEqual([
    `call_a look ${JSON.stringify(JSON.parse(pieces.slice(0, -2).join('')))}`,
  ])
})

/** Bodies with these calls, all under one id. */
const UNDER_ONE_ID: Readonly<Record<string, (list: readonly SentCall[]) => object>> = {
  'openai-chat': (list) => ({
    model: 'm',
    choices: [
      {
        index: 0,
        message: { tool_calls: list.map(({ name, text }) => ({ id: 'x', function: { name, arguments: text } })) },
        finish_reason: 'tool_calls',
      },
    ],
  }),
  'openai-responses': (list) => ({
    id: 'r',
    object: 'response',
    model: 'm',
    status: 'completed',
    output: list.map(({ name, text }) => ({ type: 'function_call', call_id: 'x', name, arguments: text })),
  }),
  'anthropic-messages': (list) => ({
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: list.map(({ name, text }) => ({ type: 'tool_use', id: 'x', name, input: JSON.parse(text) })),
    stop_reason: 'tool_use',
  }),
  'gemini-generate': (list) => ({
    modelVersion: 'm',
    candidates: [
      {
        content: { parts: list.map(({ name, text }) => ({ functionCall: { id: 'x', name, args: JSON.parse(text) } })) },
        finishReason: 'STOP',
      },
    ],
  }),
  'gemini-interactions': (list) => ({
    id: 'i',
    object: 'interaction',
    model: 'm',
    status: 'requires_action',
    steps: list.map(({ name, text }) => ({ type: 'function_call', id: 'x', name, arguments: JSON.parse(text) })),
  }),
  'ollama-chat': (list) => ({
    model: 'm',
    message: {
      role: 'assistant',
      tool_calls: list.map(({ name, text }) => ({ id: 'x', function: { name, arguments: JSON.parse(text) } })),
    },
    done: true,
    done_reason: 'stop',
  }),
  'cohere-chat': (list) => ({
    id: 'c',
    finish_reason: 'TOOL_CALL',
    message: {
      role: 'assistant',
      tool_calls: list.map(({ name, text }) => ({ id: 'x', type: 'function', function: { name, arguments: text } })),
    },
  }),
  'bedrock-converse': (list) => ({
    output: {
      message: {
        role: 'assistant',
        content: list.map(({ name, text }) => ({ toolUse: { toolUseId: 'x', name, input: JSON.parse(text) } })),
      },
    },
    stopReason: 'tool_use',
  }),
}

it.each(Object.entries(UNDER_ONE_ID))('whole calls of %s under one id keep their arguments', (wire, write) => {
  const named = (found: readonly string[]) => found.map((call) => call.slice(call.indexOf(' ') + 1))
  check(
    fc.property(calls, (list) => {
      // An empty object may stand for arguments that follow, and chat completions have no place of a call but its index.
      const sent = wire === 'openai-chat' ? list.filter(({ text }) => text !== '{}') : list
      const unlike = sent.filter(({ name, text }, at) =>
        sent.slice(0, at).every((other) => other.name !== name || other.text !== text),
      )
      const found = whole(wire, write(unlike))
      expect(named(found)).toEqual(named(expected(unlike)))
      expect(new Set(found.map((call) => call.split(' ')[0])).size).toBe(unlike.length)
    }),
    100,
  )
})

describe('arguments that are no text', () => {
  it.each([
    [{ a: 1 }, '{"a":1}'],
    [[], '{}'],
    ['{"a":1}', '{"a":1}'],
  ])('%j are text in passed chat completions', async (args, text) => {
    const call = { id: 'a', type: 'function', function: { name: 'look', arguments: args } }
    const { output } = pass(optionsFor(openaiChat), openaiChat, [sse([chatChunk([{ index: 0, ...call }])])], 'end')
    expect(new TextDecoder().decode(output)).toContain(`"arguments":${JSON.stringify(text)}`)
    const client = {
      upstream: { vendor: 'openai', wire: 'openai-chat', apiKey: 'none' },
      client: 'openai-chat',
    } as const
    const translator = createTranslator(client)
    const sent = translator.encodeRequest('{"model":"m","messages":[{"role":"user","content":"A"}]}')
    if (!sent.ok) return expect.unreachable(sent.error.message)
    const body = {
      id: 'c',
      object: 'chat.completion',
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', tool_calls: [call] }, finish_reason: 'tool_calls' }],
    }
    const answer = new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } })
    const received = await (await translator.toResponse(Promise.resolve(answer), sent)).json()
    expect(received.choices[0].message.tool_calls[0].function.arguments).toBe(text)
  })
})

it('a call of Gemini without a name is a loss', () => {
  const parts = [{ functionCall: { name: '', args: { a: 1 } } }]
  const body = { modelVersion: 'm', candidates: [{ content: { parts }, finishReason: 'STOP' }] }
  const { outcome } = translateBody(JSON.stringify(body), { from: 'gemini-generate', to: 'openai' })
  expect(outcome.losses).toEqual(['a call without a name'])
})

it.each(['{"a":1}null', '{"a":1}""', '{"a":1}}]', '{}{}'])('the end of arguments is no loss: %s', (text) => {
  const call = { index: 0, id: 'a', type: 'function', function: { name: 'look', arguments: text } }
  const body = { model: 'm', choices: [{ index: 0, message: { tool_calls: [call] }, finish_reason: 'tool_calls' }] }
  expect(translateBody(JSON.stringify(body), { from: 'openai-chat', to: 'openai' }).outcome.losses).toEqual([])
})
