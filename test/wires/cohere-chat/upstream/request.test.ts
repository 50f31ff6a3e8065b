import { describe, expect, it } from 'vitest'
import { authorize } from '../../../../src/wires/cohere-chat/upstream/request.ts'
import { WIRES } from '../../../../src/wires/registry.ts'
import { encodeFitted } from '../../../engine/encode-request.ts'
import { targetOf } from '../../../engine/target.ts'
import { requestOf } from '../../../request-bodies.ts'
import {
  assistant,
  call,
  citationPlaces,
  consistent,
  encode,
  type Fields,
  image,
  output,
  pdf,
  thinkingPart,
  user,
} from '../chats.ts'

describe('fields of a cohere-chat request', () => {
  const cases: [string, Fields, Fields][] = [
    ['no fields', {}, { stream: false }],
    ['a stream', { stream: true }, { stream: true }],
    [
      'sampling',
      { max_output_tokens: 9, temperature: 0, top_p: 0.5, presence_penalty: 1, frequency_penalty: 0 },
      { stream: false, max_tokens: 9, temperature: 0, p: 0.5, presence_penalty: 1, frequency_penalty: 0 },
    ],
    [
      'sampling out of range',
      { top_p: 1, presence_penalty: -1, frequency_penalty: 2 },
      { stream: false, p: 0.99, presence_penalty: 0, frequency_penalty: 1 },
    ],
    [
      'JSON',
      { text: { format: { type: 'json_object' } } },
      { stream: false, response_format: { type: 'json_object' } },
    ],
    [
      'a schema',
      { text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' } } } },
      { stream: false, response_format: { type: 'json_object', json_schema: { type: 'object' } } },
    ],
    ['text', { text: { format: { type: 'text' } } }, { stream: false }],
  ]
  it.each(cases)('are encoded for the upstream: %s', (_, fields, expected) => {
    const { path, body } = encode(fields)
    const { model, messages, ...rest } = body
    expect({ path, model, messages }).toEqual({ path: '/v2/chat', model: 'some-model', messages: [user('Hi')] })
    expect(rest).toEqual(expected)
  })

  const reasons: [string, string, number | undefined, unknown, string[]][] = [
    ['command-a-reasoning-08-2025', 'none', undefined, { type: 'disabled' }, []],
    ['command-a-reasoning-08-2025', 'low', undefined, { type: 'enabled', token_budget: 2048 }, []],
    ['command-a-reasoning-08-2025', 'low', 1000, { type: 'enabled', token_budget: 750 }, []],
    ['command-a-reasoning-08-2025', 'minimal', 1, { type: 'enabled', token_budget: 1 }, []],
    ['command-a-plus-05-2026', 'high', undefined, { type: 'enabled' }, []],
    ['command-a-03-2025', 'high', undefined, undefined, ['reasoning.effort']],
    ['command-r-plus', 'none', undefined, undefined, []],
  ]
  it.each(reasons)('configure %s, effort %s, limit %s', (model, effort, max_output_tokens, thinking, lost) => {
    const { body, losses } = encode({ reasoning: { effort }, max_output_tokens: max_output_tokens ?? null }, model)
    expect(body.thinking).toEqual(thinking)
    expect(losses.map(({ path }) => path)).toEqual(lost)
  })
})

describe('tools of a cohere-chat request', () => {
  const fn = (name: string, more: object = {}) => ({ type: 'function', name, ...more })
  const its = (name: string, more: object = { parameters: { type: 'object', properties: {} } }) => ({
    type: 'function',
    function: { name, ...more },
  })
  const parameters = { type: 'object', properties: { a: {} }, required: ['a'] }
  const cases: [string, Fields, Fields][] = [
    [
      'any',
      { tools: [fn('f', { description: 'd', parameters }), fn('g')], tool_choice: 'auto' },
      { tools: [its('f', { description: 'd', parameters }), its('g')] },
    ],
    ['none', { tools: [fn('f')], tool_choice: 'none' }, { tools: [its('f')], tool_choice: 'NONE' }],
    ['required', { tools: [fn('f')], tool_choice: 'required' }, { tools: [its('f')], tool_choice: 'REQUIRED' }],
    [
      'one function',
      { tools: [fn('f'), fn('g')], tool_choice: fn('g') },
      { tools: [its('g')], tool_choice: 'REQUIRED' },
    ],
    ['no tools, no choice', { tool_choice: 'none' }, {}],
    [
      'strict',
      { tools: [fn('f', { parameters, strict: true })] },
      { tools: [its('f', { parameters })], strict_tools: true },
    ],
    [
      'strict, of the one that is shown',
      { tools: [fn('f', { parameters, strict: true }), fn('g')], tool_choice: fn('f') },
      { tools: [its('f', { parameters })], strict_tools: true, tool_choice: 'REQUIRED' },
    ],
    [
      'strict for some',
      { tools: [fn('f', { parameters, strict: true }), fn('g')] },
      { tools: [its('f', { parameters }), its('g')] },
    ],
    ['strict without required parameters', { tools: [fn('f', { strict: true })] }, { tools: [its('f')] }],
  ]
  it.each(cases)('are encoded with their choice: %s', (_, fields, expected) => {
    const { model, messages, stream, ...rest } = encode(fields).body
    expect(rest).toEqual(expected)
  })

  it.each([
    [{ tools: [{ type: 'web_search' }], tool_choice: 'required' }],
    [{ tools: [fn('f'), { type: 'web_search' }], tool_choice: { type: 'web_search' } }],
    [{ tools: [fn('f'), { type: 'custom', name: 'c' }], tool_choice: { type: 'custom', name: 'c' } }],
  ])('are rejected if the upstream cannot force the choice: %j', (fields) => {
    expect(encodeFitted(WIRES['cohere-chat'], requestOf(fields), targetOf('cohere-chat'))).toMatchObject({
      ok: false,
      error: { party: 'client', status: 400, param: 'tool_choice' },
    })
  })
})

describe('losses of a cohere-chat request', () => {
  const strict = { type: 'function', name: 'f', strict: true }
  const cases: [string, Fields, [string, string][]][] = [
    [
      'nothing',
      { temperature: 1, stream: true, service_tier: 'auto', truncation: 'disabled', parallel_tool_calls: true },
      [],
    ],
    [
      'fields',
      {
        metadata: { a: 'b' },
        max_tool_calls: 1,
        plugins: [{ id: 'web' }],
        user: 'u',
        service_tier: 'flex',
        prompt_cache_key: 'k',
        safety_identifier: 's',
        parallel_tool_calls: false,
        truncation: 'auto',
      },
      [
        'max_tool_calls',
        'metadata',
        'parallel_tool_calls',
        'plugins',
        'prompt_cache_key',
        'safety_identifier',
        'service_tier',
        'truncation',
        'user',
      ].map((name) => [name, 'dropped']),
    ],
    [
      'verbosity, summaries, log probabilities',
      { text: { verbosity: 'low' }, reasoning: { summary: 'auto' }, top_logprobs: 2 },
      [
        ['reasoning.summary', 'dropped'],
        ['top_logprobs', 'dropped'],
        ['text.verbosity', 'dropped'],
      ],
    ],
    [
      'sampling out of range',
      { top_p: 1, presence_penalty: -1 },
      [
        ['top_p', 'mapped'],
        ['presence_penalty', 'mapped'],
      ],
    ],
    [
      'parts',
      { input: [user([pdf, consistent])] },
      [
        ['input[0].content[0]', 'dropped'],
        ['input[0].content[1]', 'dropped'],
      ],
    ],
    ['a part of an output', { input: [call('c'), output('c', [consistent])] }, [['input[1].output[0]', 'dropped']]],
    ['images among the rules', { input: [{ role: 'developer', content: [image] }] }, [['input[0].content', 'dropped']]],
    [
      'tools',
      { tools: [{ type: 'web_search' }, { type: 'custom', name: 'c' }, strict] },
      [
        ['tools[0]', 'dropped'],
        ['tools[1]', 'dropped'],
        ['tools[2].strict', 'dropped'],
      ],
    ],
    [
      'encrypted reasoning',
      { input: [user('A'), thinkingPart('', 'mr1.x'), assistant('B')] },
      [['input[1]', 'dropped']],
    ],
    ['items', { input: [user('A'), { type: 'mcp_call' }] }, [['input[1]', 'dropped']]],
    [
      'free text as input',
      { input: [{ type: 'custom_tool_call', call_id: 'c', name: 'g', input: 'x' }] },
      [['input[0]', 'mapped']],
    ],
    [
      'the name and description of a schema',
      { text: { format: { type: 'json_schema', name: 'n', description: 'd', schema: {} } } },
      [['text.format.description', 'mapped']],
    ],
  ]
  it.each(cases)('are recorded for this content: %s', (_, fields, expected) => {
    expect(citationPlaces(fields)).toEqual(expected)
  })
})

it('sends the key of Cohere as a bearer token', () => {
  expect(authorize('k')).toEqual({ authorization: 'Bearer k' })
})
