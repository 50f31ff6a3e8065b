import { describe, expect, it } from 'vitest'
import { EMPTY_ECHO, toEcho } from '../../src/responses/echo.ts'
import { requestOf } from '../request-bodies.ts'

describe('the echo of request fields', () => {
  it('contains the defaults of an empty request', () => {
    expect(toEcho(requestOf())).toEqual({
      instructions: null,
      max_output_tokens: null,
      max_tool_calls: null,
      tools: [],
      tool_choice: 'auto',
      parallel_tool_calls: true,
      temperature: 1,
      top_p: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      top_logprobs: 0,
      text: { format: { type: 'text' } },
      reasoning: null,
      truncation: 'disabled',
      service_tier: 'default',
      metadata: {},
      user: null,
      safety_identifier: null,
      prompt_cache_key: null,
    })
  })

  it('equals the constant empty echo for an empty request', () => {
    expect(EMPTY_ECHO).toEqual(toEcho(requestOf()))
  })

  const asked = {
    instructions: 'Be short',
    max_output_tokens: 9,
    max_tool_calls: 3,
    temperature: 0,
    top_p: 0.5,
    presence_penalty: 1,
    frequency_penalty: -1,
    top_logprobs: 2,
    parallel_tool_calls: false,
    reasoning: { effort: 'minimal', summary: null },
    truncation: 'auto',
    service_tier: 'flex',
    metadata: { a: 'b' },
    user: 'u',
    safety_identifier: 's',
    prompt_cache_key: 'k',
  }
  it('repeats the fields that a request sets', () => {
    expect(toEcho(requestOf(asked))).toMatchObject(asked)
  })

  it('repeats tools as they were given, with every field', () => {
    const tools = [
      { type: 'function', name: 'f', parameters: { type: 'object' } },
      { type: 'custom', name: 'c' },
      { type: 'web_search', filters: { allowed_domains: ['a.com'] } },
    ]
    expect(toEcho(requestOf({ tools })).tools).toEqual([
      { type: 'function', name: 'f', description: null, parameters: { type: 'object' }, strict: null },
      { type: 'custom', name: 'c' },
      { type: 'web_search', filters: { allowed_domains: ['a.com'] } },
    ])
  })

  it.each(['none', { type: 'function', name: 'f' }, { type: 'web_search' }])(
    'repeats the tool choice %j of the request',
    (tool_choice) => {
      const tools = [{ type: 'function', name: 'f' }, { type: 'web_search' }]
      expect(toEcho(requestOf({ tools, tool_choice })).tool_choice).toEqual(tool_choice)
    },
  )

  it('repeats the text format with its defaults, and the verbosity', () => {
    const format = { type: 'json_schema', name: 'n', schema: { type: 'object' } }
    expect(toEcho(requestOf({ text: { format, verbosity: 'low' } })).text).toEqual({
      format: { ...format, description: '', strict: false },
      verbosity: 'low',
    })
  })
})
