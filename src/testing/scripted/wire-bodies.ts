import type { WireName } from '../../wires/contract.ts'
import { encodeNativeBody, encodeNativeStream } from './native-responses.ts'
import {
  type AnsweredRequest,
  chatAnnotations,
  encode,
  finishOf,
  messagesCitation,
  SCRIPTED_ENDS,
  type ScriptedCall,
  type ScriptedTurn,
  scriptedGrounding,
  type WireUpstream,
} from './wire-upstream.ts'

/** The turns of `wires.ts` as answers that are not streamed. */

type EncodeTurnBody = (turn: ScriptedTurn, request: AnsweredRequest) => object

const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 }
const functionOf = ({ id, name, args }: ScriptedCall, asText = true) => ({
  id,
  type: 'function',
  function: { name, arguments: asText ? JSON.stringify(args) : args },
})
const optional = <T>(value: T | undefined): readonly T[] => (value === undefined ? [] : [value])
const joined = ({ text }: ScriptedTurn): readonly string[] => (text.length === 0 ? [] : [text.join('')])

const chat: EncodeTurnBody = (turn) => ({
  id: 'gen-1',
  object: 'chat.completion',
  created: 1_800_000_000,
  model: 'chat-1',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: turn.finish === 'refusal' ? null : (joined(turn)[0] ?? null),
        ...(turn.finish === 'refusal' ? { refusal: joined(turn)[0] ?? null } : {}),
        ...(turn.citation === undefined ? {} : { annotations: chatAnnotations(turn) }),
        ...(turn.reasoning === undefined ? {} : { reasoning: turn.reasoning.text }),
        ...(turn.calls.length === 0 ? {} : { tool_calls: turn.calls.map((call) => functionOf(call)) }),
      },
      finish_reason: SCRIPTED_ENDS['openai-chat'][finishOf(turn)],
    },
  ],
  usage: USAGE,
})

const anthropic: EncodeTurnBody = (turn) => ({
  id: 'msg_up',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: [
    ...optional(turn.reasoning).map(({ text, seal }) => ({ type: 'thinking', thinking: text, signature: seal })),
    ...joined(turn).map((text) => ({
      type: 'text',
      text,
      ...(turn.citation === undefined ? {} : { citations: [messagesCitation(turn.citation)] }),
    })),
    ...turn.calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
  ],
  stop_reason: SCRIPTED_ENDS['anthropic-messages'][finishOf(turn)],
  stop_sequence: null,
  usage: { input_tokens: 11, output_tokens: 7 },
})

const gemini: EncodeTurnBody = (turn) => ({
  candidates: [
    {
      index: 0,
      content: {
        role: 'model',
        parts: [
          ...optional(turn.reasoning).map(({ text }) => ({ text, thought: true })),
          ...joined(turn).map((text) => ({ text })),
          ...turn.calls.map(({ id, name, args }) => ({ functionCall: { id, name, args } })),
        ],
      },
      finishReason: SCRIPTED_ENDS['gemini-generate'][finishOf(turn)],
      ...scriptedGrounding(turn),
    },
  ],
  modelVersion: 'gemini-3-pro',
  responseId: 'resp_up',
  usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 },
})

const interactions: EncodeTurnBody = (turn) => ({
  id: 'v1_up',
  object: 'interaction',
  status: SCRIPTED_ENDS['gemini-interactions'][finishOf(turn)],
  model: 'gemini-3-pro',
  steps: [
    ...optional(turn.reasoning).map(({ text, seal }) => ({
      type: 'thought',
      summary: [{ type: 'text', text }],
      signature: seal,
    })),
    ...joined(turn).map((text) => ({ type: 'model_output', content: [{ type: 'text', text }] })),
    ...turn.calls.map(({ id, name, args }) => ({ type: 'function_call', id, name, arguments: args })),
  ],
  usage: { total_input_tokens: 11, total_output_tokens: 7, total_tokens: 18 },
})

const bedrock: EncodeTurnBody = (turn) => ({
  output: {
    message: {
      role: 'assistant',
      content: [
        ...optional(turn.reasoning).map(({ text, seal }) => ({
          reasoningContent: { reasoningText: { text, signature: seal } },
        })),
        ...joined(turn).map((text) => ({ text })),
        ...turn.calls.map(({ id, name, args }) => ({ toolUse: { toolUseId: id, name, input: args } })),
      ],
    },
  },
  stopReason: SCRIPTED_ENDS['bedrock-converse'][finishOf(turn)],
  usage: { inputTokens: 11, outputTokens: 7, totalTokens: 18 },
  metrics: { latencyMs: 5 },
})

const cohere: EncodeTurnBody = (turn) => ({
  id: 'a-1',
  message: {
    role: 'assistant',
    content: [
      ...optional(turn.reasoning).map(({ text }) => ({ type: 'thinking', thinking: text })),
      ...joined(turn).map((text) => ({ type: 'text', text })),
    ],
    tool_calls: turn.calls.map((call) => functionOf(call)),
  },
  finish_reason: SCRIPTED_ENDS['cohere-chat'][finishOf(turn)],
  usage: { tokens: { input_tokens: 11, output_tokens: 7 } },
})

const ollama: EncodeTurnBody = (turn) => ({
  model: 'gpt-oss:20b',
  created_at: '2026-01-01T00:00:00Z',
  message: {
    role: 'assistant',
    content: turn.text.join(''),
    ...(turn.reasoning === undefined ? {} : { thinking: turn.reasoning.text }),
    tool_calls: turn.calls.map((call) => functionOf(call, false)),
  },
  done: true,
  done_reason: SCRIPTED_ENDS['ollama-chat'][finishOf(turn)],
  prompt_eval_count: 11,
  eval_count: 7,
})

export const SCRIPTED_BODIES: Readonly<Partial<Record<WireName, EncodeTurnBody>>> = {
  'openai-chat': chat,
  'openai-responses': encodeNativeBody,
  'anthropic-messages': anthropic,
  'gemini-generate': gemini,
  'gemini-interactions': interactions,
  'bedrock-converse': bedrock,
  'cohere-chat': cohere,
  'ollama-chat': ollama,
}

/** Clients of the Responses API receive the stream of such an upstream as it is, so that it has to be complete. */
const encodeStream = (upstream: WireUpstream, turn: ScriptedTurn, request: AnsweredRequest): Uint8Array =>
  upstream.wire === 'openai-responses' ? encodeNativeStream(turn, request) : upstream.encodeTurn(turn)

/** Gemini and Bedrock have the form of the answer in the path, the others in the body. */
const wantsStream = ({ url, body }: AnsweredRequest): boolean => url.includes('stream') || body.stream === true

/** The answer to a request, in the form that it has. */
export function encodeTurnAnswer(
  upstream: WireUpstream,
  turn: ScriptedTurn,
  request: AnsweredRequest,
  bodies: Readonly<Partial<Record<WireName, EncodeTurnBody>>> = SCRIPTED_BODIES,
): { readonly type: string; readonly bytes: Uint8Array } {
  if (wantsStream(request)) return { type: upstream.contentType, bytes: encodeStream(upstream, turn, request) }
  const body = bodies[upstream.wire]?.(turn, request) ?? {}
  return { type: 'application/json', bytes: encode(JSON.stringify(body)) }
}
