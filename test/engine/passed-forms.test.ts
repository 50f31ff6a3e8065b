import fc from 'fast-check'
import { expect, it } from 'vitest'
import { translateWholeBody } from '../../src/engine/body-collector.ts'
import { PassedBody } from '../../src/engine/passthrough/passed-body.ts'
import type { Json, JsonObject } from '../../src/protocol/json.ts'
import { isObject, parseJson } from '../../src/text/json.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { check } from '../property.ts'
import { answersOf, framesOf, optionsFor, pass } from './passing.ts'

/** What official clients read from answers that are passed on. */

const sse = (events: readonly Json[]): readonly Uint8Array[] =>
  events.map((event) => new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`))

const responseIn = (event: JsonObject | undefined): JsonObject =>
  isObject(event?.response) ? (event.response as JsonObject) : {}

const lines = (values: readonly Json[]): readonly Uint8Array[] =>
  values.map((value) => new TextEncoder().encode(`${JSON.stringify(value)}\n`))

function passed(name: keyof typeof WIRES, events: readonly Json[], settings: JsonObject = {}) {
  const wire = WIRES[name]
  const bytes = name === 'ollama-chat' ? lines(events) : sse(events)
  const { output, stream } = pass(optionsFor(wire, settings), wire, bytes, 'end')
  const values = framesOf(wire, output).flatMap(({ data }) => {
    const value = parseJson(data)
    return isObject(value) ? [value as JsonObject] : []
  })
  return { values, response: responseIn(values.at(-1)), outcome: stream.outcome() }
}

function passedBody(name: keyof typeof WIRES, body: Json): Json {
  const wire = WIRES[name]
  const collector = new PassedBody(optionsFor(wire), answersOf(wire))
  collector.push({ body: JSON.stringify(body) })
  return collector.body() as JsonObject
}

// ---------------------------------------------------------------- output of a response

const CREATED = { id: 'r', object: 'response', model: 'm', status: 'in_progress', output: [] }

const message = (status: string, content: readonly Json[]) => ({
  id: 'msg',
  type: 'message',
  role: 'assistant',
  status,
  content,
})

const call = (status: string, args: string) => ({
  id: 'fc',
  type: 'function_call',
  call_id: 'c',
  name: 'look',
  status,
  arguments: args,
})

const TEXT = { type: 'output_text', text: 'Hello', annotations: [] }

const ITEMS: readonly Json[] = [
  { type: 'response.output_item.added', output_index: 0, item: message('in_progress', []) },
  {
    type: 'response.content_part.added',
    output_index: 0,
    content_index: 0,
    item_id: 'msg',
    part: { ...TEXT, text: '' },
  },
  { type: 'response.output_text.delta', output_index: 0, content_index: 0, item_id: 'msg', delta: 'Hel' },
  { type: 'response.output_text.delta', output_index: 0, content_index: 0, item_id: 'msg', delta: 'lo' },
  { type: 'response.output_item.done', output_index: 0, item: message('completed', [TEXT]) },
  { type: 'response.output_item.added', output_index: 1, item: call('in_progress', '') },
  { type: 'response.function_call_arguments.delta', output_index: 1, item_id: 'fc', delta: '{"a":1}' },
  { type: 'response.output_item.done', output_index: 1, item: call('completed', '{"a":1}') },
]

const endingWith = (type: string, response: JsonObject, items = ITEMS) =>
  passed('openai-responses', [
    { type: 'response.created', response: CREATED },
    ...items,
    { type, response: { ...CREATED, status: type.slice(9), ...response } },
  ])

it.each<[type: string, output: Json | undefined]>([
  ['response.completed', []],
  ['response.completed', null],
  ['response.completed', undefined],
  ['response.incomplete', []],
])('%s with the output %j has the items that its client has received', (type, output) => {
  const { output: _, ...rest } = CREATED
  const { values, outcome } = passed('openai-responses', [
    { type: 'response.created', response: CREATED },
    ...ITEMS,
    { type, response: { ...rest, status: type.slice(9), ...(output === undefined ? {} : { output }) } },
  ])
  expect(values.at(-1)).toMatchObject({
    type,
    response: { id: 'r', output: [message('completed', [TEXT]), call('completed', '{"a":1}')] },
  })
  expect(outcome.edits).toEqual(['form of events'])
})

it('items that are not done are in the output with the text that the client has received', () => {
  const { response } = endingWith('response.incomplete', {}, ITEMS.slice(0, 4))
  expect(response.output).toMatchObject([{ id: 'msg', status: 'incomplete', content: [{ text: 'Hello' }] }])
})

it.each<[what: string, type: string, response: JsonObject, items: readonly Json[]]>([
  ['a list of the upstream', 'response.completed', { output: [message('completed', [TEXT])] }, ITEMS],
  ['an answer without items', 'response.completed', { output: [] }, []],
  ['a failure', 'response.failed', { output: [], error: { code: 'server_error', message: 'E' } }, ITEMS],
])('the output of %s stays', (_, type, response, items) => {
  const { values, outcome } = endingWith(type, response, items)
  expect(values.at(-1)).toMatchObject({ response })
  expect(outcome.edits).toEqual([])
})

// ---------------------------------------------------------------- names of counts

const CHAT_NAMES = {
  prompt_tokens: 9,
  completion_tokens: 4,
  total_tokens: 13,
  prompt_tokens_details: { cached_tokens: 3, own: 1 },
  completion_tokens_details: { reasoning_tokens: 2 },
}
const RESPONSES_NAMES = {
  input_tokens: 9,
  output_tokens: 4,
  total_tokens: 13,
  input_tokens_details: { cached_tokens: 3, own: 1 },
  output_tokens_details: { reasoning_tokens: 2 },
}

const chatChunk = (delta: JsonObject, rest: JsonObject): JsonObject => ({
  id: 'x',
  object: 'chat.completion.chunk',
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: null }],
  ...rest,
})

const USAGE_OF: Readonly<Record<'openai-chat' | 'openai-responses', (usage: JsonObject) => readonly [Json, Json]>> = {
  'openai-chat': (usage) => {
    const { values } = passed(
      'openai-chat',
      [
        chatChunk({ content: 'Hi' }, {}),
        chatChunk({}, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
        chatChunk({}, { choices: [], usage }),
      ],
      { usage: true },
    )
    const choice = { index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }
    const body = passedBody('openai-chat', { id: 'x', model: 'm', choices: [choice], usage }) as JsonObject
    return [values.at(-1)?.usage ?? null, body.usage ?? null]
  },
  'openai-responses': (usage) => {
    const streamed = endingWith('response.completed', { output: [message('completed', [TEXT])], usage })
    const response = { ...CREATED, status: 'completed', output: [message('completed', [TEXT])], usage }
    const body = passedBody('openai-responses', response) as JsonObject
    return [streamed.response.usage ?? null, body.usage ?? null]
  },
}

it.each<[name: keyof typeof USAGE_OF, sent: JsonObject, read: JsonObject]>([
  ['openai-chat', RESPONSES_NAMES, CHAT_NAMES],
  ['openai-chat', { ...RESPONSES_NAMES, prompt_tokens: 0, completion_tokens: null }, CHAT_NAMES],
  ['openai-chat', { ...CHAT_NAMES, prompt_tokens: '9' }, CHAT_NAMES],
  [
    'openai-chat',
    { ...CHAT_NAMES, prompt_tokens_details: null, input_tokens_details: { cached_tokens: 3 } },
    { ...CHAT_NAMES, prompt_tokens_details: { cached_tokens: 3 } },
  ],
  ['openai-responses', CHAT_NAMES, RESPONSES_NAMES],
  ['openai-responses', { ...CHAT_NAMES, input_tokens: 0, output_tokens: null }, RESPONSES_NAMES],
  [
    'openai-responses',
    { ...CHAT_NAMES, input_tokens_details: { cached_tokens: 1 } },
    { ...RESPONSES_NAMES, input_tokens_details: { cached_tokens: 1, own: 1 } },
  ],
  ['openai-responses', { ...RESPONSES_NAMES, output_tokens: '4' }, RESPONSES_NAMES],
])('%s: the usage %j has the names of the protocol beside its own, streamed and whole', (name, sent, read) => {
  const expected = { ...sent, ...read }
  expect(USAGE_OF[name](sent)).toEqual([expected, expected])
})

it.each<[name: keyof typeof USAGE_OF, usage: JsonObject]>([
  ['openai-chat', CHAT_NAMES],
  ['openai-chat', { prompt_tokens: 9, completion_tokens: 0, own: [1] }],
  ['openai-responses', RESPONSES_NAMES],
])('%s: the usage %j stays as it is', (name, usage) => {
  expect(USAGE_OF[name](usage)).toEqual([usage, usage])
})

// ---------------------------------------------------------------- a response in place of its event

it('a passed stream whose upstream sends the response in place of its event has the events', () => {
  const { output: _, ...rest } = CREATED
  const bytes = [
    ['response.created', CREATED],
    ['response.output_text.delta', { output_index: 0, content_index: 0, item_id: 'msg', delta: 'Hello' }],
    ['', { ...rest, status: 'completed', output: [message('completed', [TEXT])] }],
  ].map(([event, data]) =>
    new TextEncoder().encode(`${event === '' ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`),
  )
  const wire = WIRES['openai-responses']
  const { output, stream } = pass(optionsFor(wire), wire, bytes, 'end')
  const values = framesOf(wire, output).map(({ data }) => parseJson(data))
  expect(values).toMatchObject([
    { type: 'response.created', response: { id: 'r' } },
    { type: 'response.output_item.added', item: { id: 'msg' } },
    { type: 'response.content_part.added', item_id: 'msg' },
    { type: 'response.output_text.delta', delta: 'Hello' },
    { type: 'response.completed', response: { id: 'r', output: [{ content: [{ text: 'Hello' }] }] } },
    undefined,
  ])
  expect(stream.outcome()).toMatchObject({ status: 'completed' })
})

// ---------------------------------------------------------------- pieces and ends of a response

it('a piece that is an object has its text, as libraries join pieces', () => {
  const { values, outcome } = endingWith('response.completed', { output: [message('completed', [TEXT])] }, [
    { type: 'response.output_text.delta', output_index: 0, delta: { type: 'output_text', text: 'Hel' } },
    { type: 'response.output_text.delta', output_index: 0, delta: [{ text: 'lo' }] },
    { type: 'response.output_text.delta', output_index: 0, delta: null },
    { type: 'response.output_text.delta', output_index: 0 },
    { type: 'response.function_call_arguments.delta', output_index: 1, item_id: 'fc', delta: { a: 1 } },
  ])
  expect(values.slice(2, 7).map(({ delta }) => delta)).toEqual(['Hel', 'lo', '', '', '{"a":1}'])
  expect(outcome.edits).toEqual(['form of events'])
})

it.each(['completed', 'incomplete'])('the response of a last event has the status %s if it has none', (status) => {
  const response = { id: 'r', output: [message('completed', [TEXT])] }
  const { values } = passed('openai-responses', [
    { type: 'response.created', response: CREATED },
    { type: `response.${status}`, response },
  ])
  expect(values.at(-1)).toEqual({ type: `response.${status}`, response: { ...response, status } })
})

// ---------------------------------------------------------------- blocks of a message

const START = { type: 'message_start', message: { id: 'm', model: 'm', content: [], usage: { input_tokens: 3 } } }
const STOP = { type: 'message_stop' }

type Block = Readonly<Record<string, Json>>

/** A block as its start, its deltas and its end, under an index. */
const eventsOf = (index: number, { type = '', text = '', input = null, ...own }: Block): readonly Json[] => [
  {
    type: 'content_block_start',
    index,
    content_block: type === 'tool_use' ? { type, id: 't', name: 'look', ...own } : { type },
  },
  {
    type: 'content_block_delta',
    index,
    delta:
      type === 'tool_use'
        ? { type: 'input_json_delta', partial_json: JSON.stringify(input) }
        : type === 'thinking'
          ? { type: 'thinking_delta', thinking: text }
          : { type: 'text_delta', text },
  },
  { type: 'content_block_stop', index },
]

/** What the libraries make of the blocks of a stream: they append each one, and find it by the index of its deltas. */
function blocksIn(values: readonly JsonObject[]): readonly Json[] {
  const blocks: Record<string, Json>[] = []
  for (const { type, index, content_block, delta } of values) {
    if (type === 'content_block_start') blocks.push({ ...(content_block as JsonObject) })
    if (type !== 'content_block_delta' || !isObject(delta)) continue
    const block = blocks.at(Number(index)) ?? expect.unreachable(`no block ${index}`)
    for (const name of ['text', 'thinking'] as const)
      if (delta[name] !== undefined) block[name] = `${block[name]}${delta[name]}`
    if (delta.partial_json !== undefined) block.input = parseJson(`${delta.partial_json}`) as Json
  }
  return blocks
}

const block: fc.Arbitrary<Block> = fc.oneof(
  fc.record({ type: fc.constantFrom('text', 'thinking'), text: fc.constantFrom('a', 'bc') }),
  fc.record({ type: fc.constant('tool_use'), input: fc.record({ q: fc.integer() }) }),
)

it('blocks reach the libraries whole, however the upstream numbers them', () => {
  check(
    fc.property(fc.array(fc.tuple(block, fc.nat(3)), { minLength: 1, maxLength: 5 }), (blocks) => {
      const { values } = passed('anthropic-messages', [
        START,
        ...blocks.flatMap(([one, index]) => eventsOf(index, one)),
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
        STOP,
      ])
      expect(blocksIn(values)).toEqual(
        blocks.map(([{ type, text, input }]) =>
          type === 'tool_use'
            ? { type, id: 't', name: 'look', input }
            : { type, [type === 'text' ? 'text' : 'thinking']: text },
        ),
      )
    }),
    300,
  )
})

it('blocks that are open together keep their deltas, whose indices are moved', () => {
  const input = (index: number, partial_json: string): Json => ({
    type: 'content_block_delta',
    index,
    delta: { type: 'input_json_delta', partial_json },
  })
  const use = (index: number, name: string): Json => ({
    type: 'content_block_start',
    index,
    content_block: { type: 'tool_use', id: name, name, input: {} },
  })
  const { values } = passed('anthropic-messages', [
    START,
    use(1, 'a'),
    use(4, 'b'),
    input(1, '{}'),
    input(4, '[]'),
    DELTA,
    STOP,
  ])
  expect(values.map(({ index }) => index)).toEqual([undefined, 0, 1, 0, 1, undefined, undefined])
})

it.each<[what: string, late: JsonObject]>([
  ['a signature', { type: 'signature_delta', signature: 'c2ln' }],
  ['a text', { type: 'thinking_delta', thinking: '!' }],
])('%s behind the end of its block moves no later block', (_, late) => {
  const events = [
    { ...START, message: { ...START.message, usage: { input_tokens: 3, output_tokens: 0 } } },
    ...eventsOf(0, { type: 'thinking', text: 'a' }).map((one) =>
      isObject(one) && isObject(one.content_block)
        ? { ...one, content_block: { type: 'thinking', thinking: '' } }
        : one,
    ),
    { type: 'content_block_delta', index: 0, delta: late },
    { type: 'content_block_delta', index: 0, delta: late },
    ...eventsOf(1, { type: 'tool_use', input: { q: 1 } }),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 1 } },
    STOP,
  ]
  expect(passed('anthropic-messages', events as Json[]).values.map(({ index }) => index)).toEqual(
    events.map((event) => (event as JsonObject).index),
  )
})

it('a message without counts has those that are known, as the libraries calculate with them', () => {
  const { message, ...start } = START
  const { usage: _, ...bare } = message
  const { values, outcome } = passed('anthropic-messages', [
    { ...start, message: bare },
    ...eventsOf(0, { type: 'text', text: 'a' }),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    STOP,
  ])
  expect(values[0]).toMatchObject({ message: { usage: { input_tokens: 0, output_tokens: 0 } } })
  expect(values.at(-2)).toMatchObject({ usage: { output_tokens: 0 } })
  expect(outcome).toMatchObject({ status: 'completed', usage: null })
})

// ---------------------------------------------------------------- events that the upstream leaves out, or repeats

const typesOf = (values: readonly JsonObject[]): readonly unknown[] => values.map(({ type }) => type)
const DELTA: JsonObject = {
  type: 'message_delta',
  delta: { stop_reason: 'end_turn', stop_sequence: null },
  usage: { output_tokens: 1 },
}

it('a second start of the same message is removed', () => {
  const whole = [START, ...eventsOf(0, { type: 'text', text: 'a' }), DELTA, STOP]
  const wanted = passed('anthropic-messages', whole).values
  const { values, outcome } = passed('anthropic-messages', whole.toSpliced(1, 0, START))
  expect(values).toEqual(wanted)
  expect(outcome.edits).toContain('form of events')
  expect(passed('anthropic-messages', whole.toSpliced(3, 0, START)).values).toEqual(wanted)
})

const ANEW: JsonObject = { ...START, message: { ...START.message, id: 'm2' } }

it('a start of another message, of a proxy that tries again, is removed, and the blocks of both are counted on', () => {
  const first = eventsOf(0, { type: 'text', text: 'a' })
  const call = eventsOf(0, { type: 'tool_use', id: 't', text: '{}', input: {} })
  const { values, outcome } = passed('anthropic-messages', [
    START,
    ...first,
    ANEW,
    ...call,
    { ...DELTA, delta: { stop_reason: 'tool_use', stop_sequence: null } },
    STOP,
  ])
  expect(blocksIn(values)).toMatchObject([{ type: 'text', text: 'a' }, { type: 'tool_use' }])
  expect(values.flatMap(({ type, index }) => (type === 'content_block_start' ? [index] : []))).toEqual([0, 1])
  expect(typesOf(values).filter((type) => type === 'message_start')).toHaveLength(1)
  expect(outcome.status).toBe('completed')
  expect(outcome.edits).toContain('form of events')
  const open = passed('anthropic-messages', [START, ...first.slice(0, 2), ANEW, ...call, DELTA, STOP]).values
  expect(blocksIn(open)).toEqual(blocksIn(values))
  expect(open.filter(({ type }) => type === 'content_block_stop')).toHaveLength(2)
})

it('a block without a start is a new one behind the start of another message', () => {
  const [, delta = null] = eventsOf(0, { type: 'text', text: 'a' })
  const { values } = passed('anthropic-messages', [START, delta, ANEW, delta, DELTA, STOP])
  expect(blocksIn(values)).toMatchObject([
    { type: 'text', text: 'a' },
    { type: 'text', text: 'a' },
  ])
})

it('the block that began last stops at the start of another message, whatever its index is', () => {
  const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }
  const open = { type: 'content_block_start', index: 9, content_block: search }
  const text = eventsOf(10, { type: 'text', text: 'a' }).slice(0, 2)
  const { values } = passed('anthropic-messages', [START, open, ...text, ANEW, DELTA, STOP])
  expect(values.flatMap(({ type, index }) => (type === 'content_block_stop' ? [index] : []))).toEqual([1])
})

it('a start of another message inside of a call is a failure, as clients would run the half call', () => {
  const [start = null, delta = null] = eventsOf(0, { type: 'tool_use', id: 't', text: '{"a":', input: {} })
  const whole = eventsOf(0, { type: 'text', text: 'a' })
  const { values, outcome } = passed('anthropic-messages', [START, start, delta, ANEW, ...whole, DELTA, STOP])
  expect(typesOf(values)).toEqual(['message_start', 'content_block_start', 'content_block_delta', 'error'])
  expect(outcome).toMatchObject({ status: 'failed', error: { message: expect.stringContaining('inside a call') } })
})

it('blocks without a start get one, however the upstream numbers them', () => {
  check(
    fc.property(
      fc.array(fc.tuple(block, fc.boolean()), { minLength: 1, maxLength: 5 }),
      fc.boolean(),
      (blocks, isNumbered) => {
        const sent = blocks.flatMap(([one, hasStart], at) => {
          const [start = null, delta = null, stop = null] = eventsOf(at, one)
          // The name of a call is in its start alone.
          const isWhole = hasStart || one.type === 'tool_use'
          const events = isWhole ? [start, delta, stop] : [delta, stop]
          return isNumbered || isWhole
            ? events
            : events.map((event) => {
                const { index: _, ...bare } = event as JsonObject
                return bare
              })
        })
        const { values } = passed('anthropic-messages', [START, ...sent, DELTA, STOP])
        expect(blocksIn(values)).toEqual(
          blocks.map(([{ type, text, input }, hasStart]) =>
            type === 'tool_use'
              ? { type, id: 't', name: 'look', input }
              : {
                  type,
                  [type === 'text' ? 'text' : 'thinking']: text,
                  ...(type === 'thinking' && !hasStart ? { signature: '' } : {}),
                },
          ),
        )
        expect(typesOf(values).slice(-2)).toEqual(['message_delta', 'message_stop'])
      },
    ),
    300,
  )
})

it('a delta that begins no block is removed before any', () => {
  const delta = (text: string) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })
  const { values } = passed('anthropic-messages', [START, delta(''), delta('a'), DELTA, STOP])
  expect(typesOf(values)).toEqual([
    'message_start',
    'content_block_start',
    'content_block_delta',
    'message_delta',
    'message_stop',
  ])
})

it.each<[blocks: readonly Block[], reason: string]>([
  [[], 'end_turn'],
  [[{ type: 'text', text: 'a' }], 'end_turn'],
  [
    [
      { type: 'text', text: 'a' },
      { type: 'tool_use', input: {} },
    ],
    'tool_use',
  ],
])('a message with %j that stops without a reason gets one', (blocks, stop_reason) => {
  const { values, outcome } = passed('anthropic-messages', [
    START,
    ...blocks.flatMap((one, index) => eventsOf(index, one)),
    STOP,
  ])
  const [delta, stop] = values.slice(-2)
  expect(delta).toEqual({
    type: 'message_delta',
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: expect.any(Number) },
  })
  expect(stop).toEqual(STOP)
  expect(outcome.status).toBe('completed')
})

// ---------------------------------------------------------------- reasons of calls

const CALL: Block = { type: 'tool_use', input: { q: 1 } }
const CALL_OF_CODE: Block = { ...CALL, caller: { type: 'code_execution_20250825', tool_id: 's' } }
const SAID: Block = { type: 'text', text: 'a' }

it.each<[sent: string, blocks: readonly Block[], read: string]>([
  ['end_turn', [CALL], 'tool_use'],
  ['end_turn', [SAID, CALL], 'tool_use'],
  ['tool_use', [SAID], 'end_turn'],
  ['end_turn', [SAID], 'end_turn'],
  ['tool_use', [CALL], 'tool_use'],
  ['max_tokens', [CALL], 'max_tokens'],
  ['end_turn', [CALL_OF_CODE, SAID], 'end_turn'],
  ['tool_use', [CALL_OF_CODE], 'tool_use'],
  ['end_turn', [CALL_OF_CODE, CALL], 'tool_use'],
])('the reason %s of a message with %j is %s, streamed and whole', (stop_reason, blocks, read) => {
  const { values } = passed('anthropic-messages', [
    START,
    ...blocks.flatMap((one, index) => eventsOf(index, one)),
    { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 1 } },
    STOP,
  ])
  expect(values.at(-2)).toMatchObject({ delta: { stop_reason: read } })
  const content = blocks.map((one) => (one.type === 'tool_use' ? { ...one, id: 't', name: 'look' } : one))
  const body = { id: 'm', type: 'message', model: 'm', content, stop_reason, usage: { output_tokens: 1 } }
  expect(passedBody('anthropic-messages', body)).toEqual({ ...body, stop_reason: read })
})

it.each<[sent: string, delta: JsonObject, read: string]>([
  ['tool_calls', { content: 'a' }, 'stop'],
  ['tool_calls', { content: 'a', tool_calls: [] }, 'stop'],
  ['tool_calls', { tool_calls: [{ index: 0, id: 'c', function: { name: 'look', arguments: '{}' } }] }, 'tool_calls'],
  ['function_call', { content: 'a', function_call: { name: 'look', arguments: '{}' } }, 'function_call'],
  ['tool_calls', { content: 'a', function_call: { name: 'look', arguments: '{}' } }, 'tool_calls'],
  ['stop', { content: 'a' }, 'stop'],
])('the reason %s of an answer with %j is %s, streamed and whole', (finish_reason, delta, read) => {
  const { values } = passed('openai-chat', [
    chatChunk(delta, {}),
    chatChunk({}, { choices: [{ index: 0, delta: {}, finish_reason }] }),
  ])
  expect(values.at(-1)).toMatchObject({ choices: [{ finish_reason: read }] })
  const body = { id: 'x', model: 'm', choices: [{ index: 0, message: delta, finish_reason }] }
  expect(passedBody('openai-chat', body)).toMatchObject({ choices: [{ finish_reason: read }] })
})

it('the choices of an answer over several ones keep the reason of calls', () => {
  const calls = [{ id: 'c', function: { name: 'look', arguments: '{}' } }]
  const choices = [{ message: { content: 'a' } }, { message: { tool_calls: calls } }].map((choice, index) => ({
    ...choice,
    index,
    finish_reason: 'tool_calls',
  }))
  expect(passedBody('openai-chat', { id: 'x', model: 'm', choices })).toMatchObject({ choices })
})

// ---------------------------------------------------------------- names of calls

/** The calls of a stream as OpenAI's Python helpers join them: all texts of one index but the type. */
function joinedCalls(values: readonly JsonObject[]): readonly Readonly<Record<string, string>>[] {
  const calls: { id: string; name: string; arguments: string }[] = []
  for (const { choices } of values)
    for (const choice of (choices ?? []) as readonly JsonObject[])
      for (const piece of ((choice.delta as JsonObject).tool_calls ?? []) as readonly JsonObject[]) {
        calls[Number(piece.index)] ??= { id: '', name: '', arguments: '' }
        const known = calls[Number(piece.index)] as { id: string; name: string; arguments: string }
        const { name = '', arguments: args = '' } = (piece.function ?? {}) as Record<string, string>
        known.id += piece.id ?? ''
        known.name += name
        known.arguments += args
      }
  return calls
}

it('calls have one id and one name, however often the upstream repeats them', () => {
  const repeats = fc.record({ id: fc.constantFrom(undefined, 'own', 'other', '', null), name: fc.boolean() })
  check(
    fc.property(fc.array(fc.array(repeats, { maxLength: 4 }), { minLength: 1, maxLength: 3 }), (calls) => {
      const { values } = passed('openai-chat', [
        ...calls.flatMap((pieces, index) => {
          const names = [`call_${index}`, `look_${index}`] as const
          const whole = JSON.stringify({ q: 'abcdef' })
          const first = { index, id: names[0], type: 'function', function: { name: names[1], arguments: '{"' } }
          const more = pieces.map(({ id, name }, at) => ({
            index,
            ...(id === undefined ? {} : { id: id === 'own' ? names[0] : id === 'other' ? `${names[0]}_${at}` : id }),
            function: { ...(name ? { name: names[1] } : {}), arguments: whole.slice(2 + at, 3 + at) },
          }))
          const last = { index, function: { arguments: whole.slice(2 + pieces.length) } }
          return [first, ...more, last].map((piece) => chatChunk({ tool_calls: [piece] }, {}))
        }),
        chatChunk({}, { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }),
      ])
      expect(joinedCalls(values)).toEqual(
        calls.map((_, index) => ({ id: `call_${index}`, name: `look_${index}`, arguments: '{"q":"abcdef"}' })),
      )
    }),
    300,
  )
})

it('arguments that are the text of an object are the object for clients of Ollama, streamed and whole', () => {
  const line = (args: Json): JsonObject => ({
    model: 'm',
    message: { role: 'assistant', content: '', tool_calls: [{ function: { name: 'look', arguments: args } }] },
    done: true,
    done_reason: 'stop',
  })
  expect(passed('ollama-chat', [line('{"q":1}')]).values).toEqual([line({ q: 1 })])
  expect(passedBody('ollama-chat', line('{"q":1}'))).toEqual(line({ q: 1 }))
  expect(passedBody('ollama-chat', line('no JSON'))).toEqual(line('no JSON'))
  for (const none of ['', ' ', null, []]) expect(passedBody('ollama-chat', line(none))).toEqual(line({}))
})

// ---------------------------------------------------------------- roles and types

it('the first piece of each choice has a role', () => {
  const piece = (index: number, delta: JsonObject): JsonObject =>
    chatChunk({}, { choices: [{ index, delta, finish_reason: null }] })
  const { values } = passed('openai-chat', [
    piece(0, { content: 'a' }),
    piece(1, { content: 'b' }),
    piece(0, { content: 'c' }),
    piece(1, { content: 'd' }),
    chatChunk({}, { choices: [0, 1].map((index) => ({ index, delta: {}, finish_reason: 'stop' })) }),
  ])
  const deltas = values.map(({ choices }) => (choices as readonly JsonObject[])[0]?.delta)
  const role = 'assistant'
  expect(deltas).toEqual([{ content: 'a', role }, { content: 'b', role }, { content: 'c' }, { content: 'd' }, {}])
})

it.each<[sent: JsonObject[], roles: (string | undefined)[]]>([
  [
    [{ reasoning_content: '' }, { reasoning_content: 'a' }, { content: 'b' }, {}],
    [undefined, 'assistant', undefined, undefined],
  ],
  [
    [{ content: '' }, {}],
    [undefined, 'assistant'],
  ],
  [
    [{ content: null }, { content: null }, {}],
    [undefined, undefined, 'assistant'],
  ],
  [
    [{ role: null, content: '' }, { content: 'a' }, {}],
    [undefined, 'assistant', undefined],
  ],
  [
    [{ content: '' }, { role: 'assistant', content: '' }, { content: 'a' }, {}],
    [undefined, 'assistant', undefined, undefined],
  ],
  [[{}], ['assistant']],
])('pieces without a role, %j, have it once, at the first one with content or at the end', (sent, roles) => {
  for (const indices of [[0], [1, 0]]) {
    const chunks = sent.map((delta, at) =>
      chatChunk(
        {},
        { choices: indices.map((index) => ({ index, delta, finish_reason: at === sent.length - 1 ? 'stop' : null })) },
      ),
    )
    const { values } = passed('openai-chat', chunks)
    for (const at of indices.keys())
      expect(
        values.map(({ choices }) => {
          const { role } = (choices as readonly { readonly delta: JsonObject }[])[at]?.delta ?? {}
          return role ?? undefined
        }),
      ).toEqual(roles)
  }
})

const FUNCTION = { name: 'look', arguments: '{"q":1}' }

it.each<[call: JsonObject, read: JsonObject]>([
  [
    { id: 'c', function: FUNCTION },
    { id: 'c', function: FUNCTION, type: 'function' },
  ],
  [
    { id: 'c', type: null, function: FUNCTION },
    { id: 'c', type: 'function', function: FUNCTION },
  ],
  [
    { id: 'c', ...FUNCTION },
    { id: 'c', function: FUNCTION, type: 'function' },
  ],
  [
    { id: 'c', name: 'look', parameters: { q: 1 }, own: 1 },
    { id: 'c', own: 1, function: FUNCTION, type: 'function' },
  ],
  [
    { id: 'c', type: 'custom', custom: { name: 'look', input: 'a' } },
    { id: 'c', type: 'custom', custom: { name: 'look', input: 'a' } },
  ],
  [
    { id: 'c', custom: { name: 'look', input: 'a' } },
    { id: 'c', custom: { name: 'look', input: 'a' } },
  ],
])('the call %j has a type and a function, streamed and whole', (call, read) => {
  const { values } = passed('openai-chat', [
    chatChunk({ role: 'assistant', tool_calls: [{ index: 0, ...call }] }, {}),
    chatChunk({}, { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }),
  ])
  expect(values[0]).toMatchObject({
    choices: [{ delta: { role: 'assistant', tool_calls: [{ index: 0, ...read }] } }],
  })
  const bodyOf = (one: JsonObject): JsonObject => ({
    id: 'x',
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', tool_calls: [one] }, finish_reason: 'tool_calls' }],
  })
  expect(passedBody('openai-chat', bodyOf(call))).toEqual(bodyOf(read))
})

it('pieces that continue the arguments of a call get no type', () => {
  const piece = (args: string): JsonObject => ({ index: 0, function: { arguments: args } })
  const first = { index: 0, id: 'c', type: 'function', function: { name: 'look', arguments: '' } }
  const sent = [
    chatChunk({ role: 'assistant', tool_calls: [first] }, {}),
    chatChunk({ tool_calls: [piece('{"q"')] }, {}),
    chatChunk({ tool_calls: [piece(':1}')] }, {}),
    chatChunk({}, { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }),
  ]
  const { values, outcome } = passed('openai-chat', sent)
  expect(values).toEqual(sent)
  expect(outcome.edits).toEqual([])
})

it.each<[args: Json, read: Json]>([
  ['{"q":1}', { q: 1 }],
  [' ', {}],
  ['no JSON', 'no JSON'],
  ['{"id":12345678901234567890}', '{"id":12345678901234567890}'],
  ['{"x":1e22}', { x: 1e22 }],
  ['{"lat":48.858370199999999,"pi":3.14159265358979323846}', { lat: 48.858370199999996, pi: Math.PI }],
  [{ q: 1 }, { q: 1 }],
])('the arguments %j of a Gemini call are %j for its clients, streamed and whole', (args, read) => {
  const chunk = (given: Json): JsonObject => ({
    candidates: [
      { content: { role: 'model', parts: [{ functionCall: { name: 'look', args: given } }] }, finishReason: 'STOP' },
    ],
  })
  expect(passed('gemini-generate', [chunk(args)]).values).toEqual([chunk(read)])
  expect(passedBody('gemini-generate', chunk(args))).toEqual(chunk(read))
})

// ---------------------------------------------------------------- an answer inside of an envelope

it.each(['data', 'result'])('an answer inside of the member %s of an envelope is passed without it', (name) => {
  const body = { id: 'x', model: 'm', choices: [{ index: 0, message: { content: 'a' }, finish_reason: 'stop' }] }
  expect(passedBody('openai-chat', { success: true, errors: [], [name]: body })).toEqual(body)
})

it('an envelope may have counts and a status of its own', () => {
  const chat = { id: 'x', model: 'm', choices: [{ index: 0, message: { content: 'a' }, finish_reason: 'stop' }] }
  const counts = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 }
  expect(passedBody('openai-chat', { success: true, usage: counts, data: chat })).toMatchObject(chat)
  const response = { ...RESPONSE, output: [message('completed', [TEXT])] }
  expect(passedBody('openai-responses', { success: true, status: 'completed', data: response })).toMatchObject(response)
})

it('an answer with the members of an envelope beside its own is passed and translated as it is', () => {
  const choices = [{ index: 0, message: { content: 'a' }, finish_reason: 'stop' }]
  const body = { success: true, data: { trace: 'x' }, id: 'x', model: 'm', choices }
  expect(passedBody('openai-chat', body)).toEqual(body)
  const { outcome } = translateWholeBody(optionsFor(WIRES['openai-chat']), JSON.stringify(body))
  expect(outcome).toMatchObject({ status: 'completed', losses: ['success', 'data'] })
})

// ---------------------------------------------------------------- bodies in another form

const RESPONSE = { id: 'r', object: 'response', model: 'm', status: 'completed', own: 1 }
const MESSAGE = { id: 'm', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn', usage: {}, own: 1 }

it.each<[name: 'openai-responses' | 'anthropic-messages', body: JsonObject, read: JsonObject]>([
  ['openai-responses', { ...RESPONSE, output: [], output_text: 'a' }, { output: [{ content: [{ text: 'a' }] }] }],
  [
    'openai-responses',
    { ...RESPONSE, output: [{ type: 'message', content: 'a' }] },
    { output: [{ content: [{ text: 'a' }] }] },
  ],
  [
    'openai-responses',
    { ...RESPONSE, output: [{ type: 'function_call', call_id: 'c', name: 'look', arguments: { q: 1 } }] },
    { output: [{ call_id: 'c', arguments: '{"q":1}' }] },
  ],
  [
    'openai-responses',
    { ...RESPONSE, output: { type: 'function_call', call_id: 'c', name: 'look', arguments: null } },
    { output: [{ call_id: 'c', arguments: '{}' }] },
  ],
  ['anthropic-messages', { ...MESSAGE, content: 'a' }, { content: [{ type: 'text', text: 'a' }] }],
  [
    'anthropic-messages',
    { ...MESSAGE, content: [{ type: 'tool_use', id: 't', name: 'look', input: '{"q":1}' }] },
    { content: [{ id: 't', input: { q: 1 } }] },
  ],
])('a body of %s that its libraries could not read is translated: %j', (name, body, read) => {
  const shown = passedBody(name, body)
  expect(shown).toMatchObject(read)
  expect(shown).not.toHaveProperty('own')
})

it.each<[name: 'openai-responses' | 'anthropic-messages', body: JsonObject]>([
  ['openai-responses', { ...RESPONSE, output: [] }],
  ['openai-responses', { ...RESPONSE, output: [{ type: 'a_type_of_tomorrow' }] }],
  ['anthropic-messages', { ...MESSAGE, content: [] }],
  ['anthropic-messages', { ...MESSAGE, content: [{ type: 'a_type_of_tomorrow', input: 'a' }] }],
])('any other body of %s is passed: %j', (name, body) => {
  expect(passedBody(name, body)).toEqual(body)
})

// ---------------------------------------------------------------- before the beginning

it('heartbeats before the beginning of an answer are kept up to a bound', () => {
  const beat = `: ${'x'.repeat(1021)}\n\n`
  const wire = WIRES['anthropic-messages']
  const sent = (count: number): string => {
    const events = [START, ...eventsOf(0, { type: 'text', text: 'a' }), STOP].map(
      (one) => `data: ${JSON.stringify(one)}\n\n`,
    )
    const bytes = [beat.repeat(count), events.join('')].map((one) => new TextEncoder().encode(one))
    return new TextDecoder().decode(pass(optionsFor(wire), wire, bytes, 'end').output)
  }
  expect(sent(3).startsWith(beat.repeat(3))).toBe(true)
  expect(sent(500).length).toBeLessThan(80 * beat.length)
})
