import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../../../src/dialects/registry.ts'
import { encodeEventStream } from '../../../../src/framing/encode-event-stream.ts'
import type { Frame } from '../../../../src/framing/frame.ts'
import { bedrockConverse } from '../../../../src/wires/bedrock-converse/index.ts'
import { decodeStream } from '../../../../src/wires/bedrock-converse/upstream/stream.ts'
import { collected, optionsOf } from '../../../engine/run-engine.ts'
import type { AnswerCase } from '../../answer-cases.ts'
import { answers, bodyOf, frame, frameOf } from '../converses.ts'

const { start, text, thought, tool, input, stop, result, delta, usage } = frameOf
type Frames = readonly Frame[]

/** An answer of these frames that ends with a word. */
const of = (frames: Frames, items: AnswerCase['items'], word = 'end_turn', more: AnswerCase = {}): AnswerCase => ({
  stream: [...frames, frameOf.end(word)],
  items,
  ...more,
})
const lost = (frames: Frames, ...losses: readonly string[]): AnswerCase => ({
  stream: frames,
  deltas: losses.map((feature) => ({ kind: 'loss', feature })),
  losses,
})
const called = (index: number, id: string, ...pieces: readonly string[]): Frames => [
  tool(index, id, 'f'),
  ...pieces.map((piece) => input(index, piece)),
  stop(index),
]
const LIMIT = 'incomplete: max_output_tokens'

// biome-ignore format: a row a case
answers('blocks of a bedrock-converse stream', '', {
  'begin without an announcement if they contain text or reasoning': of([start, thought(0, 'Hm.'), text(1, 'Yes')],
    [{ type: 'reasoning', summary: [{ text: 'Hm.' }] }, 'Yes']),
  'are one text if blocks of text follow one another': of([0, 1, 2, 3].flatMap((i) => [text(i, `${i}`), stop(i)]), ['0123']),
  'are messages of their own if text stands between calls': of([text(0, 'First.'), stop(0), ...called(1, 't1', '{}'),
    text(2, 'Then.'), ...called(3, 't2', '{"a":1}')], ['First.', 't1 f({})', 'Then.', 't2 f({"a":1})'], 'tool_use'),
  'may end without contentBlockStop': of([text(0, 'Let me'), tool(1, 't', 'f'), input(1, '{}')], ['Let me', 't f({})'], 'tool_use'),
  'are skipped with a loss if they are unknown': lost(
    [delta(0, { hologram: {} }), frame('somethingNew', {}), frame('contentBlockDelta', {})],
    'content hologram', 'event somethingNew'),
  'have padding that is never passed on': of([start, text(0, 'x')], ['x'], 'end_turn', { hides: 'abcdef' }),
})

it('blocks of a bedrock-converse stream change only the length in the decoder state during text', () => {
  const machine = decodeStream({})
  const first = machine.step(machine.initial, text(0, 'Grüezi')).state
  const second = machine.step(first, text(0, '!')).state
  expect(second.progress).toBe(first.progress)
  expect([first.length, second.length]).toEqual([6, 7])
  expect(machine.step(second, text(0, '')).state).toBe(second)
})

const pieces = [...called(0, 'a', '', '{"x"', ':1}'), tool(1, 'b', 'f', 'tool_use'), input(1, '{"x":2}'), stop(1)]
const cut = (piece: string, item: string) =>
  of([...called(0, 'a', '{"x":1}'), ...called(1, 'b', piece)], ['a f({"x":1})', item], 'max_tokens', { end: LIMIT })
const same = (n: number) => [tool(n, 'same', 'f'), input(n, `{"n":${n}}`)]
// biome-ignore format: a row a case
answers('calls of a bedrock-converse stream', '', {
  'have their arguments in fragments, whole, or not at all': of([...pieces, ...called(2, 'c', '')],
    ['a f({"x":1})', 'b f({"x":2})', 'c f({})'], 'tool_use'),
  'are incomplete if the length cut them, while those before are complete': [
    cut('{"x":', 'b f({"x":) (incomplete)'), cut('', 'b f() (incomplete)'),
  ],
  'stay apart with ids of their own if they share name and id': of([...same(1), ...same(2)],
    ['same f({"n":1})', 'f({"n":2})'], 'tool_use'),
  'are dropped without a failure if they never started': of([input(0, '{}')], [], 'tool_use',
    { losses: ['a call without a name'] }),
})

const search = [
  ...[tool(0, 's', 'nova_grounding', 'server_tool_use'), input(0, '{"query":"mills"}'), stop(0), result(1, 's')],
  ...[delta(1, { toolResult: [{ text: '[HIDDEN]' }] }), stop(1)],
]
const code = [
  ...[tool(0, 'c', 'nova_code_interpreter', 'server_tool_use'), input(0, '{"snippet":'), input(0, '"6*7"}'), stop(0)],
  ...[result(1, 'c'), delta(1, { toolResult: [{ json: { stdOut: '42', stdErr: 'slow', exitCode: 0 } }] }), stop(1)],
]
const weather = [
  ...[tool(0, 'x', 'nova_weather', 'server_tool_use'), stop(0), result(1, 'x', 'error')],
  ...[delta(1, { toolResult: [{ text: 'No weather.' }, { json: { code: 7 } }] }), stop(1)],
]
// biome-ignore format: a row a case
answers('hosted tools of a bedrock-converse stream', '', {
  'are no calls of the client, and their hidden results are not passed on': of([...search, text(2, 'Found.')],
    [{ type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'mills' } }, 'Found.'],
    'end_turn', { hides: 'HIDDEN' }),
  'may stand beside calls of the client': of(
    [...code, tool(2, 't', 'final', 'tool_use'), input(2, '{"n":42}'), stop(2)],
    [{ type: 'code_interpreter_call', code: '6*7', outputs: [{ type: 'logs', logs: '42\nslow' }] }, 't final({"n":42})'],
    'tool_use'),
  'may fail, be unknown, or never send a result': [
    of(weather, [{ type: 'mcp_call', name: 'nova_weather', output: 'No weather.\n{"code":7}', status: 'failed' }]),
    of([...search.slice(0, 3), text(2, 'Well.')], ['web_search_call', 'Well.']),
    lost([result(0, 'nobody'), stop(0)], 'the result of an unknown tool'),
  ],
})

const image = (source: object) => delta(0, { image: { source } })
const IMAGE = [{ type: 'image_generation_call', result: 'iVBORw==', output_format: 'png' }]
// biome-ignore format: a row a case
answers('images of a bedrock-converse stream', '', {
  'are decoded to items of image generation': of(
    [frame('contentBlockStart', { contentBlockIndex: 0, start: { image: { format: 'png' } } }),
      image({ bytes: 'iVBO' }), image({ bytes: 'Rw==' }), stop(0)],
    IMAGE, 'end_turn', { body: bodyOf([{ image: { format: 'png', source: { bytes: 'iVBORw==' } } }]) }),
  'are recorded as a loss if they failed': lost([delta(0, { image: { error: { message: 'No.' } } }), stop(0)],
    'an image without content'),
})

const ends = (word: string, end: string, losses: readonly string[] = []): AnswerCase => ({
  name: word,
  ...of([start, text(0, 'x')], [end === 'completed' ? 'x' : 'x (incomplete)'], word, { end, losses }),
})
// biome-ignore format: a row a case
answers('the end of a bedrock-converse answer', 'has the right status for the stop reason ', [
  ends('end_turn', 'completed'),
  ends('stop_sequence', 'completed'),
  ends('a_word_of_tomorrow', 'completed', ['stopReason a_word_of_tomorrow']),
  ends('constructor', 'completed', ['stopReason constructor']),
  ends('max_tokens', LIMIT),
  ends('model_context_window_exceeded', LIMIT),
  ends('guardrail_intervened', 'incomplete: content_filter'),
  ends('content_filtered', 'incomplete: content_filter'),
  ends('malformed_model_output', 'failed: malformed_model_output'),
  ends('malformed_tool_use', 'failed: malformed_tool_use'),
])

const secret = 'the miller’s name'
const trace = { guardrail: { modelOutput: [secret] } }
const guarded = bodyOf([{ text: '{NAME}' }], 'guardrail_intervened') as object
const counts = usage({ inputTokens: 1, outputTokens: 2 })
const filtered = { items: ['{NAME} (incomplete)'], end: 'incomplete: content_filter', hides: secret, losses: ['trace'] }
const TRUNCATED = { end: 'failed', code: 'upstream_truncated' }
// biome-ignore format: a row a case
answers('the end of a bedrock-converse answer', '', {
  'is no failure if the stop reason announces a call and text comes':
    of([start, text(0, 'x')], ['x'], 'tool_use'),
  'is not the stop reason, because usage follows': [
    { stream: [text(0, 'x'), frameOf.end('end_turn'), counts], items: ['x'], usage: [1, 2, 3] },
    of([counts, text(0, 'x')], ['x'], 'end_turn', { usage: [1, 2, 3] }),
  ],
  'is a failure without a stop reason': [
    { stream: [start, text(0, 'x'), stop(0)], items: ['x (incomplete)'], ...TRUNCATED },
    { stream: [], items: [], end: 'failed' },
  ],
  'never contains the trace of a guardrail': [
    { stream: [text(0, '{NAME}'), frameOf.end('guardrail_intervened'), frame('metadata', { trace, usage: {} })], ...filtered },
    { body: { ...guarded, trace }, ...filtered },
  ],
})

const counted = (name: string, counts: object, expected: AnswerCase['usage']): AnswerCase => ({
  name,
  stream: [text(0, 'x'), frameOf.end('end_turn'), usage(counts)],
  items: ['x'],
  usage: expected,
})
const NONE = {
  input_tokens: null,
  output_tokens: null,
  total_tokens: null,
  cached_tokens: null,
  reasoning_tokens: null,
}
// biome-ignore format: a row a case
answers('usage of a bedrock-converse answer', 'has the right counts for tokens ', [
  counted('plain', { inputTokens: 12, outputTokens: 5, totalTokens: 17 }, [12, 5, 17, 0]),
  counted('read from the cache', { inputTokens: 12, outputTokens: 250, totalTokens: 1290, cacheReadInputTokens: 1028 },
    [1040, 250, 1290, 1028]),
  counted('written to the cache', { inputTokens: 11, outputTokens: 236, totalTokens: 1275, cacheWriteInputTokens: 1028,
    cacheReadInputTokens: 0 }, [1039, 236, 1275, 0]),
  counted('under the older names, which repeat the newer', { inputTokens: 1, outputTokens: 1, cacheReadInputTokenCount: 4,
    cacheWriteInputTokenCount: 8 }, [13, 1, 14, 4]),
  counted('under both names, counted once', { inputTokens: 1, outputTokens: 1, cacheReadInputTokens: 4,
    cacheReadInputTokenCount: 4 }, [5, 1, 6, 4]),
  counted('that are zero', { inputTokens: 0, outputTokens: 0, totalTokens: 0 }, [0, 0, 0, 0]),
])
answers('usage of a bedrock-converse answer', '', {
  'is unknown if its counts are invalid': {
    stream: [usage({ inputTokens: -1, outputTokens: 'many', totalTokens: 1.5 })],
    deltas: [{ kind: 'usage', usage: NONE }],
  },
})

describe('the bytes of a bedrock-converse stream', () => {
  const bytesOf = (...frames: Frames) => new Uint8Array(Buffer.concat(frames.map(encodeEventStream)))
  const responseTo = (bytes: Uint8Array) => collected(optionsOf(DIALECTS.openai, {}, 'x', bedrockConverse), [bytes])

  it.each([
    ['cut off', (bytes: Uint8Array) => bytes.subarray(0, -5), 'upstream_truncated'],
    ['spoilt', (bytes: Uint8Array) => bytes.with(bytes.length - 9, 0xff), 'upstream_invalid'],
  ])('fail if they are %s, unless the answer was complete before', (_, damage, code) => {
    const whole = bytesOf(text(0, 'x'), frameOf.end('end_turn'), usage({ inputTokens: 1, outputTokens: 1 }))
    expect(responseTo(damage(whole))).toMatchObject({ status: 'completed', usage: null })
    const half = bytesOf(text(0, 'x'), text(0, 'y'), frameOf.end('end_turn'))
    expect(responseTo(damage(half))).toMatchObject({
      status: 'failed',
      error: { code, message: expect.stringContaining('damaged') },
      output: [{ content: [{ text: 'xy' }] }],
    })
  })
})

const unindexed = [
  frame('contentBlockDelta', { delta: { text: 'no index' } }),
  frame('contentBlockDelta', { contentBlockIndex: {}, delta: { text: ', a wrong one' } }),
  frame('contentBlockStop', {}),
]
answers('the bytes of a bedrock-converse stream', '', {
  'give all text of a block, even with a missing or wrong index': of(unindexed, ['no index, a wrong one']),
})

const lossesOf = (fields: object, ...losses: readonly string[]): AnswerCase => ({
  name: fields,
  body: { ...(bodyOf([{ text: 'A' }]) as object), ...fields },
  losses,
})
const seed = { additionalModelResponseFields: { seed: 1 } }
const NO_TRACE = { trace: { guardrail: { action: 'NONE' } } }
const members = 'members of a bedrock-converse answer that no other protocol has'
answers(members, 'are losses unless they are the usual ones: ', [
  lossesOf(seed, 'additionalModelResponseFields.seed'),
  lossesOf(NO_TRACE, 'trace'),
  lossesOf({ performanceConfig: { latency: 'optimized' } }, 'performanceConfig'),
  lossesOf({ performanceConfig: { latency: 'standard' }, metrics: { latencyMs: 9 }, trace: {} }),
])
answers(members, '', {
  'are losses at the end of a stream': {
    stream: [frame('messageStop', { stopReason: 'end_turn', ...seed }), frame('metadata', NO_TRACE)],
    losses: ['additionalModelResponseFields.seed', 'trace'],
  },
})
