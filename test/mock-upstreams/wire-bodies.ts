import type { WireName } from '../../src/wires/contract.ts'
import { withKits } from '../wires/with-kits.ts'
import { encodeNativeBody, encodeNativeStream } from './native-responses.ts'
import { type Behaviour, nextTurn, type ReceivedRequest } from './server.ts'
import { encode, type ScriptedCall, type ScriptedTurn, type WireUpstream } from './wire-upstream.ts'

/** The turns of `wires.ts` as answers that are not streamed, and a behaviour that answers in the form of the request. */

/** What the form of an answer depends on. */
export type AnsweredRequest = Pick<ReceivedRequest, 'url' | 'body'>

type EncodeBody = (turn: ScriptedTurn, request: AnsweredRequest) => object

const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 }
const functionOf = ({ id, name, args }: ScriptedCall, asText = true) => ({
  id,
  type: 'function',
  function: { name, arguments: asText ? JSON.stringify(args) : args },
})
const optional = <T>(value: T | undefined): readonly T[] => (value === undefined ? [] : [value])
const joined = ({ text }: ScriptedTurn): readonly string[] => (text.length === 0 ? [] : [text.join('')])

const chat: EncodeBody = (turn) => ({
  id: 'gen-1',
  object: 'chat.completion',
  model: 'chat-1',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: joined(turn)[0] ?? null,
        ...(turn.reasoning === undefined ? {} : { reasoning: turn.reasoning.text }),
        ...(turn.calls.length === 0 ? {} : { tool_calls: turn.calls.map((call) => functionOf(call)) }),
      },
      finish_reason: turn.calls.length > 0 ? 'tool_calls' : 'stop',
    },
  ],
  usage: USAGE,
})

const anthropic: EncodeBody = (turn) => ({
  id: 'msg_up',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: [
    ...optional(turn.reasoning).map(({ text, seal }) => ({ type: 'thinking', thinking: text, signature: seal })),
    ...joined(turn).map((text) => ({ type: 'text', text })),
    ...turn.calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
  ],
  stop_reason: turn.calls.length > 0 ? 'tool_use' : 'end_turn',
  usage: { input_tokens: 11, output_tokens: 7 },
})

const gemini: EncodeBody = (turn) => ({
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
      finishReason: 'STOP',
    },
  ],
  modelVersion: 'gemini-3-pro',
  usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 },
})

const bedrock: EncodeBody = (turn) => ({
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
  stopReason: turn.calls.length > 0 ? 'tool_use' : 'end_turn',
  usage: { inputTokens: 11, outputTokens: 7, totalTokens: 18 },
  metrics: { latencyMs: 5 },
})

const cohere: EncodeBody = (turn) => ({
  id: 'a-1',
  message: {
    role: 'assistant',
    content: [
      ...optional(turn.reasoning).map(({ text }) => ({ type: 'thinking', thinking: text })),
      ...joined(turn).map((text) => ({ type: 'text', text })),
    ],
    tool_calls: turn.calls.map((call) => functionOf(call)),
  },
  finish_reason: turn.calls.length > 0 ? 'TOOL_CALL' : 'COMPLETE',
  usage: { tokens: { input_tokens: 11, output_tokens: 7 } },
})

const ollama: EncodeBody = (turn) => ({
  model: 'gpt-oss:20b',
  message: {
    role: 'assistant',
    content: turn.text.join(''),
    ...(turn.reasoning === undefined ? {} : { thinking: turn.reasoning.text }),
    tool_calls: turn.calls.map((call) => functionOf(call, false)),
  },
  done: true,
  done_reason: 'stop',
  prompt_eval_count: 11,
  eval_count: 7,
})

const WIRE_BODIES: Readonly<Record<WireName, EncodeBody>> = withKits(
  {
    'openai-chat': chat,
    'openai-responses': encodeNativeBody,
    'anthropic-messages': anthropic,
    'gemini-generate': gemini,
    'bedrock-converse': bedrock,
    'cohere-chat': cohere,
    'ollama-chat': ollama,
  },
  ({ bodyOf }) => bodyOf,
)

/** Clients of the Responses API receive the stream of such an upstream as it is, so that it has to be complete. */
const encodeStream = (upstream: WireUpstream, turn: ScriptedTurn, request: AnsweredRequest): Uint8Array =>
  upstream.wire === 'openai-responses' ? encodeNativeStream(turn, request) : upstream.encodeTurn(turn)

/** Gemini and Bedrock have the form of the answer in the path, the others in the body. */
const wantsStream = ({ url, body }: AnsweredRequest): boolean => url.includes('stream') || body.stream === true

/** The answer to a request, in the form that it has. */
export function encodeAnswer(
  upstream: WireUpstream,
  turn: ScriptedTurn,
  request: AnsweredRequest,
): { readonly type: string; readonly bytes: Uint8Array } {
  if (wantsStream(request)) return { type: upstream.contentType, bytes: encodeStream(upstream, turn, request) }
  const body = WIRE_BODIES[upstream.wire](turn, request)
  return { type: 'application/json', bytes: encode(JSON.stringify(body)) }
}

/**
 * Answers each request with the turn that `choose` returns, as a stream or as one body as the request has it, in pieces
 * of `size` bytes.
 */
export const scripted =
  (upstream: WireUpstream, choose: (request: ReceivedRequest) => ScriptedTurn, size = 61): Behaviour =>
  async (response, request) => {
    const { type, bytes } = encodeAnswer(upstream, choose(request), request)
    response.writeHead(200, { 'content-type': type })
    for (let at = 0; at < bytes.length; at += size) {
      response.write(bytes.subarray(at, at + size))
      await nextTurn()
    }
    response.end()
  }
