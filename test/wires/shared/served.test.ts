import { describe, expect, it } from 'vitest'
import type { TargetName } from '../../../src/api/names.ts'
import { streamFromBody, translateBody } from '../../../src/index.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import type { WireName } from '../../../src/wires/contract.ts'

/** The tier, the price and other counts that an upstream reports: in each client's own fields, or recorded losses. */

const CHAT = {
  model: 'm',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Hi' },
      finish_reason: 'stop',
      native_finish_reason: 'end_turn',
    },
  ],
  usage: {
    prompt_tokens: 10,
    completion_tokens: 5,
    total_tokens: 15,
    prompt_tokens_details: { cached_tokens: 2, audio_tokens: 3, text_tokens: 7 },
    completion_tokens_details: {
      reasoning_tokens: 1,
      accepted_prediction_tokens: 2,
      rejected_prediction_tokens: 1,
      audio_tokens: 0,
    },
    cost: 0.25,
  },
  service_tier: 'priority',
  system_fingerprint: 'fp_1',
  provider: 'Acme',
}

const MESSAGES = {
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  usage: {
    input_tokens: 10,
    output_tokens: 5,
    service_tier: 'priority',
    speed: 'fast',
    inference_geo: 'eu',
    server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
  },
}

const GEMINI = {
  candidates: [
    { content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'CONTINUATION', continuationToken: 'dG9r' },
  ],
  usageMetadata: {
    promptTokenCount: 10,
    candidatesTokenCount: 5,
    totalTokenCount: 15,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: 4 },
      { modality: 'IMAGE', tokenCount: 6 },
    ],
    candidatesTokensDetails: [{ modality: 'TEXT', tokenCount: 5 }],
    serviceTier: 'flex',
    trafficType: 'ON_DEMAND_FLEX',
  },
  modelVersion: 'm',
}

const BEDROCK = {
  output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } },
  stopReason: 'end_turn',
  usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
  serviceTier: { type: 'reserved' },
}

const RESPONSES = {
  object: 'response',
  status: 'completed',
  model: 'm',
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi', annotations: [] }] }],
  service_tier: 'priority',
  usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15, cost: 0.5 },
}

const translated = (from: WireName, answer: object, to: TargetName) => {
  const { body, outcome } = translateBody(JSON.stringify(answer), { from, to })
  return { body, losses: outcome.losses }
}

describe('the tier that an upstream reports', () => {
  it.each<[WireName, object, string]>([
    ['openai-chat', CHAT, 'priority'],
    ['openai-responses', RESPONSES, 'priority'],
    ['anthropic-messages', MESSAGES, 'priority'],
    ['gemini-generate', GEMINI, 'flex'],
    ['bedrock-converse', BEDROCK, 'reserved'],
  ])('reaches a Responses client from %s', (from, answer, service_tier) => {
    expect(translated(from, answer, 'openai').body).toMatchObject({ service_tier })
  })

  it.each<[TargetName, object]>([
    ['openai-chat', { service_tier: 'priority' }],
    ['anthropic-messages', { usage: { service_tier: 'priority' } }],
    ['gemini-generate', { usageMetadata: { serviceTier: 'priority' } }],
  ])('reaches a client of %s in its own field', (to, fields) => {
    expect(translated('openai-responses', RESPONSES, to).body).toMatchObject(fields)
  })

  it.each(['beta', 'ollama-chat'] as const)('is a loss for a client of %s', (to) => {
    const { body, losses } = translated('openai-responses', RESPONSES, to)
    expect(JSON.stringify(body)).not.toContain('priority')
    expect(losses).toContain('service_tier')
  })

  it('is no loss if it is the usual one', () => {
    expect(translated('openai-responses', { ...RESPONSES, service_tier: 'default' }, 'beta').losses).not.toContain(
      'service_tier',
    )
  })

  it.each([
    ['anthropic-messages', { ...MESSAGES, usage: { ...MESSAGES.usage, service_tier: 'standard' } }],
    ['openai-chat', { ...CHAT, service_tier: 'on_demand' }],
    ['gemini-generate', { ...GEMINI, usageMetadata: { ...GEMINI.usageMetadata, serviceTier: 'standard' } }],
  ] as const)('has the word of the Responses API for the usual tier of %s', (from, answer) => {
    expect(translated(from, answer, 'openai').body).toMatchObject({ service_tier: 'default' })
  })

  it('is in the first event of a stream for an Anthropic client', () => {
    const { bytes } = streamFromBody(JSON.stringify(CHAT), { from: 'openai-chat', to: 'anthropic-messages' })
    const first = new TextDecoder()
      .decode(bytes)
      .split('\n')
      .find((line) => line.startsWith('data:'))
    expect(JSON.parse(first?.slice('data:'.length) ?? '')).toMatchObject({
      type: 'message_start',
      message: { usage: { service_tier: 'priority' } },
    })
  })

  it('is in the last chunk of a choice for a client of chat completions', () => {
    const { bytes } = streamFromBody(JSON.stringify(CHAT), { from: 'openai-chat', to: 'openai-chat' })
    const last = new TextDecoder()
      .decode(bytes)
      .split('\n')
      .find((line) => line.includes('"finish_reason":"stop"'))
    expect(JSON.parse(last?.slice('data:'.length) ?? '')).toMatchObject({
      choices: [{ native_finish_reason: 'end_turn' }],
      service_tier: 'priority',
      system_fingerprint: 'fp_1',
      provider: 'Acme',
    })
  })
})

describe('the price that an upstream reports', () => {
  it('reaches clients of chat completions, of Messages and of the Responses API', () => {
    expect(translated('openai-chat', CHAT, 'openai-chat').body).toMatchObject({ usage: { cost: 0.25 } })
    expect(translated('openai-chat', CHAT, 'openai').body).toMatchObject({ usage: { cost: 0.25 } })
    expect(translated('openai-chat', CHAT, 'beta').body).toMatchObject({ usage: { cost: 0.25 } })
    expect(translated('openai-chat', CHAT, 'anthropic-messages').body).toMatchObject({ usage: { cost: 0.25 } })
    expect(translated('openai-responses', RESPONSES, 'openai-chat').body).toMatchObject({ usage: { cost: 0.5 } })
  })

  it.each(['gemini-generate', 'ollama-chat'] as const)('is a loss for a client of %s', (to) => {
    const { body, losses } = translated('openai-chat', CHAT, to)
    expect(JSON.stringify(body)).not.toContain('cost')
    expect(losses).toContain('usage.cost')
  })
})

describe('members of a chat completion', () => {
  it('reach a client of chat completions', () => {
    const { body, losses } = translated('openai-chat', CHAT, 'openai-chat')
    const { system_fingerprint, provider } = CHAT
    expect(body).toMatchObject({ system_fingerprint, provider, choices: [{ native_finish_reason: 'end_turn' }] })
    expect((body as JsonObject).usage).toEqual({
      ...CHAT.usage,
      completion_tokens_details: { reasoning_tokens: 1, accepted_prediction_tokens: 2, rejected_prediction_tokens: 1 },
    })
    expect(losses).toEqual([])
  })

  it('are losses for another client', () => {
    expect(translated('openai-chat', CHAT, 'anthropic-messages').losses).toEqual([
      'usage.input_text_tokens',
      'usage.input_audio_tokens',
      'usage.accepted_prediction_tokens',
      'usage.rejected_prediction_tokens',
      'system_fingerprint',
      'provider',
      'native_finish_reason',
    ])
  })
})

describe('members of a message of Anthropic', () => {
  it('reach a client of Anthropic', () => {
    const { body, losses } = translated('anthropic-messages', MESSAGES, 'anthropic-messages')
    expect(body).toMatchObject({ usage: MESSAGES.usage })
    expect(losses).toEqual([])
  })

  it('are losses for another client', () => {
    expect(translated('anthropic-messages', MESSAGES, 'openai').losses).toEqual(['speed', 'inference_geo'])
    expect(translated('anthropic-messages', MESSAGES, 'gemini-generate').losses).toEqual([
      'usage.web_search_requests',
      'usage.web_fetch_requests',
      'speed',
      'inference_geo',
    ])
  })

  it('have the category of a refusal', () => {
    const stop_details = { type: 'refusal', category: 'cyber', explanation: 'No.' }
    const refused = { ...MESSAGES, content: [], stop_reason: 'refusal', stop_details }
    expect(translated('anthropic-messages', refused, 'anthropic-messages').body).toMatchObject({
      stop_reason: 'refusal',
      stop_details,
    })
    expect(translated('anthropic-messages', refused, 'openai').losses).toContain('refusal_category')
    const bare = { ...refused, stop_details: { ...stop_details, explanation: null } }
    expect(translated('anthropic-messages', bare, 'anthropic-messages').body).toMatchObject({
      stop_details: bare.stop_details,
    })
  })
})

describe('an answer of Gemini that ended too early', () => {
  it('is incomplete, with its token for a client of Gemini', () => {
    const { body, losses } = translated('gemini-generate', GEMINI, 'gemini-generate')
    expect(body).toMatchObject({
      candidates: [{ finishReason: 'CONTINUATION', continuationToken: 'dG9r' }],
      usageMetadata: {
        promptTokensDetails: GEMINI.usageMetadata.promptTokensDetails,
        serviceTier: 'flex',
        trafficType: 'ON_DEMAND_FLEX',
      },
    })
    expect(losses).toEqual([])
  })

  it('is incomplete for every other client, and the token a loss', () => {
    const { body, losses } = translated('gemini-generate', GEMINI, 'openai')
    expect(body).toMatchObject({ status: 'incomplete' })
    expect(losses).toEqual([
      'usage.input_text_tokens',
      'usage.input_image_tokens',
      'traffic_type',
      'continuation_token',
    ])
    expect(translated('gemini-generate', GEMINI, 'openai-chat').body).toMatchObject({
      choices: [{ finish_reason: 'length' }],
      usage: { prompt_tokens_details: { text_tokens: 4, image_tokens: 6 } },
    })
  })

  it('is a loss for an unknown reason', () => {
    const unknown = { ...GEMINI, candidates: [{ ...GEMINI.candidates[0], finishReason: 'TOMORROW' }] }
    const { body, losses } = translated('gemini-generate', unknown, 'gemini-generate')
    expect(body).toMatchObject({ candidates: [{ finishReason: 'STOP' }] })
    expect(losses).toContain('finishReason TOMORROW')
  })
})
