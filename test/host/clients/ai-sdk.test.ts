import { createOpenAI } from '@ai-sdk/openai'
import { generateText, stepCountIs, streamText, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import {
  ASSISTANT_ANSWERS,
  ASSISTANT_REQUESTS,
  NORTH,
  OUTPUTS,
  QUESTION,
  SOUTH,
  startConversation,
} from '../conversation.ts'
import { KEY } from '../test-server.ts'

/**
 * Tests the unmodified AI SDK. Unless `store: false` is set, its next step refers to earlier output items by id, as if
 * the server had stored them.
 */

const weather = tool({
  description: 'The weather in a city, now.',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => OUTPUTS[city === NORTH.city ? 0 : 1],
})

const ANSWER = ASSISTANT_ANSWERS.text.join('')

describe.each(Object.values(WIRE_UPSTREAMS))('a client of the AI SDK with an upstream of $wire', (wireUpstream) => {
  const open = async () => {
    const { url, model, upstream } = await startConversation(wireUpstream, [
      ASSISTANT_REQUESTS,
      ASSISTANT_ANSWERS,
      ASSISTANT_ANSWERS,
    ])
    const openai = createOpenAI({ baseURL: `${url}/openai/v1`, apiKey: KEY })
    const request = {
      model: openai(model),
      tools: { get_weather: weather },
      stopWhen: stepCountIs(3),
      prompt: QUESTION,
      maxRetries: 0,
    }
    return { request, upstream, openai, model }
  }
  const hasOutputs = (body: unknown): boolean => OUTPUTS.every((output) => JSON.stringify(body).includes(output))

  it('completes a loop of tool calls with generateText', async () => {
    const { request, upstream } = await open()
    const { text, steps } = await generateText(request)
    expect(text).toBe(ANSWER)
    expect(steps.map(({ toolCalls }) => toolCalls.map(({ input }) => input))).toEqual([[NORTH, SOUTH], []])
    expect(upstream.received).toHaveLength(2)
    expect(hasOutputs(upstream.received[1]?.body)).toBe(true)
  })

  it('completes a loop of tool calls with streamText', async () => {
    const { request, upstream } = await open()
    const result = streamText(request)
    let text = ''
    for await (const piece of result.textStream) text += piece
    expect(text.endsWith(ANSWER)).toBe(true)
    expect((await result.steps).map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop'])
    expect(hasOutputs(upstream.received[1]?.body)).toBe(true)
  })

  it('receives the remedy store: false if its next request only refers to stored items', async () => {
    const { request, openai, model } = await open()
    const { response } = await generateText(request)
    const messages = [
      { role: 'user' as const, content: QUESTION },
      ...response.messages,
      { role: 'user' as const, content: 'And now?' },
    ]
    const next = { model: openai(model), tools: request.tools, messages, maxRetries: 0 }
    await expect(generateText(next)).rejects.toThrow(/store: false/)
    const { text } = await generateText({ ...next, providerOptions: { openai: { store: false } } })
    expect(text).toBe(ANSWER)
  })
})
