import { describe, expect, it } from 'vitest'
import type { TargetName } from '../../../src/api/names.ts'
import { streamFromBody, translateBody } from '../../../src/index.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import { exactly } from '../answer-cases.ts'
import { type Cases, listed } from '../request-cases.ts'

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

/** An answer, and what a client of a protocol receives of it. */
interface ServedCase {
  readonly of: readonly [wire: WireName, answer: object]
  readonly to: TargetName
  /** Members of the body. */
  readonly shows?: object
  /** A text that the body does not contain. */
  readonly hides?: string
  /** All losses, or one of them. */
  readonly losses?: readonly string[] | string
}

function check({ of: [from, answer], to, shows = {}, hides, losses }: ServedCase): void {
  const { body, outcome } = translateBody(JSON.stringify(answer), { from, to })
  expect(body).toMatchObject(shows)
  if (hides !== undefined) expect(JSON.stringify(body)).not.toContain(hides)
  if (typeof losses === 'string') expect(outcome.losses).toContain(losses)
  else if (losses !== undefined) expect(outcome.losses).toEqual(losses)
}

const served = (subject: string, cases: Cases<ServedCase>) =>
  describe(subject, () => {
    for (const [name, found] of Object.entries(cases)) it(name, () => listed(found).forEach(check))
  })

const chat = (more: object = {}) => ['openai-chat', { ...CHAT, ...more }] as const
const responses = (more: object = {}) => ['openai-responses', { ...RESPONSES, ...more }] as const
const messages = (more: object = {}) => ['anthropic-messages', { ...MESSAGES, ...more }] as const
const gemini = (more: object = {}) => ['gemini-generate', { ...GEMINI, ...more }] as const
const tier = (of: ServedCase['of'], service_tier: string): ServedCase => ({ of, to: 'openai', shows: { service_tier } })
const usual = { service_tier: 'standard' }
const cost = (of: ServedCase['of'], to: TargetName, price: number): ServedCase => ({
  ...{ of, to },
  shows: { usage: { cost: price } },
})

// biome-ignore format: a row a case
served('the tier that an upstream reports', {
  'reaches a Responses client': [tier(chat(), 'priority'), tier(responses(), 'priority'), tier(messages(), 'priority'),
    tier(gemini(), 'flex'), tier(['bedrock-converse', BEDROCK], 'reserved')],
  'reaches a client of another protocol in its own field': [
    { of: responses(), to: 'openai-chat', shows: { service_tier: 'priority' } },
    { of: responses(), to: 'anthropic-messages', shows: { usage: { service_tier: 'priority' } } },
    { of: responses(), to: 'gemini-generate', shows: { usageMetadata: { serviceTier: 'priority' } } },
  ],
  'is a loss for clients without a field for it': (['beta', 'ollama-chat'] as const).map((to) =>
    ({ of: responses(), to, hides: 'priority', losses: 'service_tier' })),
  'is no loss if it is the usual one': { of: responses({ service_tier: 'default' }), to: 'beta', losses: [] },
  'has the word of the Responses API for the usual tier': [
    tier(messages({ usage: { ...MESSAGES.usage, ...usual } }), 'default'), tier(chat({ service_tier: 'on_demand' }), 'default'),
    tier(gemini({ usageMetadata: { ...GEMINI.usageMetadata, serviceTier: 'standard' } }), 'default'),
  ],
})
// biome-ignore format: a row a case
served('the price that an upstream reports', {
  'reaches clients of chat completions, of Messages and of the Responses API': [
    ...(['openai-chat', 'openai', 'beta', 'anthropic-messages'] as const).map((to) => cost(chat(), to, 0.25)),
    cost(responses(), 'openai-chat', 0.5),
  ],
  'is a loss for other clients': (['gemini-generate', 'ollama-chat'] as const).map((to) =>
    ({ of: chat(), to, hides: 'cost', losses: 'usage.cost' })),
})
const { usage, system_fingerprint, provider } = CHAT
const { audio_tokens: _, ...details } = usage.completion_tokens_details
// biome-ignore format: a row a case
served('members of a chat completion', {
  'reach a client of chat completions': { of: chat(), to: 'openai-chat', losses: [],
    shows: { system_fingerprint, provider, choices: [{ native_finish_reason: 'end_turn' }],
      usage: exactly({ ...usage, completion_tokens_details: details }) } },
  'are losses for another client': { of: chat(), to: 'anthropic-messages',
    losses: ['usage.input_text_tokens', 'usage.input_audio_tokens', 'usage.accepted_prediction_tokens',
      'usage.rejected_prediction_tokens', 'system_fingerprint', 'provider', 'native_finish_reason'] },
})
const stop_details = { type: 'refusal', category: 'cyber', explanation: 'No.' }
const refusing = (details: object) => messages({ content: [], stop_reason: 'refusal', stop_details: details })
const GEO = ['speed', 'inference_geo']
// biome-ignore format: a row a case
served('members of a message of Anthropic', {
  'reach a client of Anthropic': { of: messages(), to: 'anthropic-messages', shows: { usage: MESSAGES.usage }, losses: [] },
  'are losses for another client': [
    { of: messages(), to: 'openai', losses: GEO },
    { of: messages(), to: 'gemini-generate', losses: ['usage.web_search_requests', 'usage.web_fetch_requests', ...GEO] },
  ],
  'have the category of a refusal': [
    { of: refusing(stop_details), to: 'anthropic-messages', shows: { stop_reason: 'refusal', stop_details } },
    { of: refusing(stop_details), to: 'openai', losses: 'refusal_category' },
    { of: refusing({ ...stop_details, explanation: null }), to: 'anthropic-messages',
      shows: { stop_details: { ...stop_details, explanation: null } } },
  ],
})
const { promptTokensDetails } = GEMINI.usageMetadata
// biome-ignore format: a row a case
served('an answer of Gemini that ended too early', {
  'is incomplete, with its token for a client of Gemini': { of: gemini(), to: 'gemini-generate', losses: [],
    shows: { candidates: [{ finishReason: 'CONTINUATION', continuationToken: 'dG9r' }],
      usageMetadata: { promptTokensDetails, serviceTier: 'flex', trafficType: 'ON_DEMAND_FLEX' } } },
  'is incomplete for every other client, and the token a loss': [
    { of: gemini(), to: 'openai', shows: { status: 'incomplete' },
      losses: ['usage.input_text_tokens', 'usage.input_image_tokens', 'traffic_type', 'continuation_token'] },
    { of: gemini(), to: 'openai-chat', shows: { choices: [{ finish_reason: 'length' }],
      usage: { prompt_tokens_details: { text_tokens: 4, image_tokens: 6 } } } },
  ],
  'is a loss for an unknown reason': { of: gemini({ candidates: [{ ...GEMINI.candidates[0], finishReason: 'TOMORROW' }] }),
    to: 'gemini-generate', shows: { candidates: [{ finishReason: 'STOP' }] }, losses: 'finishReason TOMORROW' },
})

describe('the tier in a stream', () => {
  it.each([
    [
      'the first event for an Anthropic client',
      'anthropic-messages',
      'data:',
      { type: 'message_start', message: { usage: { service_tier: 'priority' } } },
    ],
    [
      'the last chunk of a choice for a client of chat completions',
      'openai-chat',
      '"finish_reason":"stop"',
      { choices: [{ native_finish_reason: 'end_turn' }], service_tier: 'priority', system_fingerprint, provider },
    ],
  ] as const)('is in %s', (_, to, mark, members) => {
    const { bytes } = streamFromBody(JSON.stringify(CHAT), { from: 'openai-chat', to })
    const line = new TextDecoder()
      .decode(bytes)
      .split('\n')
      .find((one) => one.includes(mark))
    expect(JSON.parse(line?.slice('data:'.length) ?? '')).toMatchObject(members)
  })
})
