import type { WireName } from '../../src/wires/contract.ts'
import { type MockUpstream, startMockUpstream } from '../mock-upstreams/server.ts'
import type { ScriptedTurn, WireUpstream } from '../mock-upstreams/wire-upstream.ts'
import type { ConversationTexts } from '../wires/kit.ts'
import { withKits } from '../wires/with-kits.ts'
import { startGateway, whenDone } from './test-server.ts'

/** A conversation of two turns with tool calls between them, and the second request in the format of each wire. */

export const REASONING = 'Two cities, two calls.'
export const SEAL = 'c2VhbA=='
export const QUESTION = 'Where is it warmer?'
export const TEXTS = 'I look it up ☂.'
export const [NORTH, SOUTH] = [{ city: 'Tromsø' }, { city: 'São Paulo' }]

export const ASSISTANT_REQUESTS: ScriptedTurn = {
  reasoning: { text: REASONING, seal: SEAL },
  text: ['I look ', 'it up ☂.'],
  calls: [
    { id: 'call_a', name: 'get_weather', args: NORTH },
    { id: 'call_b', name: 'get_weather', args: SOUTH },
  ],
}
export const ASSISTANT_ANSWERS: ScriptedTurn = { text: ['Snow ', '🌨 and ', 'sun.'], calls: [] }

/** The outputs of the tool, in the order of the calls. */
export const OUTPUTS = ['-3 °C', '24 °C'] as const

export const PARAMETERS = { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] }

export interface ConversationOptions {
  readonly upstream: MockUpstream
  readonly url: string
  readonly model: string
}

/**
 * Opens a gateway whose upstream sends these turns, one for each request, in pieces of `size` bytes. `vendor`: more
 * members of its configuration.
 */
export async function startConversation(
  wireUpstream: WireUpstream,
  turns: readonly ScriptedTurn[],
  size = 23,
  vendor: object = {},
): Promise<ConversationOptions> {
  const waiting = [...turns]
  const upstream = await startMockUpstream(async (response) => {
    const bytes = wireUpstream.encodeTurn(waiting.shift() ?? ASSISTANT_ANSWERS)
    response.writeHead(200, { 'content-type': wireUpstream.contentType })
    for (let at = 0; at < bytes.length; at += size) {
      response.write(bytes.subarray(at, at + size))
      await new Promise((resolve) => setImmediate(resolve))
    }
    response.end()
  })
  whenDone(upstream.close)
  const { wire, quirks } = wireUpstream
  const acme = { wire, base_url: upstream.url, key: { env: 'ACME_KEY' }, quirks, ...vendor }
  const { url } = await startGateway({ vendors: { acme } })
  return { upstream, url, model: `acme/${wireUpstream.model}` }
}

// ---------------------------------------------------------------- the second request

const json = (args: object): string => JSON.stringify(args)
const chatCall = (id: string, args: unknown) => ({
  id,
  type: 'function',
  function: { name: 'get_weather', arguments: args },
})
const named = (name: string, fields: object) => ({ [name]: { name: 'get_weather', ...fields } })

/** The texts of the second request, for the kits of wires. */
const CONVERSATION: ConversationTexts = {
  question: QUESTION,
  reasoning: REASONING,
  seal: SEAL,
  texts: TEXTS,
  calls: [
    { id: 'call_a', args: NORTH, output: '-3 °C' },
    { id: 'call_b', args: SOUTH, output: '24 °C' },
  ],
}

/** The conversation in the format of each wire: the field that contains it, and its value. */
export const HISTORY: Readonly<Record<WireName, readonly [field: string, history: readonly unknown[]]>> = withKits(
  {
    'openai-chat': [
      'messages',
      [
        { role: 'user', content: QUESTION },
        {
          role: 'assistant',
          content: TEXTS,
          reasoning_details: [
            { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0, text: REASONING, signature: SEAL },
          ],
          tool_calls: [chatCall('call_a', json(NORTH)), chatCall('call_b', json(SOUTH))],
        },
        { role: 'tool', tool_call_id: 'call_a', content: '-3 °C' },
        { role: 'tool', tool_call_id: 'call_b', content: '24 °C' },
      ],
    ],
    'openai-responses': [
      'input',
      [
        { type: 'message', role: 'user', content: QUESTION },
        {
          type: 'reasoning',
          id: 'rs_up',
          summary: [{ type: 'summary_text', text: REASONING }],
          encrypted_content: SEAL,
        },
        { type: 'message', role: 'assistant', content: TEXTS },
        { type: 'function_call', call_id: 'call_a', name: 'get_weather', arguments: json(NORTH) },
        { type: 'function_call', call_id: 'call_b', name: 'get_weather', arguments: json(SOUTH) },
        { type: 'function_call_output', call_id: 'call_a', output: '-3 °C' },
        { type: 'function_call_output', call_id: 'call_b', output: '24 °C' },
      ],
    ],
    'anthropic-messages': [
      'messages',
      [
        { role: 'user', content: [{ type: 'text', text: QUESTION }] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: REASONING, signature: SEAL },
            { type: 'text', text: TEXTS },
            { type: 'tool_use', id: 'call_a', name: 'get_weather', input: NORTH },
            { type: 'tool_use', id: 'call_b', name: 'get_weather', input: SOUTH },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_a', content: '-3 °C' },
            { type: 'tool_result', tool_use_id: 'call_b', content: '24 °C' },
          ],
        },
      ],
    ],
    'gemini-generate': [
      'contents',
      [
        { role: 'user', parts: [{ text: QUESTION }] },
        {
          role: 'model',
          parts: [
            { text: REASONING, thought: true },
            { text: TEXTS },
            { ...named('functionCall', { id: 'call_a', args: NORTH }), thoughtSignature: SEAL },
            named('functionCall', { id: 'call_b', args: SOUTH }),
          ],
        },
        {
          role: 'user',
          parts: [
            named('functionResponse', { id: 'call_a', response: { output: '-3 °C' } }),
            named('functionResponse', { id: 'call_b', response: { output: '24 °C' } }),
          ],
        },
      ],
    ],
    'bedrock-converse': [
      'messages',
      [
        { role: 'user', content: [{ text: QUESTION }] },
        {
          role: 'assistant',
          content: [
            { reasoningContent: { reasoningText: { text: REASONING, signature: SEAL } } },
            { text: TEXTS },
            named('toolUse', { toolUseId: 'call_a', input: NORTH }),
            named('toolUse', { toolUseId: 'call_b', input: SOUTH }),
          ],
        },
        {
          role: 'user',
          content: [
            { toolResult: { toolUseId: 'call_a', content: [{ text: '-3 °C' }] } },
            { toolResult: { toolUseId: 'call_b', content: [{ text: '24 °C' }] } },
          ],
        },
      ],
    ],
    'cohere-chat': [
      'messages',
      [
        { role: 'user', content: QUESTION },
        {
          role: 'assistant',
          content: [{ type: 'thinking', thinking: REASONING }],
          tool_plan: TEXTS,
          tool_calls: [chatCall('call_a', json(NORTH)), chatCall('call_b', json(SOUTH))],
        },
        { role: 'tool', tool_call_id: 'call_a', content: '-3 °C' },
        { role: 'tool', tool_call_id: 'call_b', content: '24 °C' },
      ],
    ],
    'ollama-chat': [
      'messages',
      [
        { role: 'user', content: QUESTION },
        {
          role: 'assistant',
          content: TEXTS,
          thinking: REASONING,
          tool_calls: [chatCall('call_a', NORTH), chatCall('call_b', SOUTH)],
        },
        { role: 'tool', tool_name: 'get_weather', tool_call_id: 'call_a', content: '-3 °C' },
        { role: 'tool', tool_name: 'get_weather', tool_call_id: 'call_b', content: '24 °C' },
      ],
    ],
  },
  ({ historyOf }) => historyOf(CONVERSATION),
)

/** Wires whose upstreams sign their reasoning. */
export const SEALS: readonly WireName[] = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini-generate',
  'gemini-interactions',
  'bedrock-converse',
]
