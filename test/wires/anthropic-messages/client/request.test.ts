import { describe, expect, it } from 'vitest'
import { messagesClient } from '../../../../src/wires/anthropic-messages/client/index.ts'
import { testClientRequests } from '../../request-cases.ts'
import { decode, decoded, FUNCTION } from '../client-bodies.ts'
import { REQUESTS } from './requests.ts'

testClientRequests(REQUESTS)

describe('a request of an Anthropic client', () => {
  it('is decoded to a request of the Responses API', () => {
    expect(
      decode({ stream: true, system: 'Be brief.', temperature: 0.5, top_p: 0.9, stop_sequences: ['END'] }),
    ).toEqual({
      ok: true,
      body: {
        model: 'acme/claude-x',
        instructions: 'Be brief.',
        input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
        stream: true,
        max_output_tokens: 1000,
        temperature: 0.5,
        top_p: 0.9,
      },
      toClientPath: expect.any(Function),
      stop: ['END'],
      settings: {},
      losses: [],
      unsupported: new Set(),
      required: null,
      partPaths: [['messages[0].content']],
    })
  })

  it('keeps the breakpoints of all five places, with the paths of the client', () => {
    const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } }
    const usual = { cache_control: { type: 'ephemeral' } }
    const own = { mode: 'explicit', ttl: '1h' }
    const given = decoded({
      cache_control: { type: 'ephemeral', ttl: '5m' },
      system: [
        { type: 'text', text: 'A', ...hour },
        { type: 'text', text: 'B' },
        { type: 'text', text: 'C', ...usual },
      ],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'A' },
            { type: 'text', text: 'B', ...hour },
          ],
        },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'get_weather', input: {}, ...hour }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'x', ...hour }] },
      ],
      tools: [{ ...FUNCTION, ...hour }],
    })
    expect(given.losses).toEqual([])
    expect(given.instruction_breakpoints).toEqual([
      { mode: 'explicit', ttl: '1h', end: 1 },
      { mode: 'explicit', ttl: null, end: 7 },
    ])
    expect(given.body).toMatchObject({
      prompt_cache_options: { mode: 'implicit', ttl: '5m' },
      instructions: 'A\n\nB\n\nC',
      input: [
        { content: [{ text: 'A' }, { text: 'B', prompt_cache_breakpoint: own }] },
        { type: 'function_call', prompt_cache_breakpoint: own },
        { type: 'function_call_output', prompt_cache_breakpoint: own },
      ],
      tools: [{ prompt_cache_breakpoint: own }],
    })
    const paths = {
      prompt_cache_options: 'cache_control',
      'instruction_breakpoints[1]': 'system[2].cache_control',
      'input[0].content[1].prompt_cache_breakpoint': 'messages[0].content[1].cache_control',
      'input[1].prompt_cache_breakpoint.ttl': 'messages[1].content[0].cache_control.ttl',
      'input[2].prompt_cache_breakpoint': 'messages[2].content[0].cache_control',
      'tools[0].prompt_cache_breakpoint': 'tools[0].cache_control',
    }
    for (const [ours, theirs] of Object.entries(paths)) expect(given.toClientPath(ours)).toBe(theirs)
  })
})

it('an invalid request of an Anthropic client is rejected with thread_not_found if it continues a conversation that is not stored', () => {
  const result = decode({ messages: [], thread: { type: 'continue', previous_message_id: 'msg_1' } })
  expect(result.ok ? null : messagesClient.encodeError(result.error, 'req_1')).toEqual({
    status: 404,
    body: {
      type: 'error',
      error: {
        type: 'not_found_error',
        message: 'thread: this service stores no conversations; send the whole conversation as messages',
        details: { error_code: 'thread_not_found' },
      },
      request_id: 'req_1',
    },
  })
  expect(decoded({ thread: { type: 'create' } }).losses).toEqual(['thread dropped'])
})
it('an invalid request of an Anthropic client is rejected if it names no model', () => {
  const message = 'model: expected a string that is not empty, got nothing'
  const error = { code: 'invalid_prompt', status: 400, party: 'client', param: 'model', message }
  expect(decode({ model: undefined })).toMatchObject({ ok: false, error })
})
