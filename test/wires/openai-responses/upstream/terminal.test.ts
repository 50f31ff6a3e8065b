import { describe, expect, it } from 'vitest'
import { upstreamErrorOf } from '../../../../src/wires/openai-responses/errors.ts'
import { decodeBody } from '../../../../src/wires/openai-responses/upstream/stream.ts'
import { toUsage } from '../../../../src/wires/openai-responses/upstream/terminal.ts'
import type { AnswerCase } from '../../answer-cases.ts'
import { answers, call, completed, done, ev, message, textDelta } from '../answers.ts'

const LIMIT = 'incomplete: max_output_tokens'
const limit = { incomplete_details: { reason: 'max_output_tokens' } }
const filter = { incomplete_details: { reason: 'content_filter' } }
const ends = (end: string, type: string, response: object): AnswerCase => ({
  stream: [textDelta('A'), ev(type, { response })],
  end,
})
const cut = (last: object): AnswerCase => ({
  stream: [
    done(0, message('Z')),
    done(1, last),
    ev('incomplete', { response: { status: 'incomplete', output: [message('Z'), last] } }),
  ],
  items: [{ status: 'completed' }, { status: 'incomplete' }],
  end: LIMIT,
})
const error = { type: 'tokens', code: 'rate_limit_exceeded', message: 'Too many', param: null }
const empty = { code: 'insufficient_quota', message: 'Empty' }

// biome-ignore format: a row a case
answers('the end of an openai-responses stream', '', {
  'has its status from event and response': [
    ends('completed', 'completed', {}), ends('completed', 'completed', { status: 'completed' }),
    ends('completed', 'done', { status: 'completed' }), ends(LIMIT, 'done', { status: 'incomplete' }),
    ends('failed', 'failed', { error: { code: 'server_error', message: 'Broken' } }),
    ends('failed', 'cancelled', { status: 'cancelled' }),
  ],
  'is incomplete if the response of completed says so (vLLM)': ends(LIMIT, 'completed', { status: 'incomplete', ...limit }),
  'is completed if the event is right and the status is not (LM Studio)': [
    ends('completed', 'completed', { status: 'in_progress' }),
    { ...ends('completed', 'completed', { status: 'constructor' }), losses: ['status constructor'] },
  ],
  'has the limit as its reason unless there is another known one': [
    ends(LIMIT, 'incomplete', limit), ends('incomplete: content_filter', 'incomplete', filter),
    { ...ends(LIMIT, 'incomplete', { incomplete_details: { reason: 'toString' } }), losses: ['incomplete_details.reason toString'] },
    ends(LIMIT, 'incomplete', { incomplete_details: null }),
    ...['max_tokens', 'LENGTH'].map((reason) => ({ ...ends(LIMIT, 'incomplete', { incomplete_details: { reason } }), losses: [] })),
    ...['safety', 'refusal'].map((reason) => ({ ...ends('incomplete: content_filter', 'incomplete', { incomplete_details: { reason } }), losses: [] })),
  ],
  'is that of a response in place of its event': ['completed', 'incomplete'].map((status): AnswerCase => ({
    stream: [textDelta('A'), { object: 'response', id: 'r', model: 'm', status, output: [], usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 } }],
    end: status === 'completed' ? status : LIMIT, usage: [1, 2, 3], losses: [] })),
  'is a failure if it never arrives': [
    { stream: [textDelta('A')] }, { stream: [textDelta('A'), { type: 'x' }], losses: ['event x'] },
    { stream: [ev('queued', { response: { status: 'queued' } })] },
  ].map((one) => ({ ...one, end: 'failed', code: 'upstream_truncated' })),
  'makes the last item incomplete if the answer was cut': [
    cut({ ...message('A'), status: 'incomplete' }), cut({ type: 'web_search_call', status: 'incomplete' })],
  'is one failure if both an error and a failed response arrive': {
    stream: [{ type: 'error', error }, ev('failed', { response: { status: 'failed', error, usage: null } })],
    end: 'failed: Too many', code: 'rate_limit_exceeded', usage: null, deltas: ['error', 'error'].map((kind) => expect.objectContaining({ kind })) },
  'is a failure if only an error arrives: nested, flat, without a type, or as a text': [
    { type: 'error', error: empty }, { type: 'error', ...empty, param: null, sequence_number: 2 }, { error: empty },
    { type: 'error', error: 'Empty' },
  ].map((event) => ({ stream: [textDelta('A'), event], end: 'failed: Empty' })),
})

const output = [message('A')]

// biome-ignore format: a row a case
answers('a whole body over openai-responses', '', {
  'is translated to a response with its model, items and usage': {
    body: { model: 'm-1', status: 'completed', output: [message('A'), call('f', '{}')],
      usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 } },
    model: 'm-1', items: ['A', 'call_1 f({})'], usage: [3, 4, 7] },
  'is completed or incomplete as its status and reason require': [
    { body: { status: 'complete', output }, end: 'completed', losses: ['status complete'] }, { body: { output }, end: 'completed' },
    { body: { status: 'incomplete', output, ...filter }, end: 'incomplete: content_filter' },
  ],
  'is a failure if it has an error, no output, or a background response': [
    { status: 'failed', error: { message: 'Broken' }, output: [] }, { status: 'queued', output: [] },
    { status: 'in_progress', output }, { error: { message: 'Broken' } }, { output: [] },
  ].map((body) => ({ body, end: 'failed' })),
})

it('a whole body over openai-responses gives no deltas if it is neither an object nor a message', () => {
  for (const body of [null, [], '', 1]) expect(decodeBody(body, {})).toEqual([])
})

describe('errors over openai-responses', () => {
  it.each([
    [{ code: 'server_error', message: 'm' }, 502, 'server_error'],
    [{ code: 'invalid_prompt', message: 'm' }, 400, 'invalid_prompt'],
    [{ code: 'image_too_large', message: 'm' }, 400, 'invalid_prompt'],
    [{ code: 'cyber_policy', message: 'm' }, 400, 'cyber_policy'],
    [{ code: 'usage_not_included', message: 'm' }, 429, 'usage_not_included'],
    [{ code: 'context_length_exceeded', message: 'm' }, 400, 'context_length_exceeded'],
    [{ code: 'constructor', message: 'm' }, 502, 'server_error'],
    [{ type: 'error', code: 'slow_down', message: 'm' }, 503, 'server_is_overloaded'],
    [
      { type: 'error', error: { type: 'invalid_request_error', code: 'rate_limit_exceeded', message: 'm' } },
      429,
      'rate_limit_exceeded',
    ],
  ])('are decoded inside a stream from %j', (error, status, code) => {
    expect(upstreamErrorOf(error)).toMatchObject({ status, code, message: 'm' })
  })
})

const USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 4, cache_write_tokens: 1 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 15 },
  total_tokens: 30,
  cost: 0.5,
}

describe('usage over openai-responses', () => {
  it.each([
    ['as it is: its totals are inclusive', USAGE, [10, 20, 30, 4, 15], { cache_write_tokens: 1, cost: 0.5 }],
    ['unknown if it is absent', { input_tokens: 10, output_tokens: 20 }, [10, 20, null, null, null]],
    [
      'by the names of chat completions',
      { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7, prompt_tokens_details: { cached_tokens: 4 } },
      [5, 2, 7, 4, null],
    ],
    [
      'a cache of Anthropic with more tokens than the input stands beside it',
      {
        input_tokens: 1,
        output_tokens: 2,
        total_tokens: 3,
        input_tokens_details: { cached_tokens: 4 },
        cache_read_input_tokens: 4,
      },
      [5, 2, 7, 4, null],
    ],
    [
      'nothing is added to an input without a count',
      {
        input_tokens: 0,
        output_tokens: 2,
        total_tokens: 2,
        input_tokens_details: { cached_tokens: 4, cache_write_tokens: 1 },
      },
      [0, 2, 2, 4, null],
      { cache_write_tokens: 1 },
    ],
    [
      'tokens that xAI has before the prompt may be cached as well',
      { input_tokens: 1, output_tokens: 2, total_tokens: 3, input_tokens_details: { cached_tokens: 4 } },
      [1, 2, 3, 4, null],
    ],
    ['zero is a count', { ...USAGE, input_tokens_details: { cached_tokens: 0 } }, [10, 20, 30, 0, 15], { cost: 0.5 }],
    [
      'invalid values are unknown',
      { ...USAGE, input_tokens: '10x', output_tokens: -1, input_tokens_details: null, cost: -1 },
      [null, null, 30, null, 15],
    ],
  ])(
    'has the right counts: %s',
    (_, found, [input_tokens, output_tokens, total_tokens, cached_tokens, reasoning_tokens], more?: object) => {
      const counts = { input_tokens, output_tokens, total_tokens, cached_tokens, reasoning_tokens }
      expect(toUsage(found)).toEqual({ ...counts, ...more })
    },
  )

  it('is null if the upstream sends no object', () => {
    for (const found of [null, undefined, [], 'x']) expect(toUsage(found)).toBeNull()
  })
})

answers('usage over openai-responses', '', {
  'is emitted with the model of the terminal response': {
    stream: [
      ev('created', { response: { model: 'm-1', created_at: 1_700_000_000.5 } }),
      textDelta('A'),
      completed([], { model: 'm-2', usage: USAGE }),
    ],
    ...{ model: 'm-2', usage: [10, 20], losses: [] },
  },
})
