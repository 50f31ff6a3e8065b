import OpenAI from 'openai'
import type { ResponseInput, Tool } from 'openai/resources/responses/responses'
import { describe, expect, it } from 'vitest'
import { type Behaviour, inPieces, streamOf, withBody } from '../../mock-upstreams/server.ts'
import { copyWithoutPauses } from '../recordings-without-pauses.ts'
import { KEY, startGateway, startTestServer } from '../test-server.ts'

const recordings = copyWithoutPauses()

const clientOf = (url: string): OpenAI => new OpenAI({ baseURL: `${url}/openai/v1`, apiKey: KEY, maxRetries: 0 })

const WEATHER: Tool = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather in a city, now.',
  parameters: { type: 'object', properties: { city: { type: 'string' }, unit: { type: 'string' } } },
  strict: false,
}

describe('the openai client', () => {
  it('receives an unstreamed answer with its usage', async () => {
    const { url } = await startGateway({}, { fixtures: recordings() })
    const answer = await clientOf(url).responses.create({ model: 'replay/hello', input: 'Hello!' })
    expect(answer.output_text).toMatch(/^Hello! .* 👋$/)
    expect(answer.usage?.total_tokens).toBe(56)
  })

  it('receives a stream of reasoning and text', async () => {
    const { url } = await startGateway({}, { fixtures: recordings() })
    const stream = await clientOf(url).responses.create({ model: 'replay/reasoning', input: 'Eggs?', stream: true })
    let [text, reasoning] = ['', '']
    for await (const event of stream) {
      if (event.type === 'response.output_text.delta') text += event.delta
      if (event.type === 'response.reasoning_summary_text.delta') reasoning += event.delta
    }
    expect(text).toContain('**31**')
    expect(reasoning).toContain('A dozen is twelve.')
  })

  it.each(['hello', 'reasoning', 'weather-tool', 'parallel-tools', 'refusal', 'citations', 'length', 'think-tags'])(
    'accumulates the stream of %s to the same output as the unstreamed answer',
    async (name) => {
      const { url } = await startGateway({}, { fixtures: recordings() })
      const client = clientOf(url)
      const request = { model: `replay/${name}`, input: 'x' }
      const final = await client.responses.stream(request).finalResponse()
      const whole = await client.responses.create(request)
      const output = JSON.stringify(whole.output).replaceAll(whole.id.slice(5), final.id.slice(5))
      expect(withoutParsed(final.output)).toEqual(JSON.parse(output))
    },
  )

  it('calls a tool, returns its output and receives the answer', async () => {
    const { url, upstream } = await startTestServer(toolThenText)
    const client = clientOf(url)
    const input: ResponseInput = [{ role: 'user', content: 'How warm is it in Oslo?' }]
    const asked = await client.responses.stream({ model: 'acme/mock-1', input, tools: [WEATHER] }).finalResponse()
    const [call] = asked.output
    if (call?.type !== 'function_call') return expect.unreachable()
    expect(JSON.parse(call.arguments)).toEqual({ city: 'Oslo' })
    input.push(call, { type: 'function_call_output', call_id: call.call_id, output: '7 °C' })
    const response = await client.responses.stream({ model: 'acme/mock-1', input, tools: [WEATHER] }).finalResponse()
    expect(response.output_text).toBe('Seven degrees.')
    expect(upstream.received[1]?.body.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: call.call_id, function: { name: 'get_weather' } }] },
      { role: 'tool', tool_call_id: call.call_id },
    ])
  })

  it('throws its own error classes for failures', async () => {
    const { url } = await startTestServer(withBody('{"error":{"message":"Slow down."}}', 429, { 'retry-after': '1' }))
    const client = clientOf(url)
    const failing = client.responses.create({ model: 'acme/mock-1', input: 'x', stream: true })
    await expect(failing).rejects.toThrow(OpenAI.RateLimitError)
    const stranger = new OpenAI({ baseURL: `${url}/openai/v1`, apiKey: 'wrong', maxRetries: 0 })
    await expect(stranger.responses.create({ model: 'acme/x', input: 'x' })).rejects.toThrow(OpenAI.AuthenticationError)
    await expect(client.responses.create({ model: 'groq/x', input: 'x' })).rejects.toThrow(OpenAI.NotFoundError)
  })
})

const toolThenText: Behaviour = (response, request) => {
  const isAnswered = JSON.stringify(request.body.messages).includes('"tool"')
  const call = {
    index: 0,
    id: 'call_1',
    type: 'function',
    function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
  }
  const calling =
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { role: 'assistant', tool_calls: [call] } }] })}\n\n` +
    'data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n'
  return inPieces(isAnswered ? streamOf('Seven', ' degrees.') : calling, 40)(response, request)
}

/** Removes the fields `parsed` and `parsed_arguments`, which the SDK's accumulator adds. */
const withoutParsed = (output: unknown): unknown =>
  JSON.parse(JSON.stringify(output, (key, value) => (key.startsWith('parsed') ? undefined : value)))
