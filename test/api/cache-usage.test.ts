import { describe, expect, it } from 'vitest'
import { type StreamOptions, translateBody } from '../../src/index.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { cacheWrites, toLifetimeFields } from '../../src/protocol/usage.ts'
import { addUsage, NO_USAGE } from '../../src/search/loop/turn-history.ts'

/** One answer with 100 tokens of input in each protocol: 20 read, 30 and 10 written for two lifetimes. */
const ANTHROPIC = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  usage: {
    input_tokens: 40,
    cache_read_input_tokens: 20,
    cache_creation_input_tokens: 40,
    cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 10 },
    output_tokens: 5,
  },
}
const BEDROCK = {
  output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } },
  stopReason: 'end_turn',
  usage: {
    inputTokens: 40,
    outputTokens: 5,
    totalTokens: 105,
    cacheReadInputTokens: 20,
    cacheWriteInputTokens: 40,
    cacheDetails: [
      { ttl: '1h', inputTokens: 10 },
      { ttl: '5m', inputTokens: 30 },
    ],
  },
}
const OPENAI = {
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }],
  usage: {
    input_tokens: 100,
    input_tokens_details: {
      cached_tokens: 20,
      cache_write_tokens: 40,
      cache_write_tokens_details: { ttl_30m_tokens: 40, ttl_12h_tokens: 0 },
    },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 105,
  },
}

type Options = StreamOptions

const usageOf = (body: object, from: Options['from'], to: Options['to']) =>
  (translateBody(body as JsonObject, { from, to } as Options).body as JsonObject).usage

describe('tokens that were written to a cache', () => {
  it.each([
    ['anthropic-messages', ANTHROPIC],
    ['bedrock-converse', BEDROCK],
  ] as const)('are reported by lifetime to an Anthropic client, from %s', (from, body) => {
    expect(usageOf(body, from, 'anthropic-messages')).toEqual(ANTHROPIC.usage)
  })

  it('are reported by lifetime to a Responses client, with the lifetimes of OpenAI', () => {
    expect(usageOf(OPENAI, 'openai-responses', 'openai')).toEqual({
      ...OPENAI.usage,
      output_tokens_details: { reasoning_tokens: 0 },
    })
  })

  it.each([
    ['anthropic-messages', ANTHROPIC, 'openai'],
    ['anthropic-messages', ANTHROPIC, 'beta'],
    ['openai-responses', OPENAI, 'beta'],
  ] as const)('are reported as a total where a client has no such lifetimes: %s to %#', (from, body, to) => {
    expect(usageOf(body, from, to)).toMatchObject({
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 20, cache_write_tokens: 40 },
      total_tokens: 105,
    })
    expect(JSON.stringify(usageOf(body, from, to))).not.toContain('cache_write_tokens_details')
  })

  it('are a total for chat clients, and for Anthropic clients of OpenAI', () => {
    expect(usageOf(BEDROCK, 'bedrock-converse', 'openai-chat')).toMatchObject({
      prompt_tokens: 100,
      prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 40 },
    })
    expect(usageOf(OPENAI, 'openai-responses', 'anthropic-messages')).toEqual({
      input_tokens: 40,
      cache_creation_input_tokens: 40,
      cache_read_input_tokens: 20,
      output_tokens: 5,
      output_tokens_details: { thinking_tokens: 0 },
    })
  })

  it('have lifetimes only if these add up to the total', () => {
    expect(cacheWrites(5, { '5m': 3, '1h': 2 })).toEqual({ cache_write_tokens: 5, cache_writes: { '5m': 3, '1h': 2 } })
    expect(cacheWrites(5, { '5m': 3 })).toEqual({ cache_write_tokens: 5 })
    expect(cacheWrites(0, { '5m': 0 })).toEqual({})
    expect(toLifetimeFields(cacheWrites(5, { '30m': 5 }), { '5m': 'a' })).toBeNull()
    expect(toLifetimeFields(cacheWrites(5, { '5m': 5 }), { '5m': 'a', '1h': 'b' })).toEqual({ a: 5, b: 0 })
  })

  it('of two turns are added, with their lifetimes if both report them', () => {
    const one = { ...NO_USAGE, ...cacheWrites(3, { '5m': 3 }) }
    const other = { ...NO_USAGE, ...cacheWrites(4, { '5m': 1, '1h': 3 }) }
    expect(addUsage(one, other)).toMatchObject({ cache_write_tokens: 7, cache_writes: { '5m': 4, '1h': 3 } })
    expect(addUsage(one, { ...NO_USAGE, ...cacheWrites(4) })).not.toHaveProperty('cache_writes')
    expect(addUsage(one, NO_USAGE)).toMatchObject({ cache_writes: { '5m': 3 } })
  })
})
