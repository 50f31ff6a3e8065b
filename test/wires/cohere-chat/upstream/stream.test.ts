import { describe, expect, it } from 'vitest'
import { cohereChat } from '../../../../src/wires/cohere-chat/index.ts'
import type { AnswerCase } from '../../answer-cases.ts'
import type { Loose } from '../../client-stream.ts'
import { answers, args, call, callEnd, DONE, end, of, open, plan, START, text, thinkingText } from '../decoded.ts'

const lost = (feature: string) => ({ kind: 'loss', feature })
const begun = { ...open(0), delta: { message: { content: { type: 'text', text: 'a' } } } }
const losses = ['event debug', 'event toString']

// biome-ignore format: a row a case
answers('text of a cohere-chat stream', '', {
  'is an item of its own beside reasoning': of([open(0, 'thinking'), thinkingText('a'), thinkingText('b'),
    { type: 'content-end', index: 0 }, open(1), text('c', 1), text('d', 1)], ['reasoning: ab', 'cd']),
  'is read from the event that starts a block': of([begun, text('b')], ['ab']),
  'is one part if blocks of text follow each other': of([open(0), text('a', 0), open(1), text('b', 1)], ['ab']),
  'is two messages if reasoning stands between two blocks': of([text('a', 0), thinkingText('x', 1), text('b', 2)],
    ['a', 'reasoning: x', 'b']),
  'has the plan before the calls': {
    stream: [START, plan('I will'), plan(' look.'), call(0, 'f_1', 'f'), args(0, '{}'), callEnd(0), end('TOOL_CALL'), DONE],
    items: ['I will look.', 'f_1 f({})'] },
  'is not emitted for unknown events and content, which are losses': [
    { stream: [{ type: 'debug', delta: {} }, { type: 'toString' }, { type: 7 }], deltas: losses.map(lost), losses },
    { stream: [{ type: 'content-end', index: 0 }, { type: 'citation-end' }], deltas: [] },
    { stream: [open(0, 'video')], deltas: [lost('content video')], losses: ['content video'] },
  ],
})

describe('text of a cohere-chat stream', () => {
  it('is read from an event that is named only beside its payload', () => {
    const { type, ...nameless } = text('a')
    const machine = cohereChat.decodeStream({})
    expect(machine.step(machine.initial, { event: type, data: JSON.stringify(nameless) }).events).toMatchObject([
      { kind: 'text', text: 'a' },
    ])
  })

  it('changes only its length in the state of the decoder', () => {
    const machine = cohereChat.decodeStream({})
    const frame = (event: unknown) => ({ event: '', data: JSON.stringify(event) })
    const { state } = machine.step(machine.initial, frame(text('Hello')))
    const next = machine.step(state, frame(text(' 😀'))).state as Loose
    expect({ ...next, inner: null }).toEqual({ ...(state as Loose), inner: null })
    expect(next.inner.inner.progress).toBe((state as Loose).inner.inner.progress)
    expect(next.inner.inner.length).toBe(7)
    const thinking = machine.step(machine.initial, frame(thinkingText('a'))).state
    expect(machine.step(thinking, frame(thinkingText('b'))).state).toBe(thinking)
  })
})

const given = (...pieces: readonly string[]): AnswerCase => ({
  stream: [
    ...[START, call(0, 'f_1', 'f'), ...pieces.map((piece) => args(0, piece)), callEnd(0)],
    ...[call(1, 'g_1', 'g'), end('TOOL_CALL')],
  ],
  items: ['f_1 f({})', 'g_1 g({})'],
})
const LIMIT = 'incomplete: max_output_tokens'
// biome-ignore format: a row a case
answers('calls of a cohere-chat stream', '', {
  'stay apart by their index and have their arguments joined': {
    stream: [START, call(0, 'f_1', 'f'), args(0, '{"a":'), args(0, ' 1}'), callEnd(0), call(1, 'f_2', 'f'),
      args(1, '{"a": 2}'), callEnd(1), end('TOOL_CALL'), DONE],
    items: ['f_1 f({"a": 1})', 'f_2 f({"a": 2})'] },
  'have {} as arguments if the upstream sends no events': given(),
  'have {} as arguments if the upstream sends an empty one': given(''),
  'have {} as arguments if the upstream sends null': given('null'),
  'have {} as arguments if the upstream sends an object': given('{}'),
  'keep null among their arguments as a value': of([call(0, 'f_1', 'f'), args(0, '{"a":'), args(0, 'null'), args(0, '}'),
    callEnd(0)], ['f_1 f({"a":null})']),
  'are incomplete if they are cut, while those before them are complete': {
    stream: [START, call(0, 'f_1', 'f'), args(0, '{}'), callEnd(0), call(1, 'f_2', 'f'), args(1, '{"a": "x'),
      end('MAX_TOKENS'), DONE],
    items: ['f_1 f({})', 'f_2 f({"a": "x) (incomplete)'], end: LIMIT },
  'may be followed by text, which is emitted': of([text('a'), call(0, 'f_1', 'f'), callEnd(0), text('b', 1)],
    ['a', 'f_1 f({})', 'b']),
})

const ends = (name: string, status: string, losses: readonly string[] = []): AnswerCase => ({
  name,
  stream: [START, text('a'), end(name), DONE],
  items: [status === 'completed' ? 'a' : 'a (incomplete)'],
  end: status,
  losses,
})
answers('the end of a cohere-chat stream', 'has the right status for the finish reason ', [
  ends('COMPLETE', 'completed'),
  ends('STOP_SEQUENCE', 'completed'),
  ends('TOOL_CALL', 'completed'),
  ends('A_WORD_OF_TOMORROW', 'completed', ['finish_reason A_WORD_OF_TOMORROW']),
  ends('constructor', 'completed', ['finish_reason constructor']),
  ends('MAX_TOKENS', LIMIT),
  ends('ERROR_LIMIT', LIMIT),
  ends('ERROR_TOXIC', 'incomplete: content_filter'),
])

const failure = (word: string, more: object, code: string, message: string): AnswerCase => ({
  name: `${word} and ${JSON.stringify(more)}`,
  stream: [START, plan('I will'), end(word, more), DONE],
  items: ['I will (incomplete)'],
  end: `failed: ${message}`,
  code,
  usage: null,
})
answers('the end of a cohere-chat stream', 'is a failure with the finish reason ', [
  failure(
    'ERROR',
    { error: 'no such call', error_type: 'INVALID_TOOL_GENERATION', usage: {} },
    'server_error',
    'no such call',
  ),
  failure(
    'ERROR',
    { error: 'size limit exceeded', error_type: 'TOO_MANY_TOKENS' },
    'context_length_exceeded',
    'size limit exceeded',
  ),
  failure('ERROR', {}, 'server_error', 'The upstream stopped with "ERROR".'),
  failure('TIMEOUT', {}, 'upstream_timeout', 'The upstream stopped with "TIMEOUT".'),
  failure('COMPLETE', { error: 'it broke' }, 'server_error', 'it broke'),
])

const cut = (events: readonly unknown[], more: AnswerCase): AnswerCase => ({
  stream: [START, text('a'), ...events],
  items: ['a (incomplete)'],
  end: 'failed',
  ...more,
})
const TRUNCATED = { code: 'upstream_truncated' }
// biome-ignore format: a row a case
answers('the end of a cohere-chat stream', '', {
  'is a failure if the stream contains an error in the place of an event': cut(
    [{ id: 'x', message: 'internal server error' }], { end: 'failed: internal server error' }),
  'is a failure if the stream contains an error object': cut([{ error: { message: 'overloaded' } }],
    { end: 'failed: overloaded' }),
  'is missing, and the response fails, if the stream is cut before its end': cut([], TRUNCATED),
  'is missing, and the response fails, if the stream is cut with [DONE] and no reason': cut([DONE], TRUNCATED),
  'is missing, and the response fails, with an end that has no reason': cut([{ type: 'message-end', delta: {} }], TRUNCATED),
  'is [DONE], after which all events are ignored': {
    stream: [START, text('a'), end(), DONE, text('b'), end('ERROR')], items: ['a'] },
  'needs no [DONE] after the finish reason': of([text('a')], ['a']),
})

const NONE = {
  input_tokens: null,
  output_tokens: null,
  total_tokens: null,
  cached_tokens: null,
  reasoning_tokens: null,
}
const counts = (usage: object, expected: object | null): AnswerCase => ({
  name: usage,
  stream: [end('COMPLETE', { usage })],
  emits: expected === null ? [] : [{ kind: 'usage', usage: { ...NONE, ...expected } }],
  usage: expected === null ? null : undefined,
})
const tokens = { input_tokens: 10, output_tokens: 4 }
const both = { ...tokens, total_tokens: 14 }
answers('usage of a cohere-chat stream', 'has the right counts: ', [
  counts({ tokens }, both),
  counts(
    { tokens: { ...tokens, reasoning_tokens: 3 }, cached_tokens: 8 },
    { ...both, cached_tokens: 8, reasoning_tokens: 3 },
  ),
  counts({ billed_units: { input_tokens: 2, output_tokens: 1 }, tokens }, both),
  counts({ tokens: { output_tokens: 4 } }, { output_tokens: 4 }),
  counts({ billed_units: { input_tokens: 2 } }, null),
  counts({}, null),
  counts({ tokens: { input_tokens: '-10', output_tokens: -1 } }, null),
])
