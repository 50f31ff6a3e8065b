import { encodeEventStream } from '../../framing/encode-event-stream.ts'
import type { WireName } from '../../wires/contract.ts'
import { callStep, completed, created, DONE, eventText, textStep, thoughtStep, usageOf } from './interactions-events.ts'
import { chat, responses } from './openai-wires.ts'
import {
  encode,
  finishOf,
  halves,
  messagesCitation,
  named,
  SCRIPTED_ENDS,
  scriptedGrounding,
  sse,
  USAGE,
  type WireUpstream,
} from './wire-upstream.ts'

// ---------------------------------------------------------------- anthropic-messages

const anthropic: WireUpstream = {
  wire: 'anthropic-messages',
  model: 'claude-sonnet-4-5',
  quirks: {},
  contentType: 'text/event-stream; charset=utf-8',
  path: '/messages',
  keyHeader: 'x-api-key',
  encodeTurn: (turn) => {
    const { reasoning, text, calls, citation, usage: { input, output } = USAGE } = turn
    const blocks = [
      ...(reasoning === undefined
        ? []
        : [
            {
              start: { type: 'thinking', thinking: '', signature: '' },
              deltas: [
                { type: 'thinking_delta', thinking: reasoning.text },
                { type: 'signature_delta', signature: reasoning.seal },
              ],
            },
          ]),
      ...(text.length === 0
        ? []
        : [
            {
              start: { type: 'text', text: '' },
              deltas: [
                ...text.map((words) => ({ type: 'text_delta', text: words })),
                ...(citation === undefined ? [] : [{ type: 'citations_delta', citation: messagesCitation(citation) }]),
              ],
            },
          ]),
      ...calls.map((call) => ({
        start: { type: 'tool_use', id: call.id, name: call.name, input: {} },
        deltas: ['', ...halves(call)].map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      })),
    ]
    const message = { id: 'msg_up', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', content: [] }
    return encode(
      named([
        {
          type: 'message_start',
          message: { ...message, stop_reason: null, usage: { input_tokens: input, output_tokens: 1 } },
        },
        ...blocks.flatMap(({ start, deltas }, index) => [
          { type: 'content_block_start', index, content_block: start },
          { type: 'ping' },
          ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
          { type: 'content_block_stop', index },
        ]),
        {
          type: 'message_delta',
          delta: { stop_reason: SCRIPTED_ENDS['anthropic-messages'][finishOf(turn)], stop_sequence: null },
          usage: { output_tokens: output },
        },
        { type: 'message_stop' },
      ]),
    )
  },
}

// ---------------------------------------------------------------- gemini-generate

const gemini: WireUpstream = {
  wire: 'gemini-generate',
  model: 'gemini-3-pro',
  quirks: { keyHeader: 'x-goog-api-key' },
  contentType: 'text/event-stream',
  path: '/models/gemini-3-pro:streamGenerateContent?alt=sse',
  keyHeader: 'x-goog-api-key',
  encodeTurn: (turn) => {
    const { reasoning, text, calls, usage: { input, output } = USAGE } = turn
    const usageMetadata = { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output }
    const chunk = (parts: readonly object[], more: object = {}) => ({
      candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
      modelVersion: 'gemini-3-pro',
      responseId: 'resp_up',
    })
    const called = calls.map(({ id, name, args }, i) =>
      chunk([
        {
          functionCall: { id, name, args },
          ...(i === 0 && reasoning !== undefined ? { thoughtSignature: reasoning.seal } : {}),
        },
      ]),
    )
    const chunks = [
      ...(reasoning === undefined ? [] : [chunk([{ text: reasoning.text, thought: true }])]),
      ...text.map((words) => chunk([{ text: words }])),
      ...called,
      {
        ...chunk([{ text: '' }], {
          finishReason: SCRIPTED_ENDS['gemini-generate'][finishOf(turn)],
          ...scriptedGrounding(turn),
        }),
        usageMetadata,
      },
    ]
    return encode(sse(chunks, '\r\n'))
  },
}

// ---------------------------------------------------------------- bedrock-converse

const CONVERSE_MODEL = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'

const bedrock: WireUpstream = {
  wire: 'bedrock-converse',
  model: CONVERSE_MODEL,
  quirks: {},
  contentType: 'application/vnd.amazon.eventstream',
  path: `/model/${encodeURIComponent(CONVERSE_MODEL)}/converse-stream`,
  keyHeader: 'authorization',
  encodeTurn: (turn) => {
    const { reasoning, text, calls, usage: { input, output } = USAGE } = turn
    const blocks = [
      ...(reasoning === undefined
        ? []
        : [
            {
              start: null,
              deltas: [
                { reasoningContent: { text: reasoning.text } },
                { reasoningContent: { signature: reasoning.seal } },
              ],
            },
          ]),
      ...(text.length === 0 ? [] : [{ start: null, deltas: text.map((words) => ({ text: words })) }]),
      ...calls.map((call) => ({
        start: { toolUse: { toolUseId: call.id, name: call.name } },
        deltas: halves(call).map((input) => ({ toolUse: { input } })),
      })),
    ]
    const frames = [
      ['messageStart', { role: 'assistant' }],
      ...blocks.flatMap(({ start, deltas }, contentBlockIndex) => [
        ...(start === null ? [] : [['contentBlockStart', { contentBlockIndex, start }] as const]),
        ...deltas.map((delta) => ['contentBlockDelta', { contentBlockIndex, delta, p: 'abcdefgh' }] as const),
        ['contentBlockStop', { contentBlockIndex }] as const,
      ]),
      ['messageStop', { stopReason: SCRIPTED_ENDS['bedrock-converse'][finishOf(turn)] }],
      [
        'metadata',
        {
          usage: { inputTokens: input, outputTokens: output, totalTokens: input + output },
          metrics: { latencyMs: 5 },
        },
      ],
    ] as const
    return new Uint8Array(
      Buffer.concat(frames.map(([event, payload]) => encodeEventStream({ event, data: JSON.stringify(payload) }))),
    )
  },
}

// ---------------------------------------------------------------- cohere-chat

const cohere: WireUpstream = {
  wire: 'cohere-chat',
  model: 'command-a-reasoning-08-2025',
  quirks: {},
  contentType: 'text/event-stream',
  path: '/v2/chat',
  keyHeader: 'authorization',
  encodeTurn: (turn) => {
    const { reasoning, text, calls, usage: { input, output } = USAGE } = turn
    const event = (type: string, message: object, index?: number) => ({ type, index, delta: { message } })
    const block = (index: number, type: 'thinking' | 'text', pieces: readonly string[]) => [
      event('content-start', { content: { type, [type]: '' } }, index),
      ...pieces.map((piece) => event('content-delta', { content: { [type]: piece } }, index)),
      { type: 'content-end', index },
    ]
    const usage = { tokens: { input_tokens: input, output_tokens: output } }
    const base = { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] }
    return encode(
      `${named([
        { id: 'a-1', ...event('message-start', base) },
        ...(reasoning === undefined ? [] : block(0, 'thinking', [reasoning.text])),
        ...(text.length === 0 ? [] : block(1, 'text', text)),
        ...calls.flatMap((call, index) => {
          const { id, name } = call
          const starting = { id, type: 'function', function: { name, arguments: '' } }
          return [
            event('tool-call-start', { tool_calls: starting }, index),
            ...halves(call).map((piece) =>
              event('tool-call-delta', { tool_calls: { function: { arguments: piece } } }, index),
            ),
            { type: 'tool-call-end', index },
          ]
        }),
        {
          type: 'message-end',
          delta: { finish_reason: SCRIPTED_ENDS['cohere-chat'][finishOf(turn)], usage },
        },
      ])}data: [DONE]\n\n`,
    )
  },
}

// ---------------------------------------------------------------- ollama-chat

const ollama: WireUpstream = {
  wire: 'ollama-chat',
  model: 'gpt-oss:20b',
  quirks: {},
  contentType: 'application/x-ndjson',
  path: '/api/chat',
  keyHeader: 'authorization',
  encodeTurn: (turn) => {
    const { reasoning, text, calls, usage: { input, output } = USAGE } = turn
    const line = (message: object, more: object = { done: false }) =>
      `${JSON.stringify({ model: 'gpt-oss:20b', created_at: '2026-01-01T00:00:00Z', message: { role: 'assistant', content: '', ...message }, ...more })}\n`
    return encode(
      [
        reasoning === undefined ? '' : line({ thinking: reasoning.text }),
        ...text.map((content) => line({ content })),
        ...calls.map(({ id, name, args }) => line({ tool_calls: [{ id, function: { name, arguments: args } }] })),
        line(
          {},
          {
            done: true,
            done_reason: SCRIPTED_ENDS['ollama-chat'][finishOf(turn)],
            prompt_eval_count: input,
            eval_count: output,
          },
        ),
      ].join(''),
    )
  },
}

export const interactions: WireUpstream = {
  wire: 'gemini-interactions',
  model: 'gemini-3-pro',
  quirks: { keyHeader: 'x-goog-api-key' },
  contentType: 'text/event-stream',
  path: '/interactions',
  keyHeader: 'x-goog-api-key',
  encodeTurn: (turn) => {
    const { reasoning, text, calls, usage: { input, output } = USAGE } = turn
    const steps = [
      ...(reasoning === undefined ? [] : [(at: number) => thoughtStep(at, reasoning.text, reasoning.seal)]),
      ...(text.length === 0 ? [] : [(at: number) => textStep(at, ...text)]),
      ...calls.map((call) => (at: number) => callStep(at, call, ...halves(call))),
    ]
    const status = SCRIPTED_ENDS['gemini-interactions'][finishOf(turn)]
    const events = [
      created(),
      { event_type: 'interaction.status_update', interaction_id: 'v1_up', status: 'in_progress' },
      ...steps.flatMap((step, at) => step(at)),
      completed(status, { usage: usageOf(input, output) }),
    ]
    return encode(eventText(events) + DONE)
  },
}

/** The upstreams that the package has. A wire without a row has no mock. */
export const SCRIPTED_UPSTREAMS: Readonly<Partial<Record<WireName, WireUpstream>>> = {
  'openai-chat': chat,
  'openai-responses': responses,
  'anthropic-messages': anthropic,
  'gemini-generate': gemini,
  'gemini-interactions': interactions,
  'bedrock-converse': bedrock,
  'cohere-chat': cohere,
  'ollama-chat': ollama,
}
