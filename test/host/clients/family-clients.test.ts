import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { createOpenRouter } from '@openrouter/ai-sdk-provider'
import { jsonSchema, stepCountIs, streamText, tool } from 'ai'
import OpenAI from 'openai'
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/protocol/json.ts'
import { isObject } from '../../../src/text/json.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { collectSteps } from '../../wires/gemini-interactions/collect-steps.ts'
import { withoutBreakpoints } from '../../without-breakpoints.ts'
import {
  ASSISTANT_ANSWERS,
  ASSISTANT_REQUESTS,
  type ConversationOptions,
  HISTORY,
  NORTH,
  OUTPUTS,
  PARAMETERS,
  QUESTION,
  REASONING,
  SEALS,
  SOUTH,
  startConversation,
  TEXTS,
} from '../conversation.ts'
import { KEY, type Loose, UPSTREAM_KEY } from '../test-server.ts'

/**
 * The official clients of the client APIs, through the host, with upstreams of every wire: the reasoning, text and
 * calls that they receive, and the upstream's request when they return the outputs of their tools.
 */

/** Everything that a client received in one turn. */
interface Turn {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly (readonly [id: string | undefined, name: string | undefined, args: unknown])[]
  readonly finish: unknown
  /** True if the reasoning came with a value that only its upstream can read. */
  readonly sealed: boolean
  readonly tokens: number | undefined
}

/** Runs two turns of a tool loop with one client. */
type Round = (talking: ConversationOptions) => Promise<readonly Turn[]>

const DESCRIPTION = 'The weather in a city, now.'

// ---------------------------------------------------------------- openai, chat.completions

const chat: Round = async ({ url, model }) => {
  const client = new OpenAI({ apiKey: KEY, baseURL: `${url}/api/v1`, maxRetries: 0 })
  const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: QUESTION }]
  const turns: Turn[] = []
  for (const _ of [1, 2]) {
    const stream = client.chat.completions.stream({
      model,
      messages,
      reasoning_effort: 'low',
      stream_options: { include_usage: true },
      tools: [
        { type: 'function', function: { name: 'get_weather', description: DESCRIPTION, parameters: PARAMETERS } },
      ],
    })
    const answer = { text: '', reasoning: '', details: [] as Loose[] }
    stream.on('content', (piece) => (answer.text += piece))
    // The helper keeps only the last delta of fields outside its types, so reasoning must be collected here.
    stream.on('chunk', ({ choices }) => {
      const delta: Loose = choices[0]?.delta ?? {}
      // The upstream's own name of the field reaches the client where the answer is passed through.
      answer.reasoning += delta.reasoning_content ?? delta.reasoning ?? ''
      answer.details.push(...(delta.reasoning_details ?? []))
    })
    const { choices, usage } = await stream.finalChatCompletion()
    const message: Loose = choices[0]?.message
    if (answer.details.length > 0) message.reasoning_details = answer.details
    expect(message.content ?? '').toBe(answer.text)
    const calls: Loose[] = message.tool_calls ?? []
    turns.push({
      text: answer.text,
      reasoning: answer.reasoning,
      calls: calls.map((call) => [call.id, call.function.name, JSON.parse(call.function.arguments)]),
      finish: choices[0]?.finish_reason,
      sealed: answer.details.some(isSealed),
      tokens: usage?.total_tokens,
    })
    messages.push(message)
    for (const [i, { id }] of calls.entries())
      messages.push({ role: 'tool', tool_call_id: id, content: OUTPUTS[i] ?? '' })
  }
  return turns
}

const isSealed = (detail: unknown): boolean =>
  isObject(detail) && (typeof detail.signature === 'string' || detail.type === 'reasoning.encrypted')

// ---------------------------------------------------------------- @anthropic-ai/sdk

const messages: Round = async ({ url, model }) => {
  const client = new Anthropic({ apiKey: KEY, baseURL: `${url}/api`, maxRetries: 0 })
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: QUESTION }]
  const turns: Turn[] = []
  for (const _ of [1, 2]) {
    const answer = { text: '', reasoning: '', signature: '' }
    const stream = client.messages.stream({
      model,
      max_tokens: 8000,
      messages,
      thinking: { type: 'enabled', budget_tokens: 1024 },
      tools: [{ name: 'get_weather', description: DESCRIPTION, input_schema: PARAMETERS }],
    })
    stream.on('text', (piece) => (answer.text += piece))
    stream.on('thinking', (piece) => (answer.reasoning += piece))
    stream.on('signature', (piece) => (answer.signature += piece))
    const message = await stream.finalMessage()
    const calls = message.content.filter((block) => block.type === 'tool_use')
    const { input_tokens, output_tokens } = message.usage
    turns.push({
      text: answer.text,
      reasoning: answer.reasoning,
      calls: calls.map(({ id, name, input }) => [id, name, input]),
      finish: message.stop_reason,
      sealed: answer.signature !== '' && answer.signature !== 'unsigned',
      tokens: input_tokens + output_tokens,
    })
    messages.push({ role: 'assistant', content: message.content })
    const content = calls.map(({ id }, i) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: OUTPUTS[i] ?? '',
    }))
    messages.push({ role: 'user', content })
  }
  return turns
}

// ---------------------------------------------------------------- @google/genai

const gemini: Round = async ({ url, model }) => {
  const client = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: `${url}/api`, apiVersion: 'v1' } })
  const declaration = { name: 'get_weather', description: DESCRIPTION, parametersJsonSchema: PARAMETERS }
  const config = {
    tools: [{ functionDeclarations: [declaration] }],
    thinkingConfig: { includeThoughts: true, thinkingBudget: 1024 },
  }
  const talk = client.chats.create({ model, config })
  const turns: Turn[] = []
  let message: Loose = QUESTION
  for (const _ of [1, 2]) {
    const parts: Loose[] = []
    let last: Loose
    for await (const chunk of await talk.sendMessageStream({ message })) {
      last = chunk
      parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []))
    }
    const calls = parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall]))
    const textOf = (isReasoning: boolean): string =>
      parts.map((part) => ((part.thought ?? false) === isReasoning ? (part.text ?? '') : '')).join('')
    turns.push({
      text: textOf(false),
      reasoning: textOf(true),
      calls: calls.map(({ id, name, args }) => [id, name, args]),
      finish: last.candidates[0].finishReason,
      sealed: parts.some(({ thoughtSignature }) => thoughtSignature !== undefined),
      tokens: last.usageMetadata.totalTokenCount,
    })
    const outputs = calls.map(({ id, name }, i) => ({
      functionResponse: { id, name, response: { output: OUTPUTS[i] } },
    }))
    message = outputs.length > 0 ? outputs : 'Thank you.'
  }
  return turns
}

// ---------------------------------------------------------------- @google/genai, interactions

const interactions: Round = async ({ url, model }) => {
  const client = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: `${url}/api` } })
  const input: Loose[] = [{ type: 'user_input', content: [{ type: 'text', text: QUESTION }] }]
  const turns: Turn[] = []
  for (const _ of [1, 2]) {
    const stream: Loose = await client.interactions.create({
      model,
      input,
      stream: true,
      store: false,
      tools: [{ type: 'function', name: 'get_weather', description: DESCRIPTION, parameters: PARAMETERS }],
      generation_config: { thinking_level: 'low', thinking_summaries: 'auto' },
    })
    const { steps, end } = await collectSteps(stream)
    const textsOf = (type: string, list: string): string =>
      steps
        .flatMap((step) => (step.type === type ? (step[list] ?? []) : []))
        .map(({ text }: Loose) => text)
        .join('')
    const calls = steps.filter(({ type }) => type === 'function_call')
    turns.push({
      text: textsOf('model_output', 'content'),
      reasoning: textsOf('thought', 'summary'),
      calls: calls.map(({ id, name, arguments: args }) => [id, name, args]),
      finish: end.status,
      sealed: steps.some(({ type, signature }) => type === 'thought' && signature !== undefined),
      tokens: end.usage.total_tokens,
    })
    input.push(...steps)
    for (const [i, { id, name }] of calls.entries())
      input.push({ type: 'function_result', call_id: id, name, result: OUTPUTS[i] })
  }
  return turns
}

// ---------------------------------------------------------------- @openrouter/ai-sdk-provider

const openrouter: Round = async ({ url, model }) => {
  const provider = createOpenRouter({ apiKey: KEY, baseURL: `${url}/api/v1` })
  const outputs = new Map<unknown, string>([
    [NORTH.city, OUTPUTS[0]],
    [SOUTH.city, OUTPUTS[1]],
  ])
  const result = streamText({
    model: provider.chat(model, { usage: { include: true }, reasoning: { effort: 'low' } }),
    prompt: QUESTION,
    maxRetries: 0,
    stopWhen: stepCountIs(3),
    tools: {
      get_weather: tool({
        description: DESCRIPTION,
        inputSchema: jsonSchema<{ city: string }>(PARAMETERS),
        execute: ({ city }) => outputs.get(city) ?? '',
      }),
    },
  })
  const steps = await result.steps
  return steps.map(({ text, reasoningText = '', toolCalls, finishReason, reasoning, usage }) => ({
    text,
    reasoning: reasoningText,
    calls: toolCalls.map(({ toolCallId, toolName, input }) => [toolCallId, toolName, input]),
    finish: finishReason,
    sealed: (JSON.stringify(reasoning).match(/"signature":"|"reasoning\.encrypted"/) ?? []).length > 0,
    tokens: usage.totalTokens,
  }))
}

// ---------------------------------------------------------------- every client with every wire

const isText = (part: Loose): boolean =>
  part !== undefined && Object.keys(part).every((name) => name === 'text' || name === 'thought')

/**
 * The history of a client in the form that the hub gives it. An upstream of the client's own protocol receives it as the
 * client keeps it: texts as strings in Messages, the pieces of a stream in Gemini.
 */
function normalHistory(wire: WireName, history: Loose): unknown {
  if (wire === 'anthropic-messages')
    return history.map(({ role, content }: Loose) => ({
      role,
      content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
    }))
  if (wire !== 'gemini-generate') return history
  const turns: { readonly role: string; readonly parts: Loose[] }[] = []
  for (const { role, parts } of history) {
    if (turns.at(-1)?.role !== role) turns.push({ role, parts: [] })
    const known = turns.at(-1)?.parts ?? expect.unreachable()
    for (const part of parts) {
      const last = known.at(-1)
      const continues = isText(part) && isText(last) && part.thought === last?.thought
      if (continues) known[known.length - 1] = { ...part, text: last?.text + part.text }
      else known.push(part)
    }
  }
  return turns
}

const CLIENTS: readonly (readonly [name: string, Round, calls: string, stop: string])[] = [
  ['openai chat.completions', chat, 'tool_calls', 'stop'],
  ['@anthropic-ai/sdk', messages, 'tool_use', 'end_turn'],
  ['@google/genai', gemini, 'STOP', 'STOP'],
  ['@google/genai interactions', interactions, 'requires_action', 'completed'],
  ['@openrouter/ai-sdk-provider', openrouter, 'tool-calls', 'stop'],
]

describe.each(CLIENTS)('the client %s', (_, round, calls, stop) => {
  it.each(Object.values(WIRE_UPSTREAMS))('completes a loop of tools with an upstream of $wire', async (upstream) => {
    const talking = await startConversation(upstream, [ASSISTANT_REQUESTS, ASSISTANT_ANSWERS])
    const turns = await round(talking)
    const sealed = SEALS.includes(upstream.wire)
    expect(turns).toEqual([
      {
        text: TEXTS,
        reasoning: REASONING,
        calls: [
          ['call_a', 'get_weather', NORTH],
          ['call_b', 'get_weather', SOUTH],
        ],
        finish: calls,
        sealed,
        tokens: 18,
      },
      { text: ASSISTANT_ANSWERS.text.join(''), reasoning: '', calls: [], finish: stop, sealed: false, tokens: 18 },
    ])
    const { received } = talking.upstream
    expect(received).toHaveLength(2)
    for (const { headers } of received) expect(headers[upstream.keyHeader]).toContain(UPSTREAM_KEY)
    const [field, history] = HISTORY[upstream.wire]
    const sent = withoutBreakpoints(received[1]?.body[field] as Json)
    expect(normalHistory(upstream.wire, sent)).toEqual(history)
  })

  it.each([1, 5000])('receives text that arrives in pieces of %i bytes', async (size) => {
    for (const upstream of Object.values(WIRE_UPSTREAMS)) {
      const [turn] = await round(await startConversation(upstream, [ASSISTANT_ANSWERS, ASSISTANT_ANSWERS], size))
      expect(turn).toMatchObject({ text: 'Snow 🌨 and sun.', finish: stop })
    }
  })
})

describe('the AI SDK provider of OpenRouter', () => {
  const ask = async (model: Parameters<typeof streamText>[0]['model']) => {
    const errors: Loose[] = []
    await streamText({
      model,
      prompt: QUESTION,
      maxRetries: 0,
      onError: ({ error }) => void errors.push(error),
    }).text.then(
      () => undefined,
      () => undefined,
    )
    return errors[0]
  }

  it('uses chat completions by default, and receives 404 or 401 for wrong paths, vendors or keys', async () => {
    const { url, model, upstream } = await startConversation(WIRE_UPSTREAMS['gemini-generate'], [ASSISTANT_ANSWERS])
    const provider = createOpenRouter({ apiKey: KEY, baseURL: `${url}/api/v1` })
    expect(await ask(provider(model))).toBeUndefined()
    expect(upstream.received).toHaveLength(1)
    expect(await ask(provider.completion(model))).toMatchObject({ statusCode: 404, url: `${url}/api/v1/completions` })
    expect(await ask(provider('groq/x'))).toMatchObject({
      statusCode: 404,
      message: expect.stringContaining('The vendor "groq" has no key'),
    })
    const stranger = createOpenRouter({ apiKey: 'wrong', baseURL: `${url}/api/v1` })
    expect(await ask(stranger(model))).toMatchObject({ statusCode: 401, message: expect.stringMatching(/key/) })
    expect(upstream.received).toHaveLength(1)
  })
})
