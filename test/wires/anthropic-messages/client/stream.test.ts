import { describe, expect, it } from 'vitest'
import type { Delta } from '../../../../src/protocol/delta.ts'
import { clientError, upstreamError } from '../../../../src/protocol/error.ts'
import { messagesClient as client } from '../../../../src/wires/anthropic-messages/client/index.ts'
import { FINISH, failedWith, finished, refused, START, stopped, summary, usageOf } from '../../deltas.ts'
import {
  clientAnswers as answers,
  args,
  call,
  cite,
  ENCODE_CONTEXT,
  of,
  reasoning,
  seal,
  sealForeign,
  sealOwn,
  stop,
  text,
} from '../client-bodies.ts'

const usage = (fields: object) => usageOf({ input_tokens: 12, output_tokens: 5, total_tokens: 17, ...fields })
const NONE = { input_tokens: 0, cache_creation_input_tokens: null, cache_read_input_tokens: null, output_tokens: 0 }
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm-1',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: NONE,
}
const words = (text: string, more: object = {}) => ({ type: 'text', text, ...more })
const ODD = '"\\\n\u2028😀\ud83d'
const block = (block: object, ...deltas: readonly object[]) => ({ block, deltas })
const textBlock = (...pieces: readonly string[]) =>
  block(words(''), ...pieces.map((piece) => ({ type: 'text_delta', text: piece })))

// biome-ignore format: a row a case
answers('a stream for Anthropic clients', '', {
  'has its events in order, each under its name': {
    ...of(text('Hel'), text('lo'), stop('m'), usage({})),
    frames: [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'lo' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { ...NONE, input_tokens: 12, output_tokens: 5 } },
      { type: 'message_stop' },
    ] },
  'names the requested model if the upstream names none': {
    answer: [text('A'), FINISH], raw: true, model: ['acme/m-1', 'acme/m-1'] },
  'has no block for an empty answer': { ...of(), types: ['message_start', 'message_delta', 'message_stop'], content: [] },
  'keeps special characters and lone surrogates unchanged': {
    ...of(text(ODD)), blocks: [textBlock(ODD)], content: [words(ODD)] },
})

it('a stream for Anthropic clients begins with message_start before any content', () => {
  const machine = client.encodeStream(ENCODE_CONTEXT)
  expect(machine.step(machine.initial, START).events).toHaveLength(1)
})

it('a stream for Anthropic clients has a ping as its keep-alive', () => {
  expect(client.keepAlive).toEqual({ event: 'ping', data: '{"type":"ping"}' })
})

const cached = { cache_creation_input_tokens: null, cache_read_input_tokens: 10, input_tokens: 2, output_tokens: 5 }

// biome-ignore format: a row a case
answers('usage for Anthropic clients', '', {
  'has input tokens without those read from the cache': { ...of(usage({ cached_tokens: 10, reasoning_tokens: 3 })),
    usage: { ...cached, output_tokens_details: { thinking_tokens: 3 } } },
  'has never less than 0 input tokens': { ...of(usage({ cached_tokens: 99 })),
    usage: { ...cached, input_tokens: 0, cache_read_input_tokens: 12 } },
  'keeps unknown input null and counts unknown output as 0': [
    { ...of(usage({ input_tokens: null, output_tokens: null })), usage: { ...NONE, input_tokens: null } },
    { ...of(), usage: { output_tokens: 0 } },
  ],
  'has numbers for input and output in a whole body': [
    { ...of(text('A')), counts: NONE },
    { ...of(text('A'), usage({ cached_tokens: 10 })), counts: cached },
  ],
})

const CALL = [call('c', 'call_1'), args('c', '{}'), stop('c')]
const cut = finished('max_output_tokens')
const ends = (reason: string, answer: readonly Delta[], finish: Delta = FINISH) => ({
  answer: [START, ...answer, finish],
  raw: true,
  stop: [reason, reason],
})
const stop_details = { type: 'refusal', category: null, explanation: 'No.' }

// biome-ignore format: a row a case
answers('the stop reason for Anthropic clients', '', {
  'is end_turn after a text': ends('end_turn', [text('A')]),
  'is tool_use after a call': [ends('tool_use', CALL), ends('tool_use', [...CALL, text('B')])],
  'is max_tokens if the answer was cut': [ends('max_tokens', [text('A')], cut), ends('max_tokens', CALL, cut)],
  'is refusal if the answer was filtered or is a refusal': [
    ends('refusal', [text('A')], finished('content_filter')), ends('refusal', [refused('No.')]),
  ],
  'has the text of a refusal as its explanation, and no block contains the text': {
    ...of(refused('N'), refused('o.')), content: [], end: { stop_reason: 'refusal', stop_sequence: null, stop_details },
    body: expect.objectContaining({ stop_reason: 'refusal', stop_details, content: [] }) },
})

const use = (id: string, input: object, more: object = {}) => ({ type: 'tool_use', id, name: 'f', input, ...more })
const custom = (input: string) => args('c', input, 'custom_tool_call')
const json = (partial_json: string) => ({ type: 'input_json_delta', partial_json })
const citation = {
  type: 'web_search_result_location',
  url: 'https://a.example/1',
  title: 'A',
  cited_text: 'b',
  encrypted_index: '',
}

// biome-ignore format: a row a case
answers('calls for Anthropic clients', '', {
  'begin with an empty fragment and continue as their arguments arrive': {
    ...of(call('c', 'call_1'), args('c', '{"city":'), args('c', '"Bern"}'), stop('c')),
    blocks: [block(use('call_1', {}), json(''), json('{"city":'), json('"Bern"}'))],
    content: [use('call_1', { city: 'Bern' })] },
  'are written one after the other if they arrive side by side': {
    ...of(call('a', 'call_1'), call('b', 'call_2'), args('a', '{"n":'), args('b', '{"n":'), args('b', '2}'), stop('b'),
      args('a', '1}'), stop('a')),
    content: [use('call_1', { n: 1 }), use('call_2', { n: 2 })] },
  'wait for the citations of a message that is still open': {
    ...of(text('A b'), call('c', 'call_1'), cite(2, 3), args('c', '{}'), stop('m'), stop('c')),
    whole: [words('A '), words('b', { citations: [citation] }), use('call_1', {})] },
  'have the text of a custom tool in the argument "input"': {
    ...of(call('c', 'call_1', 'f', 'custom_tool_call'), custom('a "b"\n'), custom('\ud83d'), custom('\ude00'), stop('c')),
    blocks: [block(use('call_1', {}), ...['{"input":"', 'a \\"b\\"\\n', '\\ud83d', '\\ude00', '"}'].map(json))],
    content: [use('call_1', { input: 'a "b"\n😀' })] },
  'are left out of a whole body if they are truncated, and the body ends with max_tokens': {
    ...of(call('c', 'call_1'), args('c', '{"city":"Be'), stop('c')),
    body: expect.objectContaining({ content: [], stop_reason: 'max_tokens' }) },
  'name their toolset in a stream and in a whole message': {
    ...of({ ...call('c', 'call_1'), namespace: 'computer' }, args('c', '{"x":1}'), stop('c')),
    blocks: [block(use('call_1', {}, { toolset_name: 'computer' }), json(''), json('{"x":1}'))],
    content: [use('call_1', { x: 1 }, { toolset_name: 'computer' })] },
})

const OWN = sealOwn({ type: 'thinking', thinking: 'Hm', signature: 'c2ln' })
const ENVELOPE = sealForeign({ id: 'rs_1', encrypted_content: 'x' })
const signed = (thinking: string, signature: string) => ({ type: 'thinking', thinking, signature })
const thought = (deltas: readonly Delta[], ...blocks: readonly object[]) => ({
  ...of(...deltas, stop('r'), text('Yes'), stop('m')),
  content: [...blocks, words('Yes')],
})

// biome-ignore format: a row a case
answers('reasoning for Anthropic clients', 'is written as blocks: ', {
  'have the very signature of their own vendor': thought([reasoning('Hm'), seal(OWN)], signed('Hm', 'c2ln')),
  'have the envelope of any other': thought([reasoning('Hm'), seal(ENVELOPE)], signed('Hm', ENVELOPE)),
  'have the envelope if the signed text differs': thought([reasoning('Hm, hm'), seal(OWN)], signed('Hm, hm', OWN)),
  'have an envelope without text': thought([seal(ENVELOPE)], signed('', ENVELOPE)),
  'have their own signature without text': thought(
    [seal(sealOwn({ type: 'thinking', thinking: '', signature: 'c2ln' }))], signed('', 'c2ln')),
  'are marked as unsigned without a signature': thought([reasoning('Hm')], signed('Hm', 'unsigned')),
  'stay redacted': thought(
    [seal(sealOwn({ type: 'redacted_thinking', data: 'x' }))], { type: 'redacted_thinking', data: 'x' }),
  'of several parts are one block': thought(
    [summary('A', 'r', '0'), summary('B', 'r', '1'), seal(ENVELOPE)], signed('A\n\nB', ENVELOPE)),
  'follow one another': thought([reasoning('A', 'r'), stop('r'), reasoning('B', 's'), stopped('s')],
    signed('A', 'unsigned'), signed('B', 'unsigned')),
})

// biome-ignore format: a row a case
answers('the signature of reasoning for Anthropic clients', '', {
  'is written once, at its end': {
    ...of(reasoning('H'), reasoning('m'), seal(OWN), stop('r')),
    blocks: [block(signed('', ''), { type: 'thinking_delta', thinking: 'H' }, { type: 'thinking_delta', thinking: 'm' },
      { type: 'signature_delta', signature: 'c2ln' })] },
})

const overloaded = upstreamError('server_is_overloaded', 'Busy', 503)
const FAILED = { type: 'error', error: { type: 'overloaded_error', message: 'Busy' } }
const OPENED = ['message_start', 'content_block_start', 'content_block_delta']

// biome-ignore format: a row a case
answers('failures for Anthropic clients', '', {
  'end the stream with an error event and nothing after it': {
    ...of(text('A'), failedWith(overloaded), text('B')), types: [...OPENED, 'error'], last: FAILED },
  'are the only event if they arrive first': { answer: [failedWith(overloaded)], raw: true, frames: [FAILED] },
  'are written if the answer breaks off': { answer: [START, text('A')], raw: true,
    types: [...OPENED, 'error'],
    last: { type: 'error', error: expect.objectContaining({ type: 'api_error' }) } },
})

describe('failures for Anthropic clients', () => {
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
    const body = { type: 'error', error: { type, message: error.message }, request_id: 'req_1' }
    expect(client.encodeError(error, 'req_1')).toEqual({ status, body })
  })

  it.each([
    ['9 > 8 tokens', 'prompt is too long: 9 > 8 tokens'],
    ['Prompt is too long: 9', 'Prompt is too long: 9'],
  ])('begin with the text by which clients recognise a prompt that is too long: %s', (given, message) => {
    const { error } = client.encodeError(clientError('context_length_exceeded', given), 'r').body
    expect(error).toMatchObject({ message })
  })
})
