import { expect, it } from 'vitest'
import { PassedBody } from '../../src/engine/passthrough/passed-body.ts'
import type { Json, JsonObject } from '../../src/protocol/json.ts'
import { isObject, parseJson } from '../../src/text/json.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { answersOf, framesOf, optionsFor, pass } from './passing.ts'

/** What official clients read from answers that are passed on. */

const sse = (events: readonly Json[]): readonly Uint8Array[] =>
  events.map((event) => new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`))

const responseIn = (event: JsonObject | undefined): JsonObject =>
  isObject(event?.response) ? (event.response as JsonObject) : {}

function passed(name: keyof typeof WIRES, events: readonly Json[], settings: JsonObject = {}) {
  const wire = WIRES[name]
  const { output, stream } = pass(optionsFor(wire, settings), wire, sse(events), 'end')
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
  const { response } = endingWith('response.incomplete', {}, ITEMS.slice(0, 3))
  expect(response.output).toMatchObject([{ id: 'msg', status: 'incomplete', content: [{ text: 'Hello' }] }])
})

it.each<[what: string, type: string, response: JsonObject, items: readonly Json[]]>([
  ['a list of the upstream', 'response.completed', { output: [message('completed', [])] }, ITEMS],
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
    { type: 'response.output_text.delta', delta: 'Hello' },
    { type: 'response.completed', response: { id: 'r', output: [{ content: [{ text: 'Hello' }] }] } },
    undefined,
  ])
  expect(stream.outcome()).toMatchObject({ status: 'completed' })
})
