import { describe, expect, it } from 'vitest'
import { cohereChat } from '../../../../src/wires/cohere-chat/index.ts'
import { callsOf, type Loose, reasoningOf, textOf } from '../../client-stream.ts'
import {
  args,
  call,
  callEnd,
  DONE,
  decodedDeltas,
  deltasOf,
  end,
  open,
  plan,
  START,
  text,
  thinkingText,
} from '../decoded.ts'

const typesOf = ({ output }: Loose) => output.map(({ type }: Loose) => type)

describe('text of a cohere-chat stream', () => {
  it('is an item of its own beside reasoning', () => {
    const response = decodedDeltas([
      START,
      open(0, 'thinking'),
      thinkingText('a'),
      thinkingText('b'),
      { type: 'content-end', index: 0 },
      open(1),
      text('c', 1),
      text('d', 1),
      end(),
      DONE,
    ])
    expect(typesOf(response)).toEqual(['reasoning', 'message'])
    expect([reasoningOf(response), textOf(response)]).toEqual(['ab', 'cd'])
  })

  it('is read from the event that starts a block', () => {
    expect(
      textOf(
        decodedDeltas([
          START,
          { ...open(0), delta: { message: { content: { type: 'text', text: 'a' } } } },
          text('b'),
          end(),
        ]),
      ),
    ).toBe('ab')
  })

  it('is one part if blocks of text follow each other', () => {
    const response = decodedDeltas([START, open(0), text('a', 0), open(1), text('b', 1), end()])
    expect(response.output).toHaveLength(1)
    expect(response.output[0].content).toHaveLength(1)
    expect(textOf(response)).toBe('ab')
  })

  it('is two messages if reasoning stands between two blocks', () => {
    const response = decodedDeltas([START, text('a', 0), thinkingText('x', 1), text('b', 2), end()])
    expect(typesOf(response)).toEqual(['message', 'reasoning', 'message'])
    expect(textOf(response)).toBe('a|b')
  })

  it('has the plan before the calls', () => {
    const response = decodedDeltas([
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

  it('is read from an event that is named only beside its payload', () => {
    const { type, ...nameless } = text('a')
    const machine = cohereChat.decodeStream({})
    expect(machine.step(machine.initial, { event: type, data: JSON.stringify(nameless) }).events).toMatchObject([
      { kind: 'text', text: 'a' },
    ])
  })

  it('is not emitted for unknown events and content, which are losses', () => {
    expect(deltasOf([{ type: 'debug', delta: {} }, { type: 'toString' }, { type: 7 }])).toEqual([
      { kind: 'loss', feature: 'event debug' },
      { kind: 'loss', feature: 'event toString' },
    ])
    expect(deltasOf([{ type: 'content-end', index: 0 }, { type: 'citation-end' }])).toEqual([])
    expect(deltasOf([open(0, 'video')])).toEqual([{ kind: 'loss', feature: 'content video' }])
  })

  it('changes only its length in the state of the decoder', () => {
    const machine = cohereChat.decodeStream({})
    const frame = (event: unknown) => ({ event: '', data: JSON.stringify(event) })
    const { state } = machine.step(machine.initial, frame(text('Hello')))
    const next = machine.step(state, frame(text(' 😀'))).state as Loose
    expect({ ...next, inner: null }).toEqual({ ...(state as Loose), inner: null })
    expect(next.inner.progress).toBe((state as Loose).inner.progress)
    expect(next.inner.length).toBe(7)
    const thinking = machine.step(machine.initial, frame(thinkingText('a'))).state
    expect(machine.step(thinking, frame(thinkingText('b'))).state).toBe(thinking)
  })
})

describe('calls of a cohere-chat stream', () => {
  it('stay apart by their index and have their arguments joined', () => {
    const response = decodedDeltas([
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
  ])('have {} as arguments if the upstream sends %s', (_, pieces) => {
    const response = decodedDeltas([
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

  it('keep null among their arguments as a value', () => {
    expect(
      callsOf(
        decodedDeltas([START, call(0, 'f_1', 'f'), args(0, '{"a":'), args(0, 'null'), args(0, '}'), callEnd(0), end()]),
      ),
    ).toEqual([['f_1', 'f', '{"a":null}', 'completed']])
  })

  it('are incomplete if they are cut, while those before them are complete', () => {
    const response = decodedDeltas([
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

  it('may be followed by text, which is emitted', () => {
    expect(typesOf(decodedDeltas([START, text('a'), call(0, 'f_1', 'f'), callEnd(0), text('b', 1), end()]))).toEqual([
      'message',
      'function_call',
      'message',
    ])
  })
})

describe('the end of a cohere-chat stream', () => {
  it.each([
    ['COMPLETE', 'completed', null],
    ['STOP_SEQUENCE', 'completed', null],
    ['TOOL_CALL', 'failed', null],
    ['A_WORD_OF_TOMORROW', 'completed', null],
    ['constructor', 'completed', null],
    ['MAX_TOKENS', 'incomplete', { reason: 'max_output_tokens' }],
    ['ERROR_LIMIT', 'incomplete', { reason: 'max_output_tokens' }],
    ['ERROR_TOXIC', 'incomplete', { reason: 'content_filter' }],
  ])('has the right status for the finish reason %s', (word, status, incomplete_details) => {
    expect(decodedDeltas([START, text('a'), end(word), DONE])).toMatchObject({ status, incomplete_details })
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
  ])('is a failure with the finish reason %s and %j', (word, more, [code, message]) => {
    const response = decodedDeltas([START, plan('I will'), end(word, more), DONE])
    expect(response).toMatchObject({ status: 'failed', usage: null, error: { code, message } })
    expect(textOf(response)).toBe('I will')
  })

  it.each([
    ['an error in the place of an event', { id: 'x', message: 'internal server error' }, 'internal server error'],
    ['an error object', { error: { message: 'overloaded' } }, 'overloaded'],
  ])('is a failure if the stream contains %s', (_, event, message) => {
    expect(decodedDeltas([START, text('a'), event])).toMatchObject({ status: 'failed', error: { message } })
  })

  it.each([
    ['before its end', [text('a')]],
    ['with [DONE] and no reason', [text('a'), DONE]],
    ['with an end that has no reason', [text('a'), { type: 'message-end', delta: {} }]],
  ])('is missing, and the response fails, if the stream is cut %s', (_, events) => {
    expect(decodedDeltas([START, ...events])).toMatchObject({ status: 'failed', error: { code: 'upstream_truncated' } })
  })

  it('is [DONE], after which all events are ignored', () => {
    expect(textOf(decodedDeltas([START, text('a'), end(), DONE, text('b'), end('ERROR')]))).toBe('a')
  })

  it('needs no [DONE] after the finish reason', () => {
    expect(decodedDeltas([START, text('a'), end()]).status).toBe('completed')
  })
})

describe('usage of a cohere-chat stream', () => {
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
    ['invalid counts', { tokens: { input_tokens: '10', output_tokens: -1 } }, null],
  ])('has the right counts: %s', (_, counts, expected) => {
    expect(usage(counts)).toEqual(expected === null ? undefined : { kind: 'usage', usage: expected })
  })
})
