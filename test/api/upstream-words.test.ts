import { describe, expect, it } from 'vitest'
import { collectResponse, createTranslator, type Outcome, translateBody, type WireName } from '../../src/index.ts'
import type { JsonObject } from '../../src/protocol/json.ts'

const sse = (...frames: readonly object[]): Response =>
  new Response(frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(''), {
    headers: { 'content-type': 'text/event-stream', 'x-ratelimit-remaining-requests': '7', 'set-cookie': 'a=b' },
  })

const MESSAGE = { id: 'msg_up', type: 'message', role: 'assistant', model: 'claude-x', content: [] }
const USAGE = { input_tokens: 2, output_tokens: 3 }

/** An answer of each wire, whole, with the id, the model and the word for its end. */
const ANSWERS: readonly (readonly [wire: WireName, body: JsonObject, words: object])[] = [
  [
    'openai-chat',
    {
      id: 'chatcmpl-up',
      model: 'gpt-x',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'length' }],
    },
    { id: 'chatcmpl-up', model: 'gpt-x', finishReason: 'length' },
  ],
  [
    'openai-responses',
    {
      id: 'resp_up',
      object: 'response',
      model: 'gpt-x',
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [
        {
          type: 'message',
          id: 'm',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
        },
      ],
    },
    { id: 'resp_up', model: 'gpt-x', finishReason: 'max_output_tokens' },
  ],
  [
    'anthropic-messages',
    { ...MESSAGE, content: [{ type: 'text', text: 'Hi' }], stop_reason: 'stop_sequence', usage: USAGE },
    { id: 'msg_up', model: 'claude-x', finishReason: 'stop_sequence' },
  ],
  [
    'gemini-generate',
    {
      responseId: 'gem_up',
      modelVersion: 'gemini-x',
      candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'MAX_TOKENS' }],
    },
    { id: 'gem_up', model: 'gemini-x', finishReason: 'MAX_TOKENS' },
  ],
  [
    'gemini-interactions',
    {
      id: 'v1_up',
      object: 'interaction',
      model: 'gemini-x',
      status: 'completed',
      steps: [{ type: 'model_output', content: [{ type: 'text', text: 'Hi' }] }],
    },
    { id: 'v1_up', model: 'gemini-x', finishReason: 'completed' },
  ],
  [
    'bedrock-converse',
    { output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } }, stopReason: 'max_tokens' },
    { id: null, finishReason: 'max_tokens' },
  ],
  [
    'cohere-chat',
    {
      id: 'c_up',
      message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
      finish_reason: 'MAX_TOKENS',
    },
    { id: 'c_up', finishReason: 'MAX_TOKENS' },
  ],
  [
    'ollama-chat',
    { model: 'llama-x', message: { role: 'assistant', content: 'Hi' }, done: true, done_reason: 'length' },
    { id: null, model: 'llama-x', finishReason: 'length' },
  ],
]

describe('the words of an upstream', () => {
  it.each(ANSWERS)('are in the outcome: %s', (from, body, words) => {
    expect(translateBody(body, { from }).outcome.upstream).toMatchObject(words)
  })

  it('include status and headers of a response, without cookies, and the text of a failure without the key', async () => {
    const outcomes: Outcome[] = []
    const upstream = { vendor: 'groq', model: 'm', apiKey: 'gsk-secret-key' }
    const translator = createTranslator({ upstream, onOutcome: (outcome) => void outcomes.push(outcome) })
    const call = translator.encodeRequest({ model: 'm', input: 'Hi' })
    if (!call.ok) expect.unreachable(call.error.message)
    await translator.toResponse(sse({ choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] }), call)
    const limited = new Response('{"error":{"message":"Slow down, gsk-secret-key."}}', { status: 429 })
    await translator.toResponse(limited, call)
    expect(outcomes.map(({ upstream }) => upstream)).toMatchObject([
      { status: 200, headers: { 'x-ratelimit-remaining-requests': '7' }, text: null, finishReason: 'stop' },
      { status: 429, text: '{"error":{"message":"Slow down, [secret]."}}' },
    ])
    expect(outcomes[0]?.upstream.headers).not.toHaveProperty('set-cookie')
  })
})

describe('a word of failure', () => {
  it.each([
    [
      'anthropic-messages',
      { ...MESSAGE, content: [{ type: 'text', text: 'Par' }], stop_reason: 'error', usage: USAGE },
    ],
    [
      'anthropic-messages',
      { ...MESSAGE, content: [{ type: 'text', text: 'Par' }], stop_reason: 'abort', usage: USAGE },
    ],
    [
      'bedrock-converse',
      { output: { message: { role: 'assistant', content: [{ text: 'Par' }] } }, stopReason: 'error' },
    ],
    ['ollama-chat', { model: 'm', message: { role: 'assistant', content: 'Par' }, done: true, done_reason: 'error' }],
  ] as const)('fails a whole answer of %s', (from, body) => {
    const { status, ending, upstream, usage } = translateBody(body, { from }).outcome
    expect({ status, ending, word: upstream.finishReason }).toMatchObject({ status: 'failed', ending: 'failed' })
    if (from === 'anthropic-messages') expect(usage).toMatchObject(USAGE)
  })

  it('fails a stream of Messages, for every client', async () => {
    const failing = () =>
      sse(
        { type: 'message_start', message: MESSAGE },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Par' } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'error' }, usage: { output_tokens: 3 } },
        { type: 'message_stop' },
      )
    for (const to of ['openai', 'openai-chat', 'anthropic-messages'] as const) {
      const answer = collectResponse(failing(), { from: 'anthropic-messages', to })
      await answer
      expect((await answer.outcome).status, to).toBe('failed')
    }
  })
})

it('reads the reasoning blocks of Kimi’s Messages endpoint', async () => {
  const answer = sse(
    { type: 'message_start', message: MESSAGE },
    { type: 'content_block_start', index: 0, content_block: { type: 'reasoning', reasoning: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'reasoning_delta', reasoning: 'Hm.' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: 'Hi' } },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } },
    { type: 'message_stop' },
  )
  const read = collectResponse(answer, { from: 'anthropic-messages' })
  expect((await read).output).toMatchObject([
    { type: 'reasoning', summary: [{ text: 'Hm.' }] },
    { type: 'message', content: [{ text: 'Hi' }] },
  ])
  expect((await read.outcome).losses).toEqual([])
})
