import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { geminiInteractions } from '../../../../src/wires/gemini-interactions/index.ts'
import { type AnswerCase, answersOf } from '../../answer-cases.ts'
import { clientStreamOf, type Loose } from '../../client-stream.ts'
import {
  callStep,
  completed,
  created,
  DONE,
  delta,
  eventText,
  type SentEvent,
  start,
  step,
  stop,
  textStep,
  thoughtStep,
  usageOf,
} from '../events.ts'

const answers = answersOf({ wire: geminiInteractions, write: (event) => eventText([event as SentEvent]) })
type Events = readonly SentEvent[]
type Items = AnswerCase['items']

const bodyOf = (steps: readonly JsonObject[], status = 'completed') => ({
  object: 'interaction',
  status,
  model: 'gemini-3-pro',
  steps,
})
/** An answer with the items of these events. */
const of = (events: Events, items: Items, more: AnswerCase = {}): AnswerCase => ({
  stream: [created(), ...events, completed(), DONE],
  items,
  ...more,
})
/** An answer that ends with an event of its own, or without. */
const ending = (events: readonly unknown[], items: Items, end: string, more: AnswerCase = {}): AnswerCase => ({
  stream: [created(), ...events],
  items,
  end,
  ...more,
})
const lost = (events: Events, ...losses: readonly string[]): AnswerCase => ({ stream: events, losses })

const hi = textStep(0, 'Hi')
const word = (text: string): JsonObject => ({ type: 'text', text })
const output = (...deltas: readonly JsonObject[]): Events => step(0, { type: 'model_output' }, ...deltas)
const outputText = (text: string, ...annotations: readonly JsonObject[]): JsonObject => ({
  type: 'model_output',
  content: [{ type: 'text', text, annotations }],
})
const annotate = (...annotations: readonly JsonObject[]): JsonObject => ({ type: 'text_annotation_delta', annotations })
const cite = (start_index: number | undefined, end_index: number): JsonObject => ({
  type: 'url_citation',
  url: 'https://a.example/',
  title: 'a',
  ...(start_index === undefined ? {} : { start_index }),
  end_index,
})
const thought = (step: Events, item: string): AnswerCase => of([...step, ...textStep(1, 'Hi')], [item, 'Hi'])
const signature = { type: 'thought_signature', signature: 'c2ln' }

// biome-ignore format: a row a case
answers('a thought of gemini-interactions', '', {
  'is one item with a summary and a signature': thought(thoughtStep(0, 'Hm.', 'c2ln'), 'sealed reasoning: Hm.'),
  'is one item with a signature only': thought(thoughtStep(0, '', 'c2ln'), 'sealed reasoning'),
  'is one item with an empty signature': thought(thoughtStep(0, 'Hm.', ''), 'reasoning: Hm.'),
  'is one item with a signature before its summary': thought(
    step(0, { type: 'thought' }, signature, { type: 'thought_summary', content: word('Hm.') }), 'sealed reasoning: Hm.'),
  'is one item with all of it in its start': thought(
    step(0, { type: 'thought', signature: 'c2ln', summary: [word('Hm.')] }), 'sealed reasoning: Hm.'),
  'is no item without a summary and a signature': of([...step(0, { type: 'thought' }), ...textStep(1, 'Hi')], ['Hi']),
})

const begun = outputText('Hello')
// biome-ignore format: a row a case
answers('a text of gemini-interactions', '', {
  'is read from the start of its step, which the first delta may repeat': [
    of(step(0, begun), ['Hello']),
    of(step(0, begun, word('Hello'), word('!')), ['Hello!']),
    of(step(0, begun, word(', you')), ['Hello, you']),
  ],
  'is read from deltas without a start': of([delta(0, word('Hi'))], ['Hi']),
  'keeps its citations if steps interleave': of([start(0, { type: 'model_output' }), delta(0, word('Hello')),
    start(1, { type: 'function_call', id: 'c', name: 'f' }), delta(1, { type: 'arguments_delta', arguments: '{"a":1}' }),
    delta(0, annotate(cite(0, 5))), stop(1), stop(0)], ['Hello [https://a.example/ "Hello"]', 'c f({"a":1})']),
})

const text = 'Grüße 😀 aus Köln.'
const counted = (annotation: JsonObject, quoted: string): AnswerCase =>
  of(output(word(text), annotate(annotation)), [`${text} [https://a.example/ "${quoted}"]`], {
    body: bodyOf([outputText(text, annotation)]),
  })
const file = { type: 'file_citation', document_uri: 'files/a', file_name: 'a.pdf', end_index: 5 }
const place = { type: 'place_citation', name: 'Café', url: 'https://maps.example/', end_index: 5 }
// biome-ignore format: a row a case
answers('a citation of gemini-interactions', '', {
  'counts UTF-8 bytes: in the middle': counted(cite(13, 16), 'aus'),
  'counts UTF-8 bytes: behind characters of several bytes': counted(cite(8, 12), '😀'),
  'counts UTF-8 bytes: without a start': counted(cite(undefined, 7), 'Grüße'),
  'counts UTF-8 bytes: inside a character': counted(cite(9, 12), '😀'),
  'is a file, a place or a loss': [
    of(output(word('Hello'), annotate(file, place)), [{ content: [{ annotations: [
      { type: 'file_citation', file_id: 'files/a', filename: 'a.pdf' },
      { type: 'url_citation', url: 'https://maps.example/', title: 'Café' }] }] }]),
    lost(output(annotate({ type: 'speech_metadata' })), 'annotation speech_metadata'),
  ],
})

const one = { type: 'function_call', id: 'c1', name: 'f' }
const args = (value: JsonObject | string, more: JsonObject = {}): JsonObject => ({
  type: 'arguments_delta',
  arguments: value,
  ...more,
})
const called = (events: Events, expected: string): readonly AnswerCase[] =>
  ['requires_action', 'completed'].map((status) => ending([...events, completed(status)], [expected], 'completed'))

// biome-ignore format: a row a case
answers('a call of gemini-interactions', '', {
  'has its arguments in one delta': called(callStep(0, { id: 'c1', name: 'f' }, '{"a":1}'), 'c1 f({"a":1})'),
  'has its arguments in deltas of one byte': called(callStep(0, { id: 'c1', name: 'f' }, ...'{"a":"ü"}'), 'c1 f({"a":"ü"})'),
  'has its arguments in no delta': called(callStep(0, { id: 'c1', name: 'f' }), 'c1 f({})'),
  'has its arguments in its start only': called(step(0, { ...one, arguments: { a: 1 } }), 'c1 f({"a":1})'),
  'has its arguments in its start and in a delta, which counts': called(
    step(0, { ...one, arguments: { a: 0 } }, args('{"a":1}')), 'c1 f({"a":1})'),
  'has its arguments in its start, before a delta without any': called(
    step(0, { ...one, arguments: { a: 1 } }, args(''), args({})), 'c1 f({"a":1})'),
  'has its arguments as text in its start': called(step(0, { ...one, arguments: '{"a":1}' }), 'c1 f({"a":1})'),
  'has the first piece of its arguments in its start': called(
    step(0, { ...one, arguments: '{"a"' }, args(':'), args('1}')), 'c1 f({"a":1})'),
  'has its arguments as an object in a delta': called(step(0, one, args({ a: 1 })), 'c1 f({"a":1})'),
  'is one of several, also if their pieces interleave': of([start(0, { ...one, id: 'a' }), start(1, { ...one, id: 'b', name: 'g' }),
    delta(0, args('{"n":')), delta(1, args('{"m":2}')), delta(0, args('1}')), stop(0), stop(1)],
    ['a f({"n":1})', 'b g({"m":2})']),
  'that has a signature seals it, and none without': [
    of(step(0, { ...one, signature: 'c2ln' }), ['sealed reasoning', 'c1 f({})']),
    of(callStep(0, { id: 'c1', name: 'f' }), ['c1 f({})']),
    of(step(0, one, args('{}', { signature: 'c2ln' })), ['c1 f({})', 'sealed reasoning']),
  ],
})

const hosted = (index: number, name: string, call: JsonObject, result: JsonObject): Events => [
  ...step(index, { type: `${name}_call`, id: `id${index}` }, { type: `${name}_call`, ...call }),
  ...step(index + 1, { type: `${name}_result`, call_id: `id${index}` }, { type: `${name}_result`, ...result }),
]
const tool = (
  name: string,
  call: JsonObject,
  result: JsonObject,
  item: object,
  more: AnswerCase = {},
): AnswerCase[] => {
  const steps = [
    { type: `${name}_call`, id: 'x', ...call },
    { type: `${name}_result`, call_id: 'x', ...result },
  ]
  const items = [{ status: 'completed', ...item }, ...(more.items ?? []), 'Hi']
  return [
    of([...hosted(0, name, call, result), ...textStep(2, 'Hi')], items, { ...more, items }),
    { ...more, body: bodyOf([...steps, outputText('Hi')]), items },
  ]
}
const [A, B] = ['https://a.example/', 'https://b.example/'] as const
const SEALED = { items: ['sealed reasoning'] }
const map = { name: 'Café', url: 'https://maps.example/' }
const query = (index: number, id: string, query: string) =>
  step(index, { type: 'google_search_call', id, arguments: { queries: [query] } })
const pages = [
  { url: A, status: 'success' },
  { url: B, status: 'paywall' },
]

// biome-ignore format: a row a case
answers('a tool that Google runs', '', {
  'is an item: google_search': tool('google_search', { arguments: { queries: ['a', 'b'] } },
    { result: [{ search_suggestions: '<div>' }] },
    { type: 'web_search_call', action: { type: 'search', query: 'a', queries: ['a', 'b'] } },
    { losses: ['result[].search_suggestions'] }),
  'is an item: google_maps': tool('google_maps', { arguments: { queries: ['cafés'] } }, { result: [{ places: [map] }] },
    { type: 'web_search_call', action: { sources: [{ type: 'url', url: 'https://maps.example/', title: 'Café' }] } }),
  'is an item: url_context': tool('url_context', { arguments: { urls: [A] } }, { result: [{ url: A, status: 'success' }] },
    { type: 'web_search_call', action: { type: 'open_page', url: A } }),
  'is an item: code_execution': tool('code_execution', { arguments: { code: 'print(2)', language: 'python' } },
    { result: '2\n' }, { type: 'code_interpreter_call', code: 'print(2)', outputs: [{ type: 'logs', logs: '2\n' }] }),
  'is an item: file_search': tool('file_search', {},
    { result: [{ title: 'a.pdf', text: 'Words.', file_search_store: 'stores/1' }] },
    { type: 'file_search_call', results: [{ filename: 'a.pdf', text: 'Words.' }] }),
  'is an item: mcp_server_tool': tool('mcp_server_tool', { name: 'add', server_name: 'sums', arguments: { a: 1 } },
    { result: [word('2')] },
    { type: 'mcp_call', server_label: 'sums', name: 'add', arguments: '{"a":1}', output: '2' }, SEALED),
  'is an item: processing': tool('processing', {}, {}, { type: 'mcp_call', server_label: 'google', name: 'processing' }),
  'is an item: new_tool': tool('new_tool', { arguments: { a: 1 } }, { result: 'x' },
    { type: 'mcp_call', name: 'new_tool', output: 'x' }),
  'has failed if its result is an error, and a page if it was not opened': [
    of(hosted(0, 'code_execution', { arguments: { code: 'x' } }, { result: 'no', is_error: true }),
      ['code_interpreter_call (failed)']),
    of([...hosted(0, 'url_context', { arguments: { urls: [A, B] } }, { result: pages }), ...textStep(2, 'Hi')],
      [{ action: { url: A }, status: 'completed' }, { action: { url: B }, status: 'failed' }, 'Hi']),
  ],
  'gets the result of its id, or else that of its kind': of([...query(0, 'a', 'one'), ...query(1, 'b', 'two'),
    ...step(2, { type: 'google_search_result', call_id: 'b', is_error: true }), ...step(3, { type: 'google_search_result' }),
    ...textStep(4, 'Hi')],
    [{ action: { query: 'one' }, status: 'completed' }, { action: { query: 'two' }, status: 'failed' }, 'Hi']),
  'that has no result is an item, and a result without a call is a loss': [
    of([...step(0, { type: 'google_search_call', id: 'a' }), ...textStep(1, 'Hi')], ['web_search_call', 'Hi']),
    lost(step(0, { type: 'google_search_result', call_id: 'x' }), 'a result without its step'),
  ],
  'after the text that it grounds leaves that text the answer': of(
    [...hi, ...hosted(1, 'google_search', { arguments: { queries: ['a'] } }, {})],
    [{ type: 'message', phase: 'final_answer' }, 'web_search_call']),
  'is sealed with its steps only if one of them is signed, or no step of its kind is': [
    of([...hosted(0, 'google_search', { arguments: {}, signature: 'c2ln' }, { signature: 'ZA==' }), ...textStep(2, 'Hi')],
      ['web_search_call', 'sealed reasoning', 'Hi']),
    of([...hosted(0, 'mcp_server_tool', { name: 'f', server_name: 's' }, { result: 'x' }), ...textStep(2, 'Hi')],
      ['mcp_call', 'sealed reasoning', 'Hi']),
  ],
})

const image = { type: 'image', data: 'AA==', mime_type: 'image/jpeg' }
const others = [
  { type: 'audio', data: 'AA==', mime_type: 'audio/wav' },
  { type: 'image', uri: 'https://a.example/a.png', mime_type: 'image/png' },
  { type: 'new_delta', value: 1 },
]
// biome-ignore format: a row a case
answers('other content of gemini-interactions', '', {
  'is an image, or a loss': [
    of(output(word('Look:'), image),
      ['Look:', { type: 'image_generation_call', result: 'AA==', output_format: 'jpeg' }]),
    lost(output(...others), 'data of type audio/wav', 'an image by its address', 'delta new_delta'),
    lost(step(0, { type: 'thought' }, { type: 'thought_summary', content: image }), 'a draft of an image'),
  ],
  'of an unknown step or event is a loss': [
    lost(step(0, { type: 'plan' }, word('a')), 'step plan'),
    lost([{ event_type: 'step.paused', index: 0 }], 'event step.paused'),
  ],
})

/** A stream and a body with this status. */
const status = (name: string, end: string): AnswerCase => {
  const losses = name === 'new_status' ? ['status new_status'] : []
  return { name, ...ending([...hi, completed(name)], ['Hi'], end, { losses }), body: bodyOf([outputText('Hi')], name) }
}
const LIMIT = 'incomplete: max_output_tokens'
answers('the end of an interaction', 'is right with the status ', [
  status('completed', 'completed'),
  status('incomplete', LIMIT),
  status('budget_exceeded', LIMIT),
  status('requires_continuation', LIMIT),
  status('new_status', 'completed'),
  status('failed', 'failed'),
  status('cancelled', 'failed'),
  status('in_progress', 'failed'),
])

const usage = { ...usageOf(22, 590), total_thought_tokens: 1173, total_tool_use_tokens: 198, total_tokens: 1983 }
const early = [start(0, { type: 'model_output' }), delta(0, word('Hi')), { ...stop(0), usage: usageOf(3, 4) }]
const busy = { errors: [{ code: 'service_unavailable', message: 'Busy.' }] }
const HI = ['Hi']
// biome-ignore format: a row a case
answers('the end of an interaction', '', {
  'has the failure that it names': [
    ending([...hi, completed('failed', busy)], HI, 'failed: Busy.', { code: 'server_is_overloaded' }),
    ending([completed('new_status')], [], 'failed'),
    ending([...hi, completed('requires_action')], ['Hi'], 'completed'),
  ],
  'is cut without its last event, and needs no marker': [
    ending(hi, HI, 'failed', { code: 'upstream_truncated' }),
    ending([...hi, DONE], HI, 'failed', { code: 'upstream_truncated' }),
    ending([...hi, completed()], ['Hi'], 'completed'),
  ],
  'reports usage of its own and of earlier events': [
    ending([...hi, completed('completed', { usage })], ['Hi'], 'completed', { usage: [220, 1763, 1983, 0, 1173] }),
    ending([...early, completed()], ['Hi'], 'completed', { usage: [3, 4] }),
  ],
  'has the steps that no event had': [
    ending([completed('completed', { steps: [outputText('Hi')] })], ['Hi'], 'completed'),
    ending([...hi, completed('completed', { steps: [outputText('Hi')] })], ['Hi'], 'completed'),
  ],
})

const failure = (code: string): SentEvent => ({ event_type: 'error', error: { code, message: 'No.' } })
const empty: SentEvent = { event_type: 'error', error: {} }
const bare = '{"error": {"message": "The prompt was blocked.", "code": "prohibited_content"}}\n'
const broken = { type: 'model_output', error: { code: 'malformed_tool_call', message: 'Bad.' } }
// biome-ignore format: a row a case
answers('a failure inside a stream of gemini-interactions', '', {
  'fails the answer, with the usage that follows': ending(
    [...hi, failure('gateway_timeout'), completed('failed', { usage: usageOf(1, 2) })], HI, 'failed: No.',
    { code: 'upstream_timeout', usage: [1, 2, 3] }),
  'of a filter ends an answer that has begun': [
    ending([...hi, failure('safety')], HI, 'incomplete: content_filter'),
    ending([failure('prohibited_content')], [], 'failed', { code: 'content_filter' }),
  ],
  'without content is ignored if the answer ends': [
    ending([...hi, empty, completed()], ['Hi'], 'completed'),
    ending([...hi, empty], HI, 'failed'),
  ],
  'is read from a line of bare JSON': ending([bare], [], 'failed: The prompt was blocked.', { code: 'content_filter' }),
  'is read from a step': of(step(0, broken), [], { end: 'failed: Bad.', code: 'server_error' }),
})

describe('a stream of gemini-interactions in another spelling', () => {
  const { responseOfStream } = clientStreamOf(geminiInteractions)
  const response = (...events: Events): Loose => responseOfStream(eventText(events) + DONE)
  const events = [created(), ...thoughtStep(0, 'Hm.', 'c2ln'), ...textStep(1, 'Hi'), completed()]
  const expected = response(...events)

  it('is read without names of events, with CRLF and with comments', () => {
    const bare = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
    expect(responseOfStream(bare)).toEqual(expected)
    expect(responseOfStream(eventText(events).replaceAll('\n', '\r\n'))).toEqual(expected)
    expect(responseOfStream(`: hello\n\n${eventText(events)}`)).toEqual(expected)
  })

  it('is read without an id', () => {
    const free = { ...created(), interaction: { ...(created().interaction as JsonObject), id: '' } }
    expect(response(free, ...events.slice(1))).toEqual(expected)
  })
})
