import { expect } from 'vitest'
import { SCRIPTED_ENDS } from '../../../src/testing/scripted/wire-upstream.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { type AnswerCase, answersOf } from '../answer-cases.ts'
import * as messages from '../anthropic-messages/events.ts'
import * as converse from '../bedrock-converse/converses.ts'
import * as cohere from '../cohere-chat/decoded.ts'
import * as gemini from '../gemini-generate/answers.ts'
import * as ollama from '../ollama-chat/decoded.ts'
import * as chat from '../openai-chat/answers.ts'
import * as responses from '../openai-responses/answers.ts'
import { withKits } from '../with-kits.ts'

/**
 * Answers whose content vendors send in their own ways: failures without a status, joined frames, unknown words, parts
 * of two kinds, late or repeated events, and contradictions.
 */

const NAMES = Object.keys(WIRES) as readonly WireName[]

/** The beginning of an answer with this text. */
const OPENING: Readonly<Record<WireName, (text: string) => readonly unknown[]>> = withKits(
  {
    'openai-chat': (text) => [chat.content(text)],
    'openai-responses': (text) => [
      responses.ev('created', { response: { id: 'r' } }),
      responses.added(0, responses.message('', { id: 'a' })),
      responses.textDelta(text),
    ],
    'anthropic-messages': (text) => [messages.start(), ...messages.textBlock(0, text)],
    'gemini-generate': (text) => [gemini.chunk([{ text }])],
    'bedrock-converse': (text) => [converse.frameOf.start, converse.frameOf.text(0, text), converse.frameOf.stop(0)],
    'cohere-chat': (text) => [cohere.START, cohere.text(text)],
    'ollama-chat': (text) => [ollama.text(text)],
  },
  ({ opening }) => opening,
)

/** The end of an answer with this finish reason. */
const END: Readonly<Record<WireName, (word: string) => readonly unknown[]>> = withKits(
  {
    'openai-chat': (word) => [chat.stop(word), chat.DONE],
    'openai-responses': (word) => [
      word === 'completed'
        ? responses.completed()
        : responses.ev('incomplete', { response: { status: 'incomplete', incomplete_details: { reason: word } } }),
    ],
    'anthropic-messages': (word) => messages.stop(word),
    'gemini-generate': (word) => [gemini.chunk([], { finishReason: word })],
    'bedrock-converse': (word) => [converse.frameOf.end(word)],
    'cohere-chat': (word) => [cohere.end(word)],
    'ollama-chat': (word) => [{ ...ollama.DONE, done_reason: word }],
  },
  ({ ending }) => ending,
)

const USUAL = withKits<{ readonly stop: string }>(SCRIPTED_ENDS, ({ usualReason }) => ({ stop: usualReason }))

/** The end of an answer without a finish reason. Responses and Bedrock have none without a status. */
const BARE_END: Readonly<Partial<Record<WireName, readonly unknown[]>>> = {
  'openai-chat': [chat.DONE],
  'anthropic-messages': [{ type: 'message_stop' }],
  'gemini-generate': [chat.DONE],
  'cohere-chat': [chat.DONE],
  'ollama-chat': [{ model: 'm', message: { content: '' }, done: true }],
}

const formOf = (wire: WireName) => (wire === 'anthropic-messages' ? messages.answers : answersOf({ wire: WIRES[wire] }))
/** A frame with this payload; Bedrock has a name for every event. */
const frameOf = (wire: WireName, payload: unknown): unknown =>
  wire === 'bedrock-converse' ? converse.frame('other', payload) : payload
/** A frame with this text. */
const rawOf = (wire: WireName, data: string): string => (wire === 'ollama-chat' ? `${data}\n` : `data: ${data}\n\n`)
const dataOf = (frame: unknown): string =>
  typeof frame === 'string' ? frame.replace(/^data: |\n/g, '') : JSON.stringify(frame)

type Failure = readonly [title: string, failure: unknown, message: string, code?: string]

// biome-ignore format: a row a case
const FAILURES: readonly Failure[] = [
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
const HARMLESS: Readonly<Record<string, unknown>> = {
  'an empty object': {},
  'a heartbeat': { type: 'ping' },
  'a heartbeat with a message': { type: 'heartbeat', message: 'still working' },
  'base_resp of success': { base_resp: { status_code: 0, status_msg: 'success' } },
  'the code of success': { code: 0, message: 'Success', sid: 's' },
  counts: { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }, choices: [] },
  'results of a filter': { choices: [], prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] },
}

const SENTENCE = 'upstream is restarting now'
/** Frames, and the message of the failure. */
const BROKEN: Readonly<Record<string, readonly [data: string, message: string]>> = {
  'a sentence': [SENTENCE, SENTENCE],
  'a sentence as JSON': [`"${SENTENCE}"`, SENTENCE],
  'a cut object': ['{"model":"m","cho', ''],
}
const broken = (message: string): AnswerCase => ({ end: `failed: ${message}`, losses: null })

const mapped = <Value, Case>(rows: Readonly<Record<string, Value>>, toCase: (value: Value) => Case) =>
  Object.fromEntries(Object.entries(rows).map(([title, value]) => [title, toCase(value)]))

for (const wire of NAMES) {
  const answers = formOf(wire)
  const opening = OPENING[wire]
  const end = END[wire](USUAL[wire].stop)
  const failed = (failure: unknown, message: string, code?: string): readonly AnswerCase[] => {
    const fails = { end: `failed: ${message}`, ...(code === undefined ? {} : { code }) }
    const begun = [...opening('Half'), frameOf(wire, failure)]
    const half = { ...fails, items: [{ content: [{ text: 'Half' }] }] }
    return [
      { ...fails, body: failure },
      { ...fails, stream: [frameOf(wire, failure)] },
      { ...half, stream: begun },
      { ...half, stream: [...begun, ...end] },
    ]
  }
  answers(`a failure with status 200 over ${wire}`, 'is read as a body, as the first frame and after a text: ', {
    ...Object.fromEntries(FAILURES.map(([title, ...failure]) => [title, failed(...failure)])),
    'a bare text': { body: 'no such tenant', end: 'failed: no such tenant' },
  })
  answers(
    `a failure with status 200 over ${wire}`,
    'is not seen in ',
    mapped(HARMLESS, (frame) => ({
      stream: [...opening('All'), frameOf(wire, frame), ...end],
      items: ['All'],
      losses: null,
    })),
  )

  answers(`the finish reason over ${wire}`, '', {
    'is a loss if it is unknown': {
      stream: [...opening('All'), ...END[wire]('word_of_tomorrow')],
      losses: [expect.stringContaining('word_of_tomorrow')],
    },
    'is no loss if it is known': { stream: [...opening('All'), ...end], items: ['All'] },
  })

  if (wire === 'bedrock-converse') continue
  const pieces = [...opening('Hel'), ...end].map(dataOf)
  const pairs = pieces.flatMap((piece, i) => (i % 2 === 0 ? [piece + (pieces[i + 1] ?? '')] : []))
  const reset = { type: 'error', error: { message: 'connection reset' } }
  const reads = (...frames: readonly string[]): AnswerCase => ({
    stream: frames.map((data) => rawOf(wire, data)),
    items: ['Hel'],
  })
  answers(`frames over ${wire}`, '', {
    'are read if a proxy joined all of them': ['', ' ', 'data: '].map((between) => reads(pieces.join(between))),
    'are read if a proxy joined pairs of them': reads(...pairs),
    ...(wire !== 'ollama-chat' && { 'are read from the data lines of one event': reads(pieces.join('\ndata: ')) }),
    'report a failure that is joined to one of them': {
      stream: opening('Hel').map((one, i, all) =>
        i === all.length - 1 ? rawOf(wire, dataOf(one) + JSON.stringify(reset)) : one,
      ),
      end: 'failed: connection reset',
    },
    'are read from a long one': {
      stream: [rawOf(wire, [...opening('x'.repeat(70_000)), end[0]].map(dataOf).join(''))],
      items: ['x'.repeat(70_000)],
    },
    'that are a sentence are a loss if the answer finishes': {
      stream: [...opening('Hel'), rawOf(wire, SENTENCE), ...end],
      items: ['Hel'],
      losses: ['a payload that is not a JSON object'],
    },
  })
  const bare = BARE_END[wire]
  if (bare === undefined) continue
  answers(
    `frames over ${wire}`,
    'do not complete an answer without a finish reason if they are ',
    mapped(BROKEN, ([data, message]) => [
      { ...broken(message), stream: [...opening('Hel'), rawOf(wire, data), ...bare], items: ['Hel (incomplete)'] },
      { ...broken(''), stream: [rawOf(wire, data), ...bare] },
    ]),
  )
}

const base = (status_code: number, status_msg: string) => ({ base_resp: { status_code, status_msg } })
chat.answers('base_resp beside an answer', '', {
  'fails an answer whose finish reason is ordinary': {
    stream: [chat.content('Half'), { ...chat.stop(), ...base(1027, 'output is sensitive') }, chat.DONE],
    items: ['Half (incomplete)'],
    end: 'failed: output is sensitive',
    code: 'content_filter',
  },
})
messages.answers('base_resp beside an answer', '', {
  'fails an answer in each event of its end': [0, 1].map((at) => ({
    stream: [
      ...OPENING['anthropic-messages']('Half'),
      ...messages.stop('end_turn').map((event, i) => (i === at ? { ...event, ...base(1008, 'balance') } : event)),
    ],
    end: 'failed: balance',
  })),
})

const WORDS: readonly (readonly [WireName, string, string])[] = [
  ['openai-chat', 'abort', 'failed'],
  ['openai-chat', 'repetition', 'incomplete: max_output_tokens'],
  ['openai-chat', 'repetition_truncation', 'incomplete: max_output_tokens'],
  ['openai-chat', 'tool_calls', 'completed'],
  ['openai-chat', 'function_call', 'completed'],
  ['anthropic-messages', 'tool_use', 'completed'],
  ['bedrock-converse', 'tool_use', 'completed'],
  ['cohere-chat', 'TOOL_CALL', 'completed'],
  ['cohere-chat', 'USER_CANCEL', 'failed'],
  ['ollama-chat', 'tool_calls', 'completed'],
  ['gemini-generate', 'ESCALATION', 'incomplete: content_filter'],
  ['gemini-generate', 'PUP_LIMITED_DISABLED', 'incomplete: content_filter'],
]

for (const [wire, word, end] of WORDS)
  formOf(wire)(`an answer over ${wire} without a call`, `is ${end} if it ends with `, {
    [word]: { stream: [...OPENING[wire]('All'), ...END[wire](word)], items: [{ content: [{ text: 'All' }] }], end },
  })

const { call, chunk, code, result } = gemini
const GET = call('get', { a: 1 })
const IMAGE = { inlineData: { mimeType: 'image/png', data: 'iVBORw==' } }
const CALLED = 'get({"a":1})'
const IMAGES = 'image_generation_call'
const ran = { executableCode: code.executableCode, ...result }
const of = (part: object, items: AnswerCase['items'], ...losses: readonly string[]): AnswerCase => ({
  stream: [chunk([part], gemini.stop)],
  items,
  losses,
})

gemini.answers('a part of gemini-generate', 'is applied whole with ', {
  'text and a call': of({ text: 'Wait.', ...GET, thoughtSignature: 'c2ln' }, ['Wait.', 'sealed reasoning', CALLED]),
  'an empty text and a call': of({ text: '', ...GET }, [CALLED]),
  'a text that is null and a call': of({ text: null, ...GET }, [CALLED]),
  'text and an image': of({ text: 'Here.', ...IMAGE }, ['Here.', IMAGES]),
  'an empty text and an image': of({ text: '', ...IMAGE }, [IMAGES]),
  'an image and a call': of({ ...IMAGE, ...GET }, [IMAGES, CALLED]),
  'reasoning and a call': of({ text: 'Hm.', thought: true, ...GET }, ['reasoning: Hm.', CALLED]),
  'text, code and its result': of({ text: 'So.', ...ran }, ['So.', 'code_interpreter_call']),
  'text and a file': of({ text: 'See.', fileData: { fileUri: 'gs://x' } }, ['See.'], 'part fileData'),
})
