import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/protocol/json.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { encodeFrom, protocolOf, routeTo } from './encode-from.ts'

const CALL = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }

/** Conversations in which something that no version of the gateway knows answers the call. */
const CONVERSATIONS: readonly (readonly [string, string, WireName, JsonObject])[] = [
  [
    'an item',
    'openai',
    'openai-responses',
    {
      input: [
        { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' },
        { type: 'newer_output', call_id: 'call_1', output: 'Sun' },
      ],
    },
  ],
  [
    'a message',
    'openai-chat',
    'openai-chat',
    {
      messages: [
        { role: 'assistant', tool_calls: [CALL] },
        { role: 'newer', tool_call_id: 'call_1', content: 'Sun' },
      ],
    },
  ],
  [
    'a block',
    'anthropic',
    'anthropic-messages',
    {
      max_tokens: 64,
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'look', input: {} }] },
        { role: 'user', content: [{ type: 'newer_result', tool_use_id: 'call_1' }] },
      ],
    },
  ],
]

const sentTo = (vendor: string, model: string, wire: WireName, body: JsonObject): JsonObject => {
  const route = routeTo(vendor, model)
  const call = encodeFrom({ model, ...body }, protocolOf(wire, route), route)
  return call.ok ? call.value.body : expect.unreachable(call.error.message)
}

describe('a call that something newer answers', () => {
  it.each(CONVERSATIONS)('keeps %s as its only output, for %s', (_, vendor, wire, body) => {
    expect(sentTo(vendor, 'some-model', wire, body)).toMatchObject(body)
  })
})

describe('a budget that the model does not accept', () => {
  const thinking = { type: 'enabled', budget_tokens: 2048, display: 'omitted', newer_member: 1 }

  it('is an effort, beside the client’s other members', () => {
    const body = { max_tokens: 4096, thinking, messages: [{ role: 'user', content: 'Hi' }] }
    expect(sentTo('anthropic', 'claude-opus-5', 'anthropic-messages', body).thinking).toEqual({
      type: 'adaptive',
      display: 'omitted',
      newer_member: 1,
    })
  })
})

describe('a budget of a request that the hub encodes for an upstream of the same protocol', () => {
  const foreign = 'mr1.eyJ3IjoieCJ9.00'
  const CASES: readonly (readonly [string, string, WireName, JsonObject, JsonObject])[] = [
    [
      'anthropic',
      'claude-sonnet-4-5',
      'anthropic-messages',
      {
        max_tokens: 4000,
        thinking: { type: 'enabled', budget_tokens: 1024 },
        messages: [
          { role: 'user', content: 'Hi' },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'Hm.', signature: foreign },
              { type: 'text', text: 'Hello' },
            ],
          },
          { role: 'user', content: 'more' },
        ],
      },
      { thinking: { type: 'enabled', budget_tokens: 1024 } },
    ],
    [
      'google',
      'gemini-2.5-pro',
      'gemini-generate',
      {
        generationConfig: { thinkingConfig: { thinkingBudget: 1024, includeThoughts: true } },
        contents: [
          { role: 'user', parts: [{ text: 'Hi' }] },
          { role: 'model', parts: [{ text: 'Hello', thoughtSignature: foreign }] },
          { role: 'user', parts: [{ text: 'more' }] },
        ],
      },
      { generationConfig: { thinkingConfig: { thinkingBudget: 1024, includeThoughts: true } } },
    ],
    [
      'openrouter',
      'anthropic/claude-sonnet-4.5',
      'openai-chat',
      {
        reasoning: { max_tokens: 1024 },
        messages: [
          { role: 'user', content: 'Hi' },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
          { role: 'user', content: 'more' },
        ],
      },
      { reasoning: { max_tokens: 1024 } },
    ],
  ]

  it.each(CASES)('is the client’s own: %s', (vendor, model, wire, body, expected) => {
    const route = routeTo(vendor, model)
    const call = encodeFrom({ model, ...body }, protocolOf(wire, route), route)
    if (!call.ok) return expect.unreachable(call.error.message)
    expect(call.value.edits).toBeNull()
    expect(call.value.body).toMatchObject(expected)
    expect(call.value.body.reasoning ?? {}).not.toHaveProperty('effort')
    expect(call.value.losses.map(({ why }) => why)).not.toContainEqual(expect.stringContaining('effort'))
  })

  it('is one of the effort that a rule of the upstream sets', () => {
    const [, , wire, body] = CASES[0] ?? expect.unreachable('no case')
    const { thinking } = sentTo('anthropic', 'claude-opus-5', wire, body)
    expect(thinking).toMatchObject({ type: 'adaptive' })
  })
})
