import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../../../src/dialects/registry.ts'
import { translateWholeBody } from '../../../../src/engine/body-collector.ts'
import { decodeError, upstreamErrorOf } from '../../../../src/wires/openai-responses/errors.ts'
import { openaiResponses } from '../../../../src/wires/openai-responses/index.ts'
import { decodeBody } from '../../../../src/wires/openai-responses/upstream/stream.ts'
import { toUsage } from '../../../../src/wires/openai-responses/upstream/terminal.ts'
import { optionsOf } from '../../../engine/run-engine.ts'
import { answerTo, call, completed, deltasOf, done, ev, type LooseRecord, message, textDelta } from '../streams.ts'

const ends = (type: string, response: LooseRecord): readonly LooseRecord[] => [textDelta('A'), ev(type, { response })]

describe('the end of an openai-responses stream', () => {
  it.each([
    ['completed', {}, 'completed', null],
    ['completed', { status: 'completed' }, 'completed', null],
    // vLLM sends `completed` for every ending.
    [
      'completed',
      { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
      'incomplete',
      'max_output_tokens',
    ],
    // LM Studio, and shortened answers: the event is right, the status is not.
    ['completed', { status: 'in_progress' }, 'completed', null],
    ['completed', { status: 'constructor' }, 'completed', null],
    ['incomplete', { incomplete_details: { reason: 'max_output_tokens' } }, 'incomplete', 'max_output_tokens'],
    ['incomplete', { incomplete_details: { reason: 'content_filter' } }, 'incomplete', 'content_filter'],
    ['incomplete', { incomplete_details: { reason: 'toString' } }, 'incomplete', 'max_output_tokens'],
    ['incomplete', { incomplete_details: null }, 'incomplete', 'max_output_tokens'],
    ['done', { status: 'completed' }, 'completed', null],
    ['done', { status: 'incomplete' }, 'incomplete', 'max_output_tokens'],
    ['failed', { error: { code: 'server_error', message: 'Broken' } }, 'failed', null],
    ['cancelled', { status: 'cancelled' }, 'failed', null],
  ])('is decoded from response.%s with %j to the status %s', (type, response, status, reason) => {
    expect(answerTo(ends(type, response))).toMatchObject({
      status,
      incomplete_details: reason === null ? null : { reason },
    })
  })

  it.each([
    ['nothing', [textDelta('A')]],
    ['a terminator alone', [textDelta('A'), { type: 'x' }]],
    ['queued only', [ev('queued', { response: { status: 'queued' } })]],
  ] as [string, readonly LooseRecord[]][])('is a failure if it never arrives: %s', (_, events) => {
    expect(answerTo(events)).toMatchObject({ status: 'failed', error: { code: 'upstream_truncated' } })
  })

  it('makes the last item incomplete if the answer was cut', () => {
    const cut = { ...message('A'), status: 'incomplete' }
    const search = { type: 'web_search_call', status: 'incomplete' }
    for (const last of [cut, search]) {
      const events = [
        done(0, message('Z')),
        done(1, last),
        ev('incomplete', { response: { output: [message('Z'), last] } }),
      ]
      expect(answerTo(events)).toMatchObject({ output: [{ status: 'completed' }, { status: 'incomplete' }] })
    }
  })

  it('is one failure if both an error and a failed response arrive', () => {
    const error = { type: 'tokens', code: 'rate_limit_exceeded', message: 'Too many', param: null }
    const events = [{ type: 'error', error }, ev('failed', { response: { status: 'failed', error, usage: null } })]
    expect(answerTo(events)).toMatchObject({
      status: 'failed',
      usage: null,
      error: { code: 'rate_limit_exceeded', message: 'Too many' },
    })
    expect(deltasOf(events).filter(({ kind }) => kind === 'usage')).toEqual([])
  })

  it.each([
    ['nested', { type: 'error', error: { code: 'insufficient_quota', message: 'Empty' } }],
    ['flat', { type: 'error', code: 'insufficient_quota', message: 'Empty', param: null, sequence_number: 2 }],
    ['without a type', { error: { code: 'insufficient_quota', message: 'Empty' } }],
    ['as a text', { type: 'error', error: 'Empty' }],
  ] as [string, LooseRecord][])('is a failure if only an error arrives: %s', (_, event) => {
    expect(answerTo([textDelta('A'), event])).toMatchObject({ status: 'failed', error: { message: 'Empty' } })
  })
})

describe('a whole body over openai-responses', () => {
  const responseOf = (body: unknown) =>
    translateWholeBody(optionsOf(DIALECTS.openai, {}, 'x', openaiResponses), JSON.stringify(body)).body

  it('is translated to a response with its model, items and usage', () => {
    const body = {
      model: 'm-1',
      status: 'completed',
      output: [message('A'), call('f', '{}')],
      usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
    }
    expect(responseOf(body)).toMatchObject({
      model: 'm-1',
      status: 'completed',
      usage: { total_tokens: 7 },
      output: [{ type: 'message' }, { name: 'f' }],
    })
  })

  it.each([
    [{ status: 'complete', output: [message('A')] }, 'completed'],
    [{ output: [message('A')] }, 'completed'],
    [{ status: 'incomplete', output: [message('A')], incomplete_details: { reason: 'content_filter' } }, 'incomplete'],
    [{ status: 'failed', error: { message: 'Broken' }, output: [] }, 'failed'],
    // A background response has no output yet.
    [{ status: 'queued', output: [] }, 'failed'],
    [{ status: 'in_progress', output: [message('A')] }, 'failed'],
    [{ error: { message: 'Broken' } }, 'failed'],
    [{ output: [] }, 'failed'],
  ])('is translated from %j to the status %s', (body, status) => {
    expect(responseOf(body)).toMatchObject({ status })
  })

  it('gives no deltas if it is neither an object nor a message', () => {
    for (const body of [null, [], '', 1]) expect(decodeBody(body, {})).toEqual([])
  })
})

describe('errors over openai-responses', () => {
  it.each([
    [
      'openai',
      400,
      '{"error":{"message":"Unknown parameter: x","type":"invalid_request_error","param":"x","code":"unknown_parameter"}}',
      400,
      'invalid_prompt',
      'Unknown parameter: x',
    ],
    [
      'openai',
      429,
      '{"error":{"message":"No money","type":"insufficient_quota","code":"insufficient_quota"}}',
      429,
      'insufficient_quota',
      'No money',
    ],
    [
      'openai',
      400,
      '{"error":{"message":"Not mine","code":"invalid_encrypted_content"}}',
      400,
      'invalid_encrypted_content',
      'Not mine',
    ],
    ['xai', 400, '{"code":"invalid-argument","error":"No such thing"}', 400, 'invalid_prompt', 'No such thing'],
    ['chatgpt', 401, '{"detail":"Sign in again"}', 502, 'upstream_authentication', 'Sign in again'],
    [
      'azure',
      404,
      '{"error":{"code":"DeploymentNotFound","message":"Not there"}}',
      404,
      'model_not_found',
      'Not there',
    ],
  ])('are decoded from %s, HTTP %i: %s', (_, status, body, expected, code, text) => {
    expect(decodeError(status, {}, body)).toMatchObject({ party: 'upstream', status: expected, code, message: text })
  })

  it.each([
    [{ code: 'server_error', message: 'm' }, 502, 'server_error'],
    [{ code: 'invalid_prompt', message: 'm' }, 400, 'invalid_prompt'],
    [{ code: 'image_too_large', message: 'm' }, 400, 'invalid_prompt'],
    [{ code: 'cyber_policy', message: 'm' }, 400, 'cyber_policy'],
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

describe('usage over openai-responses', () => {
  const usage = {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 4, cache_write_tokens: 1 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 15 },
    total_tokens: 30,
    cost: 0.5,
  }

  it.each([
    ['as it is: its totals are inclusive', usage, [10, 20, 30, 4, 15], { cache_write_tokens: 1, cost: 0.5 }],
    ['unknown if it is absent', { input_tokens: 10, output_tokens: 20 }, [10, 20, null, null, null]],
    ['zero is a count', { ...usage, input_tokens_details: { cached_tokens: 0 } }, [10, 20, 30, 0, 15], { cost: 0.5 }],
    [
      'invalid values are unknown',
      { ...usage, input_tokens: '10', output_tokens: -1, input_tokens_details: null, cost: -1 },
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

  it('is emitted with the model of the terminal response', () => {
    const events = [
      ev('created', { response: { model: 'm-1', created_at: 1_700_000_000.5 } }),
      textDelta('A'),
      completed([], { model: 'm-2', usage }),
    ]
    expect(answerTo(events)).toMatchObject({ model: 'm-2', usage: { input_tokens: 10, output_tokens: 20 } })
  })
})
