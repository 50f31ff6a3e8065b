import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { WIRES } from '../../../../src/wires/registry.ts'
import { callsOf, clientStreamOf, type Loose, reasoningOf, textOf } from '../../client-stream.ts'
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

const { responseOfStream, responseOfBody, deltasOf } = clientStreamOf(WIRES['gemini-interactions'])

const response = (...events: readonly SentEvent[]): Loose => responseOfStream(eventText(events) + DONE)
const answer = (...events: readonly SentEvent[]): Loose => response(created(), ...events, completed())
const lossesOf = (...events: readonly SentEvent[]): readonly string[] =>
  deltasOf(eventText(events)).flatMap((one) => (one.kind === 'loss' ? [one.feature] : []))
const bodyOf = (steps: readonly JsonObject[], status = 'completed', more: JsonObject = {}): Loose =>
  responseOfBody({ object: 'interaction', status, model: 'gemini-3-pro', steps, ...more })
const typesOf = ({ output }: Loose): readonly string[] => output.map(({ type }: Loose) => type)

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

/** The cited words of the first message. */
const quotesIn = ({ output }: Loose): readonly string[] => {
  const { text, annotations } = output.find(({ type }: Loose) => type === 'message').content[0]
  return annotations.map(({ start_index: from, end_index: to }: Loose) => text.slice(from, to))
}

describe('a thought of gemini-interactions', () => {
  it.each([
    ['a summary and a signature', thoughtStep(0, 'Hm.', 'c2ln'), 'Hm.', true],
    ['a signature only', thoughtStep(0, '', 'c2ln'), '', true],
    ['an empty signature', thoughtStep(0, 'Hm.', ''), 'Hm.', false],
    [
      'a signature before its summary',
      step(
        0,
        { type: 'thought' },
        { type: 'thought_signature', signature: 'c2ln' },
        { type: 'thought_summary', content: { type: 'text', text: 'Hm.' } },
      ),
      'Hm.',
      true,
    ],
    [
      'all of it in its start',
      step(0, { type: 'thought', signature: 'c2ln', summary: [{ type: 'text', text: 'Hm.' }] }),
      'Hm.',
      true,
    ],
  ])('is one item with %s', (_, events, text, sealed) => {
    const found = answer(...events, ...textStep(1, 'Hi'))
    expect(typesOf(found)).toEqual(['reasoning', 'message'])
    expect([reasoningOf(found), typeof found.output[0].encrypted_content]).toEqual([
      text,
      sealed ? 'string' : 'undefined',
    ])
  })

  it('is no item without a summary and a signature', () => {
    expect(typesOf(answer(...step(0, { type: 'thought' }), ...textStep(1, 'Hi')))).toEqual(['message'])
  })
})

describe('a text of gemini-interactions', () => {
  it('is read from the start of its step, which the first delta may repeat', () => {
    const begun = outputText('Hello')
    expect(textOf(answer(...step(0, begun)))).toBe('Hello')
    expect(textOf(answer(...step(0, begun, { type: 'text', text: 'Hello' }, { type: 'text', text: '!' })))).toBe(
      'Hello!',
    )
    expect(textOf(answer(...step(0, begun, { type: 'text', text: ', you' })))).toBe('Hello, you')
  })

  it('is read from deltas without a start', () => {
    expect(textOf(response(created(), delta(0, { type: 'text', text: 'Hi' }), completed()))).toBe('Hi')
  })

  it('keeps its citations if steps interleave', () => {
    const found = answer(
      start(0, { type: 'model_output' }),
      delta(0, { type: 'text', text: 'Hello' }),
      start(1, { type: 'function_call', id: 'c', name: 'f' }),
      delta(1, { type: 'arguments_delta', arguments: '{"a":1}' }),
      delta(0, annotate(cite(0, 5))),
      stop(1),
      stop(0),
    )
    expect(quotesIn(found)).toEqual(['Hello'])
    expect(callsOf(found)).toEqual([['c', 'f', '{"a":1}', 'completed']])
  })
})

describe('a citation of gemini-interactions', () => {
  const text = 'Grüße 😀 aus Köln.'

  it.each([
    ['in the middle', cite(13, 16), 'aus'],
    ['behind characters of several bytes', cite(8, 12), '😀'],
    ['without a start', cite(undefined, 7), 'Grüße'],
    ['inside a character', cite(9, 12), '😀'],
  ])('counts UTF-8 bytes: %s', (_, annotation, quoted) => {
    expect(
      quotesIn(answer(...step(0, { type: 'model_output' }, { type: 'text', text }, annotate(annotation)))),
    ).toEqual([quoted])
    expect(quotesIn(bodyOf([outputText(text, annotation)]))).toEqual([quoted])
  })

  it('is a file, a place or a loss', () => {
    const file = { type: 'file_citation', document_uri: 'files/a', file_name: 'a.pdf', end_index: 5 }
    const place = { type: 'place_citation', name: 'Café', url: 'https://maps.example/', end_index: 5 }
    const found = answer(...step(0, { type: 'model_output' }, { type: 'text', text: 'Hello' }, annotate(file, place)))
    expect(found.output[0].content[0].annotations).toMatchObject([
      { type: 'file_citation', file_id: 'files/a', filename: 'a.pdf' },
      { type: 'url_citation', url: 'https://maps.example/', title: 'Café' },
    ])
    expect(lossesOf(...step(0, { type: 'model_output' }, annotate({ type: 'speech_metadata' })))).toEqual([
      'annotation speech_metadata',
    ])
  })
})

describe('a call of gemini-interactions', () => {
  const one = { id: 'c1', name: 'f' }

  it.each([
    ['in one delta', callStep(0, one, '{"a":1}'), '{"a":1}'],
    ['in deltas of one byte', callStep(0, one, ...'{"a":"ü"}'), '{"a":"ü"}'],
    ['in no delta', callStep(0, one), '{}'],
    ['in its start only', step(0, { type: 'function_call', ...one, arguments: { a: 1 } }), '{"a":1}'],
    [
      'in its start and in a delta, which counts',
      step(
        0,
        { type: 'function_call', ...one, arguments: { a: 0 } },
        { type: 'arguments_delta', arguments: '{"a":1}' },
      ),
      '{"a":1}',
    ],
    [
      'as an object in a delta',
      step(0, { type: 'function_call', ...one }, { type: 'arguments_delta', arguments: { a: 1 } }),
      '{"a":1}',
    ],
  ])('has its arguments %s', (_, events, expected) => {
    for (const status of ['requires_action', 'completed'])
      expect(callsOf(response(created(), ...events, completed(status)))).toEqual([['c1', 'f', expected, 'completed']])
  })

  it('is one of several, also if their pieces interleave', () => {
    const found = answer(
      start(0, { type: 'function_call', id: 'a', name: 'f' }),
      start(1, { type: 'function_call', id: 'b', name: 'g' }),
      delta(0, { type: 'arguments_delta', arguments: '{"n":' }),
      delta(1, { type: 'arguments_delta', arguments: '{"m":2}' }),
      delta(0, { type: 'arguments_delta', arguments: '1}' }),
      stop(0),
      stop(1),
    )
    expect(callsOf(found)).toEqual([
      ['a', 'f', '{"n":1}', 'completed'],
      ['b', 'g', '{"m":2}', 'completed'],
    ])
  })

  it('that has a signature seals it, and none without', () => {
    const signed = step(0, { type: 'function_call', ...one, signature: 'c2ln' })
    expect(typesOf(answer(...signed))).toEqual(['reasoning', 'function_call'])
    expect(typesOf(answer(...callStep(0, one)))).toEqual(['function_call'])
    const late = step(
      0,
      { type: 'function_call', ...one },
      { type: 'arguments_delta', arguments: '{}', signature: 'c2ln' },
    )
    expect(typesOf(answer(...late))).toEqual(['function_call', 'reasoning'])
  })
})

describe('a tool that Google runs', () => {
  const hosted = (index: number, name: string, call: JsonObject, result: JsonObject): readonly SentEvent[] => [
    ...step(index, { type: `${name}_call`, id: `id${index}` }, { type: `${name}_call`, ...call }),
    ...step(index + 1, { type: `${name}_result`, call_id: `id${index}` }, { type: `${name}_result`, ...result }),
  ]

  it.each([
    [
      'google_search',
      { arguments: { queries: ['a', 'b'] } },
      { result: [{ search_suggestions: '<div>' }] },
      { type: 'web_search_call', action: { type: 'search', query: 'a', queries: ['a', 'b'] } },
    ],
    [
      'google_maps',
      { arguments: { queries: ['cafés'] } },
      { result: [{ places: [{ name: 'Café', url: 'https://maps.example/' }] }] },
      { type: 'web_search_call', action: { sources: [{ type: 'url', url: 'https://maps.example/', title: 'Café' }] } },
    ],
    [
      'url_context',
      { arguments: { urls: ['https://a.example/'] } },
      { result: [{ url: 'https://a.example/', status: 'success' }] },
      { type: 'web_search_call', action: { type: 'open_page', url: 'https://a.example/' } },
    ],
    [
      'code_execution',
      { arguments: { code: 'print(2)', language: 'python' } },
      { result: '2\n' },
      { type: 'code_interpreter_call', code: 'print(2)', outputs: [{ type: 'logs', logs: '2\n' }] },
    ],
    [
      'file_search',
      {},
      { result: [{ title: 'a.pdf', text: 'Words.', file_search_store: 'stores/1' }] },
      { type: 'file_search_call', results: [{ filename: 'a.pdf', text: 'Words.' }] },
    ],
    [
      'mcp_server_tool',
      { name: 'add', server_name: 'sums', arguments: { a: 1 } },
      { result: [{ type: 'text', text: '2' }] },
      { type: 'mcp_call', server_label: 'sums', name: 'add', arguments: '{"a":1}', output: '2' },
    ],
    ['processing', {}, {}, { type: 'mcp_call', server_label: 'google', name: 'processing' }],
    ['new_tool', { arguments: { a: 1 } }, { result: 'x' }, { type: 'mcp_call', name: 'new_tool', output: 'x' }],
  ])('is an item: %s', (name, call, result, expected) => {
    const [item] = answer(...hosted(0, name, call, result), ...textStep(2, 'Hi')).output
    expect(item).toMatchObject({ status: 'completed', ...expected })
    const steps = [
      { type: `${name}_call`, id: 'x', ...call },
      { type: `${name}_result`, call_id: 'x', ...result },
      outputText('Hi'),
    ]
    expect(bodyOf(steps).output[0]).toMatchObject({ status: 'completed', ...expected })
  })

  it('has failed if its result is an error, and a page if it was not opened', () => {
    const failed = answer(
      ...hosted(0, 'code_execution', { arguments: { code: 'x' } }, { result: 'no', is_error: true }),
    )
    expect(failed.output[0].status).toBe('failed')
    const urls = ['https://a.example/', 'https://b.example/'] as const
    const result = [
      { url: urls[0], status: 'success' },
      { url: urls[1], status: 'paywall' },
    ]
    const opened = answer(...hosted(0, 'url_context', { arguments: { urls } }, { result }), ...textStep(2, 'Hi'))
    expect(opened.output.slice(0, 2).map(({ status, action }: Loose) => [action.url, status])).toEqual([
      [urls[0], 'completed'],
      [urls[1], 'failed'],
    ])
  })

  it('gets the result of its id, or else that of its kind', () => {
    const call = (index: number, id: string, query: string) =>
      step(index, { type: 'google_search_call', id, arguments: { queries: [query] } })
    const found = answer(
      ...call(0, 'a', 'one'),
      ...call(1, 'b', 'two'),
      ...step(2, { type: 'google_search_result', call_id: 'b', is_error: true }),
      ...step(3, { type: 'google_search_result' }),
      ...textStep(4, 'Hi'),
    )
    expect(found.output.slice(0, 2).map(({ action, status }: Loose) => [action.query, status])).toEqual([
      ['one', 'completed'],
      ['two', 'failed'],
    ])
  })

  it('that has no result is an item, and a result without a call is a loss', () => {
    const found = answer(...step(0, { type: 'google_search_call', id: 'a' }), ...textStep(1, 'Hi'))
    expect(typesOf(found)).toEqual(['web_search_call', 'message'])
    expect(lossesOf(...step(0, { type: 'google_search_result', call_id: 'x' }))).toEqual(['a result without its step'])
  })

  it('after the text that it grounds leaves that text the answer', () => {
    const search = hosted(1, 'google_search', { arguments: { queries: ['a'] } }, {})
    const found = answer(...textStep(0, 'Hi'), ...search)
    expect(typesOf(found)).toEqual(['message', 'web_search_call'])
    expect(found.output[0].phase).toBe('final_answer')
  })

  it('is sealed with its steps only if one of them is signed, or no step of its kind is', () => {
    const signed = hosted(0, 'google_search', { arguments: {}, signature: 'c2ln' }, { signature: 'ZA==' })
    expect(typesOf(answer(...signed, ...textStep(2, 'Hi')))).toEqual(['web_search_call', 'reasoning', 'message'])
    const mcp = hosted(0, 'mcp_server_tool', { name: 'f', server_name: 's' }, { result: 'x' })
    expect(typesOf(answer(...mcp, ...textStep(2, 'Hi')))).toEqual(['mcp_call', 'reasoning', 'message'])
  })
})

describe('other content of gemini-interactions', () => {
  it('is an image, or a loss', () => {
    const image = { type: 'image', data: 'AA==', mime_type: 'image/jpeg' }
    const found = answer(...step(0, { type: 'model_output' }, { type: 'text', text: 'Look:' }, image))
    expect(found.output[1]).toMatchObject({ type: 'image_generation_call', result: 'AA==', output_format: 'jpeg' })
    const others = [
      { type: 'audio', data: 'AA==', mime_type: 'audio/wav' },
      { type: 'image', uri: 'https://a.example/a.png', mime_type: 'image/png' },
      { type: 'new_delta', value: 1 },
    ]
    expect(lossesOf(...step(0, { type: 'model_output' }, ...others))).toEqual([
      'data of type audio/wav',
      'data of type image/png',
      'delta new_delta',
    ])
    const draft = { type: 'thought_summary', content: image }
    expect(lossesOf(...step(0, { type: 'thought' }, draft))).toEqual(['a draft of an image'])
  })

  it('of an unknown step or event is a loss', () => {
    expect(lossesOf(...step(0, { type: 'plan' }, { type: 'text', text: 'a' }))).toEqual(['step plan'])
    expect(lossesOf({ event_type: 'step.paused', index: 0 })).toEqual(['event step.paused'])
  })
})

describe('the end of an interaction', () => {
  const status = (word: string, more: JsonObject = {}, ...events: readonly SentEvent[]) =>
    response(created(), ...events, completed(word, more))
  const hi = textStep(0, 'Hi')

  it.each([
    ['completed', 'completed', null],
    ['incomplete', 'incomplete', 'max_output_tokens'],
    ['budget_exceeded', 'incomplete', 'max_output_tokens'],
    ['requires_continuation', 'incomplete', 'max_output_tokens'],
    ['new_status', 'completed', null],
    ['failed', 'failed', null],
    ['cancelled', 'failed', null],
    ['in_progress', 'failed', null],
  ])('with the status %s is %s', (word, expected, reason) => {
    const streamed = status(word, {}, ...hi)
    expect([streamed.status, streamed.incomplete_details?.reason ?? null]).toEqual([expected, reason])
    expect(bodyOf([outputText('Hi')], word).status).toBe(expected)
  })

  it('has the failure that it names', () => {
    const failed = status('failed', { errors: [{ code: 'service_unavailable', message: 'Busy.' }] }, ...hi)
    expect(failed.error).toMatchObject({ code: 'server_is_overloaded', message: 'Busy.' })
    expect(status('new_status').status).toBe('failed')
    expect(status('requires_action', {}, ...hi).status).toBe('failed')
  })

  it('is cut without its last event, and needs no marker', () => {
    expect(responseOfStream(eventText([created(), ...hi])).error.code).toBe('upstream_truncated')
    expect(responseOfStream(eventText([created(), ...hi]) + DONE).error.code).toBe('upstream_truncated')
    expect(responseOfStream(eventText([created(), ...hi, completed()])).status).toBe('completed')
  })

  it('reports usage of its own and of earlier events', () => {
    const usage = { ...usageOf(22, 590), total_thought_tokens: 1173, total_tool_use_tokens: 198, total_tokens: 1983 }
    expect(status('completed', { usage }, ...hi).usage).toMatchObject({
      input_tokens: 220,
      output_tokens: 1763,
      output_tokens_details: { reasoning_tokens: 1173 },
      total_tokens: 1983,
    })
    const early = [start(0, { type: 'model_output' }), delta(0, { type: 'text', text: 'Hi' })]
    const stopped = { ...stop(0), usage: usageOf(3, 4) }
    expect(response(created(), ...early, stopped, completed()).usage).toMatchObject({
      input_tokens: 3,
      output_tokens: 4,
    })
  })

  it('has the steps that no event had', () => {
    expect(textOf(response(created(), completed('completed', { steps: [outputText('Hi')] })))).toBe('Hi')
    expect(textOf(status('completed', { steps: [outputText('Hi')] }, ...hi))).toBe('Hi')
  })
})

describe('a failure inside a stream of gemini-interactions', () => {
  const failure = (code: string, message = 'No.'): SentEvent => ({ event_type: 'error', error: { code, message } })
  const hi = textStep(0, 'Hi')

  it('fails the answer, with the usage that follows', () => {
    const found = response(created(), ...hi, failure('gateway_timeout'), completed('failed', { usage: usageOf(1, 2) }))
    expect(found).toMatchObject({ status: 'failed', error: { code: 'upstream_timeout', message: 'No.' } })
    expect(found.usage.total_tokens).toBe(3)
  })

  it('of a filter ends an answer that has begun', () => {
    expect(response(created(), ...hi, failure('safety')).incomplete_details).toEqual({ reason: 'content_filter' })
    expect(response(created(), failure('prohibited_content')).error.code).toBe('content_filter')
  })

  it('without content is ignored if the answer ends', () => {
    const empty: SentEvent = { event_type: 'error', error: {} }
    expect(response(created(), ...hi, empty, completed()).status).toBe('completed')
    expect(response(created(), ...hi, empty).status).toBe('failed')
  })

  it('is read from a line of bare JSON', () => {
    const bare = '{"error": {"message": "The prompt was blocked.", "code": "prohibited_content"}}\n'
    const found = responseOfStream(eventText([created()]) + bare)
    expect(found.error).toMatchObject({ code: 'content_filter', message: 'The prompt was blocked.' })
  })

  it('is read from a step', () => {
    const broken = { type: 'model_output', error: { code: 'malformed_tool_call', message: 'Bad.' } }
    expect(answer(...step(0, broken)).error).toMatchObject({ code: 'server_error', message: 'Bad.' })
  })
})

describe('a stream of gemini-interactions in another spelling', () => {
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
