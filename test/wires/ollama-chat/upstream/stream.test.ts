import { describe, expect, it } from 'vitest'
import { ollamaChat } from '../../../../src/wires/ollama-chat/index.ts'
import { type AnswerCase, answersOf, exactly } from '../../answer-cases.ts'
import { callsOf, type Loose, textOf } from '../../client-stream.ts'
import { call, DONE, decodedDeltas, deltasOf, messageLine, responseOfBody, text } from '../decoded.ts'

const answers = answersOf({ wire: ollamaChat, write: (line) => `${JSON.stringify(line)}\n` })
const of = (lines: readonly unknown[], items: AnswerCase['items'], more: AnswerCase = {}): AnswerCase => ({
  stream: [...lines, DONE],
  items,
  ...more,
})
const failed = (lines: readonly unknown[], items: AnswerCase['items'], more: AnswerCase = {}): AnswerCase => ({
  stream: lines,
  items,
  end: 'failed',
  ...more,
})
const calls = (...list: readonly unknown[]) => messageLine({ tool_calls: list })
const thought = messageLine({ thinking: 'a' })
const tags = (lines: readonly string[], items: AnswerCase['items'], thinkTags: true | 'unopened') =>
  of(lines.map(text), items, { quirks: { thinkTags } })
const LENGTH = { ...DONE, done_reason: 'length' }
const LIMIT = 'incomplete: max_output_tokens'
const token = { token: 'a', logprob: -0.25, bytes: [97] }
const tagged = ['<thi', 'nk>a</th', 'ink>\n\nb']
const image = (result: string) => ({ type: 'image_generation_call', status: 'completed', result })

// biome-ignore format: a row a case
answers('text and reasoning of an ollama-chat stream', '', {
  'are items of their own': of([messageLine({ content: '', thinking: 'a' }), messageLine({ thinking: 'b' }), text('c'),
    text('d')], ['reasoning: ab', 'cd']),
  'may end in the line that is done': { stream: [text('a'), { ...DONE, message: { content: 'b' } }], items: ['ab'] },
  'are read from one line with both': of([messageLine({ thinking: 'a', content: 'b' })], ['reasoning: a', 'b']),
  'continue after a call as another message': of([messageLine({ content: 'a', tool_calls: [call('f', {})] }), text('b')],
    ['a', 'f({})', 'b']),
  'end with a line that is done': of([text('a'), DONE, text('late'), LENGTH], ['a']),
  'are separated by tags if the quirk thinkTags is set': [
    tags(tagged, ['reasoning: a', 'b'], true), of(tagged.map(text), ['<think>a</think>\n\nb']),
  ],
  'begin with reasoning if the opening tag is in the prompt': [
    tags(['Okay', ', so', '</think>', '\n\n', 'Yes.'], ['reasoning: Okay, so', 'Yes.'], 'unopened'),
    { stream: [text('Okay'), LENGTH], items: ['reasoning: Okay'], end: LIMIT, quirks: { thinkTags: 'unopened' } },
    of([messageLine({ thinking: 'Okay' }), text('Yes.')], ['reasoning: Okay', 'Yes.'], { quirks: { thinkTags: 'unopened' } }),
  ],
  'keep an unexpected closing tag in the text': tags(['a</think>b'], ['a</think>b'], true),
  'have log probabilities beside the text': of([{ ...text('a'), logprobs: [{ ...token, top_logprobs: [token] }] }],
    [{ content: [{ logprobs: exactly([{ ...token, top_logprobs: [token] }]) }] }]),
  'are a loss if they are no texts': { losses: ['thinking that is a JSON number', 'content that is a JSON number'],
    ...of([messageLine({ thinking: 1, content: 2 }), text('b')], ['b']) },
  'may be accompanied by images, which are items': of([messageLine({ content: '', images: ['iVBORw0KGgo='] }),
    messageLine({ images: ['AAAA', ''] })], [image('iVBORw0KGgo='), image('AAAA')]),
})

it('text and reasoning of an ollama-chat stream leave the state of the decoder as it is', () => {
  const machine = ollamaChat.decodeStream({ thinkTags: true })
  const frame = (line: unknown) => ({ event: '', data: JSON.stringify(line) })
  const reasoning = machine.step(machine.initial, frame(messageLine({ thinking: 'hm' }))).state
  expect(machine.step(reasoning, frame(messageLine({ thinking: 'so' }))).state).toBe(reasoning)
  const { state } = machine.step(reasoning, frame(text('Hello')))
  expect(machine.step(state, frame(text(' there'))).state).toBe(state)
  const again = machine.step(state, frame(messageLine({ thinking: 'hm' }))).state as Loose
  expect(again.inner).toBe((state as Loose).inner)
})

const args = { city: 'Bern', deep: { list: [1, null, 'é'] } }
const given = (args: unknown, item: string) => of([calls(call('f', args, { id: 'c1' }))], [item])
// biome-ignore format: a row a case
answers('calls of an ollama-chat stream', '', {
  'have arguments that arrive as an object and are encoded as JSON once': given(args, `c1 f(${JSON.stringify(args)})`),
  'have the right arguments for a string': [given('{"a":1}', 'c1 f({"a":1})'), given('', 'c1 f({})')],
  'have the right arguments for an empty object, nothing and null': [{}, undefined, null].map((it) => given(it, 'c1 f({})')),
  'stay apart in one line, in several lines, at one index, and in the last line': {
    stream: [
      calls(call('f', { n: 1 }, { id: 'a' }, { index: 0 }), call('f', { n: 2 }, { id: 'b' }, { index: 1 })),
      calls(call('f', { n: 3 }, { id: 'c' }, { index: 0 })),
      { ...DONE, message: { tool_calls: [call('g', {}, { id: 'd' }, { index: 0 })] } }],
    items: ['a f({"n":1})', 'b f({"n":2})', 'c f({"n":3})', 'd g({})'] },
  'have the id inside of the function if it is there': of([calls(call('f', {}, {}, { id: 'c9' }))], ['c9 f({})']),
  'are a loss if they have no name': {
    body: { ...DONE, message: { tool_calls: [{ function: { arguments: {} } }] } }, items: [], losses: ['a call without a name'] },
})

it('calls of an ollama-chat stream have ids of their own if the upstream sends none', () => {
  const response = decodedDeltas([calls(call('f', { n: 1 }), call('f', { n: 1 })), DONE])
  const ids = callsOf(response).map(([id]: string[]) => id)
  expect(new Set(ids).size).toBe(2)
  for (const id of ids) expect(id).toMatch(/^call_/)
})

const UNKNOWN = ['a word of tomorrow', 'toString']
const done = (done_reason: unknown, end: string): AnswerCase => ({
  name: JSON.stringify(done_reason) ?? 'undefined',
  stream: [text('a'), { ...DONE, done_reason }],
  items: [end === 'completed' ? 'a' : 'a (incomplete)'],
  end,
  losses: UNKNOWN.includes(done_reason as string) ? [`done_reason ${done_reason}`] : [],
})
answers('the end of an ollama-chat answer', 'has the right status for the done_reason ', [
  ...['stop', 'load', 'unload', ...UNKNOWN, undefined, {}].map((it) => done(it, 'completed')),
  done('length', LIMIT),
])

const CUT = ['a (incomplete)']
const truncated = (lines: readonly unknown[], items = CUT) => failed(lines, items, { code: 'upstream_truncated' })
// biome-ignore format: a row a case
answers('the end of an ollama-chat answer', '', {
  'has no output and no usage if a model was only loaded': {
    stream: [{ ...DONE, done_reason: 'load' }], items: [], usage: null },
  'is missing, and the response fails, if the stream is cut after text': truncated([text('a')]),
  'is missing, and the response fails, if the stream is cut after reasoning': truncated([thought], ['reasoning: a']),
  'is missing, and the response fails, if the stream is cut in the middle of a line': {
    ...truncated([text('a'), '{"model":"m:1b","message":{"content":" b']),
    losses: ['a payload that is not a JSON object'] },
  'is missing, and the response fails, without done: true': [false, 'true'].map((done) => truncated([text('a'), { ...DONE, done }])),
  'is a failure if there is an error, even after good lines': [
    failed([text('a'), { error: 'model runner has stopped' }], CUT, { end: 'failed: model runner has stopped', code: 'server_error' }),
    failed([text('a'), { error: { message: 'out of memory' } }], CUT, { end: 'failed: out of memory', code: 'server_error' }),
  ],
  'has the code of the status that an error contains': failed([{ error: 'slow down', status_code: 429 }], [],
    { end: 'failed: slow down', code: 'rate_limit_exceeded' }),
  'is a failure even if a line that is done follows': failed([{ error: 'x' }, DONE], []),
  'is a failure if a whole body is an error': { body: { error: 'model not loaded' }, end: 'failed: model not loaded' },
})

const counts = (name: string, counts: object, usage: AnswerCase['usage']): AnswerCase => ({
  name,
  stream: [{ ...DONE, ...counts }],
  body: { ...DONE, ...counts },
  emits: usage ? [{ kind: 'usage', usage: usageOf(usage) }] : [],
  usage: usage === null ? null : undefined,
})
const usageOf = ([input_tokens = null, output_tokens = null, total_tokens = null]: readonly (number | null)[]) => ({
  input_tokens,
  output_tokens,
  total_tokens,
  cached_tokens: null,
  reasoning_tokens: null,
})
answers('usage of an ollama-chat answer', 'has the right counts: ', [
  counts('both', { prompt_eval_count: 7, eval_count: 5 }, [7, 5, 12]),
  counts('no input: all of it was cached', { eval_count: 5 }, [null, 5, null]),
  counts('no output', { prompt_eval_count: 7 }, [7, null, null]),
  counts('zero is not unknown', { prompt_eval_count: 0, eval_count: 0 }, [0, 0, 0]),
  counts('invalid counts', { prompt_eval_count: '7.5', eval_count: 2.5 }, null),
  counts('nothing', {}, null),
])
answers('usage of an ollama-chat answer', '', {
  'is read only from the line that is done': of([{ ...text('a'), eval_count: 3 }], ['a'], { usage: null }),
})

describe('a whole answer over ollama-chat', () => {
  it('gives the same response as its stream', () => {
    const message = { role: 'assistant', thinking: 'a', content: 'b', tool_calls: [call('f', { n: 1 }, { id: 'c1' })] }
    const counts = { prompt_eval_count: 3, eval_count: 4 }
    const body = { ...DONE, message, ...counts }
    const lines = [thought, text('b'), messageLine({ tool_calls: message.tool_calls }), { ...DONE, ...counts }]
    expect(responseOfBody(body)).toEqual(decodedDeltas(lines))
    expect(decodedDeltas([body])).toEqual(decodedDeltas(lines))
  })
})

describe('hostile lines over ollama-chat', () => {
  const deep = '['.repeat(20_000) + ']'.repeat(20_000)
  const places = [
    '%',
    '{"model":%}',
    '{"message":%}',
    '{"message":{"content":%}}',
    '{"message":{"thinking":%}}',
    '{"message":{"images":%}}',
    '{"message":{"images":[%]}}',
    '{"message":{"tool_calls":%}}',
    '{"message":{"tool_calls":[%]}}',
    '{"message":{"tool_calls":[{"id":%,"function":{"name":%}}]}}',
    '{"message":{"tool_calls":[{"function":{"name":"f","arguments":{"a":%}}}]}}',
    '{"message":{"content":"a"},"logprobs":%}',
    '{"message":{"content":"a"},"logprobs":[{"token":%,"top_logprobs":%}]}',
    '{"done":%}',
    '{"done":true,"done_reason":%}',
    '{"done":true,"eval_count":%}',
    '{"error":%}',
  ]

  it.each(places)('lead to a terminal status: %s', (place) => {
    for (const value of [deep, '{"toString":1,"valueOf":1}', '[[]]', 'null', '-1', 'true', '""']) {
      const line = place.replaceAll('%', value)
      expect(['completed', 'incomplete', 'failed']).toContain(decodedDeltas([line, DONE], { thinkTags: true }).status)
    }
  })

  it('are a loss if they are not an object, and the others are read', () => {
    for (const line of ['null', '[]', '"x"', '7', '{', '<html>']) {
      expect(deltasOf([line])).toEqual([{ kind: 'loss', feature: 'a payload that is not a JSON object' }])
      expect(textOf(decodedDeltas([text('a'), line, text('b'), DONE]))).toBe('ab')
    }
  })
})

const logprobs = [{ token: 'a', logprob: -0.1, bytes: [97], top_logprobs: [] }]
const line = (words: string, more: AnswerCase): AnswerCase => ({
  body: { ...text(words), logprobs },
  quirks: { thinkTags: true },
  ...more,
})
answers('log probabilities of an ollama-chat stream', '', {
  'belong to the line of the text, also to the first one': line('a', {
    emits: [{ kind: 'text', text: 'a', logprobs }],
  }),
  'are a loss if the line has a tag': line('<think>a</think>', { losses: ['logprobs'] }),
})
