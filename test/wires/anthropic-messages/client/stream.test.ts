import { describe, expect, it } from 'vitest'
import type { Delta } from '../../../../src/protocol/delta.ts'
import { clientError, upstreamError } from '../../../../src/protocol/error.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { messagesClient } from '../../../../src/wires/anthropic-messages/client/index.ts'
import {
  args,
  blocksOf,
  bodyOf,
  call,
  cite,
  ENCODE_CONTEXT,
  eventsOf,
  FINISH,
  framesOf,
  reasoning,
  seal,
  sealForeign,
  sealOwn,
  stop,
  text,
} from '../client-bodies.ts'

const START: Delta = { kind: 'start', model: 'claude-x-1' }

const usage = (fields: object): Delta => ({
  kind: 'usage',
  usage: {
    input_tokens: 12,
    output_tokens: 5,
    total_tokens: 17,
    cached_tokens: null,
    reasoning_tokens: null,
    ...fields,
  },
})

const finished = (deltas: readonly Delta[], finish: Delta = FINISH) => eventsOf([START, ...deltas, finish])
const blocks = (deltas: readonly Delta[]) => blocksOf(finished(deltas))
const content = (deltas: readonly Delta[]) => bodyOf([START, ...deltas, FINISH]).content as readonly JsonObject[]
const ending = (deltas: readonly Delta[], finish?: Delta): JsonObject =>
  finished(deltas, finish).at(-2) as unknown as JsonObject

describe('a stream for Anthropic clients', () => {
  it('has its events in order, each under its name', () => {
    const frames = framesOf([START, text('Hel'), text('lo'), stop('m'), usage({}), FINISH])
    expect(frames.map(({ event }) => event)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    expect(frames.map(({ data }) => JSON.parse(data))).toEqual([
      {
        type: 'message_start',
        message: {
          id: 'msg_r1',
          type: 'message',
          role: 'assistant',
          model: 'claude-x-1',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: {
            input_tokens: 0,
            cache_creation_input_tokens: null,
            cache_read_input_tokens: null,
            output_tokens: 0,
          },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'lo' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: {
          input_tokens: 12,
          cache_creation_input_tokens: null,
          cache_read_input_tokens: null,
          output_tokens: 5,
        },
      },
      { type: 'message_stop' },
    ])
  })

  it('begins with message_start before any content', () => {
    expect(messagesClient.encodeStream(ENCODE_CONTEXT).step(initial(), START).events).toHaveLength(1)
  })

  it('names the requested model if the upstream names none', () => {
    expect(eventsOf([text('A'), FINISH])[0]).toMatchObject({ message: { model: 'acme/claude-x' } })
  })

  it('has no block for an empty answer', () => {
    expect(finished([]).map(({ type }) => type)).toEqual(['message_start', 'message_delta', 'message_stop'])
  })

  it('has a ping as its keep-alive', () => {
    expect(messagesClient.keepAlive).toEqual({ event: 'ping', data: '{"type":"ping"}' })
  })

  it('keeps special characters and lone surrogates unchanged', () => {
    const odd = '"\\\n\u2028😀\ud83d'
    expect(blocks([text(odd)])).toMatchObject([{ deltas: [{ text: odd }] }])
  })
})

const initial = () => messagesClient.encodeStream(ENCODE_CONTEXT).initial

describe('usage for Anthropic clients', () => {
  it('has input tokens without those read from the cache', () => {
    expect(ending([usage({ cached_tokens: 10, reasoning_tokens: 3 })])).toMatchObject({
      usage: {
        input_tokens: 2,
        cache_read_input_tokens: 10,
        output_tokens: 5,
        output_tokens_details: { thinking_tokens: 3 },
      },
    })
  })

  it('has never less than 0 input tokens', () => {
    expect(ending([usage({ cached_tokens: 99 })])).toMatchObject({ usage: { input_tokens: 0 } })
  })

  it('keeps unknown input null and counts unknown output as 0', () => {
    expect(ending([usage({ input_tokens: null, output_tokens: null })])).toMatchObject({
      usage: { input_tokens: null, output_tokens: 0 },
    })
    expect(ending([])).toMatchObject({ usage: { output_tokens: 0 } })
  })

  it('has numbers for input and output in a whole body', () => {
    expect(bodyOf([START, text('A'), FINISH]).usage).toMatchObject({ input_tokens: 0, output_tokens: 0 })
    expect(bodyOf([START, text('A'), usage({ cached_tokens: 2 }), FINISH]).usage).toEqual({
      input_tokens: 10,
      cache_creation_input_tokens: null,
      cache_read_input_tokens: 2,
      output_tokens: 5,
    })
  })
})

describe('the stop reason for Anthropic clients', () => {
  const CALL = [call('c', 'call_1'), args('c', '{}'), stop('c')]
  it.each<[string, readonly Delta[], Delta]>([
    ['end_turn', [text('A')], FINISH],
    ['tool_use', CALL, FINISH],
    ['tool_use', [...CALL, text('B')], FINISH],
    ['max_tokens', [text('A')], { kind: 'finish', reason: 'max_output_tokens' }],
    ['max_tokens', CALL, { kind: 'finish', reason: 'max_output_tokens' }],
    ['refusal', [text('A')], { kind: 'finish', reason: 'content_filter' }],
    ['refusal', [{ ...text('No.'), kind: 'refusal' } as Delta], FINISH],
  ])('is %s, as content and finish reason require', (stop_reason, deltas, finish) => {
    expect(ending(deltas, finish)).toMatchObject({ delta: { stop_reason, stop_sequence: null } })
  })

  it('has the text of a refusal as its explanation, and no block contains the text', () => {
    const refusal = [text('N'), text('o.')].map((it) => ({ ...it, kind: 'refusal' }) as Delta)
    expect(blocks(refusal)).toEqual([])
    const stop_details = { type: 'refusal', category: null, explanation: 'No.' }
    expect(ending(refusal)).toMatchObject({ delta: { stop_reason: 'refusal', stop_details } })
    expect(bodyOf([...refusal, FINISH])).toMatchObject({ stop_reason: 'refusal', stop_details, content: [] })
  })
})

describe('calls for Anthropic clients', () => {
  it('begin with an empty fragment and continue as their arguments arrive', () => {
    expect(blocks([call('c', 'call_1', 'weather'), args('c', '{"city":'), args('c', '"Bern"}'), stop('c')])).toEqual([
      {
        block: { type: 'tool_use', id: 'call_1', name: 'weather', input: {} },
        deltas: ['', '{"city":', '"Bern"}'].map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      },
    ])
  })

  it('are written one after the other if they arrive side by side', () => {
    const list = [
      call('a', 'call_1'),
      call('b', 'call_2'),
      args('a', '{"n":'),
      args('b', '{"n":'),
      args('b', '2}'),
      stop('b'),
      args('a', '1}'),
      stop('a'),
    ]
    expect(content(list).map(({ id, input }) => [id, input])).toEqual([
      ['call_1', { n: 1 }],
      ['call_2', { n: 2 }],
    ])
    expect(blocks(list)).toHaveLength(2)
  })

  it('wait for the citations of a message that is still open', () => {
    const list = [text('A b'), call('c', 'call_1'), cite(2, 3), args('c', '{}'), stop('m'), stop('c')]
    expect(content(list)).toMatchObject([
      { type: 'text', text: 'A ' },
      { type: 'text', text: 'b', citations: [{ url: 'https://a.example/1' }] },
      { type: 'tool_use' },
    ])
  })

  it('have the text of a custom tool in the argument "input"', () => {
    const list = [
      call('c', 'call_1', 'patch', 'custom_tool_call'),
      args('c', 'a "b"\n', 'custom_tool_call'),
      args('c', '\ud83d', 'custom_tool_call'),
      args('c', '\ude00', 'custom_tool_call'),
      stop('c'),
    ]
    expect(content(list)).toEqual([{ type: 'tool_use', id: 'call_1', name: 'patch', input: { input: 'a "b"\n😀' } }])
    const pieces = framesOf(list).flatMap(({ data }) => JSON.parse(data).delta?.partial_json ?? [])
    expect(JSON.parse(pieces.join(''))).toEqual({ input: 'a "b"\n😀' })
  })

  it('are left out of a whole body if they are truncated, and the body ends with max_tokens', () => {
    const list = [call('c', 'call_1'), args('c', '{"city":"Be'), stop('c'), { kind: 'finish', reason: 'stop' }] as const
    expect(bodyOf(list)).toMatchObject({ content: [], stop_reason: 'max_tokens' })
  })
})

describe('reasoning for Anthropic clients', () => {
  const OWN = sealOwn({ type: 'thinking', thinking: 'Hm', signature: 'c2ln' })
  const ENVELOPE = sealForeign({ id: 'rs_1', encrypted_content: 'x' })
  const signed = (thinking: string, signature: string) => [{ type: 'thinking', thinking, signature }]

  it.each<[string, readonly Delta[], readonly object[]]>([
    ['have the very signature of their own vendor', [reasoning('Hm'), seal(OWN)], signed('Hm', 'c2ln')],
    ['have the envelope of any other', [reasoning('Hm'), seal(ENVELOPE)], signed('Hm', ENVELOPE)],
    ['have the envelope if the signed text differs', [reasoning('Hm, hm'), seal(OWN)], signed('Hm, hm', OWN)],
    ['have an envelope without text', [seal(ENVELOPE)], signed('', ENVELOPE)],
    [
      'have their own signature without text',
      [seal(sealOwn({ type: 'thinking', thinking: '', signature: 'c2ln' }))],
      signed('', 'c2ln'),
    ],
    ['are marked as unsigned without a signature', [reasoning('Hm')], signed('Hm', 'unsigned')],
    [
      'stay redacted',
      [seal(sealOwn({ type: 'redacted_thinking', data: 'x' }))],
      [{ type: 'redacted_thinking', data: 'x' }],
    ],
    [
      'of several parts are one block',
      [reasoning('A', 'r', '0', 'summary'), reasoning('B', 'r', '1', 'summary'), seal(ENVELOPE)],
      signed('A\n\nB', ENVELOPE),
    ],
    [
      'follow one another',
      [reasoning('A', 'r'), stop('r'), reasoning('B', 's'), stop('s')],
      [...signed('A', 'unsigned'), ...signed('B', 'unsigned')],
    ],
  ])('is written as blocks: %s', (_, deltas, expected) => {
    const list = [...deltas, stop('r'), text('Yes'), stop('m')]
    expect(content(list)).toEqual([...expected, { type: 'text', text: 'Yes' }])
    expect(blocks(list)).toHaveLength(expected.length + 1)
  })

  it('is signed once, at its end', () => {
    expect(blocks([reasoning('H'), reasoning('m'), seal(OWN), stop('r')])).toEqual([
      {
        block: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          { type: 'thinking_delta', thinking: 'H' },
          { type: 'thinking_delta', thinking: 'm' },
          { type: 'signature_delta', signature: 'c2ln' },
        ],
      },
    ])
  })
})

describe('failures for Anthropic clients', () => {
  const overloaded = upstreamError('server_is_overloaded', 'Busy', 503)

  it('end the stream with an error event and nothing after it', () => {
    const events = eventsOf([START, text('A'), { kind: 'error', error: overloaded }, text('B'), FINISH])
    expect(events.slice(3)).toEqual([{ type: 'error', error: { type: 'overloaded_error', message: 'Busy' } }])
  })

  it('are the only event if they arrive first', () => {
    expect(framesOf([{ kind: 'error', error: overloaded }])).toEqual([
      { event: 'error', data: '{"type":"error","error":{"type":"overloaded_error","message":"Busy"}}' },
    ])
  })

  it('are written if the answer breaks off', () => {
    expect(eventsOf([START, text('A')]).at(-1)).toMatchObject({ type: 'error', error: { type: 'api_error' } })
  })

  it.each([
    [clientError('invalid_prompt', 'm'), 400, 'invalid_request_error'],
    [clientError('missing_authentication', 'm', null, 401), 401, 'authentication_error'],
    [clientError('wrong_key_kind', 'm', null, 403), 403, 'permission_error'],
    [clientError('model_not_found', 'm', 'model', 404), 404, 'not_found_error'],
    [clientError('request_too_large', 'm', null, 413), 413, 'request_too_large'],
    [clientError('rate_limit_exceeded', 'm', null, 429), 429, 'rate_limit_error'],
    [upstreamError('insufficient_quota', 'm', 429), 402, 'billing_error'],
    [overloaded, 529, 'overloaded_error'],
    [upstreamError('upstream_timeout', 'm', 504), 504, 'timeout_error'],
    [upstreamError('upstream_authentication', 'm', 502), 502, 'api_error'],
    [upstreamError('server_error', 'm', 500), 500, 'api_error'],
  ])('have a status and a type before the first byte: %o', (error, status, type) => {
    expect(messagesClient.encodeError(error, 'req_1')).toEqual({
      status,
      body: { type: 'error', error: { type, message: error.message }, request_id: 'req_1' },
    })
  })

  it('begin with the text by which clients recognise a prompt that is too long', () => {
    const errorFor = (message: string) =>
      messagesClient.encodeError(clientError('context_length_exceeded', message), 'r').body.error
    expect(errorFor('9 > 8 tokens')).toMatchObject({ message: 'prompt is too long: 9 > 8 tokens' })
    expect(errorFor('Prompt is too long: 9')).toMatchObject({ message: 'Prompt is too long: 9' })
  })
})

it('names the toolset of a call in a stream and in a whole message', () => {
  const deltas: readonly Delta[] = [
    START,
    { ...call('c', 'call_1', 'click'), namespace: 'computer' },
    args('c', '{"x":1}'),
    stop('c'),
    FINISH,
  ]
  expect(JSON.stringify(eventsOf(deltas))).toContain('"toolset_name":"computer"')
  expect(bodyOf(deltas).content).toEqual([
    { type: 'tool_use', id: 'call_1', name: 'click', input: { x: 1 }, toolset_name: 'computer' },
  ])
})
