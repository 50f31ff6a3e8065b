import { describe, expect, it } from 'vitest'
import { cohereChat } from '../../../src/wires/cohere-chat/index.ts'
import { callsOf, type Loose, textOf, thoughtOf } from '../teller.ts'
import {
  args,
  call,
  callEnd,
  cite,
  DONE,
  deltasOf,
  end,
  open,
  outcomeOf,
  plan,
  START,
  text,
  thought,
  told,
  toldWhole,
} from './told.ts'

const typesOf = ({ output }: Loose) => output.map(({ type }: Loose) => type)

describe('words', () => {
  it('a thought and a text are items of their own', () => {
    const response = told([
      START,
      open(0, 'thinking'),
      thought('a'),
      thought('b'),
      { type: 'content-end', index: 0 },
      open(1),
      text('c', 1),
      text('d', 1),
      end(),
      DONE,
    ])
    expect(typesOf(response)).toEqual(['reasoning', 'message'])
    expect([thoughtOf(response), textOf(response)]).toEqual(['ab', 'cd'])
  })

  it('a block may begin with words', () => {
    expect(
      textOf(
        told([START, { ...open(0), delta: { message: { content: { type: 'text', text: 'a' } } } }, text('b'), end()]),
      ),
    ).toBe('ab')
  })

  it('blocks of text one after the other are one text', () => {
    const response = told([START, open(0), text('a', 0), open(1), text('b', 1), end()])
    expect(response.output).toHaveLength(1)
    expect(response.output[0].content).toHaveLength(1)
    expect(textOf(response)).toBe('ab')
  })

  it('with a thought between them they are two', () => {
    const response = told([START, text('a', 0), thought('x', 1), text('b', 2), end()])
    expect(typesOf(response)).toEqual(['message', 'reasoning', 'message'])
    expect(textOf(response)).toBe('a|b')
  })

  it('the plan is words of the answer, before its calls', () => {
    const response = told([
      START,
      plan('I will'),
      plan(' look.'),
      call(0, 'f_1', 'f'),
      args(0, '{}'),
      callEnd(0),
      end('TOOL_CALL'),
      DONE,
    ])
    expect(typesOf(response)).toEqual(['message', 'function_call'])
    expect(textOf(response)).toBe('I will look.')
  })

  it('an event that is only named beside its payload is heard', () => {
    const { type, ...nameless } = text('a')
    const machine = cohereChat.decodeStream({})
    expect(machine.step(machine.initial, { event: type, data: JSON.stringify(nameless) }).events).toMatchObject([
      { kind: 'text', text: 'a' },
    ])
  })

  it('unknown events say nothing, unknown content is a loss', () => {
    expect(deltasOf([{ type: 'debug', delta: {} }, { type: 'toString' }, { type: 7 }])).toEqual([])
    expect(deltasOf([open(0, 'video')])).toEqual([{ kind: 'loss', feature: 'content video' }])
  })

  it('more of a text only counts', () => {
    const machine = cohereChat.decodeStream({})
    const frame = (event: unknown) => ({ event: '', data: JSON.stringify(event) })
    const { state } = machine.step(machine.initial, frame(text('Hello')))
    const next = machine.step(state, frame(text(' 😀'))).state as Loose
    expect(next.story).toBe((state as Loose).story)
    expect(next.length).toBe(7)
    const thinking = machine.step(machine.initial, frame(thought('a'))).state
    expect(machine.step(thinking, frame(thought('b'))).state).toBe(thinking)
  })
})

describe('calls', () => {
  it('are told apart by their index, and their arguments joined', () => {
    const response = told([
      START,
      call(0, 'f_1', 'f'),
      args(0, '{"a":'),
      args(0, ' 1}'),
      callEnd(0),
      call(1, 'f_2', 'f'),
      args(1, '{"a": 2}'),
      callEnd(1),
      end('TOOL_CALL'),
      DONE,
    ])
    expect(callsOf(response)).toEqual([
      ['f_1', 'f', '{"a": 1}', 'completed'],
      ['f_2', 'f', '{"a": 2}', 'completed'],
    ])
  })

  it.each([
    ['no events', []],
    ['an empty one', ['']],
    ['null', ['null']],
    ['an object', ['{}']],
  ])('without arguments, by %s', (_, pieces) => {
    const response = told([
      START,
      call(0, 'f_1', 'f'),
      ...pieces.map((piece) => args(0, piece)),
      callEnd(0),
      call(1, 'g_1', 'g'),
      end('TOOL_CALL'),
    ])
    expect(callsOf(response)).toEqual([
      ['f_1', 'f', '{}', 'completed'],
      ['g_1', 'g', '{}', 'completed'],
    ])
  })

  it('null among arguments is a value', () => {
    expect(
      callsOf(told([START, call(0, 'f_1', 'f'), args(0, '{"a":'), args(0, 'null'), args(0, '}'), callEnd(0), end()])),
    ).toEqual([['f_1', 'f', '{"a":null}', 'completed']])
  })

  it('a call that was cut is incomplete, the one before it is whole', () => {
    const response = told([
      START,
      call(0, 'f_1', 'f'),
      args(0, '{}'),
      callEnd(0),
      call(1, 'f_2', 'f'),
      args(1, '{"a": "x'),
      end('MAX_TOKENS'),
      DONE,
    ])
    expect(callsOf(response)).toEqual([
      ['f_1', 'f', '{}', 'completed'],
      ['f_2', 'f', '{"a": "x', 'incomplete'],
    ])
    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
  })

  it('text after a call is not lost', () => {
    expect(typesOf(told([START, text('a'), call(0, 'f_1', 'f'), callEnd(0), text('b', 1), end()]))).toEqual([
      'message',
      'function_call',
      'message',
    ])
  })
})

describe('citations', () => {
  const page = (more: object = {}) => ({
    type: 'tool',
    id: 't:0',
    tool_output: { url: 'https://a.example/1', title: 'One', snippet: 'From one.', ...more },
  })
  const doc = { type: 'document', id: 'doc:0', document: { id: 'doc:0', title: 'a.txt', text: 'All of it.' } }
  const annotationsOf = (response: Loose) =>
    response.output.flatMap((item: Loose) => item.content?.flatMap((part: Loose) => part.annotations ?? []) ?? [])
  const cited = (events: readonly unknown[]) =>
    annotationsOf(told([START, ...events, end(), DONE])).map((it: Loose) =>
      it.type === 'file_citation' ? [it.file_id, it.filename, it.index] : [it.url, it.start_index, it.end_index],
    )
  const at = (start: number, stop: number, words: string, more: object = {}) => ({
    start,
    end: stop,
    text: words,
    sources: [page()],
    type: 'TEXT_CONTENT',
    ...more,
  })

  it('a page has its place, its title and its excerpt', () => {
    expect(annotationsOf(told([START, text('It is warm.'), cite(at(6, 10, 'warm')), end()]))).toEqual([
      {
        type: 'url_citation',
        url: 'https://a.example/1',
        title: 'One',
        start_index: 6,
        end_index: 10,
        content: 'From one.',
      },
    ])
  })

  it('a document and the output of a tool are files', () => {
    const output = { type: 'tool', id: 'f_1:0', tool_output: { content: 'warm' } }
    expect(cited([text('It is warm.'), cite(at(6, 10, 'warm', { sources: [doc, output] }))])).toEqual([
      ['doc:0', 'a.txt', 10],
      ['f_1:0', 'f_1:0', 10],
    ])
  })

  it.each([
    ['the document', { document: { uri: 'https://b.example/' } }],
    ['the source itself', { url: 'https://b.example/' }],
  ])('the address may stand in %s', (_, source) => {
    expect(cited([text('It is warm.'), cite(at(6, 10, 'warm', { sources: [source] }))])).toEqual([
      ['https://b.example/', 6, 10],
    ])
  })

  it('a list of them in one event, and as the wire has them: between words', () => {
    expect(cited([text('It is '), text('warm'), cite([at(6, 10, 'warm'), at(0, 2, 'It')]), text('.')])).toEqual([
      ['https://a.example/1', 6, 10],
      ['https://a.example/1', 0, 2],
    ])
  })

  it.each([
    ['code points', 2],
    ['UTF-16', 3],
    ['something else', 9],
  ])('offsets behind an astral character in %s: the cited words decide', (_, start) => {
    expect(cited([text('😀 It is warm.'), cite(at(start, start + 2, 'It'))])).toEqual([['https://a.example/1', 3, 5]])
  })

  it('of the words that stand there more than once, the nearest are cited', () => {
    expect(cited([text('warm, warm, warm'), cite(at(7, 11, 'warm'))])).toEqual([['https://a.example/1', 6, 10]])
  })

  it('offsets count from the block that is named, or from the only one', () => {
    expect(cited([thought('warm'), text('It is warm', 1), cite(at(6, 10, 'warm', { content_index: 1 }))])).toEqual([
      ['https://a.example/1', 6, 10],
    ])
    expect(cited([thought('warm'), text('It is warm', 1), cite(at(6, 10, 'warm'))])).toEqual([
      ['https://a.example/1', 6, 10],
    ])
    const two = [text('ä😀 warm, ', 0), text('and warm', 1)]
    expect(
      cited([...two, cite(at(4, 8, 'warm', { content_index: 1 })), cite(at(3, 7, 'warm', { content_index: 0 }))]),
    ).toEqual([
      ['https://a.example/1', 14, 18],
      ['https://a.example/1', 4, 8],
    ])
  })

  it('a citation that comes first waits for its text', () => {
    expect(cited([cite(at(6, 10, 'warm')), text('It is warm')])).toEqual([['https://a.example/1', 6, 10]])
  })

  it('a plan has citations, too', () => {
    expect(
      cited([plan('Look at warm'), cite(at(8, 12, 'warm', { type: 'PLAN' })), call(0, 'f_1', 'f'), callEnd(0)]),
    ).toEqual([['https://a.example/1', 8, 12]])
  })

  it('what has no place or no source is a loss', () => {
    expect(
      deltasOf([
        cite(at(0, 1, 'x', { type: 'THINKING_CONTENT' })),
        cite(at(0, 1, 'x', { sources: [{ type: 'tool' }] })),
      ]),
    ).toEqual([
      { kind: 'loss', feature: 'a citation in a thought' },
      { kind: 'loss', feature: 'a citation without a source' },
    ])
    expect(deltasOf([cite(at(0, 1, 'x', { sources: null })), cite(null), cite([null])])).toEqual([])
  })

  it('older models name no type', () => {
    expect(cited([text('It is warm'), cite(at(6, 10, 'warm', { type: undefined }))])).toEqual([
      ['https://a.example/1', 6, 10],
    ])
  })
})

describe('the end', () => {
  it.each([
    ['COMPLETE', 'completed', null],
    ['STOP_SEQUENCE', 'completed', null],
    ['TOOL_CALL', 'completed', null],
    ['A_WORD_OF_TOMORROW', 'completed', null],
    ['constructor', 'completed', null],
    ['MAX_TOKENS', 'incomplete', { reason: 'max_output_tokens' }],
    ['ERROR_LIMIT', 'incomplete', { reason: 'max_output_tokens' }],
    ['ERROR_TOXIC', 'incomplete', { reason: 'content_filter' }],
  ])('%s', (word, status, incomplete_details) => {
    expect(told([START, text('a'), end(word), DONE])).toMatchObject({ status, incomplete_details })
  })

  it.each([
    [
      'ERROR',
      { error: 'no such call', error_type: 'INVALID_TOOL_GENERATION', usage: {} },
      ['server_error', 'no such call'],
    ],
    [
      'ERROR',
      { error: 'size limit exceeded', error_type: 'TOO_MANY_TOKENS' },
      ['context_length_exceeded', 'size limit exceeded'],
    ],
    ['ERROR', {}, ['server_error', 'The upstream stopped with "ERROR".']],
    ['TIMEOUT', {}, ['upstream_timeout', 'The upstream stopped with "TIMEOUT".']],
    ['COMPLETE', { error: 'it broke' }, ['server_error', 'it broke']],
  ])('%s %j is a failure', (word, more, [code, message]) => {
    const response = told([START, plan('I will'), end(word, more), DONE])
    expect(response).toMatchObject({ status: 'failed', usage: null, error: { code, message } })
    expect(textOf(response)).toBe('I will')
  })

  it.each([
    ['an error in the place of an event', { id: 'x', message: 'internal server error' }, 'internal server error'],
    ['an error object', { error: { message: 'overloaded' } }, 'overloaded'],
  ])('%s is a failure', (_, event, message) => {
    expect(told([START, text('a'), event])).toMatchObject({ status: 'failed', error: { message } })
  })

  it.each([
    ['before its end', [text('a')]],
    ['with a mark, and no reason', [text('a'), DONE]],
    ['with an end that has no reason', [text('a'), { type: 'message-end', delta: {} }]],
  ])('a stream that is cut %s has failed', (_, events) => {
    expect(told([START, ...events])).toMatchObject({ status: 'failed', error: { code: 'upstream_truncated' } })
  })

  it('nothing is heard after the mark', () => {
    expect(textOf(told([START, text('a'), end(), DONE, text('b'), end('ERROR')]))).toBe('a')
  })

  it('needs no mark', () => {
    expect(told([START, text('a'), end()]).status).toBe('completed')
  })
})

describe('usage', () => {
  const usage = (counts: unknown) => deltasOf([end('COMPLETE', { usage: counts })]).find(({ kind }) => kind === 'usage')
  const tokens = { input_tokens: 10, output_tokens: 4 }

  it.each([
    [
      'tokens',
      { tokens },
      { input_tokens: 10, output_tokens: 4, total_tokens: 14, cached_tokens: null, reasoning_tokens: null },
    ],
    [
      'cached and reasoning tokens are parts of them',
      { tokens: { ...tokens, reasoning_tokens: 3 }, cached_tokens: 8 },
      { input_tokens: 10, output_tokens: 4, total_tokens: 14, cached_tokens: 8, reasoning_tokens: 3 },
    ],
    [
      'billed units are something else',
      { billed_units: { input_tokens: 2, output_tokens: 1 }, tokens },
      { input_tokens: 10, output_tokens: 4, total_tokens: 14, cached_tokens: null, reasoning_tokens: null },
    ],
    [
      'one side only',
      { tokens: { output_tokens: 4 } },
      { input_tokens: null, output_tokens: 4, total_tokens: null, cached_tokens: null, reasoning_tokens: null },
    ],
    ['billed units alone', { billed_units: { input_tokens: 2 } }, null],
    ['nothing', {}, null],
    ['what is no count', { tokens: { input_tokens: '10', output_tokens: -1 } }, null],
  ])('%s', (_, counts, expected) => {
    expect(usage(counts)).toEqual(expected === null ? undefined : { kind: 'usage', usage: expected })
  })
})

describe('a whole answer', () => {
  const sources = [
    { type: 'document', id: 'doc:0', document: { title: 'a.txt', text: 'x', url: 'https://a.example/' } },
  ]

  it('is what its stream is', () => {
    const citation = { start: 0, end: 1, text: 'b', sources, type: 'TEXT_CONTENT', content_index: 1 }
    const usage = { tokens: { input_tokens: 3, output_tokens: 4 } }
    const body = {
      id: 'a-1',
      message: {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'a' },
          { type: 'text', text: 'b' },
        ],
        citations: [citation],
      },
      finish_reason: 'COMPLETE',
      usage,
    }
    const whole = toldWhole(body)
    expect(whole).toEqual(
      told([START, thought('a', 0), text('b', 1), cite(citation), end('COMPLETE', { usage }), DONE]),
    )
    expect(whole.output[1].content[0].annotations).toHaveLength(1)
  })

  it('with a plan, its citations and calls', () => {
    const citation = { start: 0, end: 1, text: 'I', sources, type: 'PLAN' }
    const made = (id: string, given: string) => ({ id, type: 'function', function: { name: 'f', arguments: given } })
    const body = {
      message: {
        tool_plan: 'I will',
        citations: [citation],
        tool_calls: [made('f_1', 'null'), made('f_2', '{"a":1}')],
      },
      finish_reason: 'TOOL_CALL',
    }
    const whole = toldWhole(body)
    expect(whole).toEqual(
      told([
        START,
        plan('I will'),
        cite(citation),
        call(0, 'f_1', 'f', 'null'),
        callEnd(0),
        call(1, 'f_2', 'f', '{"a":1}'),
        callEnd(1),
        end('TOOL_CALL'),
      ]),
    )
    expect(callsOf(whole)).toEqual([
      ['f_1', 'f', '{}', 'completed'],
      ['f_2', 'f', '{"a":1}', 'completed'],
    ])
    expect(whole.output[0].content[0].annotations).toHaveLength(1)
  })

  it('that is an error is a failure', () => {
    expect(toldWhole({ id: 'x', message: 'model is gone' })).toMatchObject({
      status: 'failed',
      error: { message: 'model is gone' },
    })
    expect(toldWhole({ message: { content: [] }, finish_reason: 'ERROR', error: 'bad' })).toMatchObject({
      status: 'failed',
      error: { message: 'bad' },
    })
  })

  it('a call without a name is a loss', () => {
    expect(
      outcomeOf({ message: { tool_calls: [{ id: 'x', function: {} }] }, finish_reason: 'TOOL_CALL' }).losses,
    ).toEqual(['a call without a name'])
  })
})

describe('hostile events', () => {
  const deep = '['.repeat(20_000) + ']'.repeat(20_000)
  const places = [
    '%',
    '{"type":%}',
    '{"type":"content-start","index":%,"delta":%}',
    '{"type":"content-delta","index":0,"delta":{"message":{"content":%}}}',
    '{"type":"content-delta","index":%,"delta":{"message":{"content":{"text":"a"}}}}',
    '{"type":"content-delta","delta":{"message":{"content":{"text":%,"thinking":%,"type":%}}}}',
    '{"type":"tool-plan-delta","delta":{"message":{"tool_plan":%}}}',
    '{"type":"tool-call-start","index":%,"delta":{"message":{"tool_calls":%}}}',
    '{"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":{"id":%,"function":{"name":"f","arguments":%}}}}}',
    '{"type":"tool-call-end","index":%}',
    '{"type":"citation-start","delta":{"message":{"citations":%}}}',
    '{"type":"citation-start","delta":{"message":{"citations":{"start":%,"end":%,"text":%,"sources":%,"content_index":%}}}}',
    '{"type":"citation-start","delta":{"message":{"citations":{"start":0,"end":1,"sources":[{"id":%,"document":{"url":%,"title":%}}]}}}}',
    '{"type":"message-end","delta":{"finish_reason":%,"usage":{"tokens":{"input_tokens":%}},"error":%,"error_type":%}}',
    '{"message":%}',
    '{"error":%}',
  ]

  it.each(places)('%s', (place) => {
    for (const value of [deep, '{"toString":1,"valueOf":1}', '[[]]', 'null', '-1', 'true', '""', '"x"']) {
      const event = place.replaceAll('%', value)
      expect(['completed', 'incomplete', 'failed']).toContain(told([START, text('a'), event, end()]).status)
    }
  })

  it('blocks that take turns without end are read in time', () => {
    const events = Array.from({ length: 3000 }, (_, i) => text('x', i % 2))
    expect(textOf(told([START, ...events, end()]))).toBe('x'.repeat(3000))
  })

  it('a payload that is no object is a loss, and the others go on', () => {
    expect(deltasOf(['null', '[]', '7'])).toEqual(
      Array(3).fill({ kind: 'loss', feature: 'a payload that is not a JSON object' }),
    )
    expect(textOf(told([START, text('a'), '{', text('b'), end()]))).toBe('ab')
  })
})
