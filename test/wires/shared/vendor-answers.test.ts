import { describe, expect, it } from 'vitest'
import type { WireName } from '../../../src/wires/contract.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { withKits } from '../with-kits.ts'
import { checkAnswer, type Expected, type VendorAnswer } from './vendor-answers.ts'

/**
 * Answers whose content vendors send in their own ways: late or repeated events, contradictions, failures without a
 * status, parts of two kinds, joined frames and unknown words.
 */

const NAMES = Object.keys(WIRES) as readonly WireName[]

// ---------------------------------------------------------------- the same answer on every wire

type Frames = readonly unknown[]

const chat = (delta: object, finish: string | null = null) => ({
  id: 'c',
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
})
const gemini = (parts: readonly object[], finishReason?: string) => ({
  candidates: [{ content: { role: 'model', parts }, ...(finishReason === undefined ? {} : { finishReason }) }],
  modelVersion: 'm',
})
const responses = (status: string, more: object = {}) => ({
  type: `response.${status}`,
  response: { id: 'r', object: 'response', status, model: 'm', output: [], ...more },
})

/** The beginning of an answer with this text. */
const OPENING: Readonly<Record<WireName, (text: string) => Frames>> = withKits(
  {
    'openai-chat': (text) => [chat({ content: text })],
    'openai-responses': (text) => [
      responses('created'),
      { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'a', content: [] } },
      { type: 'response.output_text.delta', output_index: 0, content_index: 0, item_id: 'a', delta: text },
    ],
    'anthropic-messages': (text) => [
      { type: 'message_start', message: { id: 'a', model: 'm', content: [] } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
      { type: 'content_block_stop', index: 0 },
    ],
    'gemini-generate': (text) => [gemini([{ text }])],
    'bedrock-converse': (text) => [
      ['messageStart', { role: 'assistant' }],
      ['contentBlockDelta', { contentBlockIndex: 0, delta: { text } }],
      ['contentBlockStop', { contentBlockIndex: 0 }],
    ],
    'cohere-chat': (text) => [
      { type: 'message-start' },
      { type: 'content-delta', index: 0, delta: { message: { content: { text } } } },
    ],
    'ollama-chat': (text) => [{ model: 'm', message: { role: 'assistant', content: text }, done: false }],
  },
  ({ opening }) => opening,
)

/** The end of an answer with this finish reason. */
const END: Readonly<Record<WireName, (word: string) => Frames>> = withKits(
  {
    'openai-chat': (word) => [chat({}, word), '[DONE]'],
    'openai-responses': (word) => [responses('incomplete', { incomplete_details: { reason: word } })],
    'anthropic-messages': (word) => [
      { type: 'message_delta', delta: { stop_reason: word }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ],
    'gemini-generate': (word) => [gemini([], word)],
    'bedrock-converse': (word) => [['messageStop', { stopReason: word }]],
    'cohere-chat': (word) => [{ type: 'message-end', delta: { finish_reason: word } }],
    'ollama-chat': (word) => [{ model: 'm', message: { content: '' }, done: true, done_reason: word }],
  },
  ({ ending }) => ending,
)

const NORMAL: Readonly<Record<WireName, string>> = withKits(
  {
    'openai-chat': 'stop',
    'openai-responses': 'max_output_tokens',
    'anthropic-messages': 'end_turn',
    'gemini-generate': 'STOP',
    'bedrock-converse': 'end_turn',
    'cohere-chat': 'COMPLETE',
    'ollama-chat': 'stop',
  },
  ({ usualReason }) => usualReason,
)

/** The end of an answer without a finish reason. Responses and Bedrock have none without a status. */
const BARE_END: Readonly<Partial<Record<WireName, Frames>>> = {
  'openai-chat': ['[DONE]'],
  'anthropic-messages': [{ type: 'message_stop' }],
  'gemini-generate': ['[DONE]'],
  'cohere-chat': ['[DONE]'],
  'ollama-chat': [{ model: 'm', message: { content: '' }, done: true }],
}

/** A frame of each wire; Bedrock has a name for every event. */
const frameOf = (wire: WireName, payload: unknown): unknown =>
  wire === 'bedrock-converse' ? ['other', payload] : payload

const check = (wire: WireName, stream: Frames, expected: Expected): void =>
  checkAnswer({ wire, title: '', stream, expected })

// ---------------------------------------------------------------- failures

type Failure = [title: string, failure: unknown, message: string, code?: string]

// biome-ignore format: a row a case
const FAILURES: Failure[] = [
  ['MiniMax', { base_resp: { status_code: 1002, status_msg: 'too many calls' } }, 'too many calls (1002)',
    'rate_limit_exceeded'],
  ['MiniMax, beside empty fields', { id: 'x', choices: null, base_resp: { status_code: 1004, status_msg: 'login fail' } },
    'login fail', 'upstream_authentication'],
  ['a code and a message', { code: 10_007, message: 'queue is full', sid: 's' }, 'queue is full (10007)'],
  ['a code as text and a message', { code: 'Arrearage', message: 'bill is unpaid', request_id: 'r' },
    'bill is unpaid (Arrearage)'],
  ['a status and a message', { statusCode: 429, message: 'slow down please' }, 'slow down please', 'rate_limit_exceeded'],
  ['Baidu', { error_code: 18, error_msg: 'Open api qps request limit reached' }, 'Open api qps request limit reached (18)'],
  ['Cloudflare', { success: false, errors: [{ code: 5007, message: 'No such thing' }], messages: [] }, 'No such thing (5007)'],
  ['FastAPI', { detail: 'worker is gone' }, 'worker is gone'],
  ['FastAPI, a list', { detail: [{ loc: ['body'], msg: 'field required', type: 'missing' }] }, 'field required'],
  ['a code and msg', { code: 503, msg: 'busy now', success: false }, 'busy now', 'server_is_overloaded'],
  ['Tencent', { Response: { Error: { Code: 'AuthFailure', Message: 'sign is wrong' }, RequestId: 'r' } },
    'sign is wrong (AuthFailure)'],
  ['the key error', { error: { message: 'it broke' } }, 'it broke'],
  ['a text under the key error', { error: 'it broke again' }, 'it broke again'],
  ['success that is false', { success: false }, ''],
]

// biome-ignore format: a row a case
const HARMLESS: readonly (readonly [title: string, frame: unknown])[] = [
  ['an empty object', {}],
  ['a heartbeat', { type: 'ping' }],
  ['a heartbeat with a message', { type: 'heartbeat', message: 'still working' }],
  ['base_resp of success', { base_resp: { status_code: 0, status_msg: 'success' } }],
  ['the code of success', { code: 0, message: 'Success', sid: 's' }],
  ['counts', { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }, choices: [] }],
  ['results of a filter', { choices: [], prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] }],
]

describe.each(NAMES)('a failure with status 200 over %s', (wire) => {
  it.each(FAILURES)('is read as a body: %s', (_: string, body: unknown, error: string, code?: string) => {
    checkAnswer({
      wire,
      title: '',
      body,
      expected: { status: 'failed', error, ...(code === undefined ? {} : { code }) },
    })
  })

  it.each(FAILURES)('is read as the first frame: %s', (_: string, failure: unknown, error: string, code?: string) => {
    check(wire, [frameOf(wire, failure)], { status: 'failed', error, ...(code === undefined ? {} : { code }) })
  })

  it.each(FAILURES)('fails an answer that has begun: %s', (_: string, failure: unknown, error: string) => {
    const frames = [...OPENING[wire]('Half'), frameOf(wire, failure)]
    check(wire, frames, { status: 'failed', error, text: 'Half' })
    check(wire, [...frames, ...END[wire](NORMAL[wire])], { status: 'failed', error, text: 'Half' })
  })

  it('is read as a bare text', () => {
    checkAnswer({ wire, title: '', body: 'no such tenant', expected: { status: 'failed', error: 'no such tenant' } })
  })

  it.each(HARMLESS)('is not seen in %s', (_, frame) => {
    const stream = [...OPENING[wire]('All'), frameOf(wire, frame), ...END[wire](NORMAL[wire])]
    check(wire, stream, { status: wire === 'openai-responses' ? 'incomplete' : 'completed', text: 'All' })
  })
})

describe('base_resp beside an answer', () => {
  it('fails an answer over openai-chat whose finish reason is ordinary', () => {
    const last = { ...chat({}, 'stop'), base_resp: { status_code: 1027, status_msg: 'output is sensitive' } }
    const expected = { status: 'failed', error: 'output is sensitive', code: 'content_filter', text: 'Half' }
    check('openai-chat', [...OPENING['openai-chat']('Half'), last, '[DONE]'], expected)
  })

  it.each([0, 1])('fails an answer over anthropic-messages, in event %i of its end', (at) => {
    const end = END['anthropic-messages']('end_turn').map((event, i) =>
      i === at ? { ...(event as object), base_resp: { status_code: 1008, status_msg: 'balance' } } : event,
    )
    check('anthropic-messages', [...OPENING['anthropic-messages']('Half'), ...end], {
      status: 'failed',
      error: 'balance',
    })
  })
})

// ---------------------------------------------------------------- frames

describe.each(NAMES.filter((wire) => wire !== 'bedrock-converse'))('frames over %s', (wire) => {
  const pieces = [...OPENING[wire]('Hel'), ...END[wire](NORMAL[wire])].map((piece) =>
    typeof piece === 'string' ? piece : JSON.stringify(piece),
  )
  const expected = { status: wire === 'openai-responses' ? 'incomplete' : 'completed', text: 'Hel', noLoss: 'payload' }

  it.each([
    ['', ''],
    [' ', ''],
    ['data: ', ''],
  ])('are read if a proxy joined all of them with %j', (between) => {
    check(wire, [pieces.join(between)], expected)
  })

  it('are read if a proxy joined pairs of them', () => {
    const pairs = pieces.flatMap((piece, i) => (i % 2 === 0 ? [piece + (pieces[i + 1] ?? '')] : []))
    check(wire, pairs, expected)
  })

  it.skipIf(wire === 'ollama-chat')('are read from the data lines of one event', () => {
    check(wire, [pieces.join('\ndata: ')], expected)
  })

  it('report a failure that is joined to one of them', () => {
    const [first = ''] = OPENING[wire]('Hel').slice(-1)
    const before = OPENING[wire]('Hel').slice(0, -1)
    const joined = JSON.stringify(first) + JSON.stringify({ type: 'error', error: { message: 'connection reset' } })
    check(wire, [...before, joined], { status: 'failed', error: 'connection reset' })
  })

  it('are read from a long one', () => {
    const long = OPENING[wire]('x'.repeat(70_000)).map((piece) => JSON.stringify(piece))
    check(wire, [long.join('') + JSON.stringify(END[wire](NORMAL[wire])[0])], { text: 'x'.repeat(70_000) })
  })

  const bare = BARE_END[wire]
  it.skipIf(bare === undefined).each([
    ['a sentence', 'upstream is restarting now', 'upstream is restarting now'],
    ['a sentence as JSON', '"upstream is restarting now"', 'upstream is restarting now'],
    ['a cut object', '{"model":"m","cho', ''],
  ])('that are %s do not complete an answer without a finish reason', (_, frame, error) => {
    check(wire, [...OPENING[wire]('Hel'), frame, ...(bare ?? [])], { status: 'failed', text: 'Hel', error })
    check(wire, [frame, ...(bare ?? [])], { status: 'failed' })
  })

  it('that are a sentence are a loss if the answer finishes', () => {
    const stream = [...OPENING[wire]('Hel'), 'upstream is restarting now', ...END[wire](NORMAL[wire])]
    check(wire, stream, { status: expected.status, text: 'Hel', loss: 'payload' })
  })
})

// ---------------------------------------------------------------- finish reasons

describe.each(NAMES)('the finish reason over %s', (wire) => {
  it('is a loss if it is unknown', () => {
    check(wire, [...OPENING[wire]('All'), ...END[wire]('word_of_tomorrow')], { loss: 'word_of_tomorrow', text: 'All' })
  })

  it('is no loss if it is known', () => {
    check(wire, [...OPENING[wire]('All'), ...END[wire](NORMAL[wire])], { noLoss: NORMAL[wire] })
  })
})

const WORDS: readonly (readonly [WireName, string, string])[] = [
  ['openai-chat', 'abort', 'failed'],
  ['openai-chat', 'repetition', 'incomplete'],
  ['openai-chat', 'repetition_truncation', 'incomplete'],
  ['openai-chat', 'tool_calls', 'failed'],
  ['openai-chat', 'function_call', 'failed'],
  ['anthropic-messages', 'tool_use', 'failed'],
  ['bedrock-converse', 'tool_use', 'failed'],
  ['cohere-chat', 'TOOL_CALL', 'failed'],
  ['cohere-chat', 'USER_CANCEL', 'failed'],
  ['ollama-chat', 'tool_calls', 'failed'],
  ['gemini-generate', 'ESCALATION', 'incomplete'],
  ['gemini-generate', 'PUP_LIMITED_DISABLED', 'incomplete'],
]

it.each(WORDS)('an answer over %s that ends with %s and has no call is %s', (wire, word, status) => {
  check(wire, [...OPENING[wire]('All'), ...END[wire](word)], { status, text: 'All', noLoss: word })
})

// ---------------------------------------------------------------- parts of two kinds

const CALL = { functionCall: { name: 'get', args: { a: 1 } } }
const IMAGE = { inlineData: { mimeType: 'image/png', data: 'iVBORw==' } }
const CODE = { executableCode: { language: 'PYTHON', code: '1' } }
const RESULT = { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } }

// biome-ignore format: a row a case
const PARTS: readonly (readonly [title: string, part: object, expected: Expected])[] = [
  ['text and a call', { text: 'Wait.', ...CALL, thoughtSignature: 'c2ln' }, { text: 'Wait.', calls: [['get', { a: 1 }]] }],
  ['an empty text and a call', { text: '', ...CALL }, { text: '', calls: [['get', { a: 1 }]] }],
  ['a text that is null and a call', { text: null, ...CALL }, { calls: [['get', { a: 1 }]] }],
  ['text and an image', { text: 'Here.', ...IMAGE }, { text: 'Here.', images: 1 }],
  ['an empty text and an image', { text: '', ...IMAGE }, { images: 1 }],
  ['an image and a call', { ...IMAGE, ...CALL }, { images: 1, calls: [['get', { a: 1 }]] }],
  ['reasoning and a call', { text: 'Hm.', thought: true, ...CALL }, { reasoning: 'Hm.', calls: [['get', { a: 1 }]] }],
  ['text, code and its result', { text: 'So.', ...CODE, ...RESULT },
    { text: 'So.', items: ['message', 'code_interpreter_call'] }],
  ['text and a file', { text: 'See.', fileData: { fileUri: 'gs://x' } }, { text: 'See.', loss: 'fileData' }],
]

describe.each(PARTS)('a part of gemini-generate with %s', (_, part, expected) => {
  it('is applied whole in a stream', () => {
    check('gemini-generate', [gemini([part], 'STOP')], { status: 'completed', ...expected })
  })

  it('is applied whole in a body', () => {
    checkAnswer({
      wire: 'gemini-generate',
      title: '',
      body: gemini([part], 'STOP'),
      expected: { status: 'completed', ...expected },
    })
  })
})

// biome-ignore format: a row a case
const TWO_KINDS: readonly VendorAnswer[] = [
  { wire: 'bedrock-converse', title: 'an empty text beside the arguments of a call',
    stream: [['contentBlockStart', { contentBlockIndex: 0, start: { toolUse: { toolUseId: 't', name: 'get' } } }],
      ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: '', toolUse: { input: '{"a":1}' } } }],
      ['contentBlockStop', { contentBlockIndex: 0 }], ['messageStop', { stopReason: 'tool_use' }]],
    expected: { status: 'completed', calls: [['get', { a: 1 }]] } },
  { wire: 'bedrock-converse', title: 'a text beside a call in a body',
    body: { output: { message: { content: [{ text: 'Wait.', toolUse: { toolUseId: 't', name: 'get', input: { a: 1 } } }] } },
      stopReason: 'tool_use' }, expected: { status: 'completed', text: 'Wait.', calls: [['get', { a: 1 }]] } },
  { wire: 'cohere-chat', title: 'a text beside reasoning',
    stream: [{ type: 'content-delta', index: 0, delta: { message: { content: { thinking: 'Hm.', text: 'Yes.' } } } },
      { type: 'message-end', delta: { finish_reason: 'COMPLETE' } }],
    expected: { status: 'completed', text: 'Yes.', reasoning: 'Hm.' } },
  { wire: 'ollama-chat', title: 'text, reasoning and a call in one line',
    stream: [{ model: 'm', message: { content: 'Wait.', thinking: 'Hm.',
          tool_calls: [{ function: { name: 'get', arguments: { a: 1 } } }] }, done: true, done_reason: 'stop' }],
    expected: { status: 'completed', text: 'Wait.', reasoning: 'Hm.', calls: [['get', { a: 1 }]] } },
]

// ---------------------------------------------------------------- Responses: late and contradicting events

const added = (output_index: number, item: object) => ({ type: 'response.output_item.added', output_index, item })
const done = (output_index: number, item: object) => ({ type: 'response.output_item.done', output_index, item })
const at = (type: string, output_index: number, item_id: string, more: object) => ({
  type: `response.${type}`,
  output_index,
  content_index: 0,
  item_id,
  ...more,
})
const CALL_ITEM = { type: 'function_call', id: 'f', call_id: 'c', name: 'get' }
const pieces = (index: number, id: string, ...list: readonly string[]) =>
  list.map((delta) => at('function_call_arguments.delta', index, id, { delta }))

const WHOLE_CALL = { ...CALL_ITEM, arguments: '{"a":1}', status: 'completed' }
const DIFFERS = 'differs from its deltas'
const scrambled = (last: string, ...end: Frames) => ({
  title: `scrambled pieces of arguments, whose final value is in ${last}`,
  stream: [added(0, { ...CALL_ITEM, arguments: '' }), ...pieces(0, 'x', 'q83v', 'Xz0='), ...end],
  expected: { status: 'completed', calls: [['get', { a: 1 }]], loss: DIFFERS } as const,
})

// biome-ignore format: a row a case
const LATE: readonly Omit<VendorAnswer, 'wire'>[] = [
  ...['a', 'other'].map((id) => ({ title: `text, part and item that end under the next index, with the id ${id}`,
        stream: [...OPENING['openai-responses']('Hi.'), at('output_text.done', 1, id, { text: 'Hi.' }),
          at('content_part.done', 1, id, { part: { type: 'output_text', text: 'Hi.' } }),
          done(1, { type: 'message', id, content: [{ type: 'output_text', text: 'Hi.' }] }),
          added(1, { type: 'message', id: 'b', content: [] }), at('output_text.delta', 1, 'b', { delta: 'Bye.' }),
          at('output_text.done', 2, 'b', { text: 'Bye.' }),
          done(2, { type: 'message', id: 'b', content: [{ type: 'output_text', text: 'Bye.' }] }), responses('completed')],
        expected: { status: 'completed', text: 'Hi.Bye.', items: ['message', 'message'] } })),
  { title: 'a refusal that ends under the next index',
    stream: [added(0, { type: 'message', id: 'a', content: [] }), at('refusal.delta', 0, 'a', { delta: 'No.' }),
      at('refusal.done', 1, 'a', { refusal: 'No.' }),
      at('content_part.done', 1, 'a', { part: { type: 'refusal', refusal: 'No.' } }), responses('completed')],
    expected: { status: 'completed', items: ['message'] } },
  { title: 'a summary and a custom call that end under the next index',
    stream: [added(0, { type: 'reasoning', id: 'r', summary: [] }),
      at('reasoning_summary_text.delta', 0, 'r', { summary_index: 0, delta: 'Hm.' }),
      at('reasoning_summary_text.done', 1, 'r', { summary_index: 0, text: 'Hm.' }),
      at('reasoning_summary_part.done', 1, 'r', { summary_index: 0, part: { type: 'summary_text', text: 'Hm.' } }),
      done(1, { type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: 'Hm.' }] }),
      added(1, { type: 'custom_tool_call', id: 't', call_id: 'c', name: 'sh' }),
      at('custom_tool_call_input.delta', 1, 't', { delta: 'ls' }), at('custom_tool_call_input.done', 2, 't', { input: 'ls' }),
      done(2, { type: 'custom_tool_call', id: 't', call_id: 'c', name: 'sh', input: 'ls' }), responses('completed')],
    expected: { status: 'completed', reasoning: 'Hm.', items: ['reasoning', 'custom_tool_call'] } },
  { title: 'two calls without any pieces, each of which ends under the next index',
    stream: [added(0, { ...CALL_ITEM, id: 'f1', call_id: 'c1' }),
      at('function_call_arguments.done', 1, 'x', { arguments: '{"a":1}' }),
      done(1, { ...CALL_ITEM, id: 'y', call_id: 'c1', arguments: '{"a":1}' }),
      added(1, { ...CALL_ITEM, id: 'f2', call_id: 'c2' }), at('function_call_arguments.done', 2, 'z', { arguments: '{"a":2}' }),
      done(2, { ...CALL_ITEM, id: 'w', call_id: 'c2', arguments: '{"a":2}' }), responses('completed')],
    expected: { status: 'completed', calls: [['get', { a: 1 }], ['get', { a: 2 }]] } },
  { title: 'an annotation under the next index',
    stream: [...OPENING['openai-responses']('Hi.'),
      at('output_text.annotation.added', 1, 'a',
        { annotation: { type: 'url_citation', url: 'https://a.example/', title: 'A', start_index: 0, end_index: 2 } }),
      responses('completed')], expected: { status: 'completed', text: 'Hi.', items: ['message'] } },
  scrambled('function_call_arguments.done', at('function_call_arguments.done', 0, 'y', { arguments: '{"a":1}' }),
    responses('completed')),
  scrambled('output_item.done', done(0, WHOLE_CALL), responses('completed')),
  scrambled('completed', responses('completed', { output: [WHOLE_CALL] })),
  { title: 'a final text that differs from its pieces',
    stream: [...OPENING['openai-responses']('Water'),
      done(0, { type: 'message', id: 'a', content: [{ type: 'output_text', text: 'Wine' }] }), responses('completed')],
    expected: { status: 'completed', text: 'Water', loss: DIFFERS }, collected: { text: 'Wine' } },
  { title: 'final arguments that differ from pieces which are an object',
    stream: [added(0, CALL_ITEM), ...pieces(0, 'f', '{"a"', ':2}'), done(0, { ...CALL_ITEM, arguments: '{"a":1}' }),
      responses('completed')], expected: { status: 'completed', calls: [['get', { a: 2 }]], loss: DIFFERS },
    collected: { calls: [['get', { a: 1 }]] } },
  { title: 'a text without an event at its end before a call',
    stream: [...OPENING['openai-responses']('Wait.'), added(1, CALL_ITEM), done(1, { ...CALL_ITEM, arguments: '{"a":1}' }),
      responses('completed')], expected: { status: 'completed', text: 'Wait.', items: ['message', 'function_call'] } },
  { title: 'arguments that begin with white space',
    stream: [added(0, CALL_ITEM), ...pieces(0, 'f', ' ', '\n{"a"', ':1}'),
      at('function_call_arguments.done', 0, 'f', { arguments: ' \n{"a":1}' }), responses('completed')],
    expected: { status: 'completed', calls: [['get', { a: 1 }]], noLoss: 'differs' } },
]
const RESPONSES = LATE.map((one): VendorAnswer => ({ wire: 'openai-responses', ...one }))

const toolCall = (args: string, more: object = {}) => ({
  id: 'c',
  type: 'function',
  function: { name: 'get', arguments: args },
  ...more,
})
const finalChat = (message: object, finish_reason = 'stop') => ({
  id: 'c',
  model: 'm',
  choices: [{ index: 0, delta: {}, message: { role: 'assistant', ...message }, finish_reason }],
})
const calling = (functionCall: object) => gemini([{ functionCall }])
const cohereCall = (args: string) => ({ id: 'c', type: 'function', function: { name: 'get', arguments: args } })
const LOSS = 'a final text that differs from its deltas'

/** Final values that add to the pieces before them, repeat them, or contradict them. */
// biome-ignore format: a row a case
const FINALS: readonly VendorAnswer[] = [
  { wire: 'openai-chat', title: 'a member that is not read, of a call after the text',
    stream: [
      chat({ content: 'Water' }), chat({ content: ' and' }),
      chat({ tool_calls: [{ index: 0, id: 'c', own: 1, function: { name: 'get', arguments: '{}' } }] }),
      chat({}, 'tool_calls'), '[DONE]'],
    expected: { status: 'completed', text: 'Water and', calls: [['get', {}]], loss: 'tool_calls[].own' } },
  { wire: 'openai-chat', title: 'a final message that repeats the text and has one more piece',
    stream: [chat({ content: 'The mi' }), finalChat({ content: 'The mill.' }), '[DONE]'],
    expected: { status: 'completed', text: 'The mill.', items: ['message'], noLoss: LOSS } },
  { wire: 'openai-chat', title: 'a final message without the white space around its text',
    stream: [chat({ content: ' Hi ' }), finalChat({ content: 'Hi' }), '[DONE]'],
    expected: { status: 'completed', text: ' Hi ', noLoss: LOSS } },
  { wire: 'openai-chat', title: 'a final message with another text',
    stream: [chat({ content: 'Wa' }), chat({ content: 'ter' }), finalChat({ content: 'Wine' }), '[DONE]'],
    expected: { status: 'completed', text: 'Water', loss: LOSS }, collected: { text: 'Wine' } },
  { wire: 'openai-chat', title: 'a final message with other arguments',
    stream: [chat({ tool_calls: [{ index: 0, ...toolCall('{"a":') }] }),
      chat({ tool_calls: [{ index: 0, function: { arguments: '2}' } }] }),
      finalChat({ tool_calls: [toolCall('{"a":1}')] }, 'tool_calls'), '[DONE]'],
    expected: { status: 'completed', calls: [['get', { a: 2 }]], loss: LOSS }, collected: { calls: [['get', { a: 1 }]] } },
  { wire: 'openai-chat', title: 'a final message with the calls that the stream lacks',
    stream: [chat({ content: 'Wait.' }), finalChat({ content: 'Wait.',
          tool_calls: [toolCall('{"a":1}'), toolCall('{"a":2}', { id: 'd' })] }, 'tool_calls'), '[DONE]'],
    expected: { status: 'completed', text: 'Wait.', calls: [['get', { a: 1 }], ['get', { a: 2 }]], noLoss: LOSS } },
  { wire: 'openai-chat', title: 'a final message with the arguments that the stream lacks',
    stream: [chat({ tool_calls: [{ index: 0, ...toolCall('') }] }),
      finalChat({ tool_calls: [toolCall('{"a":1}')] }, 'tool_calls'), '[DONE]'],
    expected: { status: 'completed', calls: [['get', { a: 1 }]], noLoss: LOSS } },
  { wire: 'gemini-generate', title: 'final arguments that differ from their pieces',
    stream: [calling({ name: 'get', willContinue: true, partialArgs: [{ jsonPath: '$.a', numberValue: 2 }] }),
      calling({ args: { a: 1 } }), gemini([], 'STOP')],
    expected: { status: 'completed', calls: [['get', { a: 1 }]], loss: LOSS } },
  { wire: 'gemini-generate', title: 'final arguments that repeat their pieces',
    stream: [calling({ name: 'get', willContinue: true,
          partialArgs: [{ jsonPath: '$.a', stringValue: 'x', willContinue: true }] }),
      calling({ partialArgs: [{ jsonPath: '$.a', stringValue: 'y' }], args: { a: 'xy' } }), gemini([], 'STOP')],
    expected: { status: 'completed', calls: [['get', { a: 'xy' }]], noLoss: LOSS } },
  { wire: 'cohere-chat', title: 'a message at the end with another text and other arguments',
    stream: [...OPENING['cohere-chat']('Water'),
      { type: 'tool-call-start', index: 0, delta: { message: { tool_calls: cohereCall('{"a":2}') } } },
      { type: 'tool-call-end', index: 0 }, { type: 'message-end',
        delta: { finish_reason: 'TOOL_CALL', message: { content: [{ type: 'text', text: 'Wine' }],
            tool_calls: [cohereCall('{"a":1}')] } } }],
    expected: { status: 'completed', text: 'Water', calls: [['get', { a: 2 }]], loss: LOSS },
    collected: { text: 'Wine', calls: [['get', { a: 1 }]] } },
  { wire: 'cohere-chat', title: 'a message at the end with more text',
    stream: [...OPENING['cohere-chat']('The mi'),
      { type: 'message-end', delta: { finish_reason: 'COMPLETE',
          message: { content: [{ type: 'text', text: 'The mill.' }] } } }],
    expected: { status: 'completed', text: 'The mill.', items: ['message'], noLoss: LOSS } },
  { wire: 'openai-responses', title: 'scrambled pieces of arguments that begin with a brace',
    stream: [added(0, CALL_ITEM), ...pieces(0, 'f', '{', 'q83v'), done(0, { ...CALL_ITEM, arguments: '{"a":1}' }),
      responses('completed')], expected: { status: 'completed', calls: [['get', { a: 1 }]], loss: LOSS } },
  { wire: 'openai-responses', title: 'arguments whose first piece is a brace',
    stream: [added(0, CALL_ITEM), ...pieces(0, 'f', '{', '"a"', ':1}'), responses('completed')],
    expected: { status: 'completed', calls: [['get', { a: 1 }]], noLoss: LOSS } },
]

describe.each([...TWO_KINDS, ...RESPONSES, ...FINALS])('$wire: $title', (answer) => {
  it('is read once and whole', () => {
    checkAnswer(answer)
  })
})

it('scrambled arguments without a final value stay as they are in a failed answer', () => {
  const stream = [added(0, CALL_ITEM), ...pieces(0, 'f', 'q83v', 'Xz0=')]
  expect(() => check('openai-responses', stream, { status: 'failed', calls: [] })).toThrow('q83vXz0=')
})
