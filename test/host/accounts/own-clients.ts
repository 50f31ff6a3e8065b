import type { WireName } from '../../../src/wires/contract.ts'
import { eventsOf, type Loose } from '../test-server.ts'

/** A client of a protocol that keeps a conversation in the form in which the protocol's own programs send it back. */
export interface OwnClient {
  readonly path: (model: string) => string
  /** The body of a request with this history. */
  readonly body: (model: string, history: readonly Loose[]) => object
  readonly question: (text: string) => Loose
  /** What the history gains by a streamed answer with a call, and by the result of the call. */
  readonly answered: (stream: string) => readonly Loose[]
}

const RESULT = 'Snow.'
const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } } }

/** The blocks of a message, of which pieces of text arrive one by one. */
function messagesAnswer(stream: string): readonly Loose[] {
  const blocks: Loose[] = []
  for (const { type, index, content_block: block, delta } of eventsOf(stream)) {
    if (type === 'content_block_start') blocks[index] = { ...block, json: '' }
    const open = blocks[index]
    if (type !== 'content_block_delta') continue
    if (delta.type === 'text_delta') open.text += delta.text
    if (delta.type === 'thinking_delta') open.thinking += delta.thinking
    if (delta.type === 'signature_delta') open.signature = delta.signature
    if (delta.type === 'input_json_delta') open.json += delta.partial_json
  }
  const content = blocks.map(({ json, ...block }) =>
    block.type === 'tool_use' ? { ...block, input: JSON.parse(json === '' ? '{}' : json) } : block,
  )
  const results = content
    .filter(({ type }) => type === 'tool_use')
    .map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: RESULT }))
  return [
    { role: 'assistant', content },
    { role: 'user', content: results },
  ]
}

function chatAnswer(stream: string): readonly Loose[] {
  const message: Loose = { role: 'assistant', content: '' }
  const details: Loose[] = []
  const calls: Loose[] = []
  for (const event of eventsOf(stream)) {
    const delta = event.choices?.[0]?.delta ?? {}
    message.content += delta.content ?? ''
    for (const { index, ...detail } of delta.reasoning_details ?? []) {
      const known = details[index]
      details[index] =
        known === undefined
          ? { index, ...detail }
          : { ...known, ...detail, text: (known.text ?? '') + (detail.text ?? '') }
    }
    for (const call of delta.tool_calls ?? []) {
      calls[call.index] ??= { id: '', type: 'function', function: { name: '', arguments: '' } }
      const known = calls[call.index]
      known.id ||= call.id ?? ''
      known.function.name ||= call.function?.name ?? ''
      known.function.arguments += call.function?.arguments ?? ''
    }
  }
  return [
    { ...message, reasoning_details: details.filter(Boolean), tool_calls: calls },
    ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: RESULT })),
  ]
}

function geminiAnswer(stream: string): readonly Loose[] {
  const parts = eventsOf(stream).flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? [])
  const kept = parts.filter((part) => part.text !== '' || part.thoughtSignature !== undefined)
  const responses = parts.flatMap(({ functionCall: call }) =>
    call === undefined ? [] : [{ functionResponse: { id: call.id, name: call.name, response: { result: RESULT } } }],
  )
  return [
    { role: 'model', parts: kept },
    { role: 'user', parts: responses },
  ]
}

function interactionAnswer(stream: string): readonly Loose[] {
  const steps: Loose[] = []
  for (const event of eventsOf(stream)) {
    if (event.event_type === 'step.start') steps[event.index] = { ...event.step, json: '' }
    const open = steps[event.index]
    const { delta } = event
    if (event.event_type !== 'step.delta') continue
    if (delta.type === 'text') open.content = [{ type: 'text', text: (open.content?.[0]?.text ?? '') + delta.text }]
    if (delta.type === 'thought_summary') open.summary = [...(open.summary ?? []), delta.content]
    if (delta.type === 'thought_signature') open.signature = delta.signature
    if (delta.type === 'arguments_delta') open.json += delta.arguments
  }
  const whole = steps.map(({ json, ...step }) => (json === '' ? step : { ...step, arguments: JSON.parse(json) }))
  const results = whole
    .filter(({ type }) => type === 'function_call')
    .map(({ id, name }) => ({ type: 'function_result', call_id: id, name, result: RESULT }))
  return [...whole, ...results]
}

function responsesAnswer(stream: string): readonly Loose[] {
  const output: Loose[] = eventsOf(stream).find(({ type }) => type === 'response.completed')?.response.output ?? []
  const results = output
    .filter(({ type }) => type === 'function_call')
    .map(({ call_id }) => ({ type: 'function_call_output', call_id, output: RESULT }))
  return [...output, ...results]
}

const TOOL = { name: 'get_weather', description: 'Returns the weather.' }

/** The clients of the protocols whose answers have texts that only their issuer can read. */
export const OWN_CLIENTS = {
  'openai-responses': {
    path: () => '/openai/v1/responses',
    question: (text) => ({ role: 'user', content: text }),
    body: (model, input) => ({
      model,
      input,
      stream: true,
      include: ['reasoning.encrypted_content'],
      tools: [{ type: 'function', ...TOOL, parameters: PARAMETERS, strict: false }],
    }),
    answered: responsesAnswer,
  },
  'anthropic-messages': {
    path: () => '/api/v1/messages',
    question: (text) => ({ role: 'user', content: text }),
    body: (model, messages) => ({
      model,
      messages,
      stream: true,
      max_tokens: 4096,
      thinking: { type: 'enabled', budget_tokens: 1024 },
      tools: [{ ...TOOL, input_schema: PARAMETERS }],
    }),
    answered: messagesAnswer,
  },
  'openai-chat': {
    path: () => '/openai/v1/chat/completions',
    question: (text) => ({ role: 'user', content: text }),
    body: (model, messages) => ({
      model,
      messages,
      stream: true,
      tools: [{ type: 'function', function: { ...TOOL, parameters: PARAMETERS } }],
    }),
    answered: chatAnswer,
  },
  'gemini-generate': {
    path: (model) => `/api/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    question: (text) => ({ role: 'user', parts: [{ text }] }),
    body: (_, contents) => ({ contents, tools: [{ functionDeclarations: [{ ...TOOL, parameters: PARAMETERS }] }] }),
    answered: geminiAnswer,
  },
  'gemini-interactions': {
    path: () => '/api/v1/interactions',
    question: (text) => ({ type: 'user_input', content: [{ type: 'text', text }] }),
    body: (model, input) => ({
      model,
      input,
      stream: true,
      tools: [{ type: 'function', ...TOOL, parameters: PARAMETERS }],
    }),
    answered: interactionAnswer,
  },
} as const satisfies Partial<Record<WireName, OwnClient>>

export type OwnProtocol = keyof typeof OWN_CLIENTS
